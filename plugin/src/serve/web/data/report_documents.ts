// What `prescope compare --json` writes; docs/compare-json.md says what each value means.
import type { ChangedTopic, Summary, TopicDifference } from "./documents.ts";

/** What something is, by its label. */
export interface LabelledLine {
  label: string;
  words: string;
}

type ComparisonVerdict = "better" | "worse" | "no difference shown" | "identical" | "too few topics";

export interface MeasureComparison {
  topics: number;
  mean_a: number | null;
  mean_b: number | null;
  difference: number | null;
  wins: number;
  ties: number;
  losses: number;
  t_test: { sd: number; ci_low: number; ci_high: number; p_value: number } | null;
  sign_flip: { p_value: number } | null;
  wilcoxon: { p_value: number } | null;
  wilcoxon_pratt: { p_value: number } | null;
  effect: { g_z: number | null; superiority: number; superiority_low: number; superiority_high: number } | null;
  detectable: number | null;
  topics_needed: number | null;
  decided_by: string;
  corrected: number | null;
  verdict: ComparisonVerdict;
  per_topic: TopicDifference[];
  /** The verdict in a word or two. */
  words: string;
}

interface CitationTotals {
  found_a: number;
  found_b: number;
  gained: number;
  lost: number;
  lost_from_far: number;
  moved_up: number;
  moved_down: number;
  same_rank: number;
  topics_emptied: number;
  topics_filled: number;
  emptied_p_value: number | null;
  topics_fell_far: number;
  topics_rose_far: number;
}

export interface RunPair {
  a: string;
  b: string;
  measures: Record<string, MeasureComparison>;
  citations: CitationTotals | null;
  moved: ChangedTopic[];
  /** Short names of the runs, and sentences. */
  words: { a: string; b: string; verdict: string; moved: string };
}

/** Verdicts where a share of the citations is unknown. */
export interface Robustness {
  options: { fractions: number[]; samples: number; seed: string };
  pairs: { a: string; b: string; measures: Record<string, { verdict: ComparisonVerdict; changes: VerdictChanges[] }> }[];
}

export interface VerdictChanges {
  fraction: number;
  samples: number;
  same: number;
  lost: number;
  appeared: number;
  reversed: number;
  lowest_difference: number;
  highest_difference: number;
}

export interface ComparisonDocument {
  prescope: string;
  comparison: {
    options: { test: string; correction: "holm" | "bh" | "none"; confidence: number };
    moving_measure: string | null;
    notes: string[];
    /** Absent from documents of an earlier version. */
    robustness?: Robustness | null;
    pairs: RunPair[];
    words: { subject: LabelledLine[]; differences: string[]; effects: string[]; citations: string[]; robustness: string[] };
  };
  /** The part of it that is shown. */
  evaluation: { measures: string[]; runs: { means: Record<string, number | null> }[] };
}

// What `prescope gate --json` writes; docs/gate-json.md says what each value means.


export type GateOutcome = "PASS" | "REGRESSION" | "INCONCLUSIVE" | "BAD INPUT";
export type RuleStatus = "pass" | "skipped" | "warning" | "inconclusive" | "fail" | "bad_input";

export interface GateRule {
  id: string;
  status: RuleStatus;
  reason: string;
}

export interface GateMeasure {
  measure: string;
  margin: number;
  topics: number;
  baseline: number | null;
  tonight: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
  p_non_inferior: number | null;
  p_different: number | null;
  wins: number;
  ties: number;
  losses: number;
  status: RuleStatus;
}

export interface GateCitation {
  docno: string;
  what: string;
  rank_baseline: number | null;
  rank_tonight: number | null;
  share: number;
  must_find: boolean;
}

export interface GateTopic {
  topic: string;
  num_rel: number;
  baseline: number;
  tonight: number;
  fails: string[];
  citations: GateCitation[];
}

export interface GateDocument {
  prescope: string;
  outcome: GateOutcome;
  rules: GateRule[];
  measures: GateMeasure[];
  moving_measure: string | null;
  latency: {
    baseline_p95_ms: number | null;
    tonight_p95_ms: number | null;
    ratio: number | null;
    ratio_low: number | null;
    ratio_high: number | null;
  };
  topics: GateTopic[];
  baseline: { must_find: { topic: string; docno: string }[] };
  applied: { latency: { p95_ratio: number | null } };
  words: {
    /** What the two evaluations are called. */
    before: string;
    after: string;
    outcome: string;
    rules: string;
    subject: LabelledLine[];
    measures: string[];
    topics: string;
    statuses: Record<RuleStatus, string>;
  };
}

// What `prescope history --format json` writes; docs/history.md says what each value means.

export interface NightValue {
  mean: number | null;
  from_baseline: number | null;
  from_before: number | null;
}

export interface Night {
  night: number;
  time: string;
  arm: string;
  source: string;
  qrels: string;
  topics: number;
  measures: Record<string, NightValue>;
  p95_ms: number | null;
  baseline: number | null;
  before: number | null;
  verdict: GateOutcome | null;
  reason: string;
  pinned_as: string[];
}

export interface Pin {
  name: string;
  night: number;
  replaced: number | null;
  by: string;
  why: string;
  time: string;
}

/** The newest night of an arm, topic by topic. */
export interface NewestNight {
  arm: string;
  night: number;
  against: number;
  /** "night 3 (pinned)" */
  words: string;
  tests: Record<string, { topics: number; difference: number; ci_low: number; ci_high: number; p_value: number } | null>;
}

export interface HistoryDocument {
  prescope: string;
  store: string;
  measures: string[];
  nights: Night[];
  pins: Pin[];
  newest: NewestNight[];
  main_measures: string[];
  words: { verdict: string; subject: LabelledLine[]; nights: string[]; newest: string[] };
}

// What `prescope replay --json` writes; docs/replay-json.md says what each value means.

export interface ReplayDocument {
  prescope: string;
  summary: Summary;
  words: { subject: LabelledLine[]; notes: string[] };
}
