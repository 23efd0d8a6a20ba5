// The list of topics as /api/topics gives it, made from the topics of a report; docs/http.md.
import type { TopicDetail, TopicRow, TopicSort, TopicsPage, TopicsQuery } from "../data/documents.ts";
import type { Source } from "../data/source.ts";

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

// What the list of topics shows, as it stands behind the # of the address, so that going back, and
// a link sent to somebody, show the same.

export const topicSorts: readonly TopicSort[] = [
  "abs_difference", "difference", "topic", "num_rel", "visits", "score_a", "score_b", "latency_a",
  "latency_b",
];

export const pageSizes: readonly number[] = [25, 50, 100, 250, 500];

/** A list's query with nothing left open but what the source's first measure and arms decide. */
export interface ListQuery extends TopicsQuery {
  sort: TopicSort;
  order: "asc" | "desc";
  page: number;
  size: number;
  search: string;
}

export const defaults: ListQuery = {
  sort: "abs_difference", order: "desc", page: 0, size: 50, search: "",
};

/** Reads what a reader may have typed; what makes no sense is as if it were not there. */
export function queryOf(parameters: URLSearchParams): ListQuery {
  const sort = topicSorts.find((each) => each === parameters.get("sort")) ?? defaults.sort;
  const size = whole(parameters.get("size"), defaults.size);
  return {
    ...named(parameters, "measure"), ...named(parameters, "a"), ...named(parameters, "b"),
    sort,
    order: parameters.get("order") === "asc" ? "asc" : "desc",
    page: whole(parameters.get("page"), 1, 1) - 1,
    size: Math.min(500, Math.max(1, size)),
    search: parameters.get("search") ?? "",
  };
}

/** The parameters that `queryOf` reads the same from; defaults are left out. Pages count from 1. */
export function parametersOf(query: ListQuery): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const name of ["measure", "a", "b"] as const) {
    if (query[name] !== undefined) parameters.set(name, query[name]);
  }
  if (query.search) parameters.set("search", query.search);
  if (query.sort !== defaults.sort) parameters.set("sort", query.sort);
  if (query.order !== defaults.order) parameters.set("order", query.order);
  if (query.page > 0) parameters.set("page", String(query.page + 1));
  if (query.size !== defaults.size) parameters.set("size", String(query.size));
  return parameters;
}

function named(parameters: URLSearchParams, name: "measure" | "a" | "b"): TopicsQuery {
  const value = parameters.get(name);
  return value === null ? {} : { [name]: value };
}

function whole(text: string | null, otherwise: number, least = 0): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Math.max(least, Number(text)) : otherwise;
}

/** A topic beside another in the list, and the page that it is on. */
export interface Neighbour {
  topic: string;
  page: number;
}

/** Where a topic stands in the list that it was opened from. */
export interface Neighbours {
  /** From 1; null where the list as it is now does not have the topic at its place. */
  position: number | null;
  matching: number;
  previous: Neighbour | null;
  next: Neighbour | null;
}

/** Asks for the topic's page of the list, and for the one before or behind where it stands at the edge. */
export async function neighboursOf(topic: string, query: ListQuery, source: Pick<Source, "topics">): Promise<Neighbours> {
  const page = await source.topics(query);
  const at = page.topics.findIndex((row) => row.topic === topic);
  if (at < 0) return { position: null, matching: page.matching, previous: null, next: null };
  return {
    position: page.page * page.size + at + 1, matching: page.matching,
    previous: await previousTo(at, page, query, source), next: await nextTo(at, page, query, source),
  };
}

async function previousTo(at: number, page: TopicsPage, query: ListQuery, source: Pick<Source, "topics">): Promise<Neighbour | null> {
  if (at > 0) return { topic: page.topics[at - 1]!.topic, page: page.page };
  if (page.page === 0) return null;
  const before = await source.topics({ ...query, page: page.page - 1 });
  const row = before.topics.at(-1);
  return row ? { topic: row.topic, page: page.page - 1 } : null;
}

async function nextTo(at: number, page: TopicsPage, query: ListQuery, source: Pick<Source, "topics">): Promise<Neighbour | null> {
  const row = page.topics[at + 1];
  if (row) return { topic: row.topic, page: page.page };
  if ((page.page + 1) * page.size >= page.matching) return null;
  const behind = await source.topics({ ...query, page: page.page + 1 });
  const first = behind.topics[0];
  return first ? { topic: first.topic, page: page.page + 1 } : null;
}
