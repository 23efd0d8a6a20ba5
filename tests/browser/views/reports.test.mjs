// Words and numbers of reports, and the nights of a history.
import assert from "node:assert/strict";
import test from "node:test";
import { staticSource } from "../../../plugin/src/serve/web/data/static_source.ts";
import { exactPercent, pValue, ratio } from "../../../plugin/src/serve/web/format.ts";
import { seriesOf } from "../../../plugin/src/serve/web/views/history.ts";
import { parseNights, toggled } from "../../../plugin/src/serve/web/views/nights.ts";
import { cutoffOf, what } from "../../../plugin/src/serve/web/views/parts.ts";

test("p values, ratios and shares are written as the tables write them", () => {
  assert.deepEqual([0.00009, 0.0001, 0.05, 1, null].map(pValue), ["<0.0001", "0.0001", "0.0500", "1.0000", "–"]);
  assert.deepEqual([0.8124, null].map(ratio), ["0.812", "–"]);
  assert.deepEqual([0.95, 0.999, 0.9].map(exactPercent), ["95 %", "99.9 %", "90 %"]);
});

test("a citation is gained, lost, moved or where it was", () => {
  const cases = [[null, 5, "gained"], [5, null, "lost"], [9, 3, "up"], [3, 9, "down"], [4, 4, "same rank"], [null, null, "not found"]];
  for (const [before, after, words] of cases) assert.equal(what({ rank_a: before, rank_b: after }), words);
  assert.deepEqual(["PRES@100", "AP", null].map(cutoffOf), [100, null, null]);
});

test("two nights are chosen at most; a third lets the first go", () => {
  assert.deepEqual(toggled([], 3), [3]);
  assert.deepEqual(toggled([3], 5), [3, 5]);
  assert.deepEqual(toggled([3, 5], 8), [5, 8]);
  assert.deepEqual(toggled([3, 5], 3), [5]);
  assert.deepEqual(["3,5", "3,5,8", "x,-1,2.5,7", "", null].map(parseNights), [[3, 5], [3, 5], [7], [], []]);
});

const night = (number, pres, verdict, more = {}) => ({
  night: number, time: `2026-11-${16 + number}T03:10:00.000Z`, arm: "bm25", source: "", qrels: "ab", topics: 300, p95_ms: null, baseline: 1, before: null,
  verdict, reason: verdict === "REGRESSION" ? "it fell" : "", pinned_as: [], measures: { "PRES@100": { mean: pres, from_baseline: pres === null ? null : pres - 0.4, from_before: null } }, ...more });
const history = (nights) => ({ prescope: "", store: "nights.db", measures: ["PRES@100"], nights_stored: nights.length, nights, pins: [], newest: [] });

test("what bad input gave has a mark and no value, and the baseline is what the change refers to", () => {
  const [series] = seriesOf(history([night(1, 0.4, null), night(2, 0.41, "PASS"), night(3, 0, "BAD INPUT")]));
  assert.deepEqual(series.points.map((point) => point.value), [0.4, 0.41, null]);
  for (const point of series.points) assert.ok(Math.abs(point.level - 0.4) < 1e-12);
});

test("latency is a chart where any night was timed", () => {
  assert.equal(seriesOf(history([night(1, 0.4, null)])).length, 1);
  assert.deepEqual(seriesOf(history([night(1, 0.4, null), night(2, 0.4, "PASS", { p95_ms: 12 })])).map((each) => each.measure), ["PRES@100", null]);
});

test("a replay lists the topics that it holds", async () => {
  const arm = { seen: true, visits: 1, num_ret: 5, exhausted: false, missing: 0, latency_ms: null, relevant_ranks: [2], scores: { "PRES@5": 0.8 }, means: { "PRES@5": 0.8 }, awaiting: false };
  const summary = { measures: ["PRES@5"], arms: [{ name: "one" }], pairs: [] };
  const topics = [{ topic: "T1", num_rel: 1, cutoff: 5, measure: "PRES@5", citations: [], arms: [{ name: "one", ...arm }] }];
  const source = staticSource({ kind: "replay", title: "", document: { prescope: "1", summary }, topics });
  assert.equal((await source.topics({})).topics[0].topic, "T1");
  assert.deepEqual((await source.topic("T1")).arms[0].relevant_ranks, [2]);
  await assert.rejects(source.topic("T2"), /no topic T2/);
  await assert.rejects(source.sweep(), /does not hold/);
  await assert.rejects(source.history(), /does not hold/);
});
