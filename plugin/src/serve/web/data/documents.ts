// The documents of the server and the reports, as far as the page reads them; docs/http.md and
// docs/*-json.md explain each value. A value that does not exist is null.

/** A number that may not exist. */
type Value = number | null;
type Column = Value[];
type Numbers<Name extends string> = Record<Name, number>;
type Values<Name extends string> = Record<Name, Value>;
type Texts<Name extends string> = Record<Name, string>;
type Flags<Name extends string> = Record<Name, boolean>;

type Outcomes = Numbers<"wins" | "ties" | "losses">;

export interface Mean extends Values<"mean" | "mean_over_all">,
  Numbers<"topics" | "too_shallow" | "visits"> {
  drift: Numbers<"revisited" | "changed" | "mean_change" | "largest"> & { topic: string | null };
}

export type Quantile = "p50" | "p90" | "p95" | "p99";

export interface Latency extends Values<Quantile | "max">, Numbers<"count"> {
  intervals: Record<Quantile, Values<"low" | "high">>;
}

export interface Arm extends Texts<"name" | "status">, Values<"relevant_missing">,
  Numbers<"judged_queries" | "unjudged_queries" | "retried_queries" | "failed_queries" |
    "timed_out_queries" | "sorted_queries" | "filtered_queries" | "collapsed_queries" |
    "partial_queries" | "replaced_rankings" | "topics_seen" | "topics_awaiting" | "duplicate_hits">,
  Record<"latency_ms" | "shadow_latency_ms", Latency>,
  Record<"self_time_us" | "unjudged_self_time_us", Values<"p50" | "p99">> {
  means: Record<string, Mean>;
  /** In paired mode; else without measures. */
  served_means: Record<string, Mean>;
}

type LiveState = "collecting" | "no verdict" | "ahead so far" | "leading" | "confirmed" |
  "described" | "vetoed";

export interface LiveEvidence extends Numbers<"topics" | "alpha" | "low" | "high">,
  Values<"mean" | "detectable"> {
  state: LiveState;
}

/** A difference as a server gives it; without evidence if traffic is only observed. */
export interface Difference extends Outcomes, Numbers<"topics">,
  Values<"mean" | "mean_a" | "mean_b"> {
  live: LiveEvidence | null;
}

/** The difference in a measure, and what is said about it. */
export interface MeasureDifference extends Difference {
  words: Texts<"grounds" | "state" | "live">;
}

/** The difference of the primary measure in a slice of the topics. */
export interface SliceSummary extends Texts<"dimension" | "slice"> {
  difference: Difference;
  words: Texts<"name" | "state">;
}

/** A topic's value in a, and in b. */
export interface TopicDifference extends Texts<"topic">, Numbers<"a" | "b" | "difference"> {}

export interface CitationMove extends Texts<"docno">, Values<"rank_a" | "rank_b"> {
  /** The judged grade; absent if it is unknown. */
  grade?: number;
  /** How it came to be judged: "X, search, 1993-01-14". Absent or empty if that is not known. */
  about?: string;
  share: number;
  must_find?: boolean;
}

/** A topic whose score changed, and the citations that changed it, largest share first. */
export interface ChangedTopic extends TopicDifference, Numbers<"num_rel"> {
  citations: CitationMove[];
}

export type CheckState = "fine" | "alarm" | "veto";

/** A loss that an arm may not have. */
export interface Guardrail extends Texts<"name" | "words"> {
  state: "open" | "kept" | "broken" | "vetoed";
}

/** One of the things that can void the verdict about a pair; `words` is empty if nothing was found. */
export interface Check extends Texts<"check" | "words"> {
  state: CheckState;
}

export interface OverlapMean extends Numbers<"low" | "high">, Values<"mean" | "latest"> {}

export interface ChangedQuery extends Texts<"name" | "query" | "time">,
  Numbers<"visit" | "jaccard" | "rbo"> {}

/** How much the rankings of two arms have in common in visits without judgements. */
export interface Overlap extends Numbers<"depth" | "visits">,
  Record<"jaccard" | "rbo", OverlapMean> {
  most_changed: ChangedQuery[];
  words: Texts<"sentence"> & { remarks: string[] };
}

export interface Pair extends Texts<"a" | "b"> {
  differences: Record<string, MeasureDifference>;
  slices: SliceSummary[];
  planned: { state: "going" | "better" | "worse" | "not_shown" | "vetoed" } | null;
  guardrails: Guardrail[];
  sample_ratio: Flags<"alarm"> | null;
  checks: Check[];
  /** Null if nobody asked. */
  overlap: Overlap | null;
  words: Texts<"latency" | "trade_off" | "sample_ratio" | "slices" | "equivalence" |
    "outlook"> &
    Record<"about_slices", string[]>;
}

export type Epoch = Texts<"reason"> & Numbers<"number" | "observations" | "index_changes" |
  "compared_visits" | "incomplete_visits">;

export interface PastEpoch extends Epoch {
  ended_with: (Texts<"b" | "measure" | "words"> & Values<"mean"> &
    { live: LiveEvidence | null } & Numbers<"topics">)[];
}

