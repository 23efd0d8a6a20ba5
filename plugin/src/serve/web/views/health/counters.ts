import type { Summary } from "../../data/documents.ts";

export interface Counter {
  key: string;
  /** What it counts, as a sentence. */
  line: string;
}

export interface CounterGroup {
  title: string;
  /** Whether anything above 0 needs a look. */
  tone: "bad" | "warn" | "plain";
  counters: Counter[];
}

const counters = (lines: Record<string, string>): Counter[] => Object.entries(lines).map(([key, line]) => ({ key, line }));

/** All counters of `health`, as docs/replay-json.md has them; above 0 in the first groups something is wrong. */
export const counterGroups: CounterGroup[] = [
  { title: "Lost", tone: "bad", counters: counters({
    dropped_queue_full: "Observations dropped because the queue was full.",
    recorder_failures: "Observations lost to a failure while recording.",
    log_queue_full: "Observations that a log lost because it was written too slowly.",
    log_write_failures: "Observations that a log lost because it could not be written for too long.",
    log_failures: "Calls of a log that threw.",
    publish_failures: "Summaries that could not be made or published." }) },
  { title: "Faults of the host or the adapter", tone: "warn", counters: counters({
    adapter_failures: "Failures of the engine adapter, kept from the search.",
    listener_failures: "Failures of a host's own observation listener.",
    unmatched_rankings: "Rankings of docids that came without a table of the index they are of.",
    queries_without_scope: "Rankings served outside any query scope.",
    queries_without_ranking: "Query scopes that ended without a ranking.",
    unknown_arm: "Query scopes that named an arm the experiment does not have.",
    page_gaps: "Later pages whose earlier pages were not seen.",
    clock_steps: "Latencies below zero, taken as unknown." }) },
  { title: "Left out, as they should be", tone: "plain", counters: counters({
    sampled_out: "Queries left out by the sampling of recording.",
    inactive_arm: "Rankings of paused and removed arms.",
    late_observations: "Observations of an index generation, or of judgements, that had been replaced; in no score." }) },
  { title: "Searches for comparison", tone: "plain", counters: counters({
    shadow_run: "Queries run for comparison.",
    shadow_failed: "Of these, queries of whose searches one threw.",
    shadow_unjudged: "Not run: not judged.",
    shadow_unpaired: "Not run: no other arm active.",
    shadow_sampled_out: "Not run: not sampled.",
    shadow_queue_full: "Not run: no room.",
    shadow_expired: "Not run: waited for too long." }) },
  { title: "Recorded", tone: "plain", counters: counters({
    pushed: "Observations queued.",
    recorded: "Observations that are in the summary." }) },
];

/** Groups with what a summary has besides them, under its own name. */
export function groupsOf(health: Summary["health"]): CounterGroup[] {
  const known = new Set(counterGroups.flatMap((group) => group.counters.map((counter) => counter.key)));
  const others = Object.keys(health).filter((key) => !known.has(key));
  if (!others.length) return counterGroups;
  return [...counterGroups, { title: "Others", tone: "plain", counters: others.map((key) => ({ key, line: key })) }];
}
