// What the server and the reports hand to the page, as far as it looks at it; docs/http.md and
// docs/*-json.md say what each value means. A value that does not exist is null.

/** A number that may not exist. */
type Value = number | null;
type Column = Value[];
type Numbers<Name extends string> = Record<Name, number>;
type Values<Name extends string> = Record<Name, Value>;

interface Outcomes extends Numbers<"wins" | "ties" | "losses"> {}

export interface Mean extends Values<"mean" | "mean_over_all">, Numbers<"topics" | "too_shallow"> {
  drift: Numbers<"revisited" | "changed" | "mean_change" | "largest"> & { topic: string | null };
}

export type Quantile = "p50" | "p90" | "p95" | "p99";

export interface Latency extends Values<Quantile | "max"> {
  count: number;
  intervals: Record<Quantile, Values<"low" | "high">>;
}

type SelfTime = Values<"p50" | "p99">;

export interface Arm extends Numbers<"judged_queries" | "unjudged_queries" | "retried_queries" |
  "failed_queries" | "timed_out_queries" | "topics_seen" | "topics_awaiting" | "duplicate_hits"> {
  name: string;
  status: "active" | "paused" | "removed";
  means: Record<string, Mean>;
  latency_ms: Latency;
  shadow_latency_ms: Latency;
  self_time_us: SelfTime;
  unjudged_self_time_us: SelfTime;
  relevant_missing: Value;
}

type LiveState = "collecting" | "no verdict" | "leading" | "confirmed";

export interface LiveEvidence extends Numbers<"alpha" | "low" | "high"> {
  state: LiveState;
  detectable: Value;
}

export interface Difference extends Outcomes, Values<"mean" | "ci_low" | "ci_high" | "p_value"> {
  topics: number;
  verdict: string;
  live: LiveEvidence;
  words: Record<"state" | "live" | "grounds" | "finished", string>;
}

/** A topic's value in a, and in b. */
export interface TopicDifference extends Numbers<"a" | "b" | "difference"> {
  topic: string;
}

export interface CitationMove extends Values<"rank_a" | "rank_b"> {
  docno: string;
  /** As judged; absent if it is not known. */
  grade?: number;
  share: number;
  must_find?: boolean;
}

/** A topic whose score changed, and the citations that changed it, largest share first. */
export interface ChangedTopic extends TopicDifference {
  num_rel: number;
  citations: CitationMove[];
}

export interface Pair {
  a: string;
  b: string;
  differences: Record<string, Difference>;
  sample_ratio: { alarm: boolean } | null;
  moves: (ChangedTopic & { measure: string })[];
  words: Record<"latency" | "sample_ratio" | "finished" | "finished_latency", string>;
}

interface Epoch {
  number: number;
  reason: string;
  observations: number;
}

export interface PastEpoch extends Epoch {
  ended_with:
    { b: string; measure: string; topics: number; mean: Value; live: LiveEvidence; words: string }[];
}

/** What one arm made of a topic. */
interface TopicArm extends Numbers<"visits" | "num_ret"> {
  seen: boolean;
  exhausted: boolean;
  awaiting: boolean;
  latency_ms: Value;
  relevant_ranks: number[];
  scores: Record<string, Value>;
  means: Record<string, Value>;
}

export interface Summary extends Numbers<"topics" | "topics_without_relevant" | "judgements" |
  "judgements_repeated" | "judgements_merged"> {
  experiment: string;
  mode: "observe" | "paired" | "split";
  epoch: Epoch;
  past_epochs: PastEpoch[];
  measures: string[];
  arms: Arm[];
  pairs: Pair[];
  per_topic: { topic: string; num_rel: number; arms: Record<string, TopicArm> }[];
  health: Record<string, number>;
}

export interface SummaryDocument {
  prescope: string;
  source: "live" | "session" | "store";
  store: string | null;
  time: string;
  started: string | null;
  has: Record<"experiment" | "series" | "history", boolean>;
  summary: Summary | null;
}

type SeriesArm = Record<"p50_ms" | "p95_ms" | "p99_ms", Column> & { name: string };
export type SeriesDifference =
  Record<"mean" | "low" | "high", Column> & { topics: number[]; state: LiveState[] };

/** Columns, each as long as `time_ms`. */
export interface Series {
  time_ms: number[];
  epoch: number[];
  epochs: { number: number; reason: string; time_ms: number }[];
  arms: SeriesArm[];
  pairs: { a: string; b: string; differences: Record<string, SeriesDifference> }[];
}

/** What the event stream sends: the newest summary, and the point of time that goes with it. */
export interface LiveEvent {
  document: SummaryDocument;
  point: Series | null;
}

export type TopicSort = "topic" | "num_rel" | "difference" | "abs_difference" | "visits" |
  "score_a" | "score_b" | "latency_a" | "latency_b";

/** How topics are listed. */
export interface TopicOrder {
  sort: TopicSort;
  order: "asc" | "desc";
}

export interface TopicsQuery extends Partial<TopicOrder> {
  measure?: string;
  a?: string;
  b?: string;
  page?: number;
  size?: number;
  search?: string;
}

export interface TopicRowArm extends Values<"mean" | "last" | "latency_ms">,
  Numbers<"visits" | "found" | "num_ret"> {
  name: string;
  seen: boolean;
}

export interface TopicRow {
  topic: string;
  num_rel: number;
  difference: Value;
  arms: TopicRowArm[];
}

export interface TopicsPage extends TopicOrder, Outcomes,
  Numbers<"total" | "matching" | "page" | "size"> {
  measure: string;
  a: string;
  b: string | null;
  strip: Numbers<"low" | "high" | "topics">[];
  topics: TopicRow[];
}

export interface TopicDetailArm extends TopicArm {
  name: string;
}

