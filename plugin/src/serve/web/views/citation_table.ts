import { armName } from "../arms.ts";
import type { Citation, CitationPlace, TopicDetail, TopicDetailArm } from "../data/documents.ts";
import { html } from "../dom.ts";
import { explained, measureExplanation } from "../explain.ts";
import {
  count, counted, milliseconds, nameInText, none, score, size, visibleText,
} from "../format.ts";
import { type Column, filledTable, nameColumn, numberColumn } from "../table.ts";
import { differenceCell } from "./topic_table.ts";

/** The options of a citation table. `a` and `b` are places in TOPIC.arms. */
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
  /** Share of the difference with two arms, of PRES with one; null if there is none. */
  share: number | null;
}

/** The relevant citations, largest share first, then as ranked in the first arm. */
export function citationRows(
  { topic, a }: CitationsShown, shares: readonly (number | null)[]): CitationRow[] {
  const rank = ({ citation }: CitationRow) => citation.arms[a]!.rank ?? Number.MAX_VALUE;
  return topic.citations.map((citation, i) => ({ citation, share: shares[i] ?? null }))
    .filter(({ citation }) => citation.relevant)
    .sort((x, y) => Math.abs(y.share ?? 0) - Math.abs(x.share ?? 0) || rank(x) - rank(y));
}

export function citationTable(shown: CitationsShown, rows: CitationRow[]): HTMLElement {
  const { a, b } = shown;
  const grade = explained("grade", "How relevant the judgements say the citation is; by default " +
    "X and E are 3, Y 2, A and others 1.");
  return filledTable(rows, { caption: "Citations", class: "citation-table" }, [
    nameColumn("citation", ({ citation }) => [html("bdi.docno", visibleText(citation.docno)),
      citation.about && html("small.about", visibleText(citation.about)),
      html("small.narrow", `grade ${citation.grade}`)],
    { attributes: ({ citation }) => ({ "data-docno": citation.docno }) }),
    numberColumn(html("span.wide", grade), ({ citation }) => citation.grade,
      { attributes: { class: "wide" } }),
    placeColumn(shown, a), b !== null && placeColumn(shown, b),
    shareColumn(shown, rows.reduce((most, { share }) => Math.max(most, Math.abs(share ?? 0)), 0)),
  ]);
}

function placeColumn({ topic, cutoff }: CitationsShown, index: number): Column<CitationRow> {
  const arm = topic.arms[index]!;
  return numberColumn([html("span.under", "rank with"), armName(index, arm.name)],
    ({ citation }) => {
      const place = citation.arms[index]!;
      const style = fateOf(place, arm, cutoff) === "found" ? "found" : "missing";
      return html("span", { class: style }, placeWords(place, arm, cutoff).cell);
    }, {
      explain: ({ citation }) => placeWords(citation.arms[index]!, arm, cutoff).sentence,
      attributes: { "data-rank": arm.name } });
}

/** `reach` is the largest share. */
function shareColumn(
  { topic, measure, a, b }: CitationsShown, reach: number): Column<CitationRow> {
  const from = nameInText(topic.arms[a]!.name);
  const to = b === null ? null : nameInText(topic.arms[b]!.name);
  const about = to === null
    ? `Part of the citation in ${measure}: N + j − r of n N, being the j-th found, at rank r. ` +
      `All together are ${measure}.`
    : `The citation's exact part of the difference in ${measure}, ${to} less ${from}. All ` +
      "together are the difference.";
  const words = (share: number) => {
    if (to === null) return `Adds ${share === 0 ? "nothing" : score(share)} to ${measure}.`;
    return share === 0 ? "Makes no difference between the two."
      : `Speaks for ${share > 0 ? to : from} by ${size(share)} of ${measure}.`;
  };
  return numberColumn(to === null ? `part of ${measure}` : "share of difference",
    ({ share }) => differenceCell(share, reach, { a, b: b ?? a }), {
      about, attributes: { "data-cell": "share" },
      explain: ({ share }) => share === null ? "Both arms must have a value." : words(share) });
}

// The fate of a citation in one arm, in words.

export type Fate =
  | "found" | "beyond cutoff" | "not in the index" | "not served" | "not known" | "no ranking";

/** Explains why a citation has, or does not have, a part in PRES at `cutoff`. */
export function fateOf(place: CitationPlace, arm: TopicDetailArm, cutoff: number): Fate {
  const { rank, in_index } = place;
  if (rank !== null) return rank <= cutoff ? "found" : "beyond cutoff";
  if (!arm.seen) return "no ranking";
  if (in_index === false) return "not in the index";
  return arm.num_ret < cutoff && !arm.exhausted ? "not known" : "not served";
}

