// Drives a Chromium without a window, over the pipe of its DevTools protocol.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Starts a browser. Call `close` at the end. */
export async function start_browser(program) {
  const profile = mkdtempSync(join(tmpdir(), "robots-try-"));
  const options = ["--headless=new", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "--no-first-run",
    "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"];
  if (process.getuid() === 0) {
    options.push("--no-sandbox");
  }
  const child = spawn(program, options, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const [, , , to_browser, from_browser] = child.stdio;
  const waiting = new Map();
  const listeners = [];
  let last = 0;
  let read = "";
  from_browser.setEncoding("utf8");
  from_browser.on("data", (piece) => {
    const messages = (read + piece).split("\0");
    read = messages.pop();
    for (const text of messages) {
      const message = JSON.parse(text);
      if (message.id === undefined) {
        listeners.forEach((listener) => listener(message));
        continue;
      }
      const { resolve, reject } = waiting.get(message.id);
      waiting.delete(message.id);
      message.error ? reject(new Error(message.error.message)) : resolve(message.result);
    }
  });
  child.on("error", (error) => { throw error; });
  child.on("exit", () => waiting.forEach(({ reject }) => reject(new Error("the browser has ended"))));
  const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    to_browser.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
  });
  return {
    version: (await send("Browser.getVersion")).product,
    open: (url) => open_page(send, listeners, url),
    async close() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      await send("Browser.close").catch(() => {});
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function open_page(send, listeners, url) {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const command = (method, params) => send(method, params, sessionId);
  const requests = [];
  const errors = [];
  listeners.push(({ method, params, sessionId: from }) => {
    if (from !== sessionId) {
      return;
    }
    if (method === "Network.requestWillBeSent") {
      requests.push(params.request.url);
    } else if (method === "Runtime.exceptionThrown") {
      errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    } else if (method === "Log.entryAdded" && params.entry.level === "error") {
      errors.push(params.entry.text);
    }
  });
  for (const domain of ["Page", "Runtime", "Network", "Log", "DOM"]) {
    await command(`${domain}.enable`);
  }
  await command("Page.navigate", { url });

  const page = {
    requests,
    errors,
    command,
    /** Returns the value of an expression, which may be a promise. */
    async value(expression) {
      const { result, exceptionDetails } = await command("Runtime.evaluate",
        { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) {
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      }
      return result.value;
    },
    /** Waits until an expression is true. */
    async until(expression) {
      for (const end = Date.now() + 300_000; Date.now() < end;) {
        if (await page.value(`Boolean(${expression})`).catch(() => false)) {
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      throw new Error(`never true: ${expression}; errors of the page: ${errors.join("; ") || "none"}`);
    },
    /** Does something, and waits for the next answer of the page. */
    async answer_after(action) {
      const before = await page.value("Number(document.documentElement.dataset.answered ?? 0)");
      await action();
      await page.until(`Number(document.documentElement.dataset.answered) > ${before}`);
    },
    /** Fills fields of the form at once, as a paste does. */
    async fill(fields) {
      await page.answer_after(() => page.value(`{
        const fields = ${JSON.stringify(fields)};
        for (const [id, text] of Object.entries(fields)) {
          const field = document.getElementById(id);
          field.type === "checkbox" ? field.checked = text : field.value = text;
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }
      }`));
    },
    async press(key) {
      const codes = { Tab: 9, Enter: 13 };
      const event = { key, code: key, windowsVirtualKeyCode: codes[key], ...(key === "Enter" ? { text: "\r" } : {}) };
      await command("Input.dispatchKeyEvent", { type: "keyDown", ...event });
      await command("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    },
    /** Chooses a file in the file field. */
    async open_file(path) {
      const { root } = await command("DOM.getDocument");
      const { nodeId } = await command("DOM.querySelector", { nodeId: root.nodeId, selector: "#file" });
      await page.answer_after(() => command("DOM.setFileInputFiles", { nodeId, files: [path] }));
    },
    close: () => send("Target.closeTarget", { targetId }),
  };
  await page.until("document.documentElement.dataset.answered");
  return page;
}
