// Documents as a server gives them, made of a summary that live_ab wrote (data/live_ab_summary.json).
import { readFileSync } from "node:fs";

const written = readFileSync(new URL("../data/live_ab_summary.json", import.meta.url), "utf8");

/** A summary to change freely. */
export const liveSummary = () => JSON.parse(written);

/** Returns an answer of /api/summary. */
export function summaryDocument(summary, changes = {}) {
  return { prescope: "0.1.0", source: "live", store: null, time: "2026-11-22T03:10:00.000Z", started: "2026-11-22T02:40:00.000Z",
    has: { experiment: true, series: true, history: false }, summary, ...changes };
}

/** A summary in which every name is hostile, and some arms that a page has to find room for. */
export function hostileSummary() {
  const summary = liveSummary();
  const names = ["<script>window.hacked=1</script>", "\"><img src=x onerror=window.hacked=2>", "\u202eright to left", "x".repeat(200)];
  const [first, second] = summary.arms;
  summary.experiment = "<svg onload=window.hacked=3>\u202e";
  summary.arms = names.map((name, index) => ({ ...structuredClone(index % 2 ? second : first), name }));
  summary.pairs = names.slice(1).map((b) => ({ ...structuredClone(summary.pairs[0]), a: names[0], b }));
  for (const { a, b, differences, words } of summary.pairs) {
    words.latency = `${b} is faster than ${a}.`;
    for (const { words } of Object.values(differences)) words.live = words.state = `${b} leads ${a}`;
  }
  summary.past_epochs = [{ ...summary.epoch, ended_with: summary.pairs.map(({ b, differences }) =>
    ({ b, measure: summary.primary, words: "leading", ...differences[summary.primary] })) }];
  return summary;
}

/** A series that ends with the values of `summary`: intervals narrow, one epoch change. */
export function seriesOf(summary, { points = 120, end = Date.parse("2026-11-22T03:10:00Z"), step = 15_000 } = {}) {
  const random = seeded(7);
  const at = Array.from({ length: points }, (_, index) => index);
  const change = Math.floor(points / 4);
  const epochs = at.map((index) => (index < change ? 1 : 2));
  const age = (index) => (index < change ? (index + 1) / change : (index - change + 1) / (points - change));
  const times = at.map((index) => end - (points - 1 - index) * step);
  const wander = (final, size) => at.map((index) => (index === points - 1 ? final : final + (random() - 0.5) * size / Math.sqrt(1 + 9 * age(index))));
  const timed = (arm, quantile, size) => (arm.latency_ms[quantile] === null ? at.map(() => null) : wander(arm.latency_ms[quantile], size));
  return {
    time_ms: times, epoch: epochs,
    epochs: [{ number: 1, reason: "start", time_ms: times[0] }, { number: 2, reason: "generation", time_ms: times[change] }],
    arms: summary.arms.map((arm) => ({ name: arm.name, queries: at.map(() => 40 + Math.floor(random() * 9)),
      p50_ms: timed(arm, "p50", 6), p95_ms: timed(arm, "p95", 25), p99_ms: timed(arm, "p99", 40),
      means: Object.fromEntries(summary.measures.map((measure) => [measure, wander(arm.means[measure].mean, 0.02)])) })),
    pairs: summary.pairs.map((pair) => ({ a: pair.a, b: pair.b, differences: Object.fromEntries(
      summary.measures.map((measure) => [measure, narrowing(pair.differences[measure], at, age, wander)])) })),
  };
}

function narrowing(difference, at, age, wander) {
  const { live } = difference, { mean, topics } = live;
  const half = (index) => (live.high - live.low) / 2 / Math.pow(age(index), 0.7);
  const count = at.map((index) => Math.round(topics * age(index)));
  const means = wander(mean, 0.03);
  return { topics: count, mean: means,
    low: at.map((index) => (count[index] < 10 ? -1 : Math.max(-1, means[index] - half(index)))),
    high: at.map((index) => (count[index] < 10 ? 1 : Math.min(1, means[index] + half(index)))),
    state: at.map((index) => (count[index] < 10 ? "collecting" : index === at.length - 1 ? live.state : "no verdict")) };
}

/** The newest point of a series, as the event stream sends it. */
export function lastPoint(series) {
  const last = (column) => column.slice(-1);
  return { time_ms: last(series.time_ms), epoch: last(series.epoch), epochs: series.epochs,
    arms: series.arms.map((arm) => ({ name: arm.name, queries: last(arm.queries), p50_ms: last(arm.p50_ms), p95_ms: last(arm.p95_ms), p99_ms: last(arm.p99_ms),
      means: Object.fromEntries(Object.entries(arm.means).map(([measure, column]) => [measure, last(column)])) })),
    pairs: series.pairs.map((pair) => ({ a: pair.a, b: pair.b, differences: Object.fromEntries(Object.entries(pair.differences).map(([measure, columns]) =>
      [measure, Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, last(column)]))])) })) };
}

function seeded(state) {
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}
