// What the list of topics shows, as it stands behind the # of the address, so that going back, and
// a link sent to somebody, show the same.
import type { TopicSort, TopicsQuery } from "../data/documents.ts";

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