export interface Summary extends Texts<"experiment">,
  Numbers<"topics" | "topics_without_relevant" | "judgements"> {
  mode: "observe" | "paired" | "split";
  salt: string | null;
  primary: string | null;
  epoch: Epoch;
  past_epochs: PastEpoch[];
  measures: string[];
  arms: Arm[];
  pairs: Pair[];
  health: Record<string, number>;
  words: Record<"left_out" | "notes", string[]>;
}

export interface SummaryDocument extends Texts<"prescope" | "source" | "time"> {
  store: string | null;
  started: string | null;
  has: Flags<"experiment" | "series" | "history">;
  summary: Summary | null;
}

export interface SeriesDifference extends Record<"mean" | "low" | "high", Column> {
  topics: number[];
  state: (LiveState | null)[];
}

/** Columns, each as long as `time_ms`. */
export interface Series {
  time_ms: number[];
  epoch: number[];
  epochs: (Texts<"reason"> & Numbers<"number" | "time_ms">)[];
  arms: (Texts<"name"> & Record<"p50_ms" | "p95_ms" | "p99_ms", Column>)[];
  pairs: (Texts<"a" | "b"> & { differences: Record<string, SeriesDifference> })[];
}

/** An event of the stream: the newest summary, and the point of time that goes with it. */
export interface LiveEvent {
  document: SummaryDocument;
  point: Series | null;
}

export type TopicSort = "topic" | "num_rel" | "difference" | "abs_difference" | "visits" |
  "score_a" | "score_b" | "latency_a" | "latency_b";

/** The order of a list of topics. */
export interface TopicOrder {
  sort: TopicSort;
  order: "asc" | "desc";
}

export interface TopicsQuery extends Partial<TopicOrder>, Partial<Numbers<"page" | "size">>,
  Partial<Texts<"measure" | "a" | "b" | "search">> {}

export interface TopicRowArm extends Texts<"name">, Flags<"seen">,
  Values<"mean" | "last" | "latency_ms">, Numbers<"visits" | "found" | "num_ret"> {}

export interface TopicRow extends Texts<"topic">, Numbers<"num_rel">, Values<"difference"> {
  arms: TopicRowArm[];
}

export interface TopicsPage extends TopicOrder, Outcomes, Texts<"measure" | "a">,
  Numbers<"total" | "matching" | "page" | "size"> {
  b: string | null;
  strip: Numbers<"low" | "high" | "topics">[];
  topics: TopicRow[];
}

/** The results of one arm for a topic. */
export interface TopicDetailArm extends Texts<"name">, Numbers<"visits" | "num_ret">,
  Values<"latency_ms">, Flags<"seen" | "exhausted" | "awaiting">,
  Record<"scores" | "means", Record<string, Value>> {
  relevant_ranks: number[];
}

/** A citation's place in one arm. */
export interface CitationPlace extends Values<"rank"> {
  in_index: boolean | null;
}

export interface Citation extends Texts<"docno">, Numbers<"grade">, Flags<"relevant"> {
  /** See CitationMove. */
  about?: string;
  arms: CitationPlace[];
}

/** Cutoff and measure are null if the experiment keeps no PRES. */
export interface TopicDetail extends Texts<"topic">, Numbers<"num_rel">, Values<"cutoff"> {
  measure: string | null;
  arms: TopicDetailArm[];
  citations: Citation[];
}

export interface Sweep {
  cutoffs: number[];
  arms: (Texts<"name"> & Numbers<"topics"> & Values<"depth"> &
    Record<"PRES" | "R" | "AP", Column>)[];
  words: Texts<"depth"> & { sentences: string[] };
}

export type PageKind = "live" | "replay" | "compare" | "gate" | "history";

/** The content of the element #prescope-data. The documents of reports are typed by their views. */
export interface PageData {
  kind: PageKind;
  title?: string;
  document?: unknown;
  sweep?: Sweep;
  topics?: TopicDetail[];
}

/** A labelled description. */
export type LabelledLine = Texts<"label" | "words">;

// The output of `prescope replay --json`.

/** Without a comparison if there is one arm, or no measure that can be compared. */
export interface ReplayDocument {
  summary: Summary;
  comparison: Comparison | null;
  latencies: Texts<"words">[];
  words: { subject: LabelledLine[]; notes: string[] };
}

// The output of `prescope compare --json`.

/** The verdict is a key, `words` say it in a word or two. */
export interface MeasureComparison extends Outcomes, Numbers<"topics">,
  Values<"mean_a" | "mean_b" | "difference" | "detectable" | "topics_needed" | "corrected">,
  Texts<"decided_by" | "verdict" | "words">,
  Record<"sign_flip" | "wilcoxon" | "wilcoxon_pratt", Numbers<"p_value"> | null> {
  t_test: Numbers<"sd" | "ci_low" | "ci_high" | "p_value"> | null;
  effect: Values<"g_z"> & Numbers<"superiority" | "superiority_low" | "superiority_high"> | null;
  per_topic: TopicDifference[];
}

