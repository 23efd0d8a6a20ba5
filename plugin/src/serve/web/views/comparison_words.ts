// What a comparison says in words.
import type { CompareOptions, ComparisonDocument, MeasureComparison, RunPair } from "../data/comparison_document.ts";
import { count, counted, difference, interval, meanName } from "../format.ts";
import type { Tone } from "../plots/forest.ts";
import { exactPercent, pValue } from "../statistics_format.ts";
import { shown } from "./parts.ts";

/** Topics with a value, and with a difference, from which on the t test decides. */
const topicsForT = 30, differencesForT = 20;
/** A change of a topic's score that is called far. */
const farChange = 0.2;

/** Whether two runs were compared, A and B; else several with a baseline. */
export function isPair(document: ComparisonDocument): boolean {
  return document.comparison.pairs.length === 1;
}

/** What the runs of a pair are called in tables and plots. */
export function shortNames(document: ComparisonDocument, pair: RunPair): { a: string; b: string } {
  return isPair(document) ? { a: "A", b: "B" } : { a: shown(pair.a), b: shown(pair.b) };
}

export function verdictWords(document: ComparisonDocument, measure: MeasureComparison): string {
  switch (measure.verdict) {
    case "better": return isPair(document) ? "B better" : "better";
    case "worse": return isPair(document) ? "A better" : "worse";
    case "no difference shown": return "not shown";
    default: return measure.verdict;
  }
}

export function toneOf(measure: MeasureComparison): Tone {
  return measure.verdict === "better" ? "good" : measure.verdict === "worse" ? "bad" : "same";
}

/** A measure of a pair in a line. */
export function measureLine(document: ComparisonDocument, measure: string, it: MeasureComparison): string {
  if (it.difference === null || !it.t_test) return `${meanName(measure)}: too few topics with a value in both runs.`;
  const confidence = exactPercent(document.comparison.options.confidence);
  return `${meanName(measure)}: ${difference(it.difference)}, ${confidence} interval ${interval(it.t_test.ci_low, it.t_test.ci_high, difference)}, ` +
    `corrected p ${pValue(it.corrected)}, over ${counted(it.topics, "topic")}.`;
}

/** What came out of a pair, in a sentence. */
export function pairSentence(pair: RunPair, measures: string[]): string {
  const those = (verdict: string) => measures.filter((measure) => pair.measures[measure]?.verdict === verdict).map(meanName);
  const better = those("better"), worse = those("worse"), open = those("no difference shown"), same = those("identical");
  const parts = [
    better.length ? `better in ${list(better)}` : "", worse.length ? `worse in ${list(worse)}` : "",
    open.length ? `not shown to differ in ${list(open)}` : "", same.length ? `identical in ${list(same)}` : "",
  ].filter(Boolean);
  if (parts.length === 0) return `Too few topics to compare ${shown(pair.b)} with ${shown(pair.a)}.`;
  return `${shown(pair.b)} is ${list(parts)}, compared with ${shown(pair.a)}.`;
}

function list(parts: string[]): string {
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

export function subjectLines(document: ComparisonDocument): [string, string][] {
  const { qrels, options, runs } = document.evaluation;
  const run = (index: number) => {
    const each = runs[index];
    return each ? shown(`${each.name} (${each.path}${each.tag === each.name ? "" : `, tag ${each.tag}`})`) : "";
  };
  return [
    ["qrels", shown(`${qrels.path}, docno policy ${qrels.docno}, relevant from grade ${qrels.min_grade}`)],
    ...(isPair(document)
      ? [["A", run(0)], ["B", run(1)]] as [string, string][]
      : [["baseline", run(0)], ["runs", `${runs.length - 1}, each against the baseline`]] as [string, string][]),
    ["ranks by", ranksWords(options)],
    ["topics", topicsWords(document)],
  ];
}

function ranksWords({ order, depth, judged_only }: ComparisonDocument["evaluation"]["options"]): string {
  const words = order === "trec" ? "score, then docno, both descending" : "the order of the lines";
  return words + (depth === null ? "" : `; depth ${depth}`) + (judged_only ? "; judged documents only" : "");
}

function topicsWords({ evaluation }: ComparisonDocument): string {
  const without = evaluation.worth_knowing.qrels.topics_without_relevant.count;
  const topics = counted(evaluation.qrels.topics, "topic") + (without ? `, ${evaluation.qrels.topics - without} with relevant documents` : "");
  return evaluation.options.topics === "run" ? `${topics}; those that both runs have are compared` : topics;
}

export function after(document: ComparisonDocument): string {
  return isPair(document) ? "B minus A" : "run minus baseline";
}

export function aboutDifferences(document: ComparisonDocument): string[] {
  const { options } = document.comparison;
  return [
    `Differences are ${after(document)}, topic by topic, with their ${exactPercent(options.confidence)} t interval, which is not corrected.`,
    decisionWords(options),
    `The p that decides is ${correctionWords(document)}; the verdict is that at alpha ${options.alpha}; “not shown” is not “equal”.`,
    `p flip: signs of the differences turned at random, all ways where at most ${options.exact_up_to} differ, else ${options.flips} draws with seed ${options.seed}.`,
  ];
}

function decisionWords({ test }: CompareOptions): string {
  switch (test) {
    case "t": return `The t test's p decides; the sign-flip p, marked *, where fewer than ${topicsForT} topics have a value or fewer than ${differencesForT} differ.`;
    case "sign-flip": return "The sign-flip p decides.";
    case "wilcoxon": return "Wilcoxon's signed-rank p decides, as in the PRES paper: differences of 0 dropped, normal approximation, " +
      "no continuity correction; Pratt: the same with zeros ranked. It tests a shift of ranks, not of means.";
  }
}

function correctionWords({ comparison }: ComparisonDocument): string {
  const over = counted(comparison.corrected_over, "comparison");
  switch (comparison.options.correction) {
    case "holm": return `corrected by Holm over ${over}`;
    case "bh": return `corrected by Benjamini-Hochberg over ${over}`;
    case "none": return `not corrected, though there are ${over}`;
  }
}

export function aboutEffects({ comparison: { options } }: ComparisonDocument): string[] {
  const target = options.target_difference === null ? "the mean difference seen here" : `a mean difference of ${options.target_difference}`;
  return [
    `sd: of the topics' differences. g_z: mean difference over sd (Hedges). P(better): wins and half the ties, with its ${exactPercent(options.confidence)} interval (Wilson).`,
    `detectable: the mean difference that a t test at alpha ${options.alpha} shows on this many topics with power ${options.power}. needed: topics to show ${target} so.`,
  ];
}

export function aboutCitations(measure: string, cutoff: number): string {
  return `Relevant documents within rank ${cutoff}. gained, lost: found by one of the two runs only; of those lost, far: the other run had ` +
    "them in the first 80 % of these ranks. emptied, filled: topics where all or nothing was found before; p: so many emptied by chance " +
    `(McNemar, one-sided). fell, rose: topics whose ${measure} changed by ${farChange} or more.`;
}

export const noCitations =
  "What moved is not shown: none of the measures is a sum over citations; name PRES@N or R@N.";

export function movedTitle(document: ComparisonDocument, pair: RunPair): string {
  const { a, b } = shortNames(document, pair);
  return `${counted(pair.moved.length, "topic")} that moved most, of ${count(pair.citations?.topics_changed)}: ` +
    `${document.comparison.moving_measure}, ${a} → ${b}, and each citation's share`;
}
