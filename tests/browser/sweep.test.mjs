// PRES, Recall and MAP against the cutoff.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";

import { accessibilityViolations, keepScreenshot, openPage, overflow, startBrowser, widths } from "./support/browser.mjs";
import { sweepDocument } from "./support/collection.mjs";
import { cutoffs, serveCollection, show } from "./support/collection_server.mjs";
import { madeUpCollection } from "./support/rankings.mjs";

/** Two topics in which a is ahead early and b late, by construction. */
const crossing = { measures: ["PRES@100", "R@100", "AP@100"], arms: ["early", "late"], topics: [1, 2].map((number) => ({
  topic: `T${number}`, citations: [1, 2, 3].map((each) => ({ docno: `D${each}`, grade: 1, relevant: true })),
  arms: [[number, 600, null], [20 + number, 30, 40]].map((ranks) =>
    ({ seen: true, visits: 1, num_ret: 1000, exhausted: false, latency_ms: 1, in_index: null, ranks })) })) };

let browser, server;
before(async () => {
  browser = await startBrowser();
  server = await serveCollection(crossing);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function openSweep(options = {}, hash = "#/sweep") {
  const page = await openPage(browser, server.url + hash, options);
  await page.waitForSelector(".sweep-charts .chart svg");
  return page;
}

test("the document's words are shown, and told of each chart", async () => {
  show(server, crossing);
  const page = await openSweep();
  const { words } = sweepDocument(crossing, cutoffs);
  assert.deepEqual(await page.locator(".sweep-words li").allTextContents(), words.sentences);
  assert.ok((await page.locator(".sweep").textContent()).includes(words.depth));
  assert.match(await page.locator(".sweep-charts .plot").first().getAttribute("aria-label"), /late is ahead from N = 30 on/);
});

test("the charts' tables hold the textbook's values", async () => {
  show(server, madeUpCollection({ topics: 50 }));
  const page = await openSweep();
  const sweep = sweepDocument(server.collection, cutoffs);
  for (const [i, measure] of ["PRES", "R", "AP"].entries()) {
    const chart = page.locator(".sweep-charts .chart").nth(i);
    await chart.locator("summary").click();
    await chart.locator("tbody tr").first().waitFor();
    const rows = await chart.locator("tbody tr").evaluateAll((lines) => lines.map((line) => [...line.children].map((cell) => cell.textContent)));
    assert.deepEqual(rows, cutoffs.map((cutoff, at) =>
      [`N = ${cutoff.toLocaleString("en")}`, ...sweep.arms.map((arm) => arm[measure][at].toFixed(4))]));
  }
  assert.deepEqual(page.problems, []);
});

test("each line ends in its arm's mark, within the frame of the chart", async () => {
  show(server, madeUpCollection({ topics: 50 }));
  const page = await openSweep();
  const ends = await page.locator(".sweep-charts .chart").first().evaluate((chart) =>
    [...chart.querySelectorAll("path.line")].map((line) => {
      const end = line.getPointAtLength(line.getTotalLength());
      const mark = chart.querySelector(`g.${line.classList[1]} > path`).getBBox();
      const { e, f, a } = chart.querySelector(`g.${line.classList[1]} > path`).transform.baseVal.consolidate().matrix;
      return [e + a * (mark.x + mark.width / 2) - end.x, f + a * (mark.y + mark.height / 2) - end.y];
    }));
  assert.equal(ends.length, 2);
  for (const [x, y] of ends) assert.ok(Math.abs(x) < 2 && Math.abs(y) < 2, `${x} ${y}`);
});

test("the axis can be linear, and the address keeps it", async () => {
  const page = await openSweep();
  await page.locator("label:has-text('Cutoff axis') select").selectOption("linear");
  assert.match(page.url(), /x=linear/);
  await page.reload();
  await page.waitForSelector(".sweep-charts .chart svg");
  assert.equal(await page.locator("label:has-text('Cutoff axis') select").inputValue(), "linear");
  assert.deepEqual(page.problems, []);
});

for (const [name, viewport] of Object.entries(widths)) {
  for (const colorScheme of ["light", "dark"]) {
    test(`fits, and can be used by all: ${name}, ${colorScheme}`, async () => {
      show(server, madeUpCollection({ topics: 50 }));
      const page = await openSweep({ viewport, colorScheme });
      assert.equal(await overflow(page), 0);
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.deepEqual(page.problems, []);
      await keepScreenshot(page, `sweep-${name}-${colorScheme}`);
    });
  }
}