export interface CitationTotals extends Values<"emptied_p_value">, Numbers<"found_a" | "found_b" |
  "gained" | "lost" | "lost_from_far" | "moved_up" | "moved_down" | "same_rank" |
  "topics_emptied" | "topics_filled" | "topics_fell_far" | "topics_rose_far"> {}

/** A group of topics in a comparison. */
export interface SliceDifference extends Texts<"dimension" | "slice" | "verdict" | "words">,
  Numbers<"slices" | "topics" | "units">, Values<"mean_a" | "mean_b" | "difference" | "ci_low" |
  "ci_high" | "corrected" | "against_rest"> {}

/** The words are short names of the runs, and sentences. */
export interface RunPair extends Texts<"a" | "b"> {
  measures: Record<string, MeasureComparison>;
  citations: CitationTotals | null;
  moved: ChangedTopic[];
  slices: SliceDifference[];
  words: Texts<"a" | "b" | "verdict" | "moved" | "slices">;
}

export type VerdictChanges = Numbers<"samples" | "same" | "lost" | "appeared" | "reversed" |
  "lowest_difference" | "highest_difference">;

/** Verdicts if a share of the citations is unknown. */
export interface Robustness {
  options: { fractions: number[]; samples: number };
  pairs: (Texts<"a" | "b"> &
    { measures: Record<string, Texts<"verdict"> & { changes: VerdictChanges[] }> })[];
}

export interface Comparison {
  options: { test: string; correction: "holm" | "bh" | "none"; confidence: number };
  measures: string[];
  baseline_means: Column;
  moving_measure: string | null;
  robustness: Robustness | null;
  pairs: RunPair[];
  words: Record<"differences" | "effects" | "citations" | "slices" | "robustness", string[]>;
}

export interface ComparisonDocument {
  comparison: Comparison & { notes: string[]; words: { subject: LabelledLine[] } };
}

// The output of `prescope gate --json`.

export type GateOutcome = "PASS" | "REGRESSION" | "INCONCLUSIVE" | "BAD INPUT";
export type RuleStatus = "pass" | "skipped" | "warning" | "inconclusive" | "fail" | "bad_input";

export interface GateRule extends Texts<"id" | "reason"> {
  status: RuleStatus;
}

export interface GateMeasure extends Outcomes, Texts<"measure">, Numbers<"margin" | "topics">,
  Values<"baseline" | "tonight" | "difference" | "low" | "high">,
  Values<"p_non_inferior" | "p_different"> {
  status: RuleStatus;
}

/** `words` is the verdict; `p_beyond` and `p_worse` are null if the slice has none. */
export interface GateSlice extends GateMeasure, Texts<"dimension" | "slice" | "words">,
  Values<"p_beyond" | "p_worse"> {}

export interface GateTopic extends Texts<"topic">, Numbers<"num_rel" | "baseline" | "tonight"> {
  fails: string[];
  failures: string[];
  citations: (Texts<"docno" | "what"> & Values<"rank_baseline" | "rank_tonight"> &
    Numbers<"share"> & Flags<"must_find">)[];
}

/** `words.before` and `words.after` name the two evaluations. */
export interface GateDocument {
  outcome: GateOutcome;
  rules: GateRule[];
  measures: GateMeasure[];
  slices: GateSlice[];
  moving_measure: string | null;
  latency: Values<"baseline_p95_ms" | "tonight_p95_ms" | "p95_ratio" | "ratio" | "ratio_low" |
    "ratio_high"> & Texts<"judged_by">;
  topics: GateTopic[];
  baseline: { must_find: Texts<"topic" | "docno">[] };
  applied: { latency: Values<"ratio"> };
  words: Texts<"before" | "after" | "outcome" | "rules" | "topics"> &
    { subject: LabelledLine[]; measures: string[]; slices: string[];
      statuses: Texts<RuleStatus> };
}

// The output of `prescope history --format json`.

export interface Night extends Texts<"time" | "arm" | "qrels" | "reason">,
  Numbers<"night" | "topics">, Values<"p95_ms" | "baseline"> {
  measures: Record<string, Values<"mean" | "from_baseline" | "from_before">>;
  verdict: GateOutcome | null;
  pinned_as: string[];
}

export type Pin = Texts<"name" | "by" | "why" | "time"> & Numbers<"night"> & Values<"replaced">;

/** The newest night of an arm, topic by topic; `words` say against which: "night 3 (pinned)". */
export interface NewestNight extends Texts<"arm" | "words">, Numbers<"night"> {
  tests: Record<string, Numbers<"topics" | "difference" | "ci_low" | "ci_high" | "p_value"> | null>;
}

/** A slice of the topics, with a value for each night. */
export interface HistorySlice extends Texts<"dimension" | "slice">, Numbers<"slices"> {
  nights: (Numbers<"night" | "topics"> & Values<"mean" | "from_baseline">)[];
}

/** The slices are there if they were asked for. */
export interface HistoryDocument extends Texts<"store"> {
  measures: string[];
  nights: Night[];
  slice_measure?: string;
  slices?: HistorySlice[];
  pins: Pin[];
  newest: NewestNight[];
  main_measures: string[];
  words: Texts<"verdict"> & { subject: LabelledLine[]; nights: string[]; newest: string[];
    slices?: string[] };
}
