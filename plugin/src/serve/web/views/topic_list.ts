// The list of topics as /api/topics gives it, made from the topics of a report; docs/http.md.
import type {
  TopicDetail, TopicOrder, TopicRow, TopicSort, TopicsPage, TopicsQuery,
} from "../data/documents.ts";
import type { Source } from "../data/source.ts";
import type { Changes } from "../view.ts";

const binWidth = 0.05, bins = 40;

/** The page of `topics` that `query` asks for; by default the first measure and two arms. */
export function listTopics(topics: readonly TopicDetail[], measures: readonly string[],
  arms: readonly string[], query: TopicsQuery): TopicsPage {
  const measure = query.measure ?? measures[0] ?? "";
  const a = query.a ?? arms[0] ?? "", b = query.b ?? arms.find((name) => name !== a) ?? null;
  const { sort, order, page, size, search } = { ...defaults, ...query };
  const rows = topics.map((topic) => rowOf(topic, measure, a, b));
  const matching = rows.filter((row) => lowered(row.topic).includes(lowered(search)));
  matching.sort(byKey((row) => keyOf(row, sort, a, b), order));
  return {
    measure, a, b, total: rows.length, matching: matching.length, page, size, sort, order,
    ...outcomes(rows), topics: matching.slice(page * size, (page + 1) * size),
  };
}

function rowOf(of: TopicDetail, measure: string, a: string, b: string | null): TopicRow {
  const { topic, num_rel } = of;
  const cutoff = Number(measure.split("@")[1] ?? Infinity);
  const arms = of.arms.map(({ name, seen, visits, num_ret, latency_ms, ...arm }) => ({
    name, seen, visits, mean: arm.means[measure] ?? null, last: arm.scores[measure] ?? null,
    found: arm.relevant_ranks.filter((rank) => rank <= cutoff).length, num_ret, latency_ms }));
  const meanOf = (name: string | null) => arms.find((arm) => arm.name === name)?.mean ?? null;
  const from = meanOf(a), to = meanOf(b);
  // The difference without binary noise, and never -0.
  const difference =
    from === null || to === null ? null : Math.round((to - from) * 1e12) / 1e12 + 0;
  return { topic, num_rel, difference, arms };
}

function outcomes(rows: TopicRow[]): Pick<TopicsPage, "wins" | "ties" | "losses" | "strip"> {
  const border = (place: number) => Math.round((-1 + place * binWidth) * 100) / 100;
  const strip = Array.from({ length: bins }, (_, i) =>
    ({ low: border(i), high: border(i + 1), topics: 0 }));
  const differences = rows.map((row) => row.difference).filter((value) => value !== null);
  for (const value of differences) if (value !== 0) ++strip[binOf(value)]!.topics;
  const wins = differences.filter((value) => value > 0).length;
  const losses = differences.filter((value) => value < 0).length;
  return { wins, ties: differences.length - wins - losses, losses, strip };
}

/** A border belongs to the bin that is nearer to 0. */
function binOf(difference: number): number {
  const steps = Math.ceil(Math.abs(difference) / binWidth - 1e-9);
  const fromMiddle = Math.min(bins / 2, Math.max(1, steps)) - 1;
  return difference > 0 ? bins / 2 + fromMiddle : bins / 2 - 1 - fromMiddle;
}

function keyOf(row: TopicRow, sort: TopicSort, a: string, b: string | null) {
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

/** An order of topics: those without a key stand last in either order, equal ones by id. */
export function byKey<Row extends { topic: string }>(
  key: (row: Row) => string | number | null, order: TopicOrder["order"]) {
  const sign = order === "asc" ? 1 : -1;
  return (x: Row, y: Row): number => {
    const left = key(x), right = key(y);
    if (left === right) return x.topic < y.topic ? -1 : x.topic > y.topic ? 1 : 0;
    if (left === null || right === null) return left === null ? 1 : -1;
    return left < right ? -sign : sign;
  };
}

/** ASCII letters only, as a server does. */
const lowered = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

// The state of the list of topics, kept behind the # of the address, so that going back, and a link
// sent to somebody, show the same list.

export const topicSorts: readonly TopicSort[] = [
  "abs_difference", "difference", "topic", "num_rel", "visits", "score_a", "score_b", "latency_a",
  "latency_b",
];

export const pageSizes: readonly number[] = [25, 50, 100, 250, 500];

/** A list's query in which only the source's first measure and arms may be left to a default. */
export type ListQuery = Omit<TopicsQuery, keyof typeof defaults> & typeof defaults;

export const defaults: TopicOrder & { page: number; size: number; search: string } =
  { sort: "abs_difference", order: "desc", page: 0, size: 50, search: "" };

/** Reads a query that a reader may have typed; ignores parts that make no sense. */
export function queryOf(parameters: URLSearchParams): ListQuery {
  const named = ["measure", "a", "b"].filter((name) => parameters.has(name));
  return {
    ...Object.fromEntries(named.map((name) => [name, parameters.get(name)!])),
    sort: topicSorts.find((each) => each === parameters.get("sort")) ?? defaults.sort,
    order: parameters.get("order") === "asc" ? "asc" : "desc",
    page: Math.max(1, whole(parameters.get("page"), 1)) - 1,
    size: Math.min(500, Math.max(1, whole(parameters.get("size"), defaults.size))),
    search: parameters.get("search") ?? "",
  };
}

/** The parameters that `queryOf` reads the same from; null removes one that has its default. */
export function changesOf({ page, ...query }: ListQuery): Changes {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given.map(([name, value]) =>
    [name, value === defaults[name as keyof typeof defaults] ? null : String(value)])),
  page: page > 0 ? String(page + 1) : null };
}

function whole(text: string | null, otherwise: number): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
}

/** A topic's place in the list, and the topics beside it with the pages that they are on. */
export type Neighbours = Awaited<ReturnType<typeof neighboursOf>>;

/**
 * Asks for the topic's page of the list, and for the one beside it if it stands at the edge. The
 * position counts from 1; it is null if the list does not have the topic at its place any more.
 */
export async function neighboursOf(
  topic: string, query: ListQuery, source: Pick<Source, "topics">) {
  const here = await source.topics(query);
  const { page, size, matching, topics } = here;
  const at = topics.findIndex((row) => row.topic === topic);
  if (at < 0) return { position: null, matching, previous: null, next: null };
  const beside = async (row: TopicRow | undefined, step: -1 | 1) => {
    if (row) return { topic: row.topic, page };
    const other = page + step;
    if (other < 0 || other * size >= matching) return null;
    const { topics: rows } = await source.topics({ ...query, page: other });
    const found = rows.at(step === 1 ? 0 : -1);
    return found ? { topic: found.topic, page: other } : null;
  };
  return { position: page * size + at + 1, matching,
    previous: await beside(topics[at - 1], -1), next: await beside(topics[at + 1], 1) };
}
