import { armName } from "../arms.ts";
import type { TopicDetail, TopicDetailArm } from "../data/documents.ts";
import { element } from "../dom.ts";
import { explained } from "../explain.ts";
import { count, counted, difference, milliseconds, nameInText, score } from "../format.ts";
import { measureExplanation } from "../measures.ts";
import { type Table, table, type TableColumn } from "../table.ts";
import { credits, within } from "./pres.ts";
import { differenceBar } from "./topic_table.ts";

type Citation = TopicDetail["citations"][number];

/** What the citations are shown under. `a` and `b` are places in TOPIC.arms. */
export interface CitationsShown {
  topic: TopicDetail;
  measure: string;
  cutoff: number;
  a: number;
  /** Null with one arm. */
  b: number | null;
}

export interface CitationRow {
  citation: Citation;
  /** Of the difference with two arms, of PRES with one; null where there is none. */
  share: number | null;
  reach: number;
}

/** The relevant citations, largest share first, then as ranked in the first arm. */
export function citationRows(shown: CitationsShown, shares: readonly (number | null)[]): CitationRow[] {
  const reach = shares.reduce<number>((most, share) => Math.max(most, Math.abs(share ?? 0)), 0);
  const rows = shown.topic.citations.map((citation, i) => ({ citation, share: shares[i] ?? null, reach }));
  const rank = (row: CitationRow) => row.citation.arms[shown.a]!.rank ?? Infinity;
  return rows.filter((row) => row.citation.relevant)
    .sort((x, y) => Math.abs(y.share ?? 0) - Math.abs(x.share ?? 0) || compared(rank(x), rank(y)));
}

function compared(x: number, y: number): number {
  return x === y ? 0 : x < y ? -1 : 1;
}

/** What each citation of one arm alone adds to PRES. */
export function creditShares({ topic, cutoff, a }: CitationsShown): number[] {
  const ranks = topic.arms[a]!.relevant_ranks;
  const earned = new Map(credits({ numRel: topic.num_rel, cutoff, ranks }).map((each) => [each.rank, each.credit]));
  return topic.citations.map((citation) =>
    citation.relevant ? (earned.get(citation.arms[a]!.rank ?? 0) ?? 0) / (topic.num_rel * cutoff) : 0);
}

export function citationTable(shown: CitationsShown): Table<CitationRow> {
  const { topic, a, b } = shown;
  const columns: TableColumn<CitationRow>[] = [docnoColumn, gradeColumn(), placeColumn(shown, a)];
  if (b !== null) columns.push(placeColumn(shown, b));
  columns.push(shareColumn(shown, topic.arms[a]!.name, b === null ? null : topic.arms[b]!.name));
  return table({ caption: "Citations", class: "citation-table", columns });
}

const docnoColumn: TableColumn<CitationRow> = {
  head: "citation", heads: true, align: "start",
  cell: ({ citation }) => [element("bdi", { class: "docno", text: citation.docno }), element("small", { class: "narrow", text: `grade ${citation.grade}` })],
  attributes: ({ citation }) => ({ "data-docno": citation.docno }),
};

const gradeColumn = (): TableColumn<CitationRow> => ({
  head: element("span", { class: "wide" }, explained("grade", "How relevant the judgements say the citation is; by default X and E are 3, Y 2, A and others 1.")),
  cell: ({ citation }) => citation.grade,
  attributes: () => ({ class: "wide" }),
});

function placeColumn({ topic, cutoff }: CitationsShown, index: number): TableColumn<CitationRow> {
  const arm = topic.arms[index]!;
  return {
    head: [element("span", { class: "under", text: "rank with" }), armName(index, arm.name)],
    cell: ({ citation }) => {
      const place = citation.arms[index]!;
      const found = fateOf(place, arm, cutoff) === "found";
      return element("span", { class: found ? "found" : "missing" }, placeWords(place, arm, cutoff));
    },
    explain: ({ citation }) => placeSentence(citation.arms[index]!, arm, cutoff),
    attributes: () => ({ "data-rank": arm.name }),
  };
}

