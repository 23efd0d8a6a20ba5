// The tables of a comparison: a row a measure of two runs, a row a run where there are several.
import type { ComparisonDocument, MeasureComparison, RunPair } from "../data/comparison_document.ts";
import { explained, measureExplanation } from "../explain.ts";
import { count, difference, interval, meanName, none, score } from "../format.ts";
import { exactPercent, outcomes, pValue } from "../statistics_format.ts";
import { type TableColumn, table } from "../table.ts";
import { after, isPair, toneOf, verdictWords } from "./comparison_words.ts";
import { cutoffOf } from "./citation_changes.ts";
import { name } from "./parts.ts";

/** A row: a measure of a pair of runs. */
export interface Compared {
  pair: RunPair;
  measure: string;
  it: MeasureComparison;
}

type Column = TableColumn<Compared>;

/** What each table is of: all measures of two runs; or, of several runs, one measure each. */
export function groupsOf(document: ComparisonDocument): { title: string; rows: Compared[] }[] {
  const { pairs } = document.comparison;
  const { measures } = document.evaluation;
  const row = (pair: RunPair, measure: string): Compared => ({ pair, measure, it: pair.measures[measure]! });
  if (isPair(document)) return [{ title: after(document), rows: measures.map((measure) => row(pairs[0]!, measure)) }];
  return measures.map((measure) => ({ title: meanName(measure), rows: pairs.map((pair) => row(pair, measure)) }));
}

function rowName(document: ComparisonDocument): Column {
  return isPair(document)
    ? { head: "measure", heads: true, align: "start", cell: ({ measure }) => explained(meanName(measure), measureExplanation(measure)) }
    : { head: "run", heads: true, align: "start", cell: ({ pair }) => name(pair.b) };
}

/** Means, differences, intervals, p values and verdicts. */
export function differenceTables(document: ComparisonDocument): HTMLElement[] {
  const measures = document.evaluation.measures;
  return groupsOf(document).map(({ title, rows }, index) => {
    const baseline = isPair(document) ? "" : `, baseline ${score(document.evaluation.runs[0]?.means[measures[index]!])}`;
    return tableOf(`${title}${baseline}`, [rowName(document), ...differenceColumns(document)], rows, "differences");
  });
}

function differenceColumns(document: ComparisonDocument): Column[] {
  const { options } = document.comparison;
  const pair = isPair(document);
  const wilcoxon: Column[] = options.test !== "wilcoxon" ? [] : [
    { head: explained("p Wilcoxon", "Signed-rank test as in the PRES paper."), cell: ({ it }) => pValue(it.wilcoxon?.p_value) },
    { head: "(Pratt)", cell: ({ it }) => pValue(it.wilcoxon_pratt?.p_value) }];
  const corrected: Column[] = options.correction === "none" ? [] : [
    { head: explained(options.correction === "holm" ? "Holm" : "BH", "The p that decides, corrected for the number of comparisons."),
      cell: ({ it }) => pValue(it.corrected), attributes: () => ({ "data-value": "corrected" }) }];
  return [
    ...(pair ? [{ head: "A", cell: ({ it }: Compared) => score(it.mean_a), attributes: () => ({ "data-value": "mean_a" }) }] : []),
    { head: pair ? "B" : "mean", cell: ({ it }) => score(it.mean_b), attributes: () => ({ "data-value": "mean_b" }) },
    { head: explained("difference", `Mean over the topics of ${after(document)}.`), cell: ({ it }) => difference(it.difference),
      attributes: () => ({ "data-value": "difference" }) },
    { head: `${exactPercent(options.confidence)} interval`, cell: ({ it }) => it.t_test ? interval(it.t_test.ci_low, it.t_test.ci_high, difference) : none,
      attributes: () => ({ "data-value": "interval" }) },
    { head: explained("p t", "Paired t test, two-sided."), cell: ({ it }) => pValue(it.t_test?.p_value) },
    { head: explained("p flip", "Sign-flip test, two-sided: no assumption but that signs are by chance."), cell: ({ it }) => signFlip(document, it) },
    ...wilcoxon, ...corrected,
    { head: "verdict", align: "start", cell: ({ it }) => verdictWords(document, it), attributes: ({ it }) => ({ class: `verdict ${toneOf(it)}` }) },
  ];
}