/** The same in the cell of a table, within a sentence, and as a sentence. */
export function placeWords(place: CitationPlace, arm: TopicDetailArm, cutoff: number) {
  const { rank } = place, { num_ret } = arm, name = nameInText(arm.name);
  const served = `Served at rank ${rank}`, read = `the ${cutoff} documents that are read`;
  const others = { cell: `not in ${num_ret} served`,
    phrase: `not among the ${num_ret} that ${name} served` };
  const not = `Not among the ${num_ret} documents served`;
  switch (fateOf(place, arm, cutoff)) {
    case "found": return { cell: String(rank), phrase: `at rank ${rank} with ${name}`,
      sentence: `${served}, within ${read}.` };
    case "beyond cutoff": return { cell: `${rank}, behind N`,
      phrase: `at rank ${rank} (behind N) with ${name}`,
      sentence: `${served}, behind ${read}: counts as not found.` };
    case "not in the index": return { cell: "not in the index",
      phrase: `not in the index of ${name}`, sentence: "This arm's index does not hold the " +
        "document, so no ranking of it can: counts as not found." };
    case "not served": return { ...others, sentence: `${not}: counts as not found.` };
    case "not known": return { ...others, sentence:
      `${not}; it may stand behind them, within the ${cutoff} that are read.` };
    case "no ranking": return { cell: "not asked", phrase: `not asked of ${name}`,
      sentence: "This arm has not served this topic." };
  }
}

/** "3 of 5 found; 1 behind rank 100; 1 not in the index" */
export function fates(topic: TopicDetail, index: number, cutoff: number): string {
  const arm = topic.arms[index]!;
  if (!arm.seen) return "not served";
  const relevant = topic.citations.filter((citation) => citation.relevant);
  const became = relevant.map((citation) => fateOf(citation.arms[index]!, arm, cutoff));
  const words: [Fate, string][] = [
    ["found", `of ${relevant.length} found`],
    ["beyond cutoff", `behind rank ${cutoff}`],
    ["not served", `not among the ${arm.num_ret} served`],
    ["not known", `not among the ${arm.num_ret} served so far`],
    ["not in the index", "not in the index"],
  ];
  return words.filter(([fate]) => fate === "found" || became.includes(fate))
    .map(([fate, line]) => `${became.filter((each) => each === fate).length} ${line}`).join("; ");
}

/** Every measure, of each arm: of the ranking served last, and the mean over visits. */
export function scoreTable({ arms }: TopicDetail): HTMLElement {
  const measures = Object.keys(arms[0]?.scores ?? {});
  return filledTable(measures, { caption: "Scores by measure", class: "score-table" }, [
    nameColumn("measure", (measure) => explained(measure, measureExplanation(measure))),
    ...arms.map((arm, i) => numberColumn<string>(armName(i, arm.name), (measure) => [
      score(arm.scores[measure]),
      arm.visits > 1 && html("small.mean", `mean ${score(arm.means[measure])}`)], {
      explain: (measure) => scoreSentence(arm, measure),
      attributes: (measure) => ({ "data-score": `${arm.name} ${measure}` }) })),
  ]);
}

function scoreSentence(arm: TopicDetailArm, measure: string): string {
  if (!arm.seen || (arm.scores[measure] ?? null) === null) return valueMissing(arm, measure);
  const visits = arm.visits > 1
    ? `its mean over ${counted(arm.visits, "visit")} is ${score(arm.means[measure])}`
    : "it was the only visit";
  return `${measure} of the ranking served last, 0 to 1; ${visits}.`;
}

/** Explains why an arm has no value of a measure. */
export function valueMissing(arm: TopicDetailArm, measure: string): string {
  const name = nameInText(arm.name);
  if (!arm.seen) return `${name} has not served this topic.`;
  return arm.awaiting
    ? `${name} has no value: the judgements have changed since it served this topic.`
    : `${name} has no ${measure}: it served only ${counted(arm.num_ret, "document")}.`;
}

export function servedTable({ arms }: TopicDetail): HTMLElement {
  return filledTable(arms, { caption: "How it was served", class: "served-table" }, [
    nameColumn("arm", ({ name }, index) => armName(index, name)),
    numberColumn("visits", ({ visits }) => count(visits), {
      about: "How often the arm has served this topic in this epoch; scores have a mean over them.",
      attributes: ({ name }) => ({ "data-visits": name }) }),
    numberColumn("served", ({ seen, num_ret, exhausted }) => seen ? [count(num_ret),
      html("small.mean", exhausted ? "the whole ranking" : "up to its depth")] : none,
    { about: "Documents served at the last visit." }),
    numberColumn("latency", ({ latency_ms }) => milliseconds(latency_ms), {
      about: "How long the last visit that was timed took, in milliseconds.",
      attributes: ({ name }) => ({ "data-latency": name }) }),
  ]);
}
