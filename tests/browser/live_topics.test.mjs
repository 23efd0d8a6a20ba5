// Topics, one topic and the sweep of a running search server: the page shows the server's last
// answer, which agrees with the textbook formulas.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import test, { after, before } from "node:test";

import { accessibilityViolations, keepScreenshot, openPage, overflow, startBrowser, widths } from "./support/browser.mjs";
import { textbookAveragePrecision, textbookPres, textbookRecall } from "./support/collection.mjs";

let browser, server, url;

before(async () => {
  browser = await startBrowser();
  server = spawn(join(process.env.PRESCOPE_BIN, "live_ab"), ["--serve", "--mode", "paired", "--seconds", "280",
    "--documents", "4000", "--topics", "80", "--rate", "80", "--threads", "1"], { stdio: ["ignore", "ignore", "pipe"] });
  url = await new Promise((found, failed) => {
    let said = "";
    server.stderr.on("data", (text) => {
      said += text;
      const match = /^serving (http\S+)/m.exec(said);
      if (match) found(match[1]);
    });
    server.on("exit", (code) => failed(new Error(`live_ab ended with ${code}: ${said}`)));
  });
  await until(async () => (await (await fetch(new URL("api/topics", url))).json()).total >= 60, "60 topics");
});
after(async () => {
  await browser?.close();
  if (server?.exitCode === null) {
    const gone = new Promise((done) => server.on("exit", done));
    server.kill("SIGKILL");
    await gone;
  }
});

async function until(holds, what) {
  for (let tries = 0; tries < 400; ++tries) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`there were never ${what}`);
}

/**
 * A page that keeps the last answer of each path, as a view keeps only the answer to its newest
 * question. Views show an answer at once, so the kept and the shown values of one evaluation belong
 * together.
 */
async function openLive(hash, options) {
  const page = await openPage(browser, `${url}#/health`, options);
  await page.evaluate(() => {
    const ask = globalThis.fetch, questions = {};
    globalThis.told = {};
    globalThis.fetch = async (address, ...others) => {
      const path = decodeURIComponent(new URL(address, location).pathname);
      const question = questions[path] = (questions[path] ?? 0) + 1;
      const response = await ask(address, ...others);
      const json = response.json.bind(response);
      response.json = async () => {
        const answer = await json();
        if (question === questions[path]) globalThis.told[path] = answer;
        return answer;
      };
      return response;
    };
  });
  await page.goto(url + hash);
  return page;
}

/** Four digits as printf writes them: a value just between two texts, such as 1/32, has the even one. */
const printed = (value) => (/[02468]50{35}$/.test(value.toFixed(40)) ? value.toFixed(40).slice(0, -36) : value.toFixed(4));
const signed = (value) => (Number(printed(value)) === 0 ? "0.0000" : (value > 0 ? "+" : "") + printed(value).replace("-", "−"));
const cell = (arm) => (arm.seen ? `${arm.mean === null ? "–" : printed(arm.mean)}×${arm.visits}` : "not served");

test("the list is the server's, in every order of its headings", async () => {
  const page = await openLive("#/topics?size=100");
  const keys = { topic: (row) => row.topic, num_rel: (row) => row.num_rel, score_a: (row) => row.arms[0].mean, score_b: (row) => row.arms[1].mean,
    difference: (row) => row.difference, latency_a: (row) => row.arms[0].latency_ms, latency_b: (row) => row.arms[1].latency_ms };
  await page.waitForSelector(".topic-table tbody tr");
  for (const [sort, key] of Object.entries(keys)) {
    await page.locator(`[data-sort=${sort}]`).click();
    await page.waitForFunction((sort) => globalThis.told["/api/topics"].sort === sort, sort);
    const { told, seen } = await page.evaluate(() => ({ told: globalThis.told["/api/topics"],
      seen: Array.from(document.querySelectorAll(".topic-table tbody tr"), (row) =>
        [row.querySelector("a").textContent, ...["num_rel", "score_a", "score_b", "difference"].map((name) => row.querySelector(`[data-cell=${name}]`).textContent)]) }));
    assert.deepEqual(seen, told.topics.map((row) => [row.topic, String(row.num_rel), cell(row.arms[0]), cell(row.arms[1]),
      row.difference === null ? "–" : signed(row.difference)]));
    const values = told.topics.map(key).filter((value) => value !== null);
    const sorted = [...values].sort((x, y) => (x < y ? -1 : x > y ? 1 : 0));
    assert.deepEqual(values, told.order === "asc" ? sorted : sorted.reverse(), sort);
    for (const row of told.topics) {
      if (row.difference !== null) assert.ok(Math.abs(row.difference - (row.arms[1].mean - row.arms[0].mean)) < 2e-12);
    }
  }
  assert.deepEqual(page.problems, []);
});

