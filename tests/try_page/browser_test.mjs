// browser_test.mjs PAGE [BROWSER]: tests the page on which one tries a robots.txt in a headless
// Chromium. ./run try makes the page and calls this program; CI does not.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { start_browser } from "./browser.mjs";

const file = resolve(process.argv[2]);
const browser = await start_browser(process.argv[3] ?? "chromium");
const folder = mkdtempSync(join(tmpdir(), "robots-try-files-"));
const address = pathToFileURL(file).href;
const tests = [];
const test = (name, body) => tests.push({ name, body });

/** Returns an expression for the text of the first element that a selector finds. */
const text = (selector) => `document.querySelector(${JSON.stringify(selector)}).textContent`;
const cell = (row, dialect) => `#answers tbody tr:nth-child(${row}) td[data-dialect=${dialect}]`;
const marked_lines = "[...document.querySelectorAll('#stripes div')].map((one) => Number(one.dataset.line))";

test("The page answers about its example without a server", async (page) => {
  assert.match(await page.value(text("#verdicts")), /^5 URLs: 3 allowed, 2 not allowed; the dialects agree\.$/);
  assert.equal(await page.value(text("#token")), "Asked as BarBot.");
  assert.match(await page.value(text("#summary")), /the groups of \* apply, 3 rules, Crawl-delay 2 s, 1 sitemap\.$/);
});

test("Both dialects answer, and the page says where they differ", async (page) => {
  await page.fill({
    robots: "User-agent: *\nDisallow: /~ann/\nDisallow: /b\n", crawler: "FooBot",
    urls: "https://example.com/%7Eann/x\nhttps://example.com/b\n",
  });
  assert.match(await page.value(text(cell(1, "rfc9309"))), /^not allowed: disallow "\/~ann\/", line 2, for \*$/);
  assert.match(await page.value(text(cell(1, "google"))), /^allowed: no rule matches/);
  assert.match(await page.value(text("#answers tbody tr:nth-child(1) th")), /the dialects differ/);
  assert.equal(await page.value(text("#stripes")), "decides for RFC 9309");
  assert.match(await page.value(text(cell(2, "google"))), /^not allowed: disallow "\/b", line 3/);
  assert.doesNotMatch(await page.value(text("#answers tbody tr:nth-child(2) th")), /differ/);
  assert.match(await page.value(text("#verdicts")), /the dialects differ about 1 URL\./);
});

test("The deciding line is highlighted in the text, and a button goes to it", async (page) => {
  const many = "# a comment\n".repeat(400);
  await page.fill({
    robots: `User-agent: *\n${many}Disallow: /a\nAllow: /a/b\n`, crawler: "FooBot", urls: "/a/b/c\n/a\n/none\n",
  });
  assert.deepEqual(await page.value(marked_lines), [403]);
  await page.value("document.querySelectorAll('#answers button.url')[1].click()");
  assert.deepEqual(await page.value(marked_lines), [402]);
  assert.equal(await page.value(text("#stripes")), "decides");
  await page.value("document.querySelector('#answers tbody tr:nth-child(2) button.go').click()");
  const chosen = "robots.value.slice(robots.selectionStart, robots.selectionEnd)";
  assert.equal(await page.value(`{ const robots = document.getElementById("robots"); ${chosen} }`), "Disallow: /a");
  await page.until("document.querySelector('#gutter [data-line=\"402\"]')");
  // The stripe lies on the text of its line: both have the same distance from the number.
  assert.equal(await page.value(`{
    const top = (selector) => document.querySelector(selector).getBoundingClientRect().top;
    Math.abs(top('#gutter [data-line="402"]') - top('#stripes [data-line="402"]')) < 1;
  }`), true);
  assert.equal(await page.value(`{
    const stripe = document.querySelector("#stripes div").getBoundingClientRect();
    const sheet = document.getElementById("robots").getBoundingClientRect();
    stripe.top >= sheet.top && stripe.bottom <= sheet.bottom && stripe.height > 10;
  }`), true);
  await page.value("document.querySelectorAll('#answers button.url')[2].click()");
  assert.deepEqual(await page.value(marked_lines), []);
});

