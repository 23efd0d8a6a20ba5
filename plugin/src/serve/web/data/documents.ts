// What the server and the reports hand to the page; docs/http.md and docs/replay-json.md say what
// each value means. A value that does not exist is null.

export interface Drift {
  revisited: number;
  changed: number;
  mean_change: number;
  largest: number;
  topic: string | null;
}

export interface Mean {
  mean: number | null;
  topics: number;
  mean_over_all: number | null;
  too_shallow: number;
  drift: Drift;
}

export interface Interval {
  low: number | null;
  high: number | null;
}

export type Quantile = "p50" | "p90" | "p95" | "p99";

export interface Latency {
  count: number;
  p50: number | null;
  p90: number | null;
  p95: number | null;
  p99: number | null;
  max: number | null;
  intervals: Record<Quantile, Interval>;
}

export interface SelfTime {
  p50: number | null;
  p99: number | null;
}

export interface Arm {
  name: string;
  status: "active" | "paused" | "removed";
  judged_queries: number;
  unjudged_queries: number;
  retried_queries: number;
  failed_queries: number;
  timed_out_queries: number;
  topics_seen: number;
  topics_awaiting: number;
  means: Record<string, Mean>;
  latency_ms: Latency;
  shadow_latency_ms: Latency;
  self_time_us: SelfTime;
  unjudged_self_time_us: SelfTime;
  duplicate_hits: number;
  relevant_missing: number | null;
}

export type LiveState = "collecting" | "no verdict" | "leading" | "confirmed";

export interface LiveEvidence {
  state: LiveState;
  alpha: number;
  low: number;
  high: number;
  detectable: number | null;
}

export interface Difference {
  topics: number;
  mean: number | null;
  ci_low: number | null;
  ci_high: number | null;
  p_value: number | null;
  wins: number;
  ties: number;
  losses: number;
  verdict: string;
  live: LiveEvidence;
  words: { state: string; live: string; grounds: string; finished: string };
}

/** A value in a, and in b. */
export interface TopicDifference {
  topic: string;
  a: number;
  b: number;
  difference: number;
}

export interface CitationMove {
  docno: string;
  /** As judged; absent where it is not known. */
  grade?: number;
  rank_a: number | null;
  rank_b: number | null;
  share: number;
  must_find?: boolean;
}

/** A topic whose score changed, and the citations that changed it, largest share first. */
export interface ChangedTopic extends TopicDifference {
  num_rel: number;
  citations: CitationMove[];
}

export interface TopicMove extends ChangedTopic {
  measure: string;
}

export interface Pair {
  a: string;
  b: string;
  differences: Record<string, Difference>;
  sample_ratio: { alarm: boolean } | null;
  moves: TopicMove[];
  words: { latency: string; sample_ratio: string; finished: string; finished_latency: string };
}

export interface PastEpoch {
  number: number;
  reason: string;
  observations: number;
  ended_with: {
    b: string;
    measure: string;
    topics: number;
    mean: number | null;
    live: LiveEvidence;
    words: string;
  }[];
}

export interface TopicArm {
  seen: boolean;
  visits: number;
  num_ret: number;
  exhausted: boolean;
  missing: number;
  latency_ms: number | null;
  relevant_ranks: number[];
  scores: Record<string, number | null>;
  means: Record<string, number | null>;
  awaiting: boolean;
}

export interface PerTopic {
  topic: string;
  num_rel: number;
  arms: Record<string, TopicArm>;
}

export interface Summary {
  experiment: string;
  mode: "observe" | "paired" | "split";
  epoch: { number: number; reason: string; observations: number };
  past_epochs: PastEpoch[];
  topics: number;
  topics_without_relevant: number;
  judgements: number;
  judgements_repeated: number;
  judgements_merged: number;
  measures: string[];
  arms: Arm[];
  pairs: Pair[];
  per_topic: PerTopic[];
  health: Record<string, number>;
}

export interface SummaryDocument {
  prescope: string;
  source: "live" | "session" | "store";
  store: string | null;
  time: string;
  started: string | null;
  has: { experiment: boolean; series: boolean; history: boolean };
  summary: Summary | null;
}

type Column = (number | null)[];

export interface SeriesArm {
  name: string;
  queries: number[];
  p50_ms: Column;
  p95_ms: Column;
  p99_ms: Column;
  means: Record<string, Column>;
}

export interface SeriesDifference {
  topics: number[];
  mean: Column;
  low: Column;
  high: Column;
  state: LiveState[];
}

export interface SeriesPair {
  a: string;
  b: string;
  differences: Record<string, SeriesDifference>;
}

export interface SeriesEpoch {
  number: number;
  reason: string;
  time_ms: number;
}

/** Columns, each as long as `time_ms`. */
export interface Series {
  time_ms: number[];
  epoch: number[];
  epochs: SeriesEpoch[];
  arms: SeriesArm[];
  pairs: SeriesPair[];
}

/** What the event stream sends: the newest summary, and the point of time that goes with it. */
export interface LiveEvent {
  document: SummaryDocument;
  point: Series | null;
}

export type TopicSort =
  | "topic" | "num_rel" | "difference" | "abs_difference" | "visits"
  | "score_a" | "score_b" | "latency_a" | "latency_b";

export interface TopicsQuery {
  measure?: string;
  a?: string;
  b?: string;
  sort?: TopicSort;
  order?: "asc" | "desc";
  page?: number;
  size?: number;
  search?: string;
}

export interface TopicRowArm {
  name: string;
  seen: boolean;
  visits: number;
  mean: number | null;
  last: number | null;
  found: number;
  num_ret: number;
  latency_ms: number | null;
}

export interface TopicRow {
  topic: string;
  num_rel: number;
  difference: number | null;
  arms: TopicRowArm[];
}

export interface TopicsPage {
  measure: string;
  a: string;
  b: string | null;
  total: number;
  matching: number;
  page: number;
  size: number;
  sort: TopicSort;
  order: "asc" | "desc";
  wins: number;
  ties: number;
  losses: number;
  strip: { low: number; high: number; topics: number }[];
  topics: TopicRow[];
}

export interface TopicDetailArm {
  name: string;
  seen: boolean;
  visits: number;
  num_ret: number;
  exhausted: boolean;
  awaiting: boolean;
  latency_ms: number | null;
  scores: Record<string, number | null>;
  means: Record<string, number | null>;
  relevant_ranks: number[];
}

export interface TopicDetail {
  topic: string;
  num_rel: number;
  /** Null where the experiment keeps no PRES. */
  cutoff: number | null;
  measure: string | null;
  arms: TopicDetailArm[];
  citations: {
    docno: string;
    grade: number;
    relevant: boolean;
    arms: { rank: number | null; in_index: boolean | null }[];
  }[];
  pairs: {
    a: string;
    b: string;
    measure: string;
    difference: number | null;
    shares: (number | null)[];
  }[];
}

export interface Sweep {
  cutoffs: number[];
  arms: {
    name: string;
    topics: number;
    depth: number | null;
    PRES: Column;
    R: Column;
    AP: Column;
  }[];
  words: { sentences: string[]; depth: string };
}

export type PageKind = "live" | "replay" | "compare" | "gate" | "history";

/** What the element #prescope-data holds. The documents of reports are typed by their views. */
export interface PageData {
  kind: PageKind;
  title?: string;
  document?: unknown;
  sweep?: Sweep;
  topics?: TopicDetail[];
}