test("a topic opens, and its numbers hold by the formulas", async () => {
  const page = await openLive("#/topics?sort=num_rel");
  await page.waitForSelector(".topic-link");
  for (const nth of [0, 3, 9]) {
    await page.goto(`${url}#/topics?sort=num_rel`);
    await page.waitForSelector(".topic-link");
    const name = await page.locator(".topic-link").nth(nth).textContent();
    await page.locator(`[data-key="${name}"]`).click();
    await page.waitForSelector(".citation-table tbody tr");
    const { told, seen } = await page.evaluate((name) => ({ told: globalThis.told[`/api/topic/${name}`], seen: {
      shares: Object.fromEntries(Array.from(document.querySelectorAll(".citation-table tbody tr"), (row) =>
        [row.querySelector("[data-docno]").dataset.docno, row.querySelector("[data-cell=share]").textContent])),
      sum: document.querySelector("[data-sum] strong")?.textContent,
      scores: Array.from(document.querySelectorAll("[data-score]"), (each) => [each.dataset.score, each.firstChild.textContent]),
    } }), name);
    checkTopic(told);
    for (const [i, citation] of told.citations.entries()) {
      if (citation.relevant && told.pairs[0]) assert.equal(seen.shares[citation.docno], signed(told.pairs[0].shares[i]), `${name} ${citation.docno}`);
    }
    if (told.pairs[0]) assert.equal(seen.sum, signed(told.pairs[0].difference));
    for (const arm of told.arms) {
      for (const [measure, value] of Object.entries(arm.scores)) {
        if (value !== null) assert.equal(seen.scores.find(([key]) => key === `${arm.name} ${measure}`)[1], value.toFixed(4));
      }
    }
  }
  assert.deepEqual(page.problems, []);
});

/** Compares the server's document of a topic with the formulas and with itself. */
function checkTopic(topic) {
  const formulas = { PRES: textbookPres, R: textbookRecall, AP: textbookAveragePrecision };
  assert.equal(topic.citations.filter((citation) => citation.relevant).length, topic.num_rel);
  topic.arms.forEach((arm, i) => {
    const ranks = topic.citations.filter((citation) => citation.relevant).map((citation) => citation.arms[i].rank).filter((rank) => rank !== null);
    assert.deepEqual(ranks.sort((x, y) => x - y), arm.relevant_ranks);
    for (const [measure, value] of Object.entries(arm.scores)) {
      if (value === null) continue;
      const [kind, cutoff] = measure.split("@");
      assert.ok(Math.abs(value - formulas[kind](topic.num_rel, Number(cutoff), arm.relevant_ranks)) < 1e-12, `${topic.topic} ${measure}`);
    }
  });
  for (const pair of topic.pairs) {
    assert.ok(Math.abs(pair.shares.reduce((sum, share) => sum + share, 0) - pair.difference) < 1e-9);
  }
}

test("the list changes while it is looked at, without reload", async () => {
  const page = await openLive("#/topics?sort=visits");
  await page.waitForSelector(".topic-table tbody tr");
  await page.evaluate(() => { window.same = true; });
  const visits = () => page.locator("[data-cell=score_a] .visits").allTextContents().then((texts) => texts.reduce((sum, text) => sum + Number(text.slice(1)), 0));
  const first = await visits();
  await until(async () => (await visits()) !== first, "newer visits");
  assert.ok(await page.evaluate(() => window.same));
  assert.deepEqual(page.problems, []);
});

test("the sweep's charts are what the server told", async () => {
  const page = await openLive("#/sweep");
  await page.waitForSelector(".sweep-charts svg");
  for (const [i, measure] of ["PRES", "R", "AP"].entries()) {
    const chart = page.locator(".sweep-charts .chart").nth(i);
    await chart.locator("summary").click();
    await chart.locator("tbody tr").first().waitFor();
    const { told, seen } = await chart.evaluate((element) => ({ told: globalThis.told["/api/sweep"],
      seen: Array.from(element.querySelectorAll("tbody tr"), (row) => Array.from(row.children, (cell) => cell.textContent)) }));
    assert.deepEqual(seen, told.cutoffs.map((cutoff, at) =>
      [`N = ${cutoff.toLocaleString("en")}`, ...told.arms.map((arm) => (arm[measure][at] === null ? "–" : arm[measure][at].toFixed(4)))]));
    await chart.locator("summary").click();
  }
  await keepScreenshot(page, "live-sweep-wide");
  assert.deepEqual(page.problems, []);
});

for (const [width, viewport] of Object.entries(widths)) {
  test(`fits, and can be used by all: ${width}`, async () => {
    const page = await openLive("#/topics?size=25", { viewport });
    await page.waitForSelector(".topic-link");
    await page.waitForTimeout(300);
    assert.equal(await overflow(page), 0);
    assert.deepEqual(await accessibilityViolations(page), []);
    await keepScreenshot(page, `live-topics-${width}`);
    await page.locator(".topic-link").first().click();
    await page.waitForSelector(".curve-line");
    assert.equal(await overflow(page), 0);
    assert.deepEqual(await accessibilityViolations(page), []);
    await keepScreenshot(page, `live-topic-${width}`);
    assert.deepEqual(page.problems, []);
  });
}
