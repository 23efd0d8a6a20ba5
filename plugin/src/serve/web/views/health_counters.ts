// The health of the observation, from a summary: what is lost, unknown or slow, in words.
import type { Arm, Summary } from "../data/documents.ts";
import { count, counted, microseconds, percent } from "../format.ts";

export type Tone = "good" | "warn" | "bad" | "plain";

export interface Vital {
  /** For tests and links. */
  key: string;
  name: string;
  value: string;
  /** What the value is of: its count. */
  of: string;
  explanation: string;
  tone: Tone;
}

const dropped = ["dropped_queue_full", "log_queue_full", "log_write_failures"] as const;

/** The five numbers that tell at a glance whether the others can be trusted. */
export function vitals(summary: Summary): Vital[] {
  return [drops(summary), unresolved(summary), unjudged(summary), selfTime(summary), generations(summary)];
}

function drops({ health }: Summary): Vital {
  const lost = dropped.reduce((sum, key) => sum + (health[key] ?? 0), 0);
  return { key: "drops", name: "Dropped observations", value: count(lost), of: `of ${counted(health.pushed ?? 0, "observation")} queued`,
    explanation: "Observations lost because a queue was full or a log could not be written. Scores are of what was recorded only; above 0, give the recorder more room.",
    tone: lost === 0 ? "good" : "bad" };
}

function unresolved(summary: Summary): Vital {
  const known = summary.arms.flatMap((arm) => (arm.relevant_missing === null ? [] : [arm.relevant_missing]));
  const most = Math.max(0, ...known);
  return { key: "unresolved", name: "Unresolved citations", value: known.length ? count(most) : "–", of: `of ${counted(summary.judgements, "judgement")}, worst arm`,
    explanation: "Relevant judgements whose document is not in the index. They count as not found, so no ranking can reach the highest score; many mean a wrong docno policy or an incomplete index.",
    tone: most === 0 ? "good" : most > summary.judgements * 0.2 ? "bad" : "warn" };
}

function unjudged({ arms }: Summary): Vital {
  const without = sum(arms, (arm) => arm.unjudged_queries);
  const all = without + sum(arms, (arm) => arm.judged_queries);
  return { key: "unjudged", name: "Unjudged share", value: all ? percent(without / all) : "–", of: `of ${counted(all, "query", "queries")}`,
    explanation: "Queries without judgements: their latency counts, they have no score. Normal in live traffic.", tone: "plain" };
}

function selfTime({ arms }: Summary): Vital {
  const judged = arms.map((arm) => arm.self_time_us.p99).filter((value): value is number => value !== null);
  const worst = judged.length ? Math.max(...judged) : null;
  return { key: "self-time", name: "Plugin self-time, p99", value: microseconds(worst), of: `of ${counted(sum(arms, (arm) => arm.judged_queries), "judged query", "judged queries")}, worst arm`,
    explanation: "The plugin's own time on the query thread: 99 of 100 judged queries took it less than this.",
    tone: worst === null ? "plain" : worst > 1000 ? "warn" : "good" };
}

function generations(summary: Summary): Vital {
  return { key: "epochs", name: "Epoch", value: count(summary.epoch.number), of: counted(Math.max(0, summary.epoch.number - 1), "change") + " since the start",
    explanation: "Means and verdicts are of this epoch only. A new one begins when the index has a new generation, an arm is changed, or the judgements change.",
    tone: "plain" };
}

function sum(arms: Arm[], of: (arm: Arm) => number): number {
  return arms.reduce((total, arm) => total + of(arm), 0);
}

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
