// The overview agrees with the summary, also while numbers change.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { lastPoint, liveSummary, seriesOf, summaryDocument } from "./support/documents.mjs";
import { accessibilityViolations, keepScreenshot, openPage, overflow, startBrowser, textsOutside, widths } from "./support/browser.mjs";
import { StandIn } from "./support/stand_in.mjs";

let browser, server;
const summary = liveSummary();
const series = seriesOf(summary);

before(async () => {
  browser = await startBrowser();
  server = await new StandIn({ answers: { "/api/series": series } }).start();
  server.publish(summaryDocument(summary), lastPoint(series));
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const open = async (hash = "#/", options = {}) => {
  const page = await openPage(browser, server.url + hash, options);
  await page.waitForSelector("[data-number]");
  return page;
};
const shown = async (page, key) => (await page.locator(`[data-number="${key}"]`).first().innerText()).trim();
const score = (value) => value.toFixed(4).replace("-", "−");
const signed = (value) => (value > 0 ? "+" : "") + score(value);
const three = (value) => Number(value.toPrecision(3));

test("every mean, difference, interval and latency is the summary's", async () => {
  const page = await open();
  for (const arm of summary.arms) {
    for (const measure of summary.measures) {
      const [value, topics] = (await shown(page, `arm/${arm.name}/${measure}`)).split(/\s*\n\s*/);
      assert.equal(value, score(arm.means[measure].mean));
      assert.equal(topics, `${arm.means[measure].topics} topics`);
    }
    for (const quantile of ["p50", "p90", "p95", "p99"]) {
      const text = await shown(page, `latency/${arm.name}/${quantile}`);
      if (arm.latency_ms[quantile] === null) assert.equal(text, "–");
      else assert.equal(parseFloat(text.replace(",", "")), three(arm.latency_ms[quantile]));
    }
  }
  const [pair] = summary.pairs;
  for (const measure of summary.measures) {
    const { mean, live } = pair.differences[measure];
    assert.equal(await shown(page, `difference/${measure}/mean`), signed(live.mean));
    assert.equal(await shown(page, `difference/${measure}/all-visits`), signed(mean));
    assert.equal(await shown(page, `difference/${measure}/topics`), String(live.topics));
    assert.equal(await shown(page, `difference/${measure}/interval`), `[${signed(live.low)}, ${signed(live.high)}]`);
  }
  assert.deepEqual(page.problems, []);
});

test("each slice has its numbers, and one sentence says who wins where", async () => {
  const page = await open();
  const [pair] = summary.pairs;
  const card = page.locator("section.slices");
  assert.ok((await card.innerText()).includes(pair.words.slices));
  for (const { dimension, slice, difference, words } of pair.slices) {
    assert.equal(await shown(page, `slice/${dimension}/${slice}/mean`), signed(difference.live.mean));
    const row = card.locator("tr", { hasText: words.name });
    const text = await row.innerText();
    for (const said of [String(difference.live.topics), score(difference.mean_a), score(difference.mean_b), words.state]) {
      assert.ok(text.includes(said), `${words.name}: ${said} in ${text}`);
    }
    // An interval that is unbounded is not shown.
    assert.equal(text.includes(`[${signed(difference.live.low)}, ${signed(difference.live.high)}]`), difference.live.low > -1);
  }
  assert.deepEqual(page.problems, []);
});

test("queries without judgements: what the arms share, and the most changed ones", async () => {
  const changed = liveSummary();
  const [pair] = changed.pairs;
  const hostile = "<img src=x onerror=window.hacked=1>\u202e";
  pair.overlap = { depth: 100, visits: 1200, jaccard: { mean: 0.5, low: 0.475, high: 0.525, latest: null },
    rbo: { mean: 0.625, low: 0.6, high: 0.65, latest: null },
    most_changed: [{ name: "valve", query: "valve", visit: 17, time: "2026-11-22T03:10:00.000Z", jaccard: 0, rbo: 0.125 },
      { name: hostile, query: hostile, visit: 18, time: "2026-11-22T03:10:00.000Z", jaccard: 0.25, rbo: 0.25 }],
    words: { sentence: "Without judgements, tfidf and bm25 in 1,200 visits.", remarks: ["bm25 failed in 8 visits"] } };
  pair.words.trade_off = "bm25 costs 0.30 points of PRES@100 and saves 85 % of the latency.";
  const overlapping = await new StandIn({ answers: { "/api/series": series } }).start();
  try {
    overlapping.publish(summaryDocument(changed), lastPoint(series));
    const page = await openPage(browser, overlapping.url + "#/", {});
    await page.waitForSelector("[data-number]");
    const card = page.locator("section.overlap");
    const text = await card.innerText();
    for (const said of [pair.overlap.words.sentence, "bm25 failed in 8 visits", "valve", "0.125", "0.250"]) {
      assert.ok(text.includes(said), `${said} in ${text}`);
    }
    assert.equal(await card.locator("tbody tr").count(), 2);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator(".trade-off").innerText(), pair.words.trade_off);
    assert.deepEqual(page.problems, []);
    const without = await open();
    assert.ok(await without.locator("section.overlap").isHidden());
    assert.ok(await without.locator(".trade-off").isHidden());
  } finally {
    await overlapping.stop();
  }
});

test("guardrails are listed, and a broken one and a planned verdict stand out", async () => {
  const changed = liveSummary();
  const [pair] = changed.pairs;
  pair.guardrails[1] = { ...pair.guardrails[1], state: "broken", words: "latency is above 1.1 times" };
  pair.planned = { state: "better" };
  Object.assign(pair.differences[changed.primary].live, { state: "described" });
  pair.differences[changed.primary].words.state = "bm25 better (planned test)";
  const planned = await new StandIn({ answers: { "/api/series": series } }).start();
  try {
    planned.publish(summaryDocument(changed), lastPoint(series));
    const page = await openPage(browser, planned.url + "#/", {});
    await page.waitForSelector("[data-number]");
    const verdict = page.locator("section.verdict");
    assert.ok((await verdict.innerText()).includes(pair.guardrails[0].words));
    assert.equal((await verdict.locator("li.broken").innerText()).trim(), "broken: latency is above 1.1 times");
    const tag = verdict.locator(".verdict-lead .tag");
    assert.equal(await tag.innerText(), "bm25 better (planned test)");
    assert.ok((await tag.getAttribute("class")).includes("good"));
    assert.deepEqual(page.problems, []);
  } finally {
    await planned.stop();
  }
});

test("the verdict is said in words, with what it may be used for", async () => {
  const page = await open();
  const { words, live } = summary.pairs[0].differences[summary.primary];
  assert.equal(live.state, "confirmed");
  assert.equal(await page.locator(".sentence").innerText(), `bm25 is better than tfidf by ${score(live.mean)} PRES@100.`);
  assert.equal(await page.locator(".grounds").innerText(), words.grounds);
  assert.match(await page.locator(".verdict-lead > span").getAttribute("class"), /good/);
  assert.deepEqual(await page.locator(".left-out li").allInnerTexts(), summary.words.left_out);
});

test("what a verdict still needs is said beside the primary measure only", async () => {
  const open_yet = liveSummary();
  const sentence = "If the difference stays as it is, some 420 more topics will show it: about 9 hours at 47 new topics an hour.";
  open_yet.pairs[0].words.outlook = sentence;
  server.publish(summaryDocument(open_yet));
  assert.equal(await (await open()).locator(".outlook").innerText(), sentence);
  const another = open_yet.measures.find((measure) => measure !== open_yet.primary);
  const page = await open(`#/?measure=${encodeURIComponent(another)}`);
  await page.locator(".sentence").waitFor();
  assert.equal(await page.locator(".outlook").count(), 0);
  server.publish(summaryDocument(summary), lastPoint(series));
});

test("only leading and confirmed have a colour; observed traffic has no interval", async () => {
  const told = liveSummary();
  const difference = told.pairs[0].differences[told.primary];
  for (const [state, tone] of [["ahead so far", "tag"], ["no verdict", "tag"], ["described", "tag"], ["leading", "tag warn"], ["confirmed", "tag good"]]) {
    difference.live.state = state;
    difference.words = { state: `words: ${state}`, live: `sentence: ${state}`, grounds: "" };
    server.publish(summaryDocument(told));
    const page = await open();
    assert.equal(await page.locator(".sentence").innerText(), `sentence: ${state}`);
    assert.equal(await page.locator(".verdict-lead > span").getAttribute("class"), tone);
    assert.equal(await page.locator("svg.interval").first().getAttribute("class"), `interval${tone.length > 3 ? " good" : ""}`.trim());
  }
  // The chip names the winner, also if that is the first arm.
  Object.assign(difference.live, { mean: -0.1, low: -0.2, high: -0.05 });
  server.publish(summaryDocument(told));
  assert.equal(await (await open()).locator(".verdict-lead > span").getAttribute("class"), "tag good");
  told.mode = "observe";
  for (const each of Object.values(told.pairs[0].differences)) each.live = null;
  for (const { difference: each } of told.pairs[0].slices) each.live = null;
  server.publish(summaryDocument(told));
  const page = await open();
  assert.equal(await shown(page, `difference/${told.primary}/mean`), signed(difference.mean));
  assert.equal(await shown(page, `difference/${told.primary}/interval`), "–");
  assert.equal(await page.locator("svg.interval .range").count(), 0);
  assert.equal(await page.getByRole("heading", { name: "Served to users" }).isVisible(), false);
  assert.deepEqual(page.problems, []);
  server.publish(summaryDocument(summary), lastPoint(series));
});

test("what users were served is a table of its own", async () => {
  const page = await open();
  for (const arm of summary.arms) for (const [measure, { mean }] of Object.entries(arm.served_means))
    assert.equal((await shown(page, `served/${arm.name}/${measure}`)).split(/\s*\n\s*/)[0], mean === null ? "–" : score(mean));
});

test("the measure that is chosen stays in the address and in the links to other views", async () => {
  const page = await open();
  await page.locator(".view-head select").first().selectOption("AP@100");
  assert.match(page.url(), /measure=AP%40100/);
  await page.waitForFunction(() => document.querySelector(".sentence").textContent.includes("MAP@100"));
  await page.getByRole("link", { name: "Health", exact: true }).click();
  await page.waitForSelector("h1:has-text('Health')");
  assert.match(page.url(), /#\/health\?measure=AP%40100/);
  assert.equal(await page.locator(".view-head select").first().inputValue(), "AP@100");
  await page.reload();
  await page.waitForSelector("h1:has-text('Health')");
});

test("the second arm of the address is compared with the first, whichever arm other views chose as theirs", async () => {
  const three = liveSummary();
  three.arms.push({ ...structuredClone(three.arms[1]), name: "C" });
  three.pairs.push({ ...structuredClone(three.pairs[0]), b: "C" });
  server.publish(summaryDocument(three));
  const page = await open("#/?a=C");
  const against = page.locator(".view-head select:visible").nth(1);
  const compared = async () => [await against.inputValue(), await page.locator(".verdict h2").innerText()];
  assert.deepEqual(await compared(), ["bm25", "bm25 minus tfidf, topic by topic"]);
  await against.selectOption("C");
  assert.deepEqual(await compared(), ["C", "C minus tfidf, topic by topic"]);
  server.publish(summaryDocument(summary), lastPoint(series));
});

test("new numbers appear without a reload, and what has focus keeps it", async () => {
  const page = await open();
  await page.evaluate(() => { globalThis.same = true; });
  const term = page.locator(".verdicts tbody th .term").first();
  await term.focus();
  const changed = structuredClone(summary);
  changed.arms[0].means["PRES@100"].mean = 0.4321;
  changed.pairs[0].differences["PRES@100"].live.mean = -0.0123;
  server.publish(summaryDocument(changed, { time: "2026-11-22T03:10:15.000Z" }));
  await page.waitForFunction(() => document.querySelector('[data-number="arm/tfidf/PRES@100"]').textContent.includes("0.4321"));
  assert.equal(await shown(page, "difference/PRES@100/mean"), "−0.0123");
  assert.equal(await page.evaluate(() => globalThis.same), true);
  assert.equal(await term.evaluate((element) => element === document.activeElement), true);
  assert.match(await page.locator(".status").innerText(), /04:10:15/);
  server.publish(summaryDocument(summary), lastPoint(series));
});

test("a moment pointed at in one chart is shown in all charts of time", async () => {
  const page = await open();
  const plot = page.locator(".chart > .plot").first();
  await plot.scrollIntoViewIfNeeded();
  await plot.hover({ position: { x: 300, y: 80 } });
  const moments = () => page.locator(".chart > .readout").evaluateAll((all) => all.map((each) => each.firstElementChild.textContent));
  const shown = await moments();
  assert.equal(shown.length, 4);
  assert.deepEqual(new Set(shown), new Set([shown[0]]));
  assert.notEqual(shown[0], "04:10:00");
  await page.mouse.move(0, 0);
  assert.deepEqual(new Set(await moments()), new Set(["04:10:00"]));
});

test("a chart that has no values yet can be pointed at", async () => {
  server.answers["/api/series"] = seriesOf(summary, { points: 0 });
  server.publish(summaryDocument(summary));
  const page = await open();
  const plot = page.locator(".chart > .plot").first();
  await plot.scrollIntoViewIfNeeded();
  await plot.hover({ position: { x: 300, y: 80 } });
  assert.match(await page.locator(".readout").first().innerText(), /No values yet/);
  assert.deepEqual(page.problems, []);
  server.answers["/api/series"] = series;
  server.publish(summaryDocument(summary), lastPoint(series));
});

test("a new point prolongs the charts", async () => {
  const page = await open();
  const readout = page.locator(".readout").first();
  await readout.locator("text=04:10:00").waitFor();
  const point = lastPoint(series);
  point.time_ms = [point.time_ms[0] + 60_000];
  point.pairs[0].differences["PRES@100"].mean = [0.0555];
  server.publish(summaryDocument(summary), point);
  await page.waitForFunction(() => document.querySelector(".readout").textContent.includes("04:11:00"));
  assert.match(await readout.innerText(), /\+0\.0555/);
  server.publish(summaryDocument(summary), lastPoint(series));
});

test("the axes of score against latency tell values apart that are close together", async () => {
  for (const means of [[0.3001, 0.3002], [0.00139, 0.00139], [0, 0]]) {
    const close = structuredClone(summary);
    close.arms.forEach((arm, i) => {
      arm.means["PRES@100"].mean = means[i];
      for (const latency of [arm.latency_ms, arm.shadow_latency_ms])
        Object.assign(latency, { p50: 100.1 + i * 0.2, intervals: { ...latency.intervals, p50: { low: 100.1, high: 100.3 } } });
    });
    server.publish(summaryDocument(close));
    const page = await open("#/?measure=PRES%40100");
    for (const anchor of ["end", "middle"]) {
      const numbers = (await page.locator(`.scatter text[text-anchor=${anchor}]`).allTextContents()).filter((text) => /^[\d.,]+$/.test(text));
      assert.ok(numbers.length > 1 && new Set(numbers).size === numbers.length, String(numbers));
    }
    assert.deepEqual(await textsOutside(page), []);
  }
  server.publish(summaryDocument(summary), lastPoint(series));
});

test("failed quantiles and missing values are said, never shown as 0", async () => {
  const failing = structuredClone(summary);
  Object.assign(failing.arms[0].latency_ms, { p99: null });
  Object.assign(failing.arms[1].means["PRES@100"], { mean: null, topics: 0 });
  server.publish(summaryDocument(failing));
  const page = await open();
  assert.equal(await shown(page, "latency/tfidf/p99"), "failed");
  assert.match(await shown(page, "arm/bm25/PRES@100"), /^–/);
  server.publish(summaryDocument(summary), lastPoint(series));
});

test("an experiment that has just begun, one arm alone, and no experiment are shown as such", async () => {
  const begun = liveSummary();
  for (const arm of begun.arms) for (const mean of Object.values(arm.means)) Object.assign(mean, { mean: null, topics: 0 });
  for (const difference of Object.values(begun.pairs[0].differences)) {
    Object.assign(difference, { mean: null, topics: 0 });
    Object.assign(difference.live, { state: "collecting", mean: null, topics: 0, low: -1, high: 1, detectable: null });
    difference.words.live = "Too few topics to compare bm25 with tfidf: 0 topics of 10.";
  }
  server.publish(summaryDocument(begun));
  const page = await open();
  assert.match(await page.locator(".sentence").innerText(), /Too few topics/);
  const alone = liveSummary();
  alone.arms.length = 1;
  alone.pairs.length = 0;
  alone.arms[0].relevant_missing = null;
  server.publish(summaryDocument(alone));
  await page.locator(".verdict").waitFor({ state: "hidden" });
  assert.equal(await page.getByText("One arm has no difference to another.").isVisible(), true);
  const unresolved = page.locator(".vital", { hasText: "Unresolved citations" });
  assert.equal(await unresolved.getAttribute("class"), "vital plain");  // unknown is neither good nor bad
  server.publish(summaryDocument(null, { has: { experiment: false, series: false, history: true } }));
  await page.reload();
  await page.waitForSelector("h1:has-text('History')");
  assert.deepEqual(page.problems.filter((problem) => !problem.includes("404")), []);
  server.publish(summaryDocument(summary), lastPoint(series));
});

for (const [name, viewport] of Object.entries(widths)) {
  for (const colorScheme of ["light", "dark"]) {
    for (const view of ["overview", "health"]) {
      test(`${view}, ${name} and ${colorScheme}: fits, and axe-core finds nothing`, async () => {
        const page = await open(view === "overview" ? "#/?measure=PRES%401000" : "#/health", { viewport, colorScheme });
        await page.waitForTimeout(300);
        assert.equal(await overflow(page), 0);
        await keepScreenshot(page, `${view}-${name}-${colorScheme}`);
        assert.deepEqual(await accessibilityViolations(page), []);
        assert.deepEqual(page.problems, []);
      });
    }
  }
}

test("a long name of the experiment leaves the program's name whole", async () => {
  server.publish(summaryDocument({ ...liveSummary(), experiment: "name_".repeat(60) }));
  const page = await open("#/", { viewport: widths.narrow });
  assert.equal(await page.locator(".brand .name").evaluate((name) => name.getClientRects().length), 1);
  assert.ok((await page.locator(".brand .name").boundingBox()).height < 30);
  assert.equal(await overflow(page), 0);
  server.publish(summaryDocument(summary), lastPoint(series));
});

test("a state is broken between words, and a long name does not widen the table of states", async () => {
  const long = liveSummary();
  for (const { words } of Object.values(long.pairs[0].differences)) words.state = "confirmed: bm25 ahead";
  long.pairs[0].differences["R@100"].words.state = "x".repeat(200);
  server.publish(summaryDocument(long));
  const page = await open("#/", { viewport: { width: 768, height: 900 } });
  const tags = await page.locator(".verdicts .tag").evaluateAll((all) => all.map((tag) => tag.getBoundingClientRect()));
  const lines = ({ height }) => Math.round(height / 17);
  const words = tags.filter((_, index) => long.measures[index] !== "R@100");
  assert.ok(words.every((tag) => lines(tag) <= 3), JSON.stringify(words));
  assert.ok(tags.every((tag) => tag.width < 300), JSON.stringify(tags));
  server.publish(summaryDocument(summary), lastPoint(series));
});

test("each measure's state can be seen without scrolling in a window of 1000 to 1200 pixels", async () => {
  for (const width of [1000, 1080, 1200]) {
    const page = await open("#/", { viewport: { width, height: 900 } });
    const hidden = await page.locator(".verdicts .tag").evaluateAll((tags) => tags.map((tag) =>
      tag.getBoundingClientRect().right - tag.closest(".card").getBoundingClientRect().right).filter((beyond) => beyond > 0));
    assert.deepEqual(hidden, [], String(width));
    const rights = (row) => page.locator(`.verdicts ${row}`).first().locator("th, td").evaluateAll((cells) =>
      cells.map((cell) => Math.round(cell.getBoundingClientRect().right)).filter((right) => right > 0));
    assert.deepEqual(await rights("thead tr"), await rights("tbody tr"), "a heading stands above another column");
  }
});

test("health shows every counter of the summary", async () => {
  const page = await open("#/health");
  const words = await page.locator(".counter-groups").innerText();
  for (const [key, value] of Object.entries(summary.health)) {
    assert.equal(await shown(page, `health/${key}`), value.toLocaleString("en"));
    assert.ok(words.includes(`Counted by ${key}.`), key);
  }
  for (const arm of summary.arms)
    assert.equal(await shown(page, `traffic/${arm.name}/relevant_missing`), arm.relevant_missing.toLocaleString("en"));
});

test("the unjudged share is of the queries that users made, not of the searches for comparison", async () => {
  // 1371 judged queries, and 1331 others of tfidf. 1328 of the judged ones were searched again
  // under both arms.
  const page = await open("#/health");
  const [, value, of] = (await page.locator(".vital", { hasText: "Unjudged share" }).innerText()).split(/\s*\n\s*/);
  assert.deepEqual([value, of], ["49 %", "of 2,702 recorded queries"]);
});

test("every observation that is lost is among the dropped ones", async () => {
  const told = liveSummary();
  for (const key of ["dropped_queue_full", "recorder_failures", "log_queue_full", "log_write_failures", "log_lost_with_file"]) told.health[key] = 2;
  server.publish(summaryDocument(told));
  const page = await open("#/health");
  const dropped = page.locator(".vital", { hasText: "Dropped observations" });
  assert.equal(await dropped.locator(".value").innerText(), "10");
  assert.equal(await dropped.getAttribute("class"), "vital bad");
  server.publish(summaryDocument(summary), lastPoint(series));
});

test("times of a chart of more than a day have their day", async () => {
  server.answers["/api/series"] = seriesOf(summary, { step: 3_600_000 });
  const page = await open();
  await page.locator(".chart .plot").first().focus();
  await page.keyboard.press("Home");
  assert.match(await page.locator(".readout").first().innerText(), /^17\/11\/2026, 05:10\s/);
  await page.locator(".chart-table summary").first().click();
  assert.match(await page.locator(".chart-table").first().locator("tbody tr").last().innerText(), /^22\/11\/2026, 04:10\s/);
  server.answers["/api/series"] = series;
});

test("in split traffic no topic is won or lost, and arms that are not comparable are said", async () => {
  const split = liveSummary();
  split.mode = "split";
  split.pairs[0].sample_ratio = { topics_a: 900, topics_b: 300, log_e: 60, alarm: true };
  split.salt = "e|2026-11-23T13:41:00Z";
  const state = (check, state, words) => ({ check, state, words, a: { count: 900, of: 1200 }, b: { count: 300, of: 1200 }, limit: 1 });
  split.pairs[0].checks = [state("failures", "fine", ""), state("unseen", "alarm", "no answer of bm25 was seen in 30 of 300 visits"),
    state("sample_ratio", "veto", "900 topics served by tfidf, 300 by bm25: no fair coin gives such numbers")];
  server.publish(summaryDocument(split));
  const page = await open();
  assert.match(await page.locator(".verdict h2").innerText(), /less what was expected of their topics/);
  assert.equal(await page.locator(".verdicts tbody tr").first().locator("td").nth(6).innerText(), "–");
  assert.match(await page.locator(".view-head .sub").innerText(), /salt e\|2026-11-23T13:41:00Z/);
  assert.deepEqual(await page.locator(".checks li").allInnerTexts(), [
    "veto: 900 topics served by tfidf, 300 by bm25: no fair coin gives such numbers", "alarm: no answer of bm25 was seen in 30 of 300 visits"]);
  server.publish(summaryDocument(summary), lastPoint(series));
});