/** Marked where it decides instead of the t test. */
function signFlip(document: ComparisonDocument, it: MeasureComparison): string {
  const fallback = document.comparison.options.test === "t" && it.decided_by === "sign-flip";
  return pValue(it.sign_flip?.p_value) + (fallback ? "*" : "");
}

/** How large the differences are, and what so many topics can show. */
export function effectTables(document: ComparisonDocument): HTMLElement[] {
  return groupsOf(document).map(({ title, rows }) => tableOf(`${title}: how large, and what these topics can show`, [rowName(document), ...effectColumns()], rows, "effects"));
}

const effectColumns = (): Column[] => [
  { head: explained("topics", "With a value in both runs."), cell: ({ it }) => count(it.topics) },
  { head: explained("wins/ties/losses", "Topics where the later run is higher, the same, lower."), cell: ({ it }) => outcomes(it) },
  { head: explained("sd", "Standard deviation of the topics' differences."), cell: ({ it }) => score(it.t_test?.sd) },
  { head: explained("g_z", "Mean difference over its standard deviation, corrected for few topics (Hedges)."), cell: ({ it }) => effectSize(it) },
  { head: explained("P(better)", "Chance that a topic is better: wins and half the ties, with its interval (Wilson)."), cell: ({ it }) => superiority(it) },
  { head: explained("detectable", "Smallest mean difference that so many topics show."), cell: ({ it }) => score(it.detectable) },
  { head: explained("needed", "Topics that it takes to show the difference."), cell: ({ it }) => count(it.topics_needed) },
];

function effectSize({ effect }: MeasureComparison): string {
  const g = effect?.g_z;
  if (g === null || g === undefined) return none;
  return `${g < 0 ? "−" : "+"}${Math.abs(g).toFixed(3)}`;
}

function superiority({ effect }: MeasureComparison): string {
  if (!effect) return none;
  return `${effect.superiority.toFixed(2)} [${effect.superiority_low.toFixed(2)}, ${effect.superiority_high.toFixed(2)}]`;
}

function tableOf(caption: string, columns: Column[], rows: Compared[], kind: string): HTMLElement {
  const made = table<Compared>({ caption, captionShown: true, columns: columns.map((column, index) => index ? column : {
    ...column, attributes: ({ pair, measure }) => ({ "data-measure": measure, "data-run": pair.b }) }), class: `compact ${kind}` });
  made.set(rows);
  return made.element;
}

/** Citations found, gained, lost and moved over all topics. */
export function citationTable(document: ComparisonDocument): HTMLElement {
  const number = (head: string, explanation: string, value: (pair: RunPair) => string): TableColumn<RunPair> =>
    ({ head: explained(head, explanation), cell: value });
  const made = table<RunPair>({
    caption: `Citations within rank ${cutoffOf(document.comparison.moving_measure)}, over all topics`, captionShown: true, class: "compact totals",
    columns: [
      { head: "run", heads: true, align: "start", cell: (pair) => isPair(document) ? "B" : name(pair.b) },
      number("found", "Citations found by the baseline, and by this run.", ({ citations: it }) => `${count(it!.found_a)} → ${count(it!.found_b)}`),
      number("gained", "Found by this run only.", ({ citations: it }) => count(it!.gained)),
      number("lost (far)", "Found by the baseline only; of those, in the first 80 % of the ranks.", ({ citations: it }) => `${count(it!.lost)} (${count(it!.lost_from_far)})`),
      number("up", "Found by both, earlier now.", ({ citations: it }) => count(it!.moved_up)),
      number("down", "Found by both, later now.", ({ citations: it }) => count(it!.moved_down)),
      number("same rank", "Found by both at the same rank.", ({ citations: it }) => count(it!.same_rank)),
      number("emptied", "Topics that found something and now nothing.", ({ citations: it }) => count(it!.topics_emptied)),
      number("filled", "Topics that found nothing and now something.", ({ citations: it }) => count(it!.topics_filled)),
      number("p", "So many emptied by chance (McNemar, one-sided).", ({ citations: it }) => pValue(it!.emptied_p_value)),
      number("fell", "Topics whose score fell by 0.2 or more.", ({ citations: it }) => count(it!.topics_fell_far)),
      number("rose", "Topics whose score rose by 0.2 or more.", ({ citations: it }) => count(it!.topics_rose_far)),
    ] });
  made.set(document.comparison.pairs);
  return made.element;
}
