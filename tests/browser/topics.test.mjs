// The list of topics, on a stand-in server whose documents are computed by the textbook formulas.
import assert from "node:assert/strict";
import test, { after, before, beforeEach } from "node:test";

import { accessibilityViolations, keepScreenshot, openPage, overflow, startBrowser, widths } from "./support/browser.mjs";
import { topicsDocument } from "./support/collection.mjs";
import { serveCollection, show } from "./support/collection_server.mjs";
import { madeUpCollection } from "./support/rankings.mjs";

let browser, server;
before(async () => {
  browser = await startBrowser();
  server = await serveCollection(madeUpCollection({ topics: 240 }));
});
after(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(() => show(server, madeUpCollection({ topics: 240 })));

const minus = (text) => text.replace("-", "−");
const scoreText = (value) => value.toFixed(4);
const differenceText = (value) => (value > 0 ? "+" : "") + minus(value.toFixed(4));
const listed = (query = "") => topicsDocument(server.collection, new URLSearchParams(query));
const topicNames = (page) => page.locator(".topic-table tbody th a").allTextContents();

async function openTopics(options = {}, hash = "#/topics") {
  const page = await openPage(browser, server.url + hash, options);
  await page.waitForSelector(".topic-table tbody tr, .list-status:not(:empty)");
  return page;
}

const becomes = async (read, expected) => {
  for (let tries = 0; tries < 60; ++tries) {
    const now = await read();
    try { assert.deepEqual(now, expected); return; } catch { await new Promise((done) => setTimeout(done, 100)); }
  }
  assert.deepEqual(await read(), expected);
};

test("rows show what the server says, outcomes are said in words", async () => {
  const page = await openTopics();
  const document = listed();
  assert.deepEqual(await topicNames(page), document.topics.map((row) => row.topic));
  for (const row of document.topics.slice(0, 10)) {
    const cells = page.locator("tr", { has: page.locator(`th[data-topic="${row.topic}"]`) });
    assert.equal(await cells.locator("[data-cell=score_a]").textContent(), `${scoreText(row.arms[0].mean)}×${row.arms[0].visits}`);
    assert.equal(await cells.locator("[data-cell=score_b]").textContent(), `${scoreText(row.arms[1].mean)}×${row.arms[1].visits}`);
    assert.equal(await cells.locator("[data-cell=difference]").textContent(), differenceText(row.difference));
    assert.equal(await cells.locator("[data-cell=num_rel]").textContent(), String(row.num_rel));
  }
  const { wins, ties, losses } = document;
  assert.equal(await page.locator(".outcome-words").textContent(),
    `${wins} topics go to bm25, ${losses} to tfidf, ${ties} are level (PRES@100, of ${wins + ties + losses} topics that both served)`);
  assert.deepEqual((await page.locator(".strip-count").allTextContents()).filter(Boolean).map(Number),
    document.strip.map((bin) => bin.topics).filter((count) => count > 0));
  assert.deepEqual(page.problems, []);
});

test("a narrow page has bars without numbers, which would lie on each other", async () => {
  const page = await openTopics({ viewport: widths.narrow });
  assert.ok(await page.locator(".strip-count").count() > 0);
  assert.equal(await page.locator(".strip-count").first().isVisible(), false);
});

test("the strip is read out by the arrow keys", async () => {
  const page = await openTopics();
  const document = listed();
  await page.locator(".plot.strip").focus();
  await page.keyboard.press("ArrowRight");
  const topics = document.strip.find((bin) => bin.low === 0).topics;
  assert.equal(await page.locator(".outcomes .readout").textContent(), `${topics} topics: bm25 ahead by 0.00 to 0.05.`);
});

test("a heading sorts by keyboard, says so, and the address keeps it", async () => {
  const page = await openTopics();
  const heading = page.locator("[data-sort=score_b]");
  await heading.focus();
  await page.keyboard.press("Enter");
  await becomes(() => topicNames(page), listed("sort=score_b").topics.map((row) => row.topic));
  assert.equal(await page.locator("th:has([data-sort=score_b])").getAttribute("aria-sort"), "descending");
  await page.keyboard.press("Enter");
  await becomes(() => topicNames(page), listed("sort=score_b&order=asc").topics.map((row) => row.topic));
  assert.equal(await page.locator("th:has([data-sort=score_b])").getAttribute("aria-sort"), "ascending");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.sort), "score_b");
  assert.match(page.url(), /sort=score_b/);
  assert.match(page.url(), /order=asc/);
});

test("every offered order is the server's", async () => {
  const page = await openTopics();
  const order = page.locator(".list-controls select").first();
  for (const value of await order.locator("option").evaluateAll((options) => options.map((each) => each.value))) {
    await order.selectOption(value);
    const { sort, order: direction } = JSON.parse(value);
    await becomes(() => topicNames(page), listed(`sort=${sort}&order=${direction}`).topics.map((row) => row.topic));
  }
});

test("going back from a topic shows the same page of the same list", async () => {
  const page = await openTopics({}, "#/topics?sort=topic&order=asc&page=3&size=25");
  const expected = listed("sort=topic&order=asc&page=2&size=25").topics.map((row) => row.topic);
  assert.deepEqual(await topicNames(page), expected);
  await page.locator(".topic-link").nth(4).click();
  await page.waitForSelector(".topic-verdict");
  assert.equal(await page.locator("h1").textContent(), `Topic ${expected[4]}`);
  await page.goBack();
  await page.waitForSelector(".topic-table tbody tr");
  assert.deepEqual(await topicNames(page), expected);
});

