// Hostile names from the data are shown as text and never widen the page.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";

import { accessibilityViolations, keepScreenshot, openPage, overflow, startBrowser, widths } from "./support/browser.mjs";
import { serveCollection } from "./support/collection_server.mjs";
import { madeUpCollection } from "./support/rankings.mjs";

const hostile = ["<img src=x onerror=window.hacked=1>", "\"><script>window.hacked=1</script>", "\u202eEP\u2066 1234", "x".repeat(400),
  "a/b?c=d&e#f%41+g", "javascript:window.hacked=1", "constructor", "__proto__", "${1}", "\u0000\ufffd", "日本の特許", "'\"`]\\"];

const collection = madeUpCollection({ topics: hostile.length + 4, arms: ["<b onmouseover=window.hacked=1>tf", `${"long name ".repeat(20)}\u202e`] });
hostile.forEach((name, i) => {
  collection.topics[i].topic = name;
  collection.topics[i].citations.forEach((citation, j) => { citation.docno = `${hostile[(i + j) % hostile.length]}${j}`; });
});

/** As the page writes names. */
const visibleText = (name) => name.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
  (each) => `\\u${each.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);

let browser, server;
before(async () => {
  browser = await startBrowser();
  server = await serveCollection(collection);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

test("hostile names are text in the list, and searched for as text", async () => {
  const page = await openPage(browser, `${server.url}#/topics?sort=topic&order=asc`);
  await page.waitForSelector(".topic-table tbody tr");
  const shown = await page.locator(".topic-link").allTextContents();
  for (const name of hostile) assert.ok(shown.includes(visibleText(name)), name.slice(0, 40));
  await page.locator("input[type=search]").fill("\"><script>");
  await page.waitForFunction(() => document.querySelectorAll(".topic-link").length === 1);
  assert.match(await page.locator(".list-status").textContent(), /with “"><script>” in the name/);
  for (const link of await page.locator(".topic-link").all()) await link.hover();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.deepEqual(page.problems, []);
});

test("each opens by its link, to its own name", async () => {
  const page = await openPage(browser, `${server.url}#/topics?sort=topic&order=asc`);
  for (const name of hostile) {
    await page.goto(`${server.url}#/topics?sort=topic&order=asc`);
    await page.waitForSelector(".topic-table tbody tr");
    const links = await page.locator(".topic-link").allTextContents();
    await page.locator(".topic-link").nth(links.indexOf(visibleText(name))).click();
    await page.waitForSelector(".topic-words p");
    assert.equal(await page.locator("h1 bdi").textContent(), visibleText(name));
    await page.waitForSelector(".citation-table tbody tr");
    assert.equal(await page.locator(".problem").isVisible(), false, name);
  }
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.deepEqual(page.problems, []);
});

for (const [width, viewport] of Object.entries(widths)) {
  test(`they leave the page as wide as it is: ${width}`, async () => {
    const page = await openPage(browser, `${server.url}#/topics?size=25`, { viewport });
    await page.waitForSelector(".topic-table tbody tr");
    assert.equal(await overflow(page), 0);
    await keepScreenshot(page, `topics-hostile-${width}`);
    for (const name of [hostile[3], hostile[0], hostile[2]]) {
      await page.goto(`${server.url}#/topic/${encodeURIComponent(name)}`);
      await page.waitForSelector(".citation-table tbody tr");
      assert.equal(await overflow(page), 0, name.slice(0, 30));
      assert.deepEqual(await accessibilityViolations(page), []);
    }
    await keepScreenshot(page, `topic-hostile-${width}`);
    await page.goto(`${server.url}#/sweep`);
    await page.waitForSelector(".sweep-charts svg");
    assert.equal(await overflow(page), 0);
    await keepScreenshot(page, `sweep-hostile-${width}`);
    assert.deepEqual(page.problems, []);
  });
}
