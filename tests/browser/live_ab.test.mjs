// The page of a search server that is running: examples/live_ab with its dashboard.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { accessibilityViolations, keepScreenshot, openPage, overflow, startBrowser, widths } from "./support/browser.mjs";

let browser, server, url;

before(async () => {
  browser = await startBrowser();
  server = spawn(join(process.env.PRESCOPE_BIN, "live_ab"), ["--serve", "--seconds", "300", "--documents", "4000", "--topics", "60", "--rate", "60", "--threads", "2"], { stdio: ["ignore", "ignore", "pipe"] });
  url = await new Promise((found, failed) => {
    let said = "";
    server.stderr.on("data", (text) => {
      said += text;
      const match = /^serving (http\S+)/m.exec(said);
      if (match) found(match[1]);
    });
    server.on("exit", (code) => failed(new Error(`live_ab ended with ${code}: ${said}`)));
  });
});
after(async () => {
  await browser?.close();
  if (server?.exitCode === null && server.signalCode === null) {
    const gone = new Promise((done) => server.on("exit", done));
    server.kill("SIGKILL");
    await gone;
  }
});

const get = async (path) => (await fetch(new URL(path, url))).json();

/** Reads the values shown on the page, all at one moment. */
const shown = (page) => page.evaluate(() => ({
  time: document.querySelector(".status").dataset.time,
  numbers: Object.fromEntries(Array.from(document.querySelectorAll("[data-number]"), (element) => [element.dataset.number, element.innerText.trim()])),
}));

/** The same, at a moment of which /api/summary was asked too: page and server go on meanwhile, on a busy machine apart. */
async function shownAndSaid(page) {
  const said = new Map();
  for (;;) {
    const document = await get("/api/summary");
    said.set(document.time, document);
    const { time, numbers } = await shown(page);
    if (said.has(time)) return { document: said.get(time), numbers };
  }
}

const signed = (value) => (Number(value.toFixed(4)) === 0 ? "0.0000" : (value > 0 ? "+" : "") + value.toFixed(4).replace("-", "−"));

test("numbers on the page are those of /api/summary", { timeout: 120_000 }, async () => {
  const page = await openPage(browser, url);
  await page.waitForFunction(() => Number(document.querySelector('[data-number="difference/PRES@100/topics"]')?.textContent ?? "0") >= 1);
  const { document, numbers } = await shownAndSaid(page);
  const { summary } = document;
  assert.equal(document.source, "live");
  for (const arm of summary.arms) {
    for (const measure of summary.measures) {
      const { mean, topics } = arm.means[measure];
      const [value, of] = numbers[`arm/${arm.name}/${measure}`].split(/\s*\n\s*/);
      assert.equal(value, mean === null ? "–" : mean.toFixed(4));
      assert.equal(of, `${topics} ${topics === 1 ? "topic" : "topics"}`);
    }
    assert.equal(numbers[`latency/${arm.name}/count`], arm.latency_ms.count.toLocaleString("en"));
  }
  for (const measure of summary.measures) {
    const { mean, topics, live } = summary.pairs[0].differences[measure];
    const said = live ? live.mean : mean;
    assert.equal(numbers[`difference/${measure}/mean`], said === null ? "–" : signed(said));
    assert.equal(numbers[`difference/${measure}/topics`], String(live ? live.topics : topics));
  }
  assert.deepEqual(page.problems, []);
});

test("numbers, charts and time go on without a reload", async () => {
  const page = await openPage(browser, url);
  await page.waitForSelector("[data-number]");
  await page.evaluate(() => { globalThis.same = true; });
  const state = () => page.evaluate(() => [document.querySelector(".status").dataset.time,
    document.querySelector('[data-number="latency/tfidf/count"]').textContent, document.querySelector(".readout").textContent]);
  const first = await state();
  await page.waitForFunction((earlier) => {
    const now = [document.querySelector(".status").dataset.time, document.querySelector('[data-number="latency/tfidf/count"]').textContent, document.querySelector(".readout").textContent];
    return now.every((each, index) => each !== earlier[index]);
  }, first);
  assert.equal(await page.evaluate(() => globalThis.same), true);
  assert.deepEqual(page.problems, []);
});

for (const [name, viewport] of Object.entries(widths)) {
  for (const view of ["overview", "health"]) {
    test(`${view} of a running server, ${name}: fits, and axe-core finds nothing`, async () => {
      const page = await openPage(browser, `${url}#/${view === "overview" ? "" : view}`, { viewport });
      await page.waitForSelector("[data-number]");
      await page.waitForTimeout(3000);
      assert.equal(await overflow(page), 0);
      await keepScreenshot(page, `live-${view}-${name}`);
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.deepEqual(page.problems, []);
    });
  }
}

test("when the server is gone, the page says so and keeps its numbers", async () => {
  const page = await openPage(browser, url);
  await page.waitForSelector("[data-number]");
  const gone = new Promise((done) => server.on("exit", done));
  server.kill("SIGINT");
  await gone;
  await page.getByText("Connection lost").waitFor();
  assert.match(await page.locator(".notice").innerText(), /showing numbers of \d\d:\d\d:\d\d/);
  assert.notEqual((await shown(page)).numbers["arm/tfidf/PRES@100"], undefined);
});
