// The script of the page on which one tries a robots.txt.
//
//   form --> octets --> library (WebAssembly) --> answers --> page
//     ^                                                         |
//     +--- fragment of the address (Copy a link) <--------------+
//
// Each change of the form starts `update`, which reads the file and asks about each URL. It pauses
// now and then, so that typing is never blocked; a newer update ends it. Texts from the form reach
// the page only as text nodes, never as HTML.
import { octets_of, open_library } from "./library.mjs";
import { fields_of_fragment, fragment_of_fields } from "./fragment.mjs";

const most_urls = 1000;
const most_octets = 8 << 20; // of an opened file; the library reads 512,000 octets of a robots.txt
const dialect_names = { rfc9309: "RFC 9309", google: "google/robotstxt" };

const examples = {
  "A first file": {
    robots: "# Each rule is a prefix of a path. The longest one that matches decides.\n" +
      "User-agent: *\nDisallow: /private/\nAllow: /private/press/\nDisallow: /*.pdf$\n" +
      "Crawl-delay: 2\n\nUser-agent: FooBot\nDisallow: /search\n\n" +
      "Sitemap: https://example.com/sitemap.xml\n",
    crawler: "BarBot/1.0 (+https://bar.example/bot)",
    urls: "https://example.com/\nhttps://example.com/private/a\nhttps://example.com/private/press/b\n" +
      "https://example.com/prices.pdf\nhttps://example.com/prices.pdf?page=2\n",
  },
  "The dialects differ": {
    robots: "User-agent: *\nDisallow: /~ann/\nDisallow: /shop\nAllow: /shop/index.html\nDisallow: /robots\n",
    crawler: "FooBot",
    urls: "https://example.com/%7Eann/photos\nhttps://example.com/shop/\n" +
      "https://example.com/robots.txt\nhttps://example.com/shop/shoes\n",
  },
  "The use of pages": {
    robots: "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n\n" +
      "User-agent: FooBot\nContent-Usage: train-ai=n\nDisallow: /drafts/\n",
    crawler: "BarBot",
    urls: "https://example.com/article\n",
    headers: "X-Robots-Tag: noarchive\n",
  },
  "A file with mistakes": {
    robots: "Disallow: /above-all-groups\n\nUser-agent: FooBot, BarBot\nDisalow: /tmp\nDisallow: private\n" +
      "Allow /pub\nCrawl-delay: soon\nDisallow: /a\nDisallow: /a/b\nhello\nSitemap: /sitemap.xml\n",
    crawler: "FooBot",
    urls: "/tmp/x\n/private\n/pub\n",
  },
};

const by_id = (id) => document.getElementById(id);
const [robots, crawler, urls, headers] = ["robots", "crawler", "urls", "headers"].map(by_id);
const places = ["read-headers", "read-meta", "read-tdmrep"].map(by_id);

let library;
let opened = null; // the octets of an opened file, until its text is edited
let run = 0; // the number of the newest update
let asked = []; // the URLs of the newest update
let answers = [];
let chosen = 0; // the index of the URL with details
let findings = new Map(); // line --> findings
let decided = []; // the lines that decide about the chosen URL: {line, allowed, label}

/** Returns a new element with text or other elements in it. */
function element(name, attributes, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...content);
  return made;
}

function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Returns an explanation of the library, in which octets other than printable ASCII are already
 * escaped. The JSON escapes their backslashes once more.
 */
function explained(text) {
  return text.replaceAll("\\x5C", "\\");
}

/** Returns a button that shows a line of the file. */
function line_button(line) {
  const button = element("button", { type: "button", class: "go" }, `line ${line}`);
  button.addEventListener("click", () => go_to(line));
  return button;
}

/** Returns an explanation, in which the name of a line is a button. Line 0 is no line. */
function with_line(text, line) {
  const name = `, line ${line}`;
  const place = line === 0 ? -1 : text.lastIndexOf(name);
  return place < 0 ? [text] : [text.slice(0, place + 2), line_button(line), text.slice(place + name.length)];
}

// The editor ------------------------------------------------------------------------------------

function row_height() {
  return parseFloat(getComputedStyle(robots).lineHeight);
}

/** Returns the positions of the first character of a line and of its end. */
function line_bounds(line) {
  let start = 0;
  for (let i = 1; i < line; ++i) {
    const end = robots.value.indexOf("\n", start);
    if (end < 0) {
      break;
    }
    start = end + 1;
  }
  const end = robots.value.indexOf("\n", start);
  return [start, end < 0 ? robots.value.length : end];
}

