// npm's robots-parser as a peer; README.md describes the protocol. The argument is the folder with
// node_modules.
import { readSync, writeSync } from "node:fs";
import { createRequire } from "node:module";

const say = (text) => writeSync(1, text + "\n");

let robotsParser;
let version;
try {
  const require = createRequire(process.argv[2] + "/");
  robotsParser = require("robots-parser");
  version = require("robots-parser/package.json").version;
} catch {
  say("failed node has no robots-parser; it was not installed, or there is no npm");
  process.exit();
}

const origin = "https://www.example.com";
const parse = (text) => robotsParser(origin + "/robots.txt", text);

let unread = Buffer.alloc(0);
function more() {
  const block = Buffer.alloc(1 << 20);
  for (;;) {
    try {
      const got = readSync(0, block);
      if (got === 0) process.exit();
      unread = Buffer.concat([unread, block.subarray(0, got)]);
      return;
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
function take(count) {
  while (unread.length < count) more();
  const taken = unread.subarray(0, count);
  unread = unread.subarray(count);
  return taken;
}
function line() {
  let end;
  while ((end = unread.indexOf(10)) < 0) more();
  const text = take(end).toString();
  take(1);
  return text;
}

function readInput(files, questions) {
  const input = { sizes: [], texts: [], questions: [], first: [] };
  for (let i = 0; i < files; ++i) {
    input.sizes.push(Number(line()));
    input.texts.push(take(input.sizes[i]).toString());
  }
  for (let i = 0; i < questions; ++i) {
    const [file, agent, path] = line().split("\t");
    const question = { file: Number(file), agent, url: origin + path };
    if (i === 0 || input.questions[i - 1].file !== question.file) input.first.push(question);
    input.questions.push(question);
  }
  input.rules = input.texts.map(parse);
  return input;
}

// Returns the fastest pass over the items within the budget, after a pass to warm up.
let sink = 0;
function bestPass(items, once, size, budget) {
  const clock = process.hrtime.bigint;
  const start = clock();
  let operations = 0;
  let octets = 0;
  for (const item of items) {
    sink += once(item) ? 1 : 0;
    ++operations;
    octets += size(item);
    if (clock() - start > budget) break;
  }
  let best;
  if (operations < items.length) {
    best = clock() - start;
  } else {
    do {
      const begin = clock();
      for (const item of items) sink += once(item) ? 1 : 0;
      const took = clock() - begin;
      if (best === undefined || took < best) best = took;
    } while (clock() - start < budget);
  }
  return `timed ${operations} ${octets} ${best}`;
}

const allows = (rules, question) => rules.isAllowed(question.url, question.agent);

function timed(what, input, budget) {
  if (what === "parse") {
    return bestPass([...input.texts.keys()], (i) => parse(input.texts[i]), (i) => input.sizes[i],
                    budget);
  }
  if (what === "compile") {
    return bestPass(input.first, (q) => allows(parse(input.texts[q.file]), q),
                    (q) => input.sizes[q.file], budget);
  }
  return bestPass(input.questions, (q) => allows(input.rules[q.file], q), () => 0, budget);
}

function verdict(rules, question) {
  const answer = allows(rules, question);
  return answer === undefined ? "?" : answer ? "1" : "0";
}

const inputs = new Map();
say(`robots-peer 1 robots-parser ${version} (npm)`);
for (;;) {
  const [command, ...words] = line().split(" ");
  try {
    if (command === "input") {
      inputs.set(words[0], readInput(Number(words[1]), Number(words[2])));
      say("ready");
    } else if (command === "time") {
      say(timed(words[0], inputs.get(words[1]), BigInt(words[2]) * 1000000n));
    } else if (command === "verdicts") {
      const input = inputs.get(words[0]);
      say("verdicts " + input.questions.map((q) => verdict(input.rules[q.file], q)).join(""));
    } else {
      say("failed unknown command " + command);
    }
  } catch (error) {
    say("failed " + String(error).replaceAll("\n", " "));
  }
}