test("All rules that match are listed, the deciding rule first", async (page) => {
  await page.fill({ robots: "User-agent: FooBot\nDisallow: /a\nAllow: /a/b\n", crawler: "FooBot", urls: "/a/b/c" });
  assert.deepEqual(await page.value("[...document.querySelectorAll('#matches [data-dialect=rfc9309] li')]" +
    ".map((one) => [one.className, one.querySelector('code').textContent])"), [["decides", "/a/b"], ["", "/a"]]);
  assert.match(await page.value(text("#matches [data-dialect=google]")), /a group that names the crawler/);
});

test("Each finding of lint is shown at its line", async (page) => {
  await page.fill({ robots: "User-agent: *\nDisalow: /a\nDisallow: /b\nhello\n", crawler: "*", urls: "/a" });
  assert.deepEqual(await page.value("[...document.querySelectorAll('#findings li')]" +
    ".map((one) => [one.dataset.line, one.dataset.code])"), [["2", "misspelled_key"], ["4", "malformed_line"]]);
  assert.equal(await page.value(text("#counts")), "1 error, 1 warning, 0 notes.");
  assert.match(await page.value("document.querySelector('#gutter [data-line=\"2\"]').title"), /misspelled key/);
  assert.equal(await page.value("document.querySelector('#gutter [data-line=\"4\"]').className"), "error");
  assert.equal(await page.value("document.querySelector('#gutter [data-line=\"3\"]').className"), "");
});

test("The use of a page is answered for each purpose, with the places that were not read", async (page) => {
  const answer = (purpose) => page.value(text(`#purposes tr[data-purpose=${purpose}]`));
  await page.fill({
    robots: "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n", crawler: "FooBot", urls: "/a",
  });
  assert.match(await answer("ai_train"), /no.*Content-Signal "ai-train=no", line 2, for \*/);
  assert.match(await answer("search"), /unread.*headers, meta elements/);
  await page.fill({ headers: "X-Robots-Tag: noarchive", "read-meta": true, "read-tdmrep": true });
  assert.match(await answer("archive"), /no.*X-Robots-Tag "noarchive"/);
  assert.match(await answer("search"), /yes.*Content-Signal "search=yes", line 2/);
  assert.match(await answer("index"), /unstated/);
});

test("The answers come while one types", async (page) => {
  await page.fill({ robots: "User-agent: FooBot\nDisallow: /\n", crawler: "", urls: "/a" });
  assert.match(await page.value(text(cell(1, "rfc9309"))), /^allowed/);
  await page.value("document.getElementById('crawler').focus()");
  await page.answer_after(() => page.command("Input.insertText", { text: "FooBot/2.0" }));
  assert.match(await page.value(text(cell(1, "rfc9309"))), /^not allowed: disallow "\/", line 2, for FooBot/);
});

test("Tags in any field are text", async (page) => {
  const attack = "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 2'>";
  const elements = "document.querySelectorAll('script, img, iframe, object').length";
  const before = await page.value(elements);
  await page.fill({
    robots: `User-agent: ${attack}\nUser-agent: *\nDisallow: /*${attack}\nContent-Signal: ai-train=no, ${attack}\nSitemap: ${attack}\n`,
    crawler: attack, urls: `https://example.com/${attack}\n${attack}\n`, headers: `X-Robots-Tag: ${attack}`,
  });
  await page.value("document.querySelector('#answers button.url').click()");
  assert.equal(await page.value(elements), before);
  assert.equal(await page.value("typeof window.attacked"), "undefined");
  assert.ok((await page.value(text("#answers tbody"))).includes(`https://example.com/${attack}`));
  assert.ok((await page.value(text("#matches"))).includes(attack));
});

test("A file of any octets is read, and its text is shown", async (page) => {
  const path = join(folder, "octets.txt");
  const octets = Buffer.from([...Array(1024).keys()].map((i) => (i * 7) % 256));
  writeFileSync(path, Buffer.concat([Buffer.from("User-agent: *\nDisallow: /\xff\n", "latin1"), octets]));
  await page.fill({ crawler: "FooBot", urls: "/%FF\n/a\n" });
  await page.open_file(path);
  assert.equal(await page.value(text("#size")), "1,051 octets");
  assert.match(await page.value(text(cell(1, "rfc9309"))), /^not allowed: disallow "\/\\xFF", line 2/);
  assert.match(await page.value(text(cell(2, "rfc9309"))), /^allowed/);
  assert.equal(await page.value("document.getElementById('alarm').hidden"), true);
});