function go_to(line) {
  const [start, end] = line_bounds(line);
  robots.focus();
  robots.setSelectionRange(start, end);
  robots.scrollTop = (line - 1) * row_height() - robots.clientHeight / 3;
  robots.scrollLeft = 0;
  draw_editor();
}

/** Draws the numbers, marks and stripes of the lines that can be seen. */
function draw_editor() {
  const height = row_height();
  const padding = parseFloat(getComputedStyle(robots).paddingTop) + robots.clientTop;
  const lines = by_id("gutter").dataset.lines;
  const first = Math.max(1, Math.floor((robots.scrollTop - padding) / height));
  const last = Math.min(lines, first + Math.ceil(robots.clientHeight / height) + 2);
  const place = (made, line) => {
    made.style.top = `${padding + (line - 1) * height - robots.scrollTop}px`;
    return made;
  };
  const marks = { error: "!", warning: "?", note: "i" };
  const numbers = [];
  for (let line = first; line <= last; ++line) {
    const number = place(element("span", { "data-line": line }, String(line)), line);
    const worst = ["error", "warning", "note"].find(
      (one) => findings.get(line)?.some(({ severity }) => severity === one));
    if (worst) {
      number.className = worst;
      number.title = findings.get(line).map(({ text }) => text).join("\n");
      number.prepend(element("b", {}, marks[worst]));
    }
    numbers.push(number);
  }
  by_id("gutter").replaceChildren(...numbers);
  by_id("stripes").replaceChildren(...decided.map(({ line, allowed, label }) => place(
    element("div", { class: allowed ? "allow" : "disallow", "data-line": line }, label), line)));
}

// The answers -----------------------------------------------------------------------------------

function show_summary(summary) {
  const [rfc, google] = summary.dialects;
  const groups = { own: "a group names the crawler", everyone: "the groups of * apply", none: "no group applies" };
  const of = (one) => [groups[one.group], counted(one.rules, "rule"),
    one.crawlDelay === null ? "no Crawl-delay" : `Crawl-delay ${one.crawlDelay} s`].join(", ");
  const both = of(rfc) === of(google) ? of(rfc)
    : `${dialect_names.rfc9309}: ${of(rfc)}; ${dialect_names.google}: ${of(google)}`;
  by_id("summary").textContent = `${both}, ${counted(summary.sitemapCount, "sitemap")}.`;
  by_id("token").textContent = summary.nameless
    ? "This names no crawler, so only groups of * apply: give a product token."
    : `Asked as ${summary.token}.`;
}

function show_findings(summary) {
  const { error, warning, note } = summary.counts;
  const total = error + warning + note;
  const rest = total - summary.findings.length;
  by_id("counts").textContent = total === 0 ? "lint finds no mistake."
    : [counted(error, "error"), counted(warning, "warning"), counted(note, "note")].join(", ") +
      (rest > 0 ? `; the list has the first ${summary.findings.length}` : "") + ".";
  findings = new Map();
  by_id("findings").replaceChildren(...summary.findings.map((one) => {
    findings.set(one.line, [...(findings.get(one.line) ?? []), one]);
    return element("li", { "data-line": one.line, "data-code": one.code }, line_button(one.line), ` column ${one.column}, `,
      element("span", { class: one.severity }, one.severity), `: ${one.text} [${one.code}]`);
  }));
}

function verdict_cell({ dialect, allowed, line, why }) {
  return element("td", { "data-dialect": dialect },
    element("strong", { class: allowed ? "allowed" : "denied" }, allowed ? "allowed" : "not allowed"),
    ": ", ...with_line(explained(why), line));
}

function answer_row(index) {
  const { problem, dialects, differ } = answers[index];
  const button = element("button", { type: "button", class: "url" }, asked[index]);
  button.addEventListener("click", () => guarded(() => choose(index)));
  const row = element("tr", { class: differ ? "differ" : "" }, element("th", { scope: "row" }, button));
  if (problem) {
    row.append(element("td", { colspan: 2 }, `not an http or https URL: ${explained(problem)}`));
  } else {
    row.append(...dialects.map(verdict_cell));
    row.firstChild.append(...(differ ? [element("div", { class: "differs" }, "the dialects differ")] : []));
  }
  return row;
}

