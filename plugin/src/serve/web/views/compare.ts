import "../styles/reports.css";
import type { ComparisonDocument, MeasureComparison, RunPair } from "../data/report_documents.ts";
import { type Child, element, fill } from "../dom.ts";
import { explained } from "../explain.ts";
import { count, difference, exactPercent, interval, none, outcomes, pValue, score } from "../format.ts";
import { meanName, measureExplanation } from "../measures.ts";
import { forestPlot } from "../plots/forest.ts";
import type { Tone } from "../plots/plot.ts";
import { scatterPlot, type TopicPlotOptions, waterfallPlot } from "../plots/topics.ts";
import { filledTable, type TableColumn } from "../table.ts";
import type { Context, ShownView } from "../view.ts";
import { allTopics } from "./all_topics.ts";
import { about, changedTopic, cutoffOf, heading, leadOf, name, section, sentences, shown, subject, unfoldForPrinting } from "./parts.ts";
import { robustnessTable } from "./robustness.ts";

/** Runs compared with a baseline run: a report of `prescope compare`. */
export function compareView(context: Context): ShownView {
  const document = context.data.document as ComparisonDocument;
  const { notes, pairs, words } = document.comparison;
  const view = element("div", { class: "view report" },
    heading(context.data.title ?? "Comparison", leadOf(pairs.map((pair) => pair.words.verdict))), element("section", { class: "card" }, subject(words.subject)),
    differences(document),
    element("div", { class: isPair(document) ? "two-tables" : "view" }, section("Effects", effectTables(document), about(...words.effects)), citations(document)),
    robustness(document), topics(document), sentences("Worth knowing", notes.map(shown)));
  return { element: view, close: unfoldForPrinting() };
}

/** Whether two runs were compared, A and B; else several with a baseline. */
function isPair(document: ComparisonDocument): boolean {
  return document.comparison.pairs.length === 1;
}

function after(document: ComparisonDocument): string {
  return isPair(document) ? "B minus A" : "run minus baseline";
}

function toneOf({ verdict }: MeasureComparison): Tone {
  return verdict === "better" ? "good" : verdict === "worse" ? "bad" : "same";
}

/** A row: a measure of a pair of runs. */
interface Compared {
  pair: RunPair;
  measure: string;
  it: MeasureComparison;
}

type Column = TableColumn<Compared>;

/** What each table shows: all measures of two runs; or, if there are several runs, one measure each. */
function groupsOf(document: ComparisonDocument): { title: string; rows: Compared[] }[] {
  const { pairs } = document.comparison;
  const { measures } = document.evaluation;
  const row = (pair: RunPair, measure: string): Compared => ({ pair, measure, it: pair.measures[measure]! });
  if (isPair(document)) return [{ title: after(document), rows: measures.map((measure) => row(pairs[0]!, measure)) }];
  return measures.map((measure) => ({ title: meanName(measure), rows: pairs.map((pair) => row(pair, measure)) }));
}

function differences(document: ComparisonDocument): HTMLElement {
  const words = about(...document.comparison.words.differences);
  if (!isPair(document)) return section("Differences", forests(document), differenceTables(document), words);
  return section("Differences", element("div", { class: "plot-and-table" }, forests(document), differenceTables(document)), words);
}

function forests(document: ComparisonDocument): Child {
  const interval = `${exactPercent(document.comparison.options.confidence)} interval`;
  const drawn = groupsOf(document).map(({ title, rows }) => {
    const of = isPair(document) ? "all measures" : title;
    const drawing = forestPlot({
      what: `Mean differences of ${of}: for each row the mean difference, ${after(document)}, with its ${interval}; the numbers are in the table below.`,
      axis: `mean difference, ${after(document)}, with ${interval}`, rows: rows.map(({ pair, measure, it }) => ({
        label: isPair(document) ? meanName(measure) : shown(pair.b), mean: it.difference, low: it.t_test?.ci_low ?? null,
        high: it.t_test?.ci_high ?? null, tone: toneOf(it), words: it.words })) });
    return isPair(document) ? drawing.element : element("div", {}, element("h3", { text: title }), drawing.element);
  });
  return isPair(document) ? drawn : element("div", { class: "columns" }, drawn);
}

function rowName(document: ComparisonDocument): Column {
  const attributes = ({ pair, measure }: Compared) => ({ "data-measure": measure, "data-run": pair.b });
  return isPair(document)
    ? { head: "measure", heads: true, align: "start", attributes, cell: ({ measure }) => explained(meanName(measure), measureExplanation(measure)) }
    : { head: "run", heads: true, align: "start", attributes, cell: ({ pair }) => name(pair.b) };
}

