// A topic's difference in a sentence.
import type { TopicDetail } from "../data/documents.ts";
import type { CitationRow } from "./citation_table.ts";
import { placePhrase } from "./citation_words.ts";
import { named } from "./names.ts";
import { presCutoff } from "./pres.ts";

/** The PRES that a topic is drawn by: at the cutoff of `measure` if it is kept, else the document's own, if any. */
export function presMeasure(topic: TopicDetail, measure: string | undefined): string | null {
  const wanted = `PRES@${measure?.split("@")[1] ?? ""}`;
  return wanted in (topic.arms[0]?.scores ?? {}) ? wanted : topic.measure;
}

/** Of `measure`; without PRES, all that was served. */
export function cutoffOf(topic: TopicDetail, measure: string | null): number {
  return (measure === null ? null : presCutoff(measure)) ?? topic.cutoff ?? Math.max(1, ...topic.arms.map((arm) => arm.num_ret));
}

/** "bm25 is behind tfidf by 0.2933: 0.4800 against 0.7733." */
export function differenceSentence(a: string, b: string, from: number, to: number, measure: string): string {
  const size = Math.abs(to - from).toFixed(4);
  const scores = `${to.toFixed(4)} against ${from.toFixed(4)}`;
  if (to === from) return `${named(b)} and ${named(a)} are level in ${measure}: both ${from.toFixed(4)}.`;
  return `${named(b)} is ${to > from ? "ahead of" : "behind"} ${named(a)} by ${size} in ${measure}: ${scores}.`;
}

/** "Most of it: EP1019981A1, at rank 43 with tfidf, at rank 89 with bm25." Null where nothing makes a difference. */
export function mainCause(
  rows: readonly CitationRow[], topic: TopicDetail, places: { a: number; b: number }, cutoff: number,
): string | null {
  const first = rows[0];
  if (!first?.share) return null;
  const total = rows.reduce((sum, row) => sum + (row.share ?? 0), 0);
  const part = first.share / total;
  const lead = part >= 1 ? "More than all of it" : part > 0.5 ? "Most of it" : "The largest part";
  const where = [places.a, places.b].map((place) => placePhrase(first.citation.arms[place]!, topic.arms[place]!, cutoff));
  return `${lead}: ${named(first.citation.docno)}, ${where.join(", ")}.`;
}