function show_verdicts(left_out) {
  const valid = answers.filter(({ problem }) => !problem);
  const allowed = valid.filter(({ dialects }) => dialects[0].allowed).length;
  const differ = valid.filter((one) => one.differ).length;
  const parts = [`${counted(valid.length, "URL")}: ${allowed} allowed, ${valid.length - allowed} not allowed`];
  parts.push(differ === 0 ? "the dialects agree" : `the dialects differ about ${counted(differ, "URL")}`);
  if (valid.length < answers.length) {
    parts.push(`${counted(answers.length - valid.length, "line")} without an http or https URL`);
  }
  if (left_out > 0) {
    parts.push(`${counted(left_out, "more URL")} not asked: give at most ${most_urls}`);
  }
  by_id("verdicts").textContent = answers.length === 0 ? "Enter a URL." : `${parts.join("; ")}.`;
  by_id("answers").tBodies[0].replaceChildren(...answers.map((_, index) => answer_row(index)));
}

function match_list({ dialect, group, target, matches, matchCount }) {
  const list = element("ol", {}, ...matches.map((one) => element("li", { class: one.decides ? "decides" : "" },
    `${one.directive}: `, element("code", {}, one.pattern),
    one.compared === one.pattern ? "" : " compared as ", one.compared === one.pattern ? "" : element("code", {}, one.compared),
    ` (${counted(one.specificity, "octet")}) `, line_button(one.line), one.decides ? ", decides" : "")));
  const rest = matchCount - matches.length;
  const groups = { own: "a group that names the crawler", everyone: "the groups of *", none: "no group" };
  return element("div", { "data-dialect": dialect }, element("h3", {}, dialect_names[dialect]),
    element("p", {}, `From ${groups[group]}. The rules are compared with `, element("code", {}, target), "."),
    matchCount === 0 ? element("p", {}, "No rule matches, so the URL is allowed.") : list,
    rest > 0 ? element("p", { class: "soft" }, `and ${counted(rest, "more rule")}`) : "");
}

/** Returns the lines that decide, each once, with the dialect if only one of them reads it so. */
function decided_lines(dialects) {
  const lines = dialects.filter(({ line }) => line !== 0);
  if (lines.length === 2 && lines[0].line === lines[1].line) {
    return [{ ...lines[0], label: "decides" }];
  }
  return lines.map((one) => ({ ...one, label: `decides for ${dialect_names[one.dialect]}` }));
}

/** Shows why the URL with this index is allowed or not, and how its page may be used. */
function choose(index) {
  chosen = Math.max(0, Math.min(index, answers.length - 1));
  const answer = answers[chosen];
  const is_url = answer !== undefined && !answer.problem;
  const rows = [...by_id("answers").tBodies[0].rows];
  rows.forEach((row, i) => {
    row.classList.toggle("chosen", i === chosen);
    row.querySelector("button.url").setAttribute("aria-pressed", i === chosen);
  });
  by_id("chosen").hidden = !is_url;
  decided = is_url ? decided_lines(answer.dialects) : [];
  draw_editor();
  if (!is_url) {
    return;
  }
  const places_read = places.reduce((sum, box, i) => sum + (box.checked ? 1 << i : 0), 0);
  const details = library.call("try_details", [asked[chosen], headers.value], places_read, Date.now());
  by_id("chosen-url").textContent = asked[chosen];
  by_id("matches").replaceChildren(...details.dialects.map(match_list));
  by_id("purposes").tBodies[0].replaceChildren(...details.purposes.map((one) => {
    const why = one.why.startsWith(`${one.answer}: `) ? one.why.slice(one.answer.length + 2) : "";
    return element("tr", { "data-purpose": one.purpose },
      element("th", { scope: "row" }, one.purpose.replaceAll("_", " ")),
      element("td", {}, element("strong", { class: one.answer }, one.answer.replaceAll("_", " "))),
      element("td", {}, ...with_line(explained(why), one.line)));
  }));
}

// The update ------------------------------------------------------------------------------------

const next_task = () => new Promise((resolve) => setTimeout(resolve, 0));

async function update() {
  const own = ++run;
  const began = performance.now();
  const octets = opened ?? octets_of(robots.value);
  by_id("size").textContent = counted(octets.length, "octet");
  by_id("gutter").dataset.lines = robots.value.split("\n").length;
  const summary = library.call("try_read", [octets, crawler.value]);
  show_summary(summary);
  show_findings(summary);

  const listed = urls.value.split("\n").map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
  const taken = listed.slice(0, most_urls);
  const found = [];
  let pause = performance.now() + 30;
  for (const url of taken) {
    if (performance.now() > pause) {
      await next_task();
      if (own !== run) {
        return;
      }
      pause = performance.now() + 30;
    }
    found.push(library.call("try_verdicts", [url]));
  }
  [asked, answers] = [taken, found];
  show_verdicts(listed.length - taken.length);
  choose(chosen);
  cost = performance.now() - began;
  document.documentElement.dataset.answered = own; // for tests: the newest answer is shown
}