/** Means, differences, intervals, p values and verdicts. */
function differenceTables(document: ComparisonDocument): HTMLElement[] {
  const { measures, runs } = document.evaluation;
  return groupsOf(document).map(({ title, rows }, index) => filledTable(rows, {
    caption: isPair(document) ? title : `${title}, baseline ${score(runs[0]?.means[measures[index]!])}`, captionShown: true, class: "compact differences",
    columns: [rowName(document), ...differenceColumns(document)] }));
}

function differenceColumns(document: ComparisonDocument): Column[] {
  const { confidence, correction, test } = document.comparison.options;
  const pair = isPair(document);
  const value = (head: Child, key: string, cell: Column["cell"]): Column => ({ head, cell, attributes: () => ({ "data-value": key }) });
  const wilcoxon: Column[] = test !== "wilcoxon" ? [] : [
    { head: explained("p Wilcoxon", "Signed-rank test as in the PRES paper."), cell: ({ it }) => pValue(it.wilcoxon?.p_value) },
    { head: "(Pratt)", cell: ({ it }) => pValue(it.wilcoxon_pratt?.p_value) }];
  const corrected = correction === "none" ? [] : [value(
    explained(correction === "holm" ? "Holm" : "BH", "The p that decides, corrected for the number of comparisons."), "corrected", ({ it }) => pValue(it.corrected))];
  return [
    ...(pair ? [value("A", "mean_a", ({ it }) => score(it.mean_a))] : []),
    value(pair ? "B" : "mean", "mean_b", ({ it }) => score(it.mean_b)),
    value(explained("difference", `Mean over the topics of ${after(document)}.`), "difference", ({ it }) => difference(it.difference)),
    value(`${exactPercent(confidence)} interval`, "interval", ({ it }) => it.t_test ? interval(it.t_test.ci_low, it.t_test.ci_high, difference) : none),
    { head: explained("p t", "Paired t test, two-sided."), cell: ({ it }) => pValue(it.t_test?.p_value) },
    { head: explained("p flip", "Sign-flip test, two-sided: no assumption but that signs are by chance."),
      cell: ({ it }) => pValue(it.sign_flip?.p_value) + (test === "t" && it.decided_by === "sign-flip" ? "*" : "") },
    ...wilcoxon, ...corrected,
    { head: "verdict", align: "start", cell: ({ it }) => it.words, attributes: ({ it }) => ({ class: `verdict ${toneOf(it)}` }) },
  ];
}

/** How large the differences are, and what so many topics can show. */
function effectTables(document: ComparisonDocument): HTMLElement[] {
  return groupsOf(document).map(({ title, rows }) => filledTable(rows, {
    caption: `${title}: how large, and what these topics can show`, captionShown: true, class: "compact effects", columns: [rowName(document), ...effectColumns()] }));
}

const effectColumns = (): Column[] => [
  { head: explained("topics", "With a value in both runs."), cell: ({ it }) => count(it.topics) },
  { head: explained("wins/ties/losses", "Topics where the later run is higher, the same, lower."), cell: ({ it }) => outcomes(it) },
  { head: explained("sd", "Standard deviation of the topics' differences."), cell: ({ it }) => score(it.t_test?.sd) },
  { head: explained("g_z", "Mean difference over its standard deviation, corrected for few topics (Hedges)."), cell: ({ it }) => difference(it.effect?.g_z, 3) },
  { head: explained("P(better)", "Chance that a topic is better: wins and half the ties, with its interval (Wilson)."), cell: ({ it }) => superiority(it) },
  { head: explained("detectable", "Smallest mean difference that so many topics show."), cell: ({ it }) => score(it.detectable) },
  { head: explained("needed", "Topics that it takes to show the difference."), cell: ({ it }) => count(it.topics_needed) },
];

function superiority({ effect }: MeasureComparison): string {
  if (!effect) return none;
  return `${effect.superiority.toFixed(2)} [${effect.superiority_low.toFixed(2)}, ${effect.superiority_high.toFixed(2)}]`;
}

