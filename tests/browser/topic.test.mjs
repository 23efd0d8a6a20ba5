// One topic: its drawing, sums and words agree with the textbook formulas.
import assert from "node:assert/strict";
import test, { after, before, beforeEach } from "node:test";

import { accessibilityViolations, keepScreenshot, openPage, overflow, startBrowser, widths } from "./support/browser.mjs";
import { textbookPres, topicDocument, topicsDocument } from "./support/collection.mjs";
import { serveCollection, show } from "./support/collection_server.mjs";
import { madeUpCollection } from "./support/rankings.mjs";

const made = madeUpCollection({ topics: 60, seed: 11 });
let browser, server;
before(async () => {
  browser = await startBrowser();
  server = await serveCollection(made);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(() => show(server, made));

const documentOf = (name) => topicDocument(server.collection, server.collection.topics.find((each) => each.topic === name));
const list = (query = "") => topicsDocument(server.collection, new URLSearchParams(query)).topics.map((row) => row.topic);
const hash = (name, query = "") => `#/topic/${encodeURIComponent(name)}${query}`;
const valueOf = (text) => Number(text.replace("−", "-"));

async function openTopic(name, { query = "", ...options } = {}) {
  const page = await openPage(browser, server.url + hash(name, query), options);
  await page.waitForSelector(".topic-words p");
  return page;
}

test("a server that computes another document is asked again", async () => {
  server.busy = 2;
  const page = await openTopic(made.topics[0].topic);
  assert.equal(await page.locator(".problem:visible").count(), 0);
});

/** Area under a path of steps "M x y H x V y ... H x", down to its first y. */
function areaUnder(path) {
  let [, x, base] = /^M([\d.]+) ([\d.]+)/.exec(path).map(Number);
  let y = base, area = 0;
  for (const [, command, value] of path.matchAll(/([HV])([\d.]+)/g)) {
    if (command === "V") y = Number(value);
    else {
      area += (Number(value) - x) * (base - y);
      x = Number(value);
    }
  }
  return area;
}

test("the drawing's areas are PRES, at either cutoff", async () => {
  for (const cutoff of [100, 1000]) {
    for (const name of list().slice(0, 4)) {
      const page = await openTopic(name, { query: `?measure=PRES%40${cutoff}` });
      await page.waitForSelector(".curve-line");
      const [best, worst] = await page.locator(".curve .case").evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
      const arms = await page.locator(".curve-line").evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
      const topic = documentOf(name);
      arms.forEach((path, i) => {
        const drawn = (areaUnder(path) - areaUnder(worst)) / (areaUnder(best) - areaUnder(worst));
        const expected = textbookPres(topic.num_rel, cutoff, topic.arms[i].relevant_ranks);
        // Coordinates have two digits behind the point.
        assert.ok(Math.abs(drawn - expected) < 2e-3, `${name} ${cutoff} arm ${i}: drawn ${drawn}, is ${expected}`);
      });
      await page.context().close();
    }
  }
});

test("every relevant citation with its grade, ranks and share; shares sum to the difference", async () => {
  for (const name of list().slice(0, 5)) {
    const page = await openTopic(name);
    const topic = documentOf(name), [pair] = topic.pairs;
    const relevant = topic.citations.filter((citation) => citation.relevant);
    assert.equal(await page.locator(".citation-table tbody tr").count(), relevant.length);
    let sum = 0;
    for (const citation of relevant) {
      const row = page.locator(".citation-table tr", { has: page.locator(`[data-docno="${citation.docno}"]`) });
      const [a, b] = await row.locator("[data-rank]").allTextContents();
      for (const [text, { rank, in_index }] of [[a, citation.arms[0]], [b, citation.arms[1]]]) {
        if (rank === null) assert.equal(text, in_index === false ? "not in the index" : "not in 1000 served");
        else assert.equal(text, rank <= 100 ? String(rank) : `${rank}, behind N`);
      }
      const share = valueOf(await row.locator("[data-cell=share]").textContent());
      assert.ok(Math.abs(share - pair.shares[topic.citations.indexOf(citation)]) <= 5.1e-5, `${citation.docno}: ${share}`);
      sum += share;
    }
    const said = valueOf(await page.locator("[data-sum] strong").textContent());
    assert.ok(Math.abs(said - pair.difference) <= 5.1e-5);
    assert.ok(Math.abs(sum - pair.difference) <= 1e-4 * relevant.length);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

test("PRES can be checked by hand in one line", async () => {
  const [name] = list();
  const page = await openTopic(name);
  const topic = documentOf(name);
  for (const arm of topic.arms) {
    const line = await page.locator(`[data-arithmetic="${arm.name}"]`).textContent();
    const [, terms, n, cutoff, credit, whole, value] = /\(([\d +]+)\) \/ \((\d+) · (\d+)\) = (\d+) \/ (\d+) = ([\d.]+)$/.exec(line);
    assert.equal(terms.split(" + ").reduce((sum, term) => sum + Number(term), 0), Number(credit));
    assert.equal(Number(n) * Number(cutoff), Number(whole));
    assert.equal(value, textbookPres(topic.num_rel, 100, arm.relevant_ranks).toFixed(4));
    assert.equal((Number(credit) / Number(whole)).toFixed(4), value);
  }
});

test("scores by measure, visits and latency are the document's", async () => {
  const name = list("sort=visits")[0];
  const page = await openTopic(name);
  const topic = documentOf(name);
  for (const arm of topic.arms) {
    for (const [measure, value] of Object.entries(arm.scores)) {
      const text = await page.locator(`[data-score="${arm.name} ${measure}"]`).textContent();
      assert.equal(text, arm.visits > 1 ? `${value.toFixed(4)}mean ${arm.means[measure].toFixed(4)}` : value.toFixed(4));
    }
    assert.equal(await page.locator(`[data-visits="${arm.name}"]`).textContent(), String(arm.visits));
    assert.ok(Math.abs(parseFloat(await page.locator(`[data-latency="${arm.name}"]`).textContent()) - arm.latency_ms) < 0.06);
  }
});

test("previous and next follow the order of the list, over its pages", async () => {
  const names = list("sort=topic&order=asc&size=500");
  const page = await openTopic(names[8], { query: "?sort=topic&order=asc&size=10" });
  await page.locator(".around .next").click();
  await page.waitForFunction((name) => document.querySelector("h1")?.textContent === `Topic ${name}`, names[9]);
  assert.equal(await page.locator(".around .quiet").textContent().then(async (text) => text || page.locator(".around .next").waitFor().then(() => page.locator(".around .quiet").textContent())), "10 of 60 in the list");
  await page.locator(".around .next").click();
  await page.waitForFunction((name) => document.querySelector("h1")?.textContent === `Topic ${name}`, names[10]);
  assert.match(page.url(), /page=2/);
  await page.locator(".around .previous").click();
  await page.waitForFunction((name) => document.querySelector("h1")?.textContent === `Topic ${name}`, names[9]);
  await page.locator("[data-key=back]").click();
  await page.waitForSelector(".topic-table tbody tr");
  assert.deepEqual(await page.locator(".topic-link").allTextContents(), names.slice(0, 10));
});

test("a sentence says who is ahead and which citation it is", async () => {
  const name = list("sort=difference")[0];
  const page = await openTopic(name);
  const topic = documentOf(name), [{ difference, shares }] = topic.pairs;
  const text = await page.locator(".topic-verdict").textContent();
  assert.ok(text.startsWith(`bm25 is ahead of tfidf by ${difference.toFixed(4)} in PRES@100: `), text);
  const largest = Math.max(...shares.map(Math.abs));
  const causes = topic.citations.filter((_, i) => Math.abs(Math.abs(shares[i]) - largest) < 1e-12).map((citation) => citation.docno);
  assert.ok(causes.some((docno) => text.includes(`: ${docno}, `)), text);
});

test("the share of the largest citation is said by its size", async () => {
  // EP0 adds N + 1 - 10 = 91 with bm25. EP1 adds 51 with tfidf, and 102 less its rank with bm25: the
  // difference is made of 91, 91 + 0, 91 - 10 and 91 + 11. In the last two, EP0 speaks for the arm
  // that is behind (91 - 60 - 60: EP1 and EP2 each add 100 and then 40), and neither is ahead.
  const where = "EP0, at rank 174 (behind N) with tfidf, at rank 10 with bm25.";
  for (const [ranks, words] of [[[[174], [10]], `All of it: ${where}`], [[[174, 50], [10, 51]], `All of it: ${where}`],
    [[[174, 50], [10, 61]], `More than all of it: ${where}`], [[[174, 50], [10, 40]], `Most of it: ${where}`],
    [[[174, 1, 2], [10, 62, 63]], "More than all of it: EP1, at rank 1 with tfidf, at rank 62 with bm25."],
    [[[10, 50], [50, 10]], "bm25 and tfidf are level in PRES@100: both 0.7150."]]) {
    const few = structuredClone(made);
    const topic = few.topics.find((each) => each.arms.every((arm) => arm.seen));
    topic.citations = ranks[0].map((_, i) => ({ ...topic.citations[0], docno: `EP${i}`, relevant: true, grade: 1 }));
    topic.arms.forEach((arm, i) => Object.assign(arm, { ranks: ranks[i], num_ret: 1000 }));
    show(server, few);
    const page = await openTopic(topic.topic);
    const text = await page.locator(".topic-verdict").textContent();
    assert.ok(text.endsWith(words), text);
  }
});

test("what is missing is counted for each arm", async () => {
  const topic = made.topics.map((each) => topicDocument(made, each)).find((each) =>
    each.arms.every((arm) => arm.seen) && each.citations.some((citation) => citation.relevant && citation.arms[0].in_index === false));
  const page = await openTopic(topic.topic);
  const relevant = topic.citations.filter((citation) => citation.relevant);
  for (const [i, arm] of topic.arms.entries()) {
    const text = await page.locator(`[data-fates="${arm.name}"]`).textContent();
    const places = relevant.map((citation) => citation.arms[i]);
    assert.ok(text.includes(`${places.filter(({ rank }) => rank !== null && rank <= 100).length} of ${relevant.length} found`), text);
    assert.ok(text.includes(`${places.filter(({ in_index }) => in_index === false).length} not in the index`), text);
    const behind = places.filter(({ rank }) => rank > 100).length;
    assert.equal(text.includes("behind rank 100"), behind > 0, text);
  }
});

test("the drawing is read out by the arrow keys", async () => {
  const [name] = list();
  const topic = documentOf(name);
  const page = await openTopic(name);
  await page.locator(".plot.curve").focus();
  await page.keyboard.press("End");
  const found = topic.arms.map((arm) => arm.relevant_ranks.filter((rank) => rank <= 100).length);
  assert.equal(await page.locator(".topic-curve .readout").textContent(),
    `In the first 100 ranks: tfidf has found ${found[0]}, bm25 has found ${found[1]} of ${topic.num_rel}; best case ${Math.min(100, topic.num_rel)}.`);
});

test("new numbers come without reload, focus stays", async () => {
  const [name] = list();
  const page = await openTopic(name);
  await page.locator(".plot.curve").focus();
  await page.evaluate(() => { window.same = true; });
  const better = structuredClone(made);
  const topic = better.topics.find((each) => each.topic === name);
  topic.arms[0].ranks = topic.citations.map((_, i) => i + 1);
  show(server, better);
  await page.waitForFunction(() => /^.*by .*: 0\.\d+ against 1\.0000/.test(document.querySelector(".topic-verdict").textContent), null, { timeout: 8000 });
  assert.ok(await page.evaluate(() => window.same && document.activeElement.matches(".plot.curve")));
});

test("a topic that one arm has not served, and one that is not there", async () => {
  const lonely = made.topics.find((each) => !each.arms[1].seen).topic;
  const page = await openTopic(lonely);
  assert.match(await page.locator(".topic-words").textContent(), /bm25 has not served this topic\./);
  assert.equal(await page.locator(".curve-line").count(), 1);
  await page.goto(server.url + hash("EP0"));
  await page.waitForSelector(".problem:not([hidden])");
  assert.equal(await page.locator(".problem").textContent(), "there is no such thing");
});

test("a ranking that is not deep enough has no value, and says so", async () => {
  const shallow = structuredClone(made);
  const topic = shallow.topics[0];
  topic.arms[1] = { ...topic.arms[1], num_ret: 40, ranks: topic.arms[1].ranks.map((rank) => (rank > 40 ? null : rank)) };
  show(server, shallow);
  const page = await openTopic(topic.topic);
  const words = await page.locator(".topic-words").textContent();
  assert.match(words, /bm25 has no PRES@100: it served only 40 documents\./);
  assert.match(words, /There is no difference to show: not both arms have a value\./);
});

test("without PRES there are ranks and scores, and neither curve nor shares", async () => {
  show(server, made);
  const name = made.topics[0].topic;
  server.answers[`/api/topic/${name}`] = { ...documentOf(name), measure: null, cutoff: null, pairs: [],
    arms: documentOf(name).arms.map((arm) => ({ ...arm, scores: { "P@10": 0.1 }, means: { "P@10": 0.1 } })) };
  const page = await openTopic(name);
  assert.match(await page.locator(".topic-verdict").textContent(), /keeps no PRES/);
  assert.equal(await page.locator(".curve-line").count(), 0);
  assert.ok(await page.locator("[data-docno]").count() > 0);
  assert.equal(await page.locator("[data-sum]").count(), 0);
  assert.deepEqual(page.problems, []);
});

test("more relevant documents than are read", async () => {
  const n = 150;
  const citations = Array.from({ length: n }, (_, i) => ({ docno: `D${i}`, grade: 1, relevant: true }));
  const arm = (ranks) => ({ seen: true, visits: 1, num_ret: 100, exhausted: false, latency_ms: 1, in_index: null, ranks });
  show(server, { measures: ["PRES@100"], arms: ["a", "b"], topics: [{ topic: "crowded", citations, arms: [
    arm(citations.map((_, i) => (i < 100 ? i + 1 : null))), arm(citations.map((_, i) => (i % 2 === 0 && i < 100 ? i + 1 : null)))] }] });
  const page = await openTopic("crowded");
  // The best ranking of 100 of 150: each of 100 credits is 100, so 100 * 100 / (150 * 100) = 2/3.
  assert.match(await page.locator("[data-arithmetic=a]").textContent(), /= 10000 \/ 15000 = 0\.6667$/);
  assert.deepEqual(page.problems, []);
});

for (const [name, viewport] of Object.entries(widths)) {
  for (const colorScheme of ["light", "dark"]) {
    test(`fits, and can be used by all: ${name}, ${colorScheme}`, async () => {
      const page = await openTopic(list()[1], { viewport, colorScheme });
      await page.waitForSelector(".curve-line");
      assert.equal(await overflow(page), 0);
      assert.deepEqual(await page.locator(".scroll").evaluateAll((frames) => frames.map((frame) => frame.scrollWidth - frame.clientWidth)), [0, 0, 0], "no table is cut");
      assert.deepEqual(await accessibilityViolations(page), []);
      assert.deepEqual(page.problems, []);
      await keepScreenshot(page, `topic-${name}-${colorScheme}`);
    });
  }
}
