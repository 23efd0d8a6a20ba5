// Reports opened from disk: they show their JSON, request nothing, are accessible and printable.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import test, { after, before } from "node:test";
import { accessibilityViolations, keepScreenshot, openPage, overflow, startBrowser, textsOutside, turningTexts, widths } from "./support/browser.mjs";
import { Reports, hostile } from "./support/reports.mjs";

let browser, reports;
before(async () => {
  browser = await startBrowser();
  reports = new Reports();
});
after(async () => {
  await browser?.close();
  reports?.remove();
});

const made = {
  compare: () => reports.comparison("two", "old.run", "new.run"),
  "compare-many": () => reports.comparison("many", "old.run", "new.run", "worse.run"),
  "compare-long": () => reports.longComparison(),
  gate: () => reports.gate("gate", "worse.run"),
  "gate-bad-input": () => reports.gate("ids", "ids.run"),
  "gate-by-map": () => reports.gateByMap("by-map", "worse.run"),
  "gate-identical": () => reports.gate("identical", "old.run"),
  "gate-slices": () => reports.gateSlices("slices", "worse.run"),
  history: () => reports.history(),
  "history-slices": () => reports.historySlices(),
  replay: () => reports.replay(),
  "replay-long": () => reports.replay("replay-long", ["old", "new"].map((name) => `${name}-${"long-name-".repeat(12)}`)),
};
const known = new Map();
/** Each report is made once. */
const report = (name) => known.get(name) ?? known.set(name, made[name]()).get(name);

const score = (value) => value.toFixed(4).replace("-", "−");
const signed = (value) => Number(value.toFixed(4)) === 0 ? "0.0000" : (value > 0 ? "+" : "") + score(value);
const texts = (locator) => locator.evaluateAll((cells) => cells.map((cell) => cell.textContent));
const open = async (name, options) => {
  const { url, document } = report(name);
  const page = await openPage(browser, url, options);
  await page.waitForSelector("main h1");
  return { page, document };
};

for (const name of Object.keys(made)) {
  for (const [window, colorScheme] of [["wide", "light"], ["narrow", "dark"]]) {
    test(`${name}, ${window}, ${colorScheme}: nothing overflows, nothing is asked for, no barrier`, async () => {
      const { page } = await open(name, { viewport: widths[window], colorScheme });
      assert.ok(await overflow(page) <= 0);
      assert.deepEqual(await textsOutside(page), []);
      assert.deepEqual(await accessibilityViolations(page), []);
      await keepScreenshot(page, `report-${name}-${window}-${colorScheme}`);
      assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
      assert.deepEqual(page.problems, []);
    });
  }
}

test("compare: the table says what the JSON says, by measure", async () => {
  const { page, document } = await open("compare");
  const [pair] = document.comparison.pairs;
  for (const [measure, it] of Object.entries(pair.measures)) {
    const row = page.locator("table.differences tr", { has: page.locator(`th[data-measure="${measure}"]`) });
    assert.deepEqual(await texts(row.locator("td[data-value]")), [
      score(it.mean_a), score(it.mean_b), signed(it.difference), `[${signed(it.t_test.ci_low)}, ${signed(it.t_test.ci_high)}]`,
      it.corrected < 0.0001 ? "<0.0001" : it.corrected.toFixed(4)]);
    const effect = page.locator("table.effects tr", { has: page.locator(`th[data-measure="${measure}"]`) });
    assert.match(await effect.textContent(), new RegExp(`${it.wins}/${it.ties}/${it.losses}`));
  }
  assert.equal(await page.locator(".forest .row").count(), Object.keys(pair.measures).length);
});

test("compare: of several runs each measure has its tables, every column its heading", async () => {
  const { page, document } = await open("compare-many");
  const measures = document.evaluation.measures.length;
  for (const kind of ["differences", "effects"]) assert.equal(await page.locator(`table.${kind}`).count(), measures);
  const heads = await page.locator("thead tr").evaluateAll((rows) => rows.map((row) => [...row.children].filter((head) => !head.textContent.trim()).length));
  // A table of citations has a column of drawings.
  for (const empty of heads) assert.ok(empty <= 1);
  for (const row of await page.locator("table.differences thead tr").allInnerTexts()) assert.match(row, /run.*mean.*difference.*95 % interval.*verdict/s);
  assert.equal(await page.locator(".lead li").count(), document.comparison.pairs.length);
});

