// The list of topics as /api/topics gives it, made from the topics of a report; docs/http.md.
import type {
  TopicDetail, TopicRow, TopicsPage, TopicSort, TopicsQuery,
} from "../data/documents.ts";

const binWidth = 0.05, bins = 40;

/** The page of `topics` that `query` asks for; by default the first measure and the first two arms. */
export function listTopics(
  topics: readonly TopicDetail[], measures: readonly string[], arms: readonly string[],
  query: TopicsQuery,
): TopicsPage {
  const measure = query.measure ?? measures[0] ?? "";
  const a = query.a ?? arms[0] ?? "", b = query.b ?? arms.find((name) => name !== a) ?? null;
  const { sort = "abs_difference", order = "desc", page = 0, size = 50 } = query;
  const rows = topics.map((topic) => rowOf(topic, measure, a, b));
  const wanted = lowered(query.search ?? "");
  const matching = rows.filter((row) => lowered(row.topic).includes(wanted));
  matching.sort(comparison(sort, order === "asc" ? 1 : -1, a, b));
  return {
    measure, a, b, total: rows.length, matching: matching.length, page, size, sort, order,
    ...outcomes(rows), topics: matching.slice(page * size, (page + 1) * size),
  };
}

function rowOf(topic: TopicDetail, measure: string, a: string, b: string | null): TopicRow {
  const cutoff = Number(measure.split("@")[1] ?? Infinity);
  const arms = topic.arms.map((arm) => ({
    name: arm.name, seen: arm.seen, visits: arm.visits, mean: arm.means[measure] ?? null,
    last: arm.scores[measure] ?? null,
    found: arm.relevant_ranks.filter((rank) => rank <= cutoff).length, num_ret: arm.num_ret,
    latency_ms: arm.latency_ms,
  }));
  const meanOf = (name: string | null) => arms.find((arm) => arm.name === name)?.mean ?? null;
  const from = meanOf(a), to = meanOf(b);
  const difference = from === null || to === null ? null : cleanDifference(to, from);
  return { topic: topic.topic, num_rel: topic.num_rel, difference, arms };
}

function outcomes(rows: readonly TopicRow[]): Pick<TopicsPage, "wins" | "ties" | "losses" | "strip"> {
  const strip = Array.from({ length: bins }, (_, i) => ({
    low: round(-1 + i * binWidth), high: round(-1 + (i + 1) * binWidth), topics: 0,
  }));
  let wins = 0, ties = 0, losses = 0;
  for (const { difference } of rows) {
    if (difference === null) continue;
    if (difference > 0) ++wins;
    else if (difference < 0) ++losses;
    else ++ties;
    if (difference !== 0) ++strip[binOf(difference)]!.topics;
  }
  return { wins, ties, losses, strip };
}

/** A border belongs to the bin that is nearer to 0. */
function binOf(difference: number): number {
  const steps = Math.ceil(Math.abs(difference) / binWidth - 1e-9);
  const fromMiddle = Math.min(bins / 2, Math.max(1, steps)) - 1;
  return difference > 0 ? bins / 2 + fromMiddle : bins / 2 - 1 - fromMiddle;
}

/** Without what only the binary digits of the two make. */
function cleanDifference(to: number, from: number): number {
  const difference = Math.round((to - from) * 1e12) / 1e12;
  return difference === 0 ? 0 : difference;
}

type Key = string | number | null;

function keyOf(row: TopicRow, sort: TopicSort, a: string, b: string | null): Key {
  const arm = (name: string | null) => row.arms.find((each) => each.name === name);
  switch (sort) {
    case "topic": return row.topic;
    case "num_rel": return row.num_rel;
    case "difference": return row.difference;
    case "abs_difference": return row.difference === null ? null : Math.abs(row.difference);
    case "visits": return (arm(a)?.visits ?? 0) + (arm(b)?.visits ?? 0);
    case "score_a": return arm(a)?.mean ?? null;
    case "score_b": return arm(b)?.mean ?? null;
    case "latency_a": return arm(a)?.latency_ms ?? null;
    case "latency_b": return arm(b)?.latency_ms ?? null;
  }
}

/** Topics without a value stand last in either order, equal ones by id. */
function comparison(sort: TopicSort, sign: 1 | -1, a: string, b: string | null) {
  return (x: TopicRow, y: TopicRow): number => {
    const left = keyOf(x, sort, a, b), right = keyOf(y, sort, a, b);
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1;
    } else if (left !== right) {
      return left < right ? -sign : sign;
    }
    return x.topic < y.topic ? -1 : x.topic > y.topic ? 1 : 0;
  };
}

/** ASCII letters only, as a server does. */
function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
