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
  sd: number | null;
  p_non_inferior: number | null;
  p_equivalent: number | null;
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

/** One stored evaluation: tonight's, the baseline's. */
export interface GateEvaluation {
  arm: string;
  source: string;
  config: string;
  time: string;
  depth: number;
  qrels: { hash: string; topics: number; judgements: number; relevant: number; docno_policy: string; min_grade: number };
  index: { engine: string; engine_version: string; path: string; documents: number | null; judged_found: number | null };
  means: Record<string, { mean: number | null; topics: number }>;
  docno_hint: { docno_policy: string; judged: number; matched: number; would_match: number } | null;
}

export interface GateDocument {
  prescope: string;
  outcome: GateOutcome;
  exit_code: number;
  identical: boolean;
  store: string;
  evaluation: number | null;
  rules: GateRule[];
  measures: GateMeasure[];
  moving_measure: string | null;
  emptied: { emptied: number; filled: number; p_value: number | null; rate_high: number } | null;
  latency: {
    baseline_p95_ms: number | null;
    tonight_p95_ms: number | null;
    ratio: number | null;
    ratio_low: number | null;
    ratio_high: number | null;
  };
  topics: GateTopic[];
  baseline: {
    name: string;
    pinned: string;
    pinned_by: string;
    why: string;
    must_find: { topic: string; docno: string }[];
    evaluation: GateEvaluation;
  };
  tonight: GateEvaluation;
  applied: { confidence: number; latency: { p95_ratio: number | null } };
}