/** Does something with the library. After a trap, says so and opens the library again. */
async function guarded(work) {
  try {
    await work();
    by_id("alarm").hidden = true;
  } catch (error) {
    by_id("alarm").textContent = `The library gave no answer: ${error.message}. Shorten the text, or reload the page.`;
    by_id("alarm").hidden = false;
    ++run; // ends an update that asks the old library
    [asked, answers] = [[], []];
    by_id("chosen").hidden = true;
    library = await open_library(module);
  }
}

let module;
let cost = 0; // of the newest update, in milliseconds
let timer = 0;

/** Starts an update: at once, or after a pause in typing if updates take long. */
function schedule() {
  clearTimeout(timer);
  timer = setTimeout(() => guarded(update), cost > 60 ? 250 : 0);
}

// The form --------------------------------------------------------------------------------------

/** Shows octets as text. They stay the file until the text is edited. */
function open_octets(octets) {
  const is_utf16 = (a, b) => octets[0] === a && octets[1] === b;
  const charset = is_utf16(0xff, 0xfe) ? "utf-16le" : is_utf16(0xfe, 0xff) ? "utf-16be" : "utf-8";
  robots.value = new TextDecoder(charset).decode(octets);
  opened = octets;
}

async function open_file(file) {
  if (file.size > most_octets) {
    by_id("shared").textContent = `${file.name} has ${counted(file.size, "octet")}: choose a file of at most 8 MiB.`;
    return;
  }
  open_octets(new Uint8Array(await file.arrayBuffer()));
  by_id("shared").textContent = `${file.name} is open.`;
  schedule();
}

function fill(fields) {
  open_octets(octets_of(fields.robots));
  opened = typeof fields.robots === "string" ? null : fields.robots;
  crawler.value = fields.crawler;
  urls.value = fields.urls;
  headers.value = fields.headers ?? "";
  places.forEach((box, i) => { box.checked = fields.read?.[i] === "1"; });
  by_id("page").open = headers.value !== "" || places.some((box) => box.checked);
  chosen = 0;
  robots.scrollTop = 0;
  schedule();
}

/** Fills the form as the fragment of the address says. Returns false if it says nothing. */
async function fill_from_address() {
  try {
    const fields = await fields_of_fragment(location.hash.slice(1), most_octets);
    if (fields) {
      fill(fields);
    }
    return fields !== null;
  } catch (error) {
    by_id("shared").textContent = `The link cannot be read: ${error.message}.`;
    return false;
  }
}

async function share() {
  const fragment = await fragment_of_fields({
    robots: opened ?? robots.value, crawler: crawler.value, urls: urls.value, headers: headers.value,
    read: places.map((box) => (box.checked ? "1" : "0")).join(""),
  });
  history.replaceState(null, "", `#${fragment}`);
  const size = counted(location.href.length, "character");
  try {
    await navigator.clipboard.writeText(location.href);
    by_id("shared").textContent = `The link is copied. It has ${size} and holds the whole form.`;
  } catch {
    by_id("shared").textContent = `The address of this page is the link now: copy it. It has ${size}.`;
  }
}

robots.addEventListener("input", () => { opened = null; schedule(); });
robots.addEventListener("scroll", draw_editor);
new ResizeObserver(draw_editor).observe(robots);
for (const field of [crawler, urls, headers, ...places]) {
  field.addEventListener("input", schedule);
}
by_id("share").addEventListener("click", share);
by_id("file").addEventListener("change", (event) => open_file(event.target.files[0]));
by_id("form").addEventListener("submit", (event) => event.preventDefault());
by_id("example").append(...Object.keys(examples).map((name) => element("option", {}, name)));
by_id("example").addEventListener("change", (event) => {
  if (event.target.value) {
    fill(examples[event.target.value]);
  }
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  if (event.dataTransfer.files.length > 0) {
    event.preventDefault();
    open_file(event.dataTransfer.files[0]);
  }
});
addEventListener("hashchange", fill_from_address);

try {
  const text = atob(by_id("library").textContent.trim());
  module = await WebAssembly.compile(Uint8Array.from(text, (c) => c.charCodeAt(0)));
  library = await open_library(module);
  if (!(await fill_from_address())) {
    fill(examples["A first file"]);
  }
} catch (error) {
  by_id("alarm").textContent = `This browser cannot run the library: ${error.message}.`;
  by_id("alarm").hidden = false;
}
