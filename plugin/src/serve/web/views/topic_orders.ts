// The orders in which topics can stand, in words.
import type { TopicSort } from "../data/documents.ts";
import { named } from "./names.ts";

export interface Order {
  sort: TopicSort;
  order: "asc" | "desc";
}

/** Those that are offered; a heading can ask for the others too. */
export const offered: readonly Order[] = [
  { sort: "abs_difference", order: "desc" },
  { sort: "difference", order: "desc" },
  { sort: "difference", order: "asc" },
  { sort: "topic", order: "asc" },
  { sort: "num_rel", order: "desc" },
  { sort: "score_a", order: "desc" },
  { sort: "score_a", order: "asc" },
  { sort: "score_b", order: "desc" },
  { sort: "score_b", order: "asc" },
  { sort: "latency_a", order: "desc" },
  { sort: "latency_b", order: "desc" },
  { sort: "visits", order: "desc" },
];

/** Whether an order makes sense with one arm. */
export function ofOneArm({ sort }: Order): boolean {
  return !sort.endsWith("difference") && !sort.endsWith("_b");
}

export function orderWords({ sort, order }: Order, a: string, b: string | null): string {
  const down = order === "desc";
  switch (sort) {
    case "abs_difference": return down ? "largest difference first" : "smallest difference first";
    case "difference": return down ? `most for ${named(b ?? "")} first` : `most for ${named(a)} first`;
    case "topic": return down ? "topic, from Z to A" : "topic, from A to Z";
    case "num_rel": return down ? "most relevant documents first" : "fewest relevant documents first";
    case "visits": return down ? "most visits first" : "fewest visits first";
    case "score_a": return `${down ? "highest" : "lowest"} score of ${named(a)} first`;
    case "score_b": return `${down ? "highest" : "lowest"} score of ${named(b ?? "")} first`;
    case "latency_a": return `${down ? "slowest" : "fastest"} with ${named(a)} first`;
    case "latency_b": return `${down ? "slowest" : "fastest"} with ${named(b ?? "")} first`;
  }
}