/** Where a citation stands in one arm. */
export interface CitationPlace {
  rank: Value;
  in_index: boolean | null;
}

export interface Citation {
  docno: string;
  grade: number;
  relevant: boolean;
  arms: CitationPlace[];
}

export interface TopicDetail {
  topic: string;
  num_rel: number;
  /** Null if the experiment keeps no PRES. */
  cutoff: Value;
  measure: string | null;
  arms: TopicDetailArm[];
  citations: Citation[];
}

export interface Sweep {
  cutoffs: number[];
  arms: (Record<"PRES" | "R" | "AP", Column> & { name: string; topics: number; depth: Value })[];
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

/** What something is, by its label. */
export interface LabelledLine {
  label: string;
  words: string;
}

// What `prescope replay --json` writes.

export interface ReplayDocument {
  prescope: string;
  summary: Summary;
  words: { subject: LabelledLine[]; notes: string[] };
}

// What `prescope compare --json` writes.

type P = { p_value: number } | null;

export interface MeasureComparison extends Outcomes, Values<"mean_a" | "mean_b" | "difference" |
  "detectable" | "topics_needed" | "corrected"> {
  topics: number;
  t_test: Numbers<"sd" | "ci_low" | "ci_high" | "p_value"> | null;
  sign_flip: P;
  wilcoxon: P;
  wilcoxon_pratt: P;
  effect: { g_z: Value } & Numbers<"superiority" | "superiority_low" | "superiority_high"> | null;
  decided_by: string;
  verdict: string;
  per_topic: TopicDifference[];
  /** The verdict in a word or two. */
  words: string;
}

export interface CitationTotals extends Numbers<"found_a" | "found_b" | "gained" | "lost" |
  "lost_from_far" | "moved_up" | "moved_down" | "same_rank" | "topics_emptied" | "topics_filled" |
  "topics_fell_far" | "topics_rose_far"> {
  emptied_p_value: Value;
}

export interface RunPair {
  a: string;
  b: string;
  measures: Record<string, MeasureComparison>;
  citations: CitationTotals | null;
  moved: ChangedTopic[];
  /** Short names of the runs, and sentences. */
  words: Record<"a" | "b" | "verdict" | "moved", string>;
}

/** Verdicts if a share of the citations is unknown. */
export interface Robustness {
  options: { fractions: number[]; samples: number };
  pairs: { a: string; b: string;
    measures: Record<string, { verdict: string; changes: VerdictChanges[] }> }[];
}

export type VerdictChanges = Numbers<"samples" | "same" | "lost" | "appeared" | "reversed" |
  "lowest_difference" | "highest_difference">;

export interface ComparisonDocument {
  comparison: {
    options: { test: string; correction: "holm" | "bh" | "none"; confidence: number };
    moving_measure: string | null;
    notes: string[];
    /** Absent from documents of an earlier version. */
    robustness?: Robustness | null;
    pairs: RunPair[];
    words: { subject: LabelledLine[] } &
      Record<"differences" | "effects" | "citations" | "robustness", string[]>;
  };
  evaluation: { measures: string[]; runs: { means: Record<string, Value> }[] };
}

// What `prescope gate --json` writes.

export type GateOutcome = "PASS" | "REGRESSION" | "INCONCLUSIVE" | "BAD INPUT";
export type RuleStatus = "pass" | "skipped" | "warning" | "inconclusive" | "fail" | "bad_input";

export interface GateRule {
  id: string;
  status: RuleStatus;
  reason: string;
}

export interface GateMeasure extends Outcomes, Values<"baseline" | "tonight" | "difference" | "low" |
  "high" | "p_non_inferior" | "p_different"> {
  measure: string;
  margin: number;
  topics: number;
  status: RuleStatus;
}

interface GateCitation extends Values<"rank_baseline" | "rank_tonight"> {
  docno: string;
  what: string;
  share: number;
  must_find: boolean;
}

export interface GateTopic extends Numbers<"num_rel" | "baseline" | "tonight"> {
  topic: string;
  fails: string[];
  citations: GateCitation[];
}

export interface GateDocument {
  outcome: GateOutcome;
  rules: GateRule[];
  measures: GateMeasure[];
  moving_measure: string | null;
  latency: Values<"baseline_p95_ms" | "tonight_p95_ms" | "ratio" | "ratio_low" | "ratio_high">;
  topics: GateTopic[];
  baseline: { must_find: { topic: string; docno: string }[] };
  applied: { latency: Values<"p95_ratio"> };
  /** `before` and `after` are what the two evaluations are called. */
  words: Record<"before" | "after" | "outcome" | "rules" | "topics", string> &
    { subject: LabelledLine[]; measures: string[]; statuses: Record<RuleStatus, string> };
}

// What `prescope history --format json` writes.

export interface Night extends Values<"p95_ms" | "baseline"> {
  night: number;
  time: string;
  arm: string;
  qrels: string;
  topics: number;
  measures: Record<string, Values<"mean" | "from_baseline" | "from_before">>;
  verdict: GateOutcome | null;
  reason: string;
  pinned_as: string[];
}

export interface Pin {
  name: string;
  night: number;
  replaced: Value;
  by: string;
  why: string;
  time: string;
}

/** The newest night of an arm, topic by topic; `words` say against which: "night 3 (pinned)". */
export interface NewestNight {
  arm: string;
  night: number;
  words: string;
  tests: Record<string, Numbers<"topics" | "difference" | "ci_low" | "ci_high" | "p_value"> | null>;
}

export interface HistoryDocument {
  store: string;
  measures: string[];
  nights: Night[];
  pins: Pin[];
  newest: NewestNight[];
  main_measures: string[];
  words: { verdict: string; subject: LabelledLine[]; nights: string[]; newest: string[] };
}