test("UTF-16 with a byte order mark is read as a cache reads it", async (page) => {
  const path = join(folder, "utf16.txt");
  writeFileSync(path, Buffer.from("\ufeffUser-agent: *\nDisallow: /a\n", "utf16le"));
  await page.fill({ crawler: "FooBot", urls: "/a" });
  await page.open_file(path);
  assert.match(await page.value(text(cell(1, "rfc9309"))), /^not allowed: disallow "\/a", line 2/);
  assert.match(await page.value("document.getElementById('robots').value"), /^User-agent: \*\nDisallow: \/a\n$/);
});

test("A file beyond the limit is cut as the library cuts it, and the page says so", async (page) => {
  const robots = `User-agent: *\nDisallow: /a\n${"Disallow: /x/y/z\n".repeat(60_000)}Disallow: /last\n`;
  await page.fill({ robots, crawler: "FooBot", urls: "/a\n/last\n" });
  assert.match(await page.value(text(cell(1, "rfc9309"))), /^not allowed/);
  assert.match(await page.value(text(cell(2, "rfc9309"))), /^allowed: no rule matches/);
  assert.match(await page.value(text("#counts")), /the list has the first 500\.$/);
  const lines = await page.value("document.getElementById('gutter').children.length");
  assert.ok(lines > 5 && lines < 200, `${lines} numbers are drawn`);
});

test("Patterns that take long to compare and many URLs do not stop the page", async (page) => {
  const robots = `User-agent: *\n${`Disallow: /${"*a".repeat(400)}b\n`.repeat(300)}`;
  await page.fill({ robots, crawler: "FooBot", urls: `/${"a".repeat(2000)}\n`.repeat(40) });
  assert.match(await page.value(text("#verdicts")), /^40 URLs: /);
  assert.equal(await page.value("document.getElementById('alarm').hidden"), true);
  await page.fill({ robots: "User-agent: *\nDisallow: /a\n", urls: "/a\n".repeat(3_000) });
  assert.match(await page.value(text("#verdicts")), /^1,000 URLs: .*2,000 more URLs not asked/);
});

test("A text that is no URL is named", async (page) => {
  await page.fill({ robots: "User-agent: *\nDisallow: /a\n", crawler: "FooBot", urls: "ftp://example.com/a\nmailto:a@b\n/a\n" });
  assert.match(await page.value(text("#answers tbody tr:nth-child(1) td")), /not an http or https URL: the scheme "ftp"/);
  assert.match(await page.value(text("#verdicts")), /^1 URL: .*2 lines without an http or https URL/);
});

test("The page can be used with the keyboard alone", async (page) => {
  await page.fill({ robots: "User-agent: *\nDisallow: /a\n", crawler: "FooBot", urls: "/b\n/a\n" });
  await page.value("document.querySelector('#answers button.url').focus()");
  await page.press("Tab");
  assert.equal(await page.value("document.activeElement.textContent"), "/a");
  await page.press("Enter");
  assert.equal(await page.value(text("#chosen-url")), "/a");
  await page.press("Tab");
  await page.press("Enter");
  assert.equal(await page.value("document.activeElement.id"), "robots");
});

test("Each field and button has a name for screen readers", async (page) => {
  await page.value("document.getElementById('page').open = true");
  await page.command("Accessibility.enable");
  const { nodes } = await page.command("Accessibility.getFullAXTree");
  const used = nodes.filter(({ ignored, role }) => !ignored && ["textbox", "combobox", "checkbox", "button"].includes(role?.value));
  assert.ok(used.length > 12, `${used.length} fields and buttons`);
  assert.deepEqual(used.filter(({ name }) => !name?.value).map(({ role }) => role.value), []);
});