/** Citations found, gained, lost and moved over all topics. */
function citations(document: ComparisonDocument): HTMLElement {
  const { moving_measure, pairs, words } = document.comparison;
  const small = about(...words.citations);
  if (pairs.some((pair) => pair.citations === null)) return section("Citations", small);
  const number = (head: string, explanation: string, value: (it: NonNullable<RunPair["citations"]>) => string): TableColumn<RunPair> =>
    ({ head: explained(head, explanation), cell: (pair) => value(pair.citations!) });
  return section("Citations", filledTable(pairs, {
    caption: `Citations within rank ${cutoffOf(moving_measure)}, over all topics`, captionShown: true, class: "compact totals",
    columns: [
      { head: "run", heads: true, align: "start", cell: (pair) => name(pair.words.b) },
      number("found", "Citations found by the baseline, and by this run.", (it) => `${count(it.found_a)} → ${count(it.found_b)}`),
      number("gained", "Found by this run only.", (it) => count(it.gained)),
      number("lost (far)", "Found by the baseline only; of those, in the first 80 % of the ranks.", (it) => `${count(it.lost)} (${count(it.lost_from_far)})`),
      number("up", "Found by both, earlier now.", (it) => count(it.moved_up)),
      number("down", "Found by both, later now.", (it) => count(it.moved_down)),
      number("same rank", "Found by both at the same rank.", (it) => count(it.same_rank)),
      number("emptied", "Topics that found something and now nothing.", (it) => count(it.topics_emptied)),
      number("filled", "Topics that found nothing and now something.", (it) => count(it.topics_filled)),
      number("p", "So many emptied by chance (McNemar, one-sided).", (it) => pValue(it.emptied_p_value)),
      number("fell", "Topics whose score fell by 0.2 or more.", (it) => count(it.topics_fell_far)),
      number("rose", "Topics whose score rose by 0.2 or more.", (it) => count(it.topics_rose_far)),
    ] }), small);
}

/** How the verdicts fare if citations are unknown; nothing if nobody asked. */
function robustness({ comparison, evaluation }: ComparisonDocument): Child {
  const drawn = comparison.robustness;
  if (!drawn) return null;
  const several = comparison.pairs.length > 1;
  const tables = drawn.options.fractions.map((fraction, index) => robustnessTable(drawn, fraction, several, comparison.pairs.flatMap((pair, place) =>
    evaluation.measures.flatMap((measure) => {
      const changes = drawn.pairs[place]!.measures[measure]?.changes[index];
      const it = pair.measures[measure]!;
      return changes ? [{ run: pair.b, measure, verdict: it.words, tone: toneOf(it), changes }] : [];
    }))));
  return section("Robustness", tables, about(...comparison.words.robustness));
}

/** What the topics of each run did, by a measure that the reader chooses. */
function topics(document: ComparisonDocument): HTMLElement {
  const { pairs, moving_measure } = document.comparison;
  const { measures } = document.evaluation;
  const runs = pairs.map((pair) => runTopics(document, pair));
  const show = (measure: string) => { for (const run of runs) run.show(measure); };
  const select = element("select", { "aria-label": "Measure of the plots and of the list of topics", onchange: () => show(select.value) },
    measures.map((measure) => element("option", { value: measure, text: meanName(measure) })));
  select.value = moving_measure ?? measures[0] ?? "";
  show(select.value);
  return section("Topics", element("div", { class: "bar" }, element("label", { class: "choice" }, "Measure", select)), runs.map((run) => run.element));
}

function runTopics(document: ComparisonDocument, pair: RunPair): { element: HTMLElement; show: (measure: string) => void } {
  const [a, b] = [shown(pair.words.a), shown(pair.words.b)];
  const plots = element("div", { class: "topic-plots" });
  const list = allTopics(a, b);
  const show = (measure: string) => {
    const options: TopicPlotOptions = { measure, a, b, topics: pair.measures[measure]?.per_topic ?? [],
      words: (topic) => `${shown(topic.topic)}: ${score(topic.a)} → ${score(topic.b)}, ${difference(topic.difference)}` };
    fill(plots, figure(waterfallPlot(options), `${meanName(measure)} of each topic: ${b} minus ${a}`),
      figure(scatterPlot(options), `${meanName(measure)} of each topic: ${b} over ${a}`));
    list.set(options.topics, `${meanName(measure)} of all topics`);
  };
  const content = [plots, moved(document, pair), element("details", { class: "fold" }, element("summary", { text: "All topics" }), list.element)];
  const run = isPair(document) ? element("div", {}, content)
    : element("details", { class: "run", open: true }, element("summary", {}, name(pair.b)), content);
  return { element: run, show };
}

function figure(drawing: HTMLElement, caption: string): HTMLElement {
  return element("figure", {}, element("figcaption", { text: caption }), drawing);
}

function moved(document: ComparisonDocument, pair: RunPair): Child {
  if (pair.moved.length === 0) return null;
  const words = { before: `rank in ${shown(pair.words.a)}`, after: `rank in ${shown(pair.words.b)}`, cutoff: cutoffOf(document.comparison.moving_measure) };
  return [element("h3", { text: shown(pair.words.moved) }), element("div", { class: "changed-topics" }, pair.moved.map((topic) => changedTopic(topic, words, true)))];
}