test("compare: the topics that moved show each citation's ranks and share, and the list has all topics", async () => {
  const { page, document } = await open("compare");
  const [pair] = document.comparison.pairs;
  assert.deepEqual(await page.locator(".changed-topic").evaluateAll((all) => all.map((each) => each.dataset.topic)), pair.moved.map((topic) => topic.topic));
  const cutoff = document.comparison.moving_measure.split("@")[1];
  const rank = (value) => value === null ? `not in ${cutoff}` : String(value);
  for (const [index, topic] of pair.moved.entries()) {
    const rows = page.locator(".changed-topic").nth(index).locator("tbody tr");
    assert.equal(await rows.count(), topic.citations.length);
    for (const [at, citation] of topic.citations.entries()) {
      const cells = await texts(rows.nth(at).locator("th, td"));
      assert.equal(cells[0], citation.docno);
      assert.deepEqual([cells[3], cells[5], cells[6]], [rank(citation.rank_a), rank(citation.rank_b), signed(citation.share)]);
    }
  }
  await page.getByText("All topics", { exact: true }).click();
  const list = page.locator(".all-topics");
  await list.getByRole("searchbox").fill("img");
  assert.deepEqual(await texts(list.locator("tbody th")), [hostile.topic]);
  await list.getByRole("searchbox").fill("");
  await list.getByRole("button", { name: "difference" }).click();
  const sorted = pair.measures[document.comparison.moving_measure].per_topic.map((topic) => topic.difference).sort((one, other) => one - other);
  assert.deepEqual(await texts(list.locator("tbody td:nth-child(4)")), sorted.slice(0, 25).map(signed));
});

test("replay: a name of an arm does not turn the text around it", async () => {
  const { url } = reports.replay("replay-turned", ["old", "new-\u202eturned"]);
  for (const view of ["", "topics", "topic/EP1000001A1", "sweep"]) {
    const page = await openPage(browser, `${url}#/${view}`);
    await page.waitForSelector('main bdi:has-text("new-\\\\u202Eturned")');
    assert.deepEqual(await turningTexts(page), [], view);
  }
});