test("Colours follow the system, and texts have enough contrast in both", async (page) => {
  const backs = [];
  for (const scheme of ["light", "dark"]) {
    await page.command("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    backs.push(await page.value("getComputedStyle(document.body).backgroundColor"));
    const worst = await page.value(`{
      const light = (colour) => {
        const [r, g, b] = colour.match(/\\w\\w/g).map((one) => parseInt(one, 16) / 255)
          .map((one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const of = (name) => light(getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim());
      const contrast = (a, b) => (Math.max(of(a), of(b)) + 0.05) / (Math.min(of(a), of(b)) + 0.05);
      Math.min(...["text", "soft", "link", "yes", "no", "warn"].flatMap((one) => [contrast(one, "back"), contrast(one, "panel")]),
        contrast("text", "yes-back"), contrast("text", "no-back"), contrast("no", "no-back"));
    }`);
    assert.ok(worst >= 4.5, `the contrast is ${worst} in ${scheme}`);
  }
  assert.notEqual(backs[0], backs[1]);
});

test("Nothing is wider than the window of a phone", async (page) => {
  await page.command("Emulation.setDeviceMetricsOverride", { width: 360, height: 740, deviceScaleFactor: 1, mobile: true });
  await page.fill({ robots: `User-agent: *\nDisallow: /${"a".repeat(300)}\n`, crawler: "FooBot", urls: `/${"a".repeat(400)}\n` });
  assert.ok(await page.value("document.documentElement.scrollWidth") <= 360);
});

test("A link holds the whole form, also octets that are no text", async (page) => {
  const path = join(folder, "shared.txt");
  writeFileSync(path, Buffer.from("User-agent: *\nDisallow: /\xe9\n", "latin1"));
  await page.fill({ crawler: "FooBot", urls: "/%E9\n/%C3%A9\n", headers: "X-Robots-Tag: noindex", "read-meta": true });
  await page.open_file(path);
  await page.value("document.getElementById('share').click()");
  await page.until("location.hash.length > 10");
  const other = await browser.open(await page.value("location.href"));
  const form = "['crawler', 'urls', 'headers'].map((id) => document.getElementById(id).value).join('|') +" +
    " document.getElementById('size').textContent + document.getElementById('read-meta').checked";
  assert.equal(await other.value(form), await page.value(form));
  assert.equal(await other.value(text("#answers tbody")), await page.value(text("#answers tbody")));
  assert.match(await other.value(text(cell(1, "rfc9309"))), /^not allowed/);
  assert.deepEqual(other.errors, []);
  await other.close();
});

test("A link that is damaged, or would fill the memory, is refused with a message", async () => {
  const { deflateRawSync } = await import("node:zlib");
  const bomb = deflateRawSync(Buffer.alloc(200 << 20)).toString("base64url");
  for (const fragment of ["x", "d!!", "dAAAA", "pAAAA", `d${bomb}`]) {
    const page = await browser.open(`${address}#${fragment}`);
    assert.match(await page.value(text("#shared")), /^The link cannot be read: /, fragment.slice(0, 10));
    assert.match(await page.value(text("#verdicts")), /^5 URLs: /);
    assert.deepEqual(page.errors, []);
    await page.close();
  }
});

test("No request leaves the page", async () => {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.setHeader("Content-Type", "text/html");
    response.end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const from = `http://127.0.0.1:${server.address().port}/try.html`;
  const page = await browser.open(from);
  await page.fill({
    robots: "User-agent: *\nDisallow: /a\nSitemap: https://example.com/sitemap.xml\n", crawler: "FooBot",
    urls: "https://example.com/a\n",
  });
  await page.value("document.querySelector('#answers button.url').click()");
  await page.value("document.getElementById('share').click()");
  await page.until("location.hash.length > 10");
  assert.deepEqual(page.requests.filter((url) => !url.startsWith("data:")), [from]);
  assert.deepEqual(asked, ["/try.html"]);
  assert.deepEqual(page.errors, []);
  // Even a script in the page could not send anything: its policy forbids it.
  for (const attempt of [`fetch("/x")`, `fetch("https://example.com/")`]) {
    await assert.rejects(page.value(attempt), /Failed to fetch|violates/);
  }
  await page.value(`new Promise((done) => { const image = new Image(); image.onerror = done; image.src = "/image"; })`);
  assert.deepEqual(asked, ["/try.html"]);
  await page.close();
  server.close();
});

console.log(`${browser.version}, ${address}`);
let failed = 0;
for (const { name, body } of tests) {
  const page = body.length > 0 ? await browser.open(address) : null;
  try {
    await body(page);
    assert.deepEqual(page?.errors ?? [], [], "errors of the page");
    assert.deepEqual((page?.requests ?? []).filter((url) => !/^(file|data):/.test(url)), [], "requests of the page");
    console.log(`passed: ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED: ${name}\n  ${String(error.message).replaceAll("\n", "\n  ")}`);
  }
  await page?.close();
}
await browser.close();
rmSync(folder, { recursive: true });
console.log(`${tests.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1); // a failed test may have left its server open
