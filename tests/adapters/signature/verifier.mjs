// node verifier.mjs FOLDER PROGRAM: checks the signatures of real requests with verifiers by others, the npm packages
// http-message-sig and http-message-signatures. Starts https servers, and runs PROGRAM (signed_requests.cpp) once for
// each form of Signature-Agent. Prints a line for each request. Exits with 1 if a request is missing, if a verifier
// refuses a signature, or if it accepts the signature of one host at another host.
import { execFile } from "node:child_process";
import { createHash, createPublicKey, webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, program] = process.argv.slice(2).map((path) => resolve(path));
const load = createRequire(folder + "/");
const sig = load("http-message-sig");
const { createVerifier, httpbis } = load("http-message-signatures");

const file = (name) => readFileSync(`${folder}/${name}`);
const keys = JSON.parse(file("directory.json")).keys;
const key_of = (id) => keys.find((key) => key.kid === id);

// Each verifier throws, or returns false, for a signature that it refuses.
const verifiers = {
  "http-message-sig": async (method, url, headers) => {
    await sig.verifySignature(new Request(url, { method, headers }), {
      policy: {
        algorithms: ["ed25519"],
        requiredComponents: ["@authority"],
        requiredParameters: ["created", "expires", "keyid", "tag"],
        maxAge: 300,
        clockSkew: 0,
      },
      resolveVerifier: async ({ parameters }) =>
        sig.webcrypto.verifier(
          await webcrypto.subtle.importKey("jwk", key_of(parameters.keyid), { name: "Ed25519" }, true, ["verify"])),
    });
    return true;
  },
  "http-message-signatures": (method, url, headers) =>
    httpbis.verifyMessage({
      all: true,
      keyLookup: async ({ keyid }) => {
        const key = createPublicKey({ key: key_of(keyid), format: "jwk" });
        return { id: keyid, algs: ["ed25519"], verify: createVerifier(key, "ed25519") };
      },
    }, { method, url, headers }),
};

async function accepts(verifier, method, url, headers) {
  try {
    return (await verifier(method, url, headers)) === true;
  } catch {
    return false;
  }
}

let wrong = 0;
const expect = (is_good, line) => {
  wrong += is_good ? 0 : 1;
  console.log(`${is_good ? "good" : "WRONG"}  ${line}`);
};

const redirects = {
  "a.example/page": "https://b.example/next",
  "c.example/robots.txt": "https://b.example/robots.txt",
};
let requests = 0;
async function answer(request, response) {
  const place = request.headers.host + request.url;
  ++requests;
  for (const [name, verifier] of Object.entries(verifiers)) {
    const here = await accepts(verifier, request.method, `https://${place}`, request.headers);
    const other = await accepts(verifier, request.method, `https://other.example${request.url}`, request.headers);
    expect(here && !other, `${name}: ${request.headers["signature-agent"]} ${place}`);
  }
  const target = redirects[place];
  response.writeHead(target ? 302 : 200, target ? { Location: target } : { "Content-Type": "text/plain" });
  response.end(target ? "" : "User-agent: *\nDisallow: /private\n");
}

// The key directory is signed, too, by the server of the crawler.
const headers = JSON.parse(file("directory_headers.json"));
const request = { method: "GET", url: "https://bot.example/.well-known/http-message-signatures-directory", headers: {} };
const digest = createHash("sha256").update(file("directory.json")).digest("base64");
expect(headers["Content-Digest"] === `sha-256=:${digest}:`, "the digest of the key directory");
const directory_is_signed = await httpbis.verifyMessage({
  all: true,
  keyLookup: async ({ keyid }) => ({
    id: keyid,
    algs: ["ed25519"],
    verify: createVerifier(createPublicKey({ key: key_of(keyid), format: "jwk" }), "ed25519"),
  }),
}, { status: 200, headers }, request);
expect(directory_is_signed === true, "the signature of the key directory");

const server = createServer({ key: file("server.key"), cert: file("server.pem") }, answer);
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
for (const form of ["key_set", "origin", "bare_origin"]) {
  requests = 0;
  await new Promise((ended) =>
    execFile(program, [folder, String(server.address().port), form], { timeout: 60_000 }, (failure, out, errors) => {
      expect(!failure && requests === 6, `${requests} requests with the form ${form} ${errors}`);
      ended();
    }));
}
server.close();
server.closeAllConnections();
process.exitCode = wrong === 0 ? 0 : 1;
