import { armName } from "../arms.ts";
import type { TopicDetail } from "../data/documents.ts";
import { element } from "../dom.ts";
import { explained } from "../explain.ts";
import { difference } from "../format.ts";
import { type Table, type TableColumn, table } from "../table.ts";
import { fateOf, placeSentence, placeWords } from "./citation_words.ts";
import { differenceBar } from "./difference_bar.ts";
import { named } from "./names.ts";
import { credits } from "./pres.ts";

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
  const columns: TableColumn<CitationRow>[] = [docnoColumn, gradeColumn, placeColumn(shown, a)];
  if (b !== null) columns.push(placeColumn(shown, b));
  columns.push(shareColumn(shown, topic.arms[a]!.name, b === null ? null : topic.arms[b]!.name));
  return table({ caption: "Citations", class: "citation-table", columns });
}

const docnoColumn: TableColumn<CitationRow> = {
  head: "citation", heads: true, align: "start",
  cell: ({ citation }) => [element("bdi", { class: "docno", text: citation.docno }), element("small", { class: "narrow", text: `grade ${citation.grade}` })],
  attributes: ({ citation }) => ({ "data-docno": citation.docno }),
};

const gradeColumn: TableColumn<CitationRow> = {
  head: element("span", { class: "wide" }, explained("grade", "How relevant the judgements say the citation is; by default X and E are 3, Y 2, A and others 1.")),
  cell: ({ citation }) => citation.grade,
  attributes: () => ({ class: "wide" }),
};

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
    : `The citation's exact part of the difference in ${measure}, ${named(to)} less ${named(from)}. All together are the difference.`;
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
  return to === null ? `Adds ${size} to ${measure}.` : `Speaks for ${named(share > 0 ? to : from)} by ${size} of ${measure}.`;
}