test("searching waits for a pause, asks once, and Esc clears it", async () => {
  const page = await openTopics();
  server.asked.length = 0;
  const search = page.locator("input[type=search]");
  // All within one turn of the page, so that no pause can fall between two letters.
  await search.evaluate((field) => {
    for (const letter of "EP120019") {
      field.value += letter;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
  await becomes(() => topicNames(page), listed("search=EP120019").topics.map((row) => row.topic));
  assert.equal(server.asked.filter((query) => query.includes("search=")).length, 1, server.asked.join("\n"));
  assert.match(await page.locator(".list-status").textContent(), /^1 to 10 of 10 topics with “EP120019” in the name/);
  await search.fill("no such topic");
  await becomes(() => page.locator(".list-status").textContent(),
    "None of 240 topics is with “no such topic” in the name. Esc in the search field clears it.");
  await search.press("Escape");
  await becomes(() => topicNames(page), listed().topics.map((row) => row.topic));
  assert.equal(await search.inputValue(), "");
});

test("pages turn by keyboard, focus stays on the button, ends are off", async () => {
  const page = await openTopics();
  const next = page.locator("[data-key=page-next]"), previous = page.locator("[data-key=page-previous]");
  assert.equal(await previous.getAttribute("aria-disabled"), "true");
  await next.focus();
  for (let at = 1; at <= 4; ++at) {
    await page.keyboard.press("Enter");
    await becomes(() => topicNames(page), listed(`page=${at}`).topics.map((row) => row.topic));
    assert.equal(await page.evaluate(() => document.activeElement.dataset.key), "page-next");
  }
  assert.equal(await next.getAttribute("aria-disabled"), "true");
  assert.equal(await page.locator(".pager-words").textContent(), "page 5 of 5");
});

test("new numbers come without reload; order, page and focus stay", async () => {
  const page = await openTopics({}, "#/topics?sort=topic&order=asc&page=2");
  await page.evaluate(() => { window.same = true; });
  const name = listed("sort=topic&order=asc&page=1").topics[7].topic;
  await page.locator(`[data-key="${name}"]`).focus();
  show(server, madeUpCollection({ topics: 240, seed: 99 }));
  const value = listed("sort=topic&order=asc&page=1").topics[7];
  await becomes(() => page.locator(`tr:has([data-topic="${name}"]) [data-cell=score_a]`).textContent(),
    `${scoreText(value.arms[0].mean)}×${value.arms[0].visits}`);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.key), name);
  assert.deepEqual(await topicNames(page), listed("sort=topic&order=asc&page=1").topics.map((row) => row.topic));
  assert.ok(await page.evaluate(() => window.same));
  assert.deepEqual(page.problems, []);
});

test("a topic that has focus says its numbers", async () => {
  const page = await openTopics();
  const [row] = listed().topics;
  await page.locator(`[data-key="${row.topic}"]`).focus();
  const tip = await page.locator(".tip").textContent();
  assert.ok(tip.includes(`bm25 ${scoreText(row.arms[1].mean)}, ${row.arms[1].found} of ${row.num_rel} found`), tip);
});

test("one arm alone, and no topic at all, are shown as such", async () => {
  show(server, madeUpCollection({ arms: ["bm25"], topics: 12 }));
  const page = await openTopics();
  assert.equal(await page.locator(".topic-table tbody tr").count(), 12);
  assert.equal(await page.getByRole("region", { name: "Wins and losses" }).isVisible(), false);
  assert.equal(await page.locator("[data-cell=difference]").count(), 0);
  assert.equal(await page.locator(".list-status").textContent(), "1 to 12 of 12 topics, topic, from A to Z.");
  assert.equal(await page.getByLabel("Order").locator("option:checked").textContent(), "topic, from A to Z");
  show(server, { ...madeUpCollection(), topics: [] });
  await becomes(() => page.locator(".list-status").textContent(), "No topic has been ranked for comparison yet.");
  const document = server.answers["/api/summary"];
  document.summary.mode = "split";
  document.summary.epoch.observations += 1;
  server.publish(document);
  await becomes(() => page.locator(".list-status").textContent(), "No topic has been served yet.");
  assert.deepEqual(page.problems, []);
});

test("a removed arm is the second one only if the address says so", async () => {
  const arms = ["A", "B", "C"];
  show(server, madeUpCollection({ arms, topics: 12 }));
  const document = server.answers["/api/summary"];
  document.summary.arms[1].status = "removed";
  server.publish(document);
  for (const [query, second] of [["", "C"], ["?b=B", "B"], ["?a=C", "A"]]) {
    const page = await openTopics({}, `#/topics${query}`);
    assert.equal(await page.getByLabel("against").inputValue(), second);
  }
});

test("a page of 500 is the most, a page that is not there leads to the last", async () => {
  show(server, madeUpCollection({ topics: 700 }));
  const page = await openTopics({}, "#/topics?size=9999&page=9");
  await becomes(() => page.locator(".topic-table tbody tr").count(), 200);
  assert.equal(await page.locator(".pager-words").textContent(), "page 2 of 2");
});

for (const [name, viewport] of Object.entries(widths)) {
  for (const colorScheme of ["light", "dark"]) {
    test(`fits, and can be used by all: ${name}, ${colorScheme}`, async () => {
      const page = await openTopics({ viewport, colorScheme });
      assert.equal(await overflow(page), 0);
      assert.equal(await page.locator(".scroll").evaluate((frame) => frame.scrollWidth - frame.clientWidth), 0, "nor is the table cut");
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.deepEqual(page.problems, []);
      await keepScreenshot(page, `topics-${name}-${colorScheme}`);
    });
  }
}
