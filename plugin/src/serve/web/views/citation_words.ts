// What became of a citation in one arm, in words.
import type { TopicDetail } from "../data/documents.ts";
import { named } from "./names.ts";
import { within } from "./pres.ts";

type Arm = TopicDetail["arms"][number];
type Place = TopicDetail["citations"][number]["arms"][number];

export type Fate =
  | "found" | "beyond cutoff" | "not in the index" | "not served" | "not known" | "no ranking";

/** Why a citation has, or has not, a part in PRES at `cutoff`. */
export function fateOf(place: Place, arm: Arm, cutoff: number): Fate {
  if (place.rank !== null) return place.rank <= cutoff ? "found" : "beyond cutoff";
  if (!arm.seen) return "no ranking";
  if (place.in_index === false) return "not in the index";
  return arm.num_ret < cutoff && !arm.exhausted ? "not known" : "not served";
}

/** In the cell of a table: "rank 43", "rank 146, behind N", "not in the index". */
export function placeWords(place: Place, arm: Arm, cutoff: number): string {
  switch (fateOf(place, arm, cutoff)) {
    case "found": return String(place.rank);
    case "beyond cutoff": return `${place.rank}, behind N`;
    case "not in the index": return "not in the index";
    case "not served": return `not in ${arm.num_ret} served`;
    case "not known": return `not in ${arm.num_ret} served`;
    case "no ranking": return "not asked";
  }
}

/** Within a sentence: "at rank 43 with tfidf", "not in the index of tfidf". */
export function placePhrase(place: Place, arm: Arm, cutoff: number): string {
  switch (fateOf(place, arm, cutoff)) {
    case "found": return `at rank ${place.rank} with ${named(arm.name)}`;
    case "beyond cutoff": return `behind N, at rank ${place.rank}, with ${named(arm.name)}`;
    case "not in the index": return `not in the index of ${named(arm.name)}`;
    case "not served":
    case "not known": return `not among the ${arm.num_ret} that ${named(arm.name)} served`;
    case "no ranking": return `not asked of ${named(arm.name)}`;
  }
}

/** The same as a sentence, for whoever asks. */
export function placeSentence(place: Place, arm: Arm, cutoff: number): string {
  switch (fateOf(place, arm, cutoff)) {
    case "found": return `Served at rank ${place.rank}, within the ${cutoff} documents that are read.`;
    case "beyond cutoff":
      return `Served at rank ${place.rank}, behind the ${cutoff} documents that are read: counts as not found.`;
    case "not in the index":
      return "This arm's index does not hold the document, so no ranking of it can: counts as not found.";
    case "not served":
      return `Not among the ${arm.num_ret} documents served: counts as not found.`;
    case "not known":
      return `Not among the ${arm.num_ret} documents served; it may stand behind them, within the ${cutoff} that are read.`;
    case "no ranking": return "This arm has not served this topic yet.";
  }
}

const order = ["found", "beyond cutoff", "not served", "not known", "not in the index"] as const;

/** "3 of 5 found; 1 behind rank 100; 1 not in the index" */
export function fates(topic: TopicDetail, armIndex: number, cutoff: number): string {
  const arm = topic.arms[armIndex]!;
  if (!arm.seen) return "not served yet";
  const relevant = topic.citations.filter((citation) => citation.relevant);
  // A report may hold ranks alone.
  if (relevant.length === 0) return `${within({ numRel: topic.num_rel, cutoff, ranks: arm.relevant_ranks }).length} of ${topic.num_rel} found`;
  const counts = new Map<Fate, number>();
  for (const citation of relevant) {
    const fate = fateOf(citation.arms[armIndex]!, arm, cutoff);
    counts.set(fate, (counts.get(fate) ?? 0) + 1);
  }
  const words: Record<Exclude<Fate, "no ranking">, string> = {
    found: `of ${relevant.length} found`,
    "beyond cutoff": `behind rank ${cutoff}`,
    "not served": `not among the ${arm.num_ret} served`,
    "not known": `not among the ${arm.num_ret} served so far`,
    "not in the index": "not in the index",
  };
  return order.filter((fate) => fate === "found" || counts.has(fate))
    .map((fate) => `${counts.get(fate) ?? 0} ${words[fate]}`).join("; ");
}
