import "../styles/reports.css";
import type { ComparisonDocument, RunPair } from "../data/comparison_document.ts";
import { type Child, element, fill } from "../dom.ts";
import { difference, meanName, score } from "../format.ts";
import { type ForestRow, forestPlot } from "../plots/forest.ts";
import { scatterPlot } from "../plots/scatter.ts";
import { type TopicPlotOptions, waterfallPlot } from "../plots/waterfall.ts";
import { exactPercent } from "../statistics_format.ts";
import type { Context, ShownView } from "../view.ts";
import { allTopics } from "./all_topics.ts";
import { changedTopic } from "./changed_topic.ts";
import { cutoffOf } from "./citation_changes.ts";
import { type Compared, citationTable, differenceTables, effectTables, groupsOf } from "./comparison_tables.ts";
import {
  aboutCitations, aboutDifferences, aboutEffects, after, isPair, measureLine, movedTitle, noCitations, pairSentence, shortNames,
  subjectLines, toneOf, verdictWords,
} from "./comparison_words.ts";
import { robustnessSection } from "./robustness.ts";
import { about, heading, name, section, sentences, shown, subject, unfoldForPrinting } from "./parts.ts";

/** Runs compared with a baseline run: a report of `prescope compare`. */
export function compareView(context: Context): ShownView {
  const document = context.data.document as ComparisonDocument;
  const view = element("div", { class: "view report" },
    heading(context.data.title ?? "Comparison", leadOf(document)), element("section", { class: "card" }, subject(subjectLines(document))),
    differences(document),
    element("div", { class: isPair(document) ? "two-tables" : "view" }, section("Effects", effectTables(document), about(...aboutEffects(document))), citations(document)),
    robustnessSection(document), topics(document), sentences("Worth knowing", document.comparison.notes.map(shown)));
  return { element: view, close: unfoldForPrinting() };
}

function leadOf(document: ComparisonDocument): Child {
  const lines = document.comparison.pairs.map((pair) => pairSentence(pair, document.evaluation.measures));
  return lines.length === 1 ? lines[0] : element("ul", { class: "sentences" }, lines.map((text) => element("li", { text })));
}

function differences(document: ComparisonDocument): HTMLElement {
  const words = about(...aboutDifferences(document));
  if (!isPair(document)) return section("Differences", forests(document), differenceTables(document), words);
  return section("Differences", element("div", { class: "plot-and-table" }, forests(document), differenceTables(document)), words);
}

function forests(document: ComparisonDocument): Child {
  const interval = `${exactPercent(document.comparison.options.confidence)} interval`;
  const drawn = groupsOf(document).map(({ title, rows }) => {
    const of = isPair(document) ? "all measures" : title;
    const drawing = forestPlot({
      what: `Mean differences of ${of}: for each row the mean difference, ${after(document)}, with its ${interval}; the numbers are in the table below.`,
      axis: `mean difference, ${after(document)}, with ${interval}`, rows: rows.map((row) => forestRow(document, row)) });
    return isPair(document) ? drawing.element : element("div", {}, element("h3", { text: title }), drawing.element);
  });
  return isPair(document) ? drawn : element("div", { class: "columns" }, drawn);
}

function forestRow(document: ComparisonDocument, { pair, measure, it }: Compared): ForestRow {
  return { label: isPair(document) ? meanName(measure) : shown(pair.b), mean: it.difference, low: it.t_test?.ci_low ?? null,
    high: it.t_test?.ci_high ?? null, tone: toneOf(it), words: verdictWords(document, it), hint: measureLine(document, measure, it) };
}

function citations(document: ComparisonDocument): Child {
  const { moving_measure, pairs } = document.comparison;
  if (moving_measure === null || pairs.some((pair) => pair.citations === null)) return section("Citations", about(noCitations));
  return section("Citations", citationTable(document), about(aboutCitations(moving_measure, cutoffOf(moving_measure)!)));
}

/** Of each run what its topics did, by a measure that the reader chooses. */
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
  const { a, b } = shortNames(document, pair);
  const plots = element("div", { class: "topic-plots" });
  const list = allTopics(a, b);
  const show = (measure: string) => {
    const options = plotOptions(pair, measure, a, b);
    fill(plots, figure(waterfallPlot(options), `${meanName(measure)} of each topic: ${b} minus ${a}`),
      figure(scatterPlot(options), `${meanName(measure)} of each topic: ${b} over ${a}`));
    list.set(options.topics, `${meanName(measure)} of all topics`);
  };
  const content = [plots, moved(document, pair), element("details", { class: "fold" }, element("summary", { text: "All topics" }), list.element)];
  const run = isPair(document) ? element("div", {}, content)
    : element("details", { class: "run", open: true }, element("summary", {}, name(pair.b)), content);
  return { element: run, show };
}

function plotOptions(pair: RunPair, measure: string, a: string, b: string): TopicPlotOptions {
  return { measure, a, b, topics: pair.measures[measure]?.per_topic ?? [],
    words: (topic) => `${shown(topic.topic)}: ${score(topic.a)} → ${score(topic.b)}, ${difference(topic.difference)}` };
}

function figure(drawing: HTMLElement, caption: string): HTMLElement {
  return element("figure", {}, element("figcaption", { text: caption }), drawing);
}

function moved(document: ComparisonDocument, pair: RunPair): Child {
  if (pair.moved.length === 0) return null;
  const { a, b } = shortNames(document, pair);
  const words = { before: `rank in ${a}`, after: `rank in ${b}`, cutoff: cutoffOf(document.comparison.moving_measure) };
  return [element("h3", { text: movedTitle(document, pair) }), element("div", { class: "changed-topics" }, pair.moved.map((topic) => changedTopic({
    topic: topic.topic, before: topic.a, after: topic.b, difference: topic.difference, numRel: topic.num_rel, fails: [],
    citations: topic.citations.map((each) => ({ docno: each.docno, grade: each.grade, before: each.rank_a, after: each.rank_b, share: each.share })),
  }, words, true)))];
}
