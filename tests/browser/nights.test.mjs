// The nights of a store as a server shows them, and two of them topic by topic.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { accessibilityViolations, keepScreenshot, openPage, overflow, startBrowser, widths } from "./support/browser.mjs";
import { summaryDocument } from "./support/documents.mjs";
import { Reports } from "./support/reports.mjs";
import { StandIn } from "./support/stand_in.mjs";

let browser, reports, server, nights, verdict;
const asked = [];
before(async () => {
  browser = await startBrowser();
  reports = new Reports();
  nights = reports.history().document;
  verdict = reports.gate("gate", "worse.run").document;
  Object.assign(verdict.words, { before: "night 2", after: "night 3", outcome: "night 3 is worse than night 2", measures: ["Differences are night 3 minus night 2."],
    subject: verdict.words.subject.filter(({ label }) => label === "qrels") });
  const compare = (url) => {
    asked.push(url.search);
    return url.searchParams.get("a") === "99" ? null : verdict;
  };
  server = await new StandIn({ answers: { "/api/history": nights, "/api/compare": compare } }).start();
  server.publish(summaryDocument(null, { source: "store", store: "nights.db", has: { experiment: false, series: false, history: true } }));
});
after(async () => {
  await browser?.close();
  await server?.stop();
  reports?.remove();
});

const open = async (hash, options) => {
  const page = await openPage(browser, server.url + hash, options);
  await page.waitForSelector(".nights-table, [data-outcome], .problem");
  return page;
};

test("a store without an experiment opens with its nights", async () => {
  const page = await open("");
  assert.equal(await page.locator(".nights-table tbody tr").count(), nights.nights.length);
  assert.deepEqual(page.problems, []);
});

test("two nights chosen by keyboard lead to their topics, and back", async () => {
  const page = await open("#/history");
  for (const night of [2, 3]) await page.getByRole("checkbox", { name: `Choose night ${night}`, exact: true }).press("Space");
  await page.getByRole("link", { name: "Compare night 2 and night 3 topic by topic" }).press("Enter");
  await page.waitForSelector("[data-outcome]");
  assert.match(page.url(), /#\/compare\/2\/3/);
  assert.equal(asked.at(-1), "?a=2&b=3");
  await page.getByRole("link", { name: "All nights" }).press("Enter");
  await page.waitForSelector(".nights-table");
  assert.equal(await page.getByRole("checkbox", { name: "Choose night 3", exact: true }).isChecked(), true);
  assert.deepEqual(page.problems, []);
});

test("an open history shows a new night, and keeps the choice and the focus", async () => {
  const page = await open("#/history");
  const box = (night) => page.getByRole("checkbox", { name: `Choose night ${night}`, exact: true });
  await box(2).press("Space");
  const newest = nights.nights.at(-1), next = Math.max(...nights.nights.map(({ night }) => night)) + 1;
  const { document } = JSON.parse(server.event.match(/^data: (.*)$/m)[1]);
  server.answers["/api/history"] = { ...nights, nights: [...nights.nights, { ...newest, night: next }] };
  server.publish({ ...document, time: "2026-11-23T03:10:00.000Z" });
  await box(next).waitFor();
  assert.equal(await box(2).isChecked(), true);
  assert.equal(await box(2).evaluate((element) => element === globalThis.document.activeElement), true);
  server.answers["/api/history"] = nights;
  server.publish(document);
  await box(next).waitFor({ state: "detached" });
  assert.deepEqual(page.problems, []);
});

test("boxes follow the choice after older nights are shown", async () => {
  const [first] = nights.nights;
  server.answers["/api/history"] = { ...nights, nights: Array.from({ length: 70 }, (_, index) => ({ ...first, night: index + 1 })) };
  const page = await open("#/history");
  server.answers["/api/history"] = nights;
  const box = (night) => page.getByRole("checkbox", { name: `Choose night ${night}`, exact: true });
  await box(70).press("Space");
  await page.getByRole("button", { name: "Show the 10 older nights" }).click();
  await box(3).press("Space");
  assert.deepEqual([await box(70).isChecked(), await box(3).isChecked()], [true, true]);
  await page.getByRole("button", { name: "Choose none" }).click();
  assert.deepEqual([await box(70).isChecked(), await box(3).isChecked()], [false, false]);
  assert.deepEqual(page.problems, []);
});

test("a verdict leads to the night against its baseline", async () => {
  const page = await open("#/history");
  const night = nights.nights.find((each) => each.verdict === "REGRESSION");
  await page.getByRole("link", { name: new RegExp(`^Night ${night.night}, REGRESSION: compare with its baseline, night ${night.baseline}$`) }).click();
  await page.waitForSelector("[data-outcome]");
  assert.equal(asked.at(-1), `?a=${night.baseline}&b=${night.night}`);
});

test("two nights are told of without the words of a gate", async () => {
  const page = await open("#/compare/2/3");
  const main = await page.locator("main").innerText();
  assert.match(main, /Comparing two nights under the default rules/);
  assert.doesNotMatch(main, /tonight minus baseline|pinned\t|baseline “/);
  for (const it of verdict.measures) {
    const row = page.locator("table.measures tr", { has: page.locator(`th[data-measure="${it.measure}"]`) });
    assert.match(await row.textContent(), new RegExp(it.baseline.toFixed(4)));
  }
});

test("nights that are not there are a sentence and a way back", async () => {
  const page = await open("#/compare/99/3");
  assert.equal(await page.locator(".problem").innerText(), "there is no such thing");
  await page.getByRole("link", { name: "All nights" }).click();
  await page.waitForSelector(".nights-table");
});

for (const [window, colorScheme] of [["wide", "dark"], ["narrow", "light"]]) {
  test(`${window}, ${colorScheme}: nothing overflows, no barrier`, async () => {
    for (const hash of ["#/history?nights=2,3", "#/compare/2/3"]) {
      const page = await open(hash, { viewport: widths[window], colorScheme });
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await accessibilityViolations(page), []);
      await keepScreenshot(page, `nights-${hash.includes("compare") ? "compare" : "history"}-${window}-${colorScheme}`);
    }
  });
}