test("compare: 70,000 topics are more than a call has arguments", async () => {
  const url = report("compare").url.replace(".html", "-of-many.html");
  const lines = readFileSync(new URL(report("compare").url), "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes('id="prescope-data"'));
  const [, begin, text, end] = /^(.*id="prescope-data">)(.*)(<\/script>.*)$/.exec(lines[at]);
  const data = JSON.parse(text), { document } = data;
  const of = document.comparison.pairs[0].measures["PRES@20"];
  of.per_topic = Array.from({ length: 70_000 }, (_, i) => ({ ...of.per_topic[i % of.per_topic.length], topic: `T${i}` }));
  lines[at] = begin + JSON.stringify(data).replaceAll("<", "\\u003c") + end;
  writeFileSync(new URL(url), lines.join("\n"));
  const page = await openPage(browser, url);
  await page.waitForSelector("svg circle.point");
  assert.match(await page.locator(".all-topics .sub").textContent(), /^70,000 topics/);
  assert.deepEqual(page.problems, []);
});

test("compare: plots and list follow the measure that is chosen", async () => {
  const { page, document } = await open("compare");
  await page.getByLabel("Measure of the plots").selectOption("R@20");
  const { wins, ties, losses } = document.comparison.pairs[0].measures["R@20"];
  assert.match(await page.locator(".waterfall svg").getAttribute("aria-label"), new RegExp(`^R@20 .* ${losses} topics? lower, ${ties} the same, ${wins} higher`));
  assert.equal(await page.locator(".scatter svg").getAttribute("aria-label").then((label) => label.startsWith("R@20")), true);
});

test("gate: the outcome comes first, then each rule that did not hold with its reason", async () => {
  const { page, document } = await open("gate");
  assert.equal(document.outcome, "REGRESSION");
  assert.equal(await page.locator("[data-outcome]").getAttribute("data-outcome"), document.outcome);
  const main = await page.locator("main").innerText();
  const broken = document.rules.filter((rule) => !["pass", "skipped"].includes(rule.status));
  let from = main.indexOf(document.outcome);
  assert.ok(from >= 0 && from < 200);
  for (const rule of document.rules) {
    const said = page.locator(`[data-rule="${rule.id}"]`);
    assert.equal(await said.count(), 1, rule.id);
    assert.ok(main.includes(rule.reason), rule.id);
  }
  assert.equal(await page.locator(".rules li").count(), broken.length);
  const heights = await page.locator(".all-rules .tag").evaluateAll((all) => all.map((tag) => tag.offsetHeight));
  assert.equal(heights.length, document.rules.length - broken.length);
  assert.ok(heights.every((height) => height < 30), String(heights));  // one line each
  for (const it of document.measures) {
    const row = page.locator("table.measures tr", { has: page.locator(`th[data-measure="${it.measure}"]`) });
    assert.deepEqual(await texts(row.locator("td[data-value]")), [
      score(it.baseline), score(it.tonight), signed(it.difference), `[${signed(it.low)}, ${signed(it.high)}]`]);
  }
});

test("gate: each slice has its figures and its verdict, also one that is too small", async () => {
  const { page, document } = await open("gate-slices");
  assert.deepEqual(document.slices.map((slice) => slice.words), ["FAILS", "too few"]);
  const rows = page.locator("table.slices tbody tr");
  assert.equal(await rows.count(), 2);
  for (const [index, it] of document.slices.entries()) {
    const cells = await texts(rows.nth(index).locator("th, td"));
    assert.deepEqual(cells.slice(0, 7), [it.slice, it.words, String(it.topics), score(it.baseline), score(it.tonight), signed(it.difference),
      `[${signed(it.low)}, ${signed(it.high)}]`]);
  }
  for (const sentence of document.words.slices) assert.ok((await page.locator("main").innerText()).includes(sentence), sentence);
});

test("history: the slices of each night stand with their changes, newest first", async () => {
  const { page, document } = await open("history-slices");
  const [slice] = document.slices;
  const table = page.locator("table", { has: page.locator("caption", { hasText: "by part" }) });
  const rows = table.locator("tbody tr");
  assert.equal(await rows.count(), document.nights.length);
  for (const [index, { night, mean, from_baseline: change }] of slice.nights.slice().reverse().entries()) {
    const cells = await texts(rows.nth(index).locator("th, td"));
    assert.deepEqual(cells.slice(0, 3), [String(night), score(mean), change === null ? "–" : signed(change)]);
  }
});

test("gate: failing topics come first, with their citations and what must be found", async () => {
  const { page, document } = await open("gate");
  const shown = await page.locator(".changed-topic").evaluateAll((all) => all.map((each) => each.dataset.topic));
  assert.deepEqual(shown, document.topics.slice(0, 20).map((topic) => topic.topic));
  assert.match(await page.locator(".changed-topic").first().innerText(), /lost a citation|finds nothing|fell far/);
  const more = page.getByRole("button", { name: /^Show the other/ });
  await more.click();
  assert.equal(await page.locator(".changed-topic").count(), document.topics.length);
  assert.equal(await more.count(), 0);
  assert.match(await page.locator("section", { has: page.getByRole("heading", { name: "Must be found" }) }).innerText(),
    new RegExp(`${hostile.docno.replace(/[()]/g, "\\$&")} of ${hostile.topic}: lost, rank 1 → –`));
});

test("gate: nothing is said about a citation whose fate was not looked at", async () => {
  const { page, document } = await open("gate-by-map");
  assert.equal(document.moving_measure, null);  // worse.run has lost it
  const pinned = page.locator("section", { has: page.getByRole("heading", { name: "Must be found" }) }).locator("li");
  assert.deepEqual(await texts(pinned), [`${hostile.docno} of ${hostile.topic}`]);
});

test("gate: of bad input it says what is wrong, and shows no measure and no topic", async () => {
  const { page, document } = await open("gate-bad-input");
  assert.equal(document.outcome, "BAD INPUT");
  assert.match(await page.locator(".lead").innerText(), /cannot be compared with baseline 'main'; nothing is said about the ranking/);
  assert.match(await page.locator(".rules").innerText(), /an id problem/);
  for (const title of ["Measures", "Topics"]) assert.equal(await page.getByRole("heading", { name: title, exact: true }).count(), 0);
});

test("gate: a night that found the same says so, and has no topic to show", async () => {
  const { page, document } = await open("gate-identical");
  assert.equal(document.identical, true);
  assert.match(await page.locator(".lead").innerText(), /PASS.*found the same documents at the same ranks as baseline 'main'/);
  assert.equal(await page.locator(".changed-topic").count(), 0);
});

test("history: a line a night with its verdict, means and changes; pinned nights are marked", async () => {
  const { page, document } = await open("history");
  const newestFirst = document.nights.slice().reverse();
  const rows = page.locator(".nights-table tbody tr");
  assert.equal(await rows.count(), document.nights.length);
  for (const [index, night] of newestFirst.entries()) {
    const row = rows.nth(index);
    assert.equal(await row.locator("th").textContent(), String(night.night));
    assert.match(await row.locator(".verdict-cell").textContent(), new RegExp(night.verdict ?? "not gated"));
    for (const [measure, value] of Object.entries(night.measures)) {
      const cell = (key) => row.locator(`td[data-measure="${measure}"][data-value="${key}"]`).textContent();
      const text = (number) => number === null ? "–" : signed(number);
      assert.equal(await cell("mean"), score(value.mean));
      assert.equal(await cell("from_baseline"), text(value.from_baseline));
      assert.equal(await cell("from_before"), text(value.from_before));
    }
  }
  assert.match(await rows.last().textContent(), /pinned: main/);
  assert.ok((await page.locator(".nights .pin").count()) >= 1);
  // Verdicts differ in shape.
  const shapes = await page.locator(".legend .mark").evaluateAll((marks) => marks.map((mark) => mark.tagName + (mark.getAttribute("d") ?? mark.getAttribute("class"))));
  assert.equal(new Set(shapes).size, shapes.length);
});

test("history: two nights are chosen by keyboard or by a click and stand beside each other", async () => {
  const { page, document } = await open("history");
  const box = (night) => page.getByRole("checkbox", { name: `Choose night ${night}`, exact: true });
  await box(1).focus();
  await page.keyboard.press("Space");
  assert.match(await page.locator(".chosen-nights").innerText(), /Night 1 is chosen/);
  assert.equal(await box(1).evaluate((each) => each === document.activeElement), true);
  await box(3).press("Space");
  const [from, to] = [1, 3].map((number) => document.nights.find((night) => night.night === number));
  const change = signed(to.measures["PRES@20"].mean - from.measures["PRES@20"].mean);
  assert.match(await page.locator(".two-nights").innerText(), new RegExp(`PRES@20.*${change.replace(/[+]/, "\\+")}`));
  assert.match(page.url(), /nights=1%2C3/);
  assert.equal(await page.locator(".nights circle.chosen").count() >= 2, true);
  await page.getByRole("button", { name: "Choose none" }).click();
  await page.locator(".nights svg").first().click({ position: { x: 70, y: 100 } });
  assert.equal(await box(1).isChecked(), true);
  assert.deepEqual(page.problems, []);
});

test("replay: means and differences are the JSON's, and a topic that moved leads to its own view", async () => {
  const { page, document } = await open("replay");
  const { comparison, latencies, summary } = document;
  for (const arm of summary.arms) {
    const row = page.locator("table.means tr", { has: page.locator(`th[data-arm="${arm.name}"]`) });
    for (const measure of summary.measures) assert.equal(await row.locator(`td[data-measure="${measure}"]`).textContent(), score(arm.means[measure].mean));
  }
  const [pair] = comparison.pairs;
  for (const [measure, it] of Object.entries(pair.measures)) {
    const row = page.locator("table.differences tr", { has: page.locator(`th[data-measure="${measure}"]`) });
    const found = await texts(row.locator("td[data-value]"));
    assert.deepEqual(found.slice(0, 4), [score(it.mean_a), score(it.mean_b), signed(it.difference), `[${signed(it.t_test.ci_low)}, ${signed(it.t_test.ci_high)}]`]);
  }
  const text = await page.locator("main").innerText();
  assert.match(text, /new minus old/);
  assert.equal(latencies.every(({ words }) => text.includes(words)), true);
  await page.getByRole("link", { name: "Its PRES curve and all its citations" }).first().click();
  await page.waitForFunction((topic) => document.querySelector("h1").textContent.includes(topic), pair.moved[0].topic);
  assert.deepEqual(page.problems, []);
});

test("replay: topics are searched and sorted without a server, and a topic opens to its citations", async () => {
  const { page, document } = await open("replay");
  await page.getByRole("link", { name: "Topics", exact: true }).click();
  await page.waitForSelector("h1:has-text('Topics')");
  await page.waitForSelector("table tbody tr");
  await page.getByRole("searchbox").fill("onerror");
  await page.waitForFunction(() => document.querySelectorAll("main table tbody tr").length === 1);
  await page.locator("main table tbody a").first().click();
  await page.waitForFunction((docno) => document.querySelector("main").textContent.includes(docno), hostile.docno);
  assert.equal(document.summary.per_topic.some((row) => row.topic === hostile.topic), true);
  await page.getByRole("link", { name: "Cutoff sweep" }).click();
  await page.waitForSelector("h1:has-text('sweep')");
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  assert.deepEqual(page.problems, []);
});

test("on paper everything is unfolded, nothing is cut off, and nothing to click is left", async () => {
  for (const name of Object.keys(made)) {
    const { page } = await open(name, { viewport: { width: 700, height: 900 } });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    const found = await page.evaluate(() => ({
      folded: document.querySelectorAll("main details:not([open])").length,
      // A page of A4 between its margins is about as wide as this window.
      cut: [...document.querySelectorAll("main table, main svg")].filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.className.baseVal ?? each.className),
      buttons: [...document.querySelectorAll("button:not(.term, .sort), select, input")].filter((each) => each.checkVisibility()).length,
    }));
    assert.deepEqual({ name, ...found }, { name, folded: 0, cut: [], buttons: 0 });
    const pdf = await page.pdf({ format: "A4", margin: { top: "12mm", bottom: "12mm", left: "12mm", right: "12mm" } });
    assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  }
});
