// What `prescope history --format json` writes; docs/history.md says what each value means.
import type { GateOutcome } from "./gate_document.ts";

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
  which: "baseline" | "accepted";
  tests: Record<string, { topics: number; difference: number; ci_low: number; ci_high: number; p_value: number } | null>;
}

export interface HistoryDocument {
  prescope: string;
  store: string;
  measures: string[];
  nights_stored: number;
  nights: Night[];
  pins: Pin[];
  newest: NewestNight[];
}
