// What `prescope replay --json` writes; docs/replay-json.md says what each value means.
import type { Summary } from "./documents.ts";

export interface ReplayIndex {
  path: string;
  documents: number | null;
  engine: { name: string; version: string };
}

export interface ReplayDocument {
  prescope: string;
  note: string | null;
  indexes: ReplayIndex[];
  options: {
    name: string;
    measures: string[];
    depth: number;
    threads: number;
    seed: number;
    qrels: { path: string; docno: string; min_grade: number };
    topics: { source: string; path: string | null; exclude: string; exclude_pairs: string | null };
    arms: { name: string; engine: string; index: string; settings: Record<string, string> }[];
  };
  topics: {
    run: number;
    not_run: { topic: string; reason: string }[];
    without_judgements: number;
    relevant_excluded: number;
  };
  summary: Summary;
}
