// What `prescope compare --json` writes; docs/compare-json.md says what each value means.

export interface PairedTest {
  t: number | null;
  degrees: number;
  sd: number;
  standard_error: number;
  ci_low: number;
  ci_high: number;
  p_value: number;
}

export interface EffectSize {
  d_z: number | null;
  g_z: number | null;
  superiority: number;
  superiority_low: number;
  superiority_high: number;
}

export interface ComparedTopic {
  topic: string;
  a: number;
  b: number;
  difference: number;
}

export type ComparisonVerdict = "better" | "worse" | "no difference shown" | "identical" | "too few topics";

export interface MeasureComparison {
  topics: number;
  mean_a: number | null;
  mean_b: number | null;
  difference: number | null;
  wins: number;
  ties: number;
  losses: number;
  t_test: PairedTest | null;
  sign_flip: { non_zero: number; exact: boolean; flips: number; as_far: number; p_value: number } | null;
  wilcoxon: { p_value: number } | null;
  wilcoxon_pratt: { p_value: number } | null;
  effect: EffectSize | null;
  detectable: number | null;
  topics_needed: number | null;
  decided_by: TestName;
  p_value: number | null;
  corrected: number | null;
  verdict: ComparisonVerdict;
  per_topic: ComparedTopic[];
}

export type TestName = "t" | "sign-flip" | "wilcoxon";

export interface CitationTotals {
  found_a: number;
  found_b: number;
  gained: number;
  lost: number;
  lost_from_far: number;
  moved_up: number;
  moved_down: number;
  same_rank: number;
  topics_changed: number;
  topics_emptied: number;
  topics_filled: number;
  emptied_p_value: number | null;
  topics_fell_far: number;
  topics_rose_far: number;
}

export interface MovedTopic {
  topic: string;
  a: number;
  b: number;
  difference: number;
  num_rel: number;
  whole: number;
  citations: {
    docno: string;
    grade: number;
    rank_a: number | null;
    rank_b: number | null;
    credit: number;
    share: number;
  }[];
}

export interface RunPair {
  a: string;
  b: string;
  measures: Record<string, MeasureComparison>;
  citations: CitationTotals | null;
  moved: MovedTopic[];
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

export interface CompareOptions {
  test: TestName;
  correction: "holm" | "bh" | "none";
  confidence: number;
  alpha: number;
  power: number;
  target_difference: number | null;
  seed: number;
  flips: number;
  exact_up_to: number;
  top: number;
}

/** The part of `evaluation` that says what was compared. */
export interface ComparedEvaluation {
  qrels: { path: string; docno: string; min_grade: number; topics: number };
  options: { order: string; score: string; topics: string; depth: number | null; judged_only: boolean };
  measures: string[];
  runs: { name: string; path: string; tag: string; means: Record<string, number | null> }[];
  worth_knowing: { qrels: { topics_without_relevant: { count: number } } };
}

export interface ComparisonDocument {
  prescope: string;
  comparison: {
    options: CompareOptions;
    corrected_over: number;
    moving_measure: string | null;
    notes: string[];
    /** Absent from documents of an earlier version. */
    robustness?: Robustness | null;
    pairs: RunPair[];
  };
  evaluation: ComparedEvaluation;
}