function shareColumn({ measure, a, b }: CitationsShown, from: string, to: string | null): TableColumn<CitationRow> {
  const line = to === null
    ? `What the citation adds to ${measure}: N + j − r of n N, being the j-th found, at rank r. All together are ${measure}.`
    : `The citation's exact part of the difference in ${measure}, ${nameInText(to)} less ${nameInText(from)}. All together are the difference.`;
  return {
    head: explained(to === null ? `part of ${measure}` : "share of difference", line),
    cell: ({ share, reach }) => share === null ? "–" : element("span", { class: "difference" },
      differenceBar(share, reach, { a, b: b ?? a }), element("span", { text: difference(share) })),
    explain: ({ share }) => share === null ? "Both arms must have a value." : shareWords(share, measure, from, to),
    attributes: () => ({ "data-cell": "share" }),
  };
}

function shareWords(share: number, measure: string, from: string, to: string | null): string {
  if (share === 0) return to === null ? `Adds nothing to ${measure}.` : "Makes no difference between the two.";
  const size = Math.abs(share).toFixed(4);
  return to === null ? `Adds ${size} to ${measure}.` : `Speaks for ${nameInText(share > 0 ? to : from)} by ${size} of ${measure}.`;
}

// What became of a citation in one arm, in words.

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
    case "found": return `at rank ${place.rank} with ${nameInText(arm.name)}`;
    case "beyond cutoff": return `behind N, at rank ${place.rank}, with ${nameInText(arm.name)}`;
    case "not in the index": return `not in the index of ${nameInText(arm.name)}`;
    case "not served":
    case "not known": return `not among the ${arm.num_ret} that ${nameInText(arm.name)} served`;
    case "no ranking": return `not asked of ${nameInText(arm.name)}`;
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

/** Every measure, of each arm: of the ranking served last, and the mean over visits. */
export function scoreTable(topic: TopicDetail): Table<string> {
  const columns: TableColumn<string>[] = [{
    head: "measure", heads: true, align: "start", cell: (measure) => explained(measure, measureExplanation(measure)),
  }];
  topic.arms.forEach((arm, i) => {
    columns.push({
      head: armName(i, arm.name),
      cell: (measure) => [score(arm.scores[measure]), meanWords(arm, measure)],
      explain: (measure) => scoreSentence(arm, measure),
      attributes: (measure) => ({ "data-score": `${arm.name} ${measure}` }),
    });
  });
  return table({ caption: "Scores by measure", columns, class: "score-table" });
}

function meanWords(arm: TopicDetailArm, measure: string): HTMLElement | null {
  return arm.visits > 1 ? element("small", { class: "mean", text: `mean ${score(arm.means[measure])}` }) : null;
}

function scoreSentence(arm: TopicDetailArm, measure: string): string {
  if (!arm.seen) return `${nameInText(arm.name)} has not served this topic yet.`;
  if ((arm.scores[measure] ?? null) === null) return valueMissing(arm, measure);
  return `${measure} of the ranking served last, 0 to 1; ${arm.visits > 1 ? `its mean over ${counted(arm.visits, "visit")} is ${score(arm.means[measure])}` : "it was the only visit"}.`;
}

/** Why an arm has no value of a measure. */
export function valueMissing(arm: TopicDetailArm, measure: string): string {
  if (!arm.seen) return `${nameInText(arm.name)} has not served this topic yet.`;
  if (arm.awaiting) return `${nameInText(arm.name)} has no value: the judgements have changed since it served this topic.`;
  return `${nameInText(arm.name)} has no ${measure}: it served only ${counted(arm.num_ret, "document")}.`;
}

/** How each arm served the topic. */
export function servedTable(topic: TopicDetail): Table<TopicDetailArm> {
  const index = (arm: TopicDetailArm) => topic.arms.indexOf(arm);
  return table({ caption: "How it was served", class: "served-table", columns: [
    { head: "arm", heads: true, align: "start", cell: (arm) => armName(index(arm), arm.name) },
    { head: explained("visits", "How often the arm has served this topic in this epoch; scores have a mean over them."),
      cell: (arm) => count(arm.visits), attributes: (arm) => ({ "data-visits": arm.name }) },
    { head: explained("served", "Documents served at the last visit."),
      cell: (arm) => [count(arm.num_ret), element("small", { class: "mean", text: arm.exhausted ? "the whole ranking" : "up to its depth" })] },
    { head: explained("latency", "How long the last visit that was timed took, in milliseconds."),
      cell: (arm) => milliseconds(arm.latency_ms), attributes: (arm) => ({ "data-latency": arm.name }) },
  ] });
}
