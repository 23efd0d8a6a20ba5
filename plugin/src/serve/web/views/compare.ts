import type {
  ChangedTopic, CitationTotals, Comparison, ComparisonDocument, MeasureComparison, Robustness,
  RunPair, SliceDifference, TopicDifference, VerdictChanges,
} from "../data/documents.ts";
import { type Child, chooser, fill, html } from "../dom.ts";
import { meanName } from "../explain.ts";
import {
  count, counted, difference, exactPercent, fixed, interval, none, outcomes, pValue, score, size,
  visibleText,
} from "../format.ts";
import { forestPlot } from "../plots/forest.ts";
import { toneOf, toneOfVerdict } from "../plots/plot.ts";
import { scatterPlot, type TopicPlotOptions, waterfallPlot } from "../plots/topics.ts";
import {
  type Column, filledTable, nameColumn, numberColumn, type Sorting, type Table, table, textColumn,
} from "../table.ts";
import type { Context, ShownView } from "../view.ts";
import {
  about, changedTopic, cutoffOf, leadOf, measureColumn, name, report, section, sentences,
  sliceTitle, valueColumn, verdictColumn,
} from "./parts.ts";
import { byKey } from "./topic_list.ts";

/** Runs compared with a baseline run: a report of `prescope compare`. */
export function compareView({ data }: Context): ShownView {
  const { comparison } = data.document as ComparisonDocument;
  return report(data.title ?? "Comparison", verdicts(comparison), comparison.words.subject,
    comparisonCards(comparison), sentences("Worth knowing", comparison.notes.map(visibleText)));
}

/** The verdict about each pair. */
export const verdicts = ({ pairs }: Comparison) => leadOf(pairs.map((pair) => pair.words.verdict));

/** Returns a part to stand below a topic that moved. */
type More = (topic: ChangedTopic, pair: RunPair) => HTMLElement | null;

/** Differences, effects, citations, robustness and topics. */
export function comparisonCards(comparison: Comparison, more: More = () => null): Child[] {
  const effects = section("Effects", effectTables(comparison), about(...comparison.words.effects));
  return [differences(comparison), slices(comparison),
    html("div", { class: isPair(comparison) ? "two-tables" : "view" }, effects,
      citations(comparison)),
    robustness(comparison), topics(comparison, more)];
}

/** True if two runs were compared; else several were compared with a baseline. */
const isPair = ({ pairs }: Comparison) => pairs.length === 1;

const after = ({ pairs }: Comparison) => pairs.length === 1
  ? `${visibleText(pairs[0]!.words.b)} minus ${visibleText(pairs[0]!.words.a)}`
  : "run minus baseline";

interface Compared {
  pair: RunPair;
  measure: string;
  it: MeasureComparison;
}

/** The tables' contents: one table of all measures for two runs; else one for each measure. */
function groupsOf(comparison: Comparison): { title: string; rows: Compared[] }[] {
  const { measures, pairs } = comparison;
  const row = (pair: RunPair, measure: string) => ({ pair, measure, it: pair.measures[measure]! });
  return isPair(comparison)
    ? [{ title: after(comparison), rows: measures.map((measure) => row(pairs[0]!, measure)) }]
    : measures.map((measure) =>
      ({ title: meanName(measure), rows: pairs.map((pair) => row(pair, measure)) }));
}

function differences(comparison: Comparison): HTMLElement {
  const words = about(...comparison.words.differences);
  const shown = [forests(comparison), differenceTables(comparison)];
  return section("Differences",
    isPair(comparison) ? html("div.plot-and-table", shown) : shown, words);
}

function forests(comparison: Comparison): Child {
  const interval = `${exactPercent(comparison.options.confidence)} interval`;
  const of = `mean difference, ${after(comparison)}, with`;
  const drawn = groupsOf(comparison).map(({ title, rows }) => {
    const drawing = forestPlot({
      what: `Mean differences of ${isPair(comparison) ? "all measures" : title}: for each row the ` +
        `${of} its ${interval}; the numbers are in the table below.`,
      axis: `${of} ${interval}`, rows: rows.map(({ pair, measure, it }) => ({
        label: isPair(comparison) ? meanName(measure) : visibleText(pair.b), mean: it.difference,
        low: it.t_test?.ci_low ?? null, high: it.t_test?.ci_high ?? null,
        tone: toneOfVerdict(it.verdict), words: it.words })) });
    return isPair(comparison) ? drawing : html("div", html("h3", title), drawing);
  });
  return isPair(comparison) ? drawn : html("div.columns", drawn);
}

const rowName = (comparison: Comparison): Column<Compared> =>
  isPair(comparison) ? measureColumn() : nameColumn("run", ({ pair }) => name(pair.b));

function differenceTables(comparison: Comparison): HTMLElement[] {
  return groupsOf(comparison).map(({ title, rows }, index) => {
    const baseline = `, baseline ${score(comparison.baseline_means[index])}`;
    return filledTable(rows, { caption: isPair(comparison) ? title : title + baseline,
      captionShown: true, class: "compact differences" }, differenceColumns(comparison));
  });
}

function differenceColumns(comparison: Comparison): (Column<Compared> | false)[] {
  const { confidence, correction, test } = comparison.options;
  const { words } = comparison.pairs[0]!;
  const isFlipped = (it: MeasureComparison) => test === "t" && it.decided_by === "sign-flip";
  return [
    rowName(comparison),
    isPair(comparison) && valueColumn(name(words.a), "mean_a", ({ it }) => score(it.mean_a)),
    valueColumn(isPair(comparison) ? name(words.b) : "mean", "mean_b",
      ({ it }) => score(it.mean_b)),
    valueColumn("difference", "difference", ({ it }) => difference(it.difference),
      `Mean over the topics of ${after(comparison)}.`),
    valueColumn(`${exactPercent(confidence)} interval`, "interval", ({ it: { t_test: t } }) =>
      t ? interval(t.ci_low, t.ci_high) : none),
    numberColumn("p t", ({ it }) => pValue(it.t_test?.p_value),
      { about: "Paired t test, two-sided." }),
    numberColumn("p flip", ({ it }) => pValue(it.sign_flip?.p_value) + (isFlipped(it) ? "*" : ""),
      { about: "Sign-flip test, two-sided: no assumption but that signs are by chance." }),
    test === "wilcoxon" && numberColumn("p Wilcoxon", ({ it }) => pValue(it.wilcoxon?.p_value),
      { about: "Signed-rank test as in the PRES paper." }),
    test === "wilcoxon" && numberColumn("(Pratt)", ({ it }) => pValue(it.wilcoxon_pratt?.p_value)),
    correction !== "none" && valueColumn(correction === "holm" ? "Holm" : "BH", "corrected",
      ({ it }) => pValue(it.corrected),
      "The p that decides, corrected for the number of comparisons."),
    verdictColumn(({ it }) => it.words, ({ it }) => toneOfVerdict(it.verdict)),
  ];
}

/** Who wins where, by the first measure; null without slices. */
function slices(comparison: Comparison): Child {
  const { measures, pairs, words } = comparison;
  if (words.slices.length === 0) return null;
  const groups = pairs.flatMap((pair) => {
    const dimensions = [...new Set(pair.slices.map((slice) => slice.dimension))];
    return dimensions.map((dimension) => ({ pair, dimension,
      rows: pair.slices.filter((slice) => slice.dimension === dimension) }));
  });
  const leads = pairs.filter((pair) => pair.words.slices)
    .map((pair) => html("p", visibleText(pair.words.slices)));
  return section("Slices", leads, groups.map(({ pair, dimension, rows }) => {
    const title = `${meanName(measures[0]!)} by ${visibleText(dimension)}, ` +
      (isPair(comparison) ? after(comparison) : visibleText(pair.words.b));
    return html("div.plot-and-table", sliceForest(comparison, title, rows),
      sliceTable(comparison, pair, title, dimension, rows));
  }), about(...words.slices));
}

function sliceForest(comparison: Comparison, title: string, rows: SliceDifference[]): Child {
  const interval = `${exactPercent(comparison.options.confidence)} interval`;
  return forestPlot({ what: `${title}: the mean difference of each slice with its ${interval}; ` +
    "the numbers are in the table beside it.", axis: `mean difference with ${interval}`,
  rows: rows.map((slice) => ({ label: sliceTitle(slice), mean: slice.difference,
    low: slice.ci_low, high: slice.ci_high, tone: toneOfVerdict(slice.verdict),
    words: slice.words })) });
}

function sliceTable(comparison: Comparison, pair: RunPair, title: string, dimension: string,
  rows: SliceDifference[]): HTMLElement {
  return filledTable(rows, { caption: title, captionShown: true, class: "compact slices" }, [
    nameColumn(visibleText(dimension), sliceTitle),
    numberColumn("topics", ({ units }) => count(units),
      { about: "Topics with a value in both runs, or their families if there is a family map." }),
    numberColumn(name(pair.words.a), (slice) => score(slice.mean_a)),
    numberColumn(name(pair.words.b), (slice) => score(slice.mean_b)),
    numberColumn("difference", (slice) => difference(slice.difference)),
    numberColumn(`${exactPercent(comparison.options.confidence)} interval`, (slice) =>
      slice.ci_low === null ? none : interval(slice.ci_low, slice.ci_high)),
    numberColumn("p", (slice) => pValue(slice.corrected),
      { about: "Of the paired t test, corrected over all slices that may speak." }),
    numberColumn("rest", (slice) => pValue(slice.against_rest),
      { about: "Does the slice differ from the other topics? Welch's t, corrected." }),
    verdictColumn((slice) => slice.words, (slice) => toneOfVerdict(slice.verdict)),
  ]);
}

function effectTables(comparison: Comparison): HTMLElement[] {
  return groupsOf(comparison).map(({ title, rows }) => filledTable(rows,
    { caption: `${title}: how large, and what these topics can show`, captionShown: true,
      class: "compact effects" },
    [rowName(comparison), ...effectColumns.map(([head, about, cell]) =>
      numberColumn<Compared>(head, ({ it }) => cell(it), { about }))]));
}

const effectColumns: [string, string, (it: MeasureComparison) => string][] = [
  ["topics", "With a value in both runs.", (it) => count(it.topics)],
  ["wins/ties/losses", "Topics in which the later run is higher, the same, lower.", outcomes],
  ["sd", "Standard deviation of the topics' differences.", (it) => score(it.t_test?.sd)],
  ["g_z", "Mean difference over its standard deviation, corrected for few topics (Hedges).",
    (it) => difference(it.effect?.g_z, 3)],
  ["P(better)",
    "Chance that a topic is better: wins and half the ties, with its interval (Wilson).",
    superiority],
  ["detectable", "Smallest mean difference that so many topics show.",
    (it) => score(it.detectable)],
  ["needed", "Topics that it takes to show the difference.", (it) => count(it.topics_needed)],
];

function superiority({ effect }: MeasureComparison): string {
  if (!effect) return none;
  const [at, low, high] = [effect.superiority, effect.superiority_low, effect.superiority_high]
    .map((value) => fixed(value, 2));
  return `${at} [${low}, ${high}]`;
}

function citations(comparison: Comparison): HTMLElement {
  const { moving_measure, pairs, words } = comparison;
  const small = about(...words.citations);
  if (pairs.some((pair) => pair.citations === null)) return section("Citations", small);
  const caption = `Citations within rank ${cutoffOf(moving_measure)}, over all topics`;
  return section("Citations", filledTable(pairs,
    { caption, captionShown: true, class: "compact totals" },
    [nameColumn("run", (pair) => name(pair.words.b)), ...totalColumns.map(([head, about, cell]) =>
      numberColumn<RunPair>(head, (pair) => cell(pair.citations!), { about }))]), small);
}

const totalColumns: [string, string, (it: CitationTotals) => string][] = [
  ["found", "Citations found by the baseline, and by this run.",
    (it) => `${count(it.found_a)} → ${count(it.found_b)}`],
  ["gained", "Found by this run only.", (it) => count(it.gained)],
  ["lost (far)", "Found by the baseline only; of those, in the first 80 % of the ranks.",
    (it) => `${count(it.lost)} (${count(it.lost_from_far)})`],
  ["up", "Found by both, earlier now.", (it) => count(it.moved_up)],
  ["down", "Found by both, later now.", (it) => count(it.moved_down)],
  ["same rank", "Found by both at the same rank.", (it) => count(it.same_rank)],
  ["emptied", "Topics that found something and now nothing.", (it) => count(it.topics_emptied)],
  ["filled", "Topics that found nothing and now something.", (it) => count(it.topics_filled)],
  ["p", "So many emptied by chance (McNemar, one-sided).", (it) => pValue(it.emptied_p_value)],
  ["fell", "Topics whose score fell by 0.2 or more.", (it) => count(it.topics_fell_far)],
  ["rose", "Topics whose score rose by 0.2 or more.", (it) => count(it.topics_rose_far)],
];

/** Stability of the verdicts if citations are unknown; null if it was not asked for. */
function robustness({ measures, pairs, robustness: drawn, words }: Comparison): Child {
  if (!drawn) return null;
  const tables = drawn.options.fractions.map((_fraction, index) =>
    robustnessTable(drawn, index, pairs.length > 1, pairs.flatMap((pair, place) =>
      measures.flatMap((measure) => {
        const changes = drawn.pairs[place]!.measures[measure]?.changes[index];
        return changes ? [{ pair, measure, it: pair.measures[measure]!, changes }] : [];
      }))));
  return section("Robustness", tables, about(...words.robustness));
}

/** Counts of verdicts that stay, are lost, appear and reverse with a fraction of the citations. */
function robustnessTable({ options }: Robustness, index: number, namesRuns: boolean,
  rows: (Compared & { changes: VerdictChanges })[]): HTMLElement {
  type Row = (typeof rows)[number];
  const share = (key: "same" | "lost" | "appeared" | "reversed", about: string) =>
    numberColumn<Row>(key, ({ changes }) =>
      `${changes[key]} (${exactPercent(changes[key] / changes.samples)})`, { about,
      attributes: ({ changes }) =>
        ({ class: key === "reversed" && changes.reversed > 0 ? "bad" : "" }) });
  const caption = `Were ${exactPercent(1 - options.fractions[index]!)} of the citations unknown: ` +
    `verdicts over ${counted(options.samples, "draw")}`;
  return filledTable(rows, { caption, captionShown: true, class: "compact robustness" }, [
    nameColumn("measure", ({ measure }) => meanName(measure)),
    namesRuns && textColumn("run", ({ pair }) => name(pair.b)),
    verdictColumn(({ it }) => it.words, ({ it }) => toneOfVerdict(it.verdict),
      "Verdict of the test with all citations."),
    share("same", "The verdict is as with all citations."),
    share("lost", "A difference is no longer shown."),
    share("appeared", "A difference is now shown."),
    share("reversed", "The other one comes out better."),
    numberColumn("difference", ({ changes }) =>
      `${difference(changes.lowest_difference)} to ${difference(changes.highest_difference)}`,
    { about: "Lowest and highest mean difference of the draws." }),
  ]);
}

/** The topics of each run by a measure that the reader chooses. */
function topics(comparison: Comparison, more: More): HTMLElement {
  const { measures, pairs, moving_measure } = comparison;
  const runs = pairs.map((pair) => runTopics(comparison, pair, more));
  const show = (measure: string) => { for (const run of runs) run.show(measure); };
  const choice = chooser("Measure", show, "Measure of the plots and of the list of topics");
  const first = moving_measure ?? measures[0] ?? "";
  choice.set(measures.map((measure) => ({ value: measure, text: meanName(measure) })), first);
  show(first);
  return section("Topics", html("div.bar", choice.element), runs.map((run) => run.element));
}

function runTopics(comparison: Comparison, pair: RunPair, more: More) {
  const [a, b] = [visibleText(pair.words.a), visibleText(pair.words.b)];
  const plots = html("div.topic-plots");
  const list = allTopics(a, b);
  const figure = (caption: string, drawing: HTMLElement) =>
    html("figure", html("figcaption", caption), drawing);
  const show = (measure: string) => {
    const compared = pair.measures[measure]!;
    const options: TopicPlotOptions = { measure, a, b, compared, words: (of) =>
      `${visibleText(of.topic)}: ${score(of.a)} → ${score(of.b)}, ${difference(of.difference)}` };
    const caption = `${meanName(measure)} of each topic: ${b}`;
    fill(plots, figure(`${caption} minus ${a}`, waterfallPlot(options)),
      figure(`${caption} over ${a}`, scatterPlot(options)));
    list.set(compared.per_topic, `${meanName(measure)} of all topics`);
  };
  const content = [plots, moved(comparison, pair, more),
    html("details.fold", html("summary", "All topics"), list.element)];
  const element = isPair(comparison) ? html("div", content)
    : html("details.run", { open: true }, html("summary", name(pair.b)), content);
  return { element, show };
}

function moved({ moving_measure }: Comparison, pair: RunPair, more: More): Child {
  const { moved: topics, words } = pair;
  const labels = {
    before: `rank in ${words.a}`, after: `rank in ${words.b}`, cutoff: cutoffOf(moving_measure) };
  const shown = (topic: ChangedTopic) => {
    const element = changedTopic(topic, labels, true);
    const part = more(topic, pair);
    if (part) element.append(part);
    return element;
  };
  return topics.length > 0 && [html("h3", visibleText(words.moved)),
    html("div.changed-topics", topics.map(shown))];
}

const topicsOnAPage = 25;

/** Every topic that was compared: sorted by any column, searched by name, a page at a time. */
function allTopics(a: string, b: string) {
  let topics: TopicDifference[] = [], sorted: Sorting = { sort: "size", order: "desc" }, page = 0;
  const turn = (to: number) => {
    page = to;
    show();
  };
  const element = html("div.all-topics");
  const status = html("p.sub", { role: "status" });
  const search = html("input", { type: "search", placeholder: "Part of a topic's id",
    "aria-label": "Search topics", oninput: () => turn(0) });
  const earlier = html("button", { type: "button", onclick: () => turn(page - 1) }, "Previous");
  const later = html("button", { type: "button", onclick: () => turn(page + 1) }, "Next");
  let rows: Table<TopicDifference>;
  const show = () => {
    const wanted = search.value.toLowerCase();
    const found = topics.filter(({ topic }) => topic.toLowerCase().includes(wanted));
    found.sort(byKey((of) => sorted.sort === "size" ? Math.abs(of.difference)
      : of[sorted.sort as keyof TopicDifference], sorted.order));
    const pages = Math.max(1, Math.ceil(found.length / topicsOnAPage));
    rows.set(found.slice(page * topicsOnAPage, (page + 1) * topicsOnAPage), { sorted });
    status.textContent = `${wanted ? `${count(found.length)} of ` : ""}${
      counted(topics.length, "topic")}, page ${page + 1} of ${pages}`;
    earlier.disabled = page === 0;
    later.disabled = page + 1 >= pages;
  };
  const set = (now: TopicDifference[], caption: string) => {
    topics = now;
    rows = topicTable(caption, a, b, (sorting) => {
      sorted = sorting;
      turn(0);
    });
    fill(element, html("div.bar", search, status, earlier, later), rows.element);
    turn(0);
  };
  return { element, set };
}

function topicTable(caption: string, a: string, b: string, onSort: (sorting: Sorting) => void) {
  const sort = (sort: string, order: Sorting["order"]) => ({ sorting: { sort, order } });
  return table<TopicDifference>({ caption, class: "compact", onSort }, [
    nameColumn("topic", (each) => name(each.topic), sort("topic", "asc")),
    numberColumn(a, (each) => score(each.a), sort("a", "desc")),
    numberColumn(b, (each) => score(each.b), sort("b", "desc")),
    numberColumn("difference", (each) => difference(each.difference),
      { ...sort("difference", "asc"), attributes: (each) => ({ class: toneOf(each.difference) }) }),
    numberColumn("size", (each) => size(each.difference), sort("size", "desc")),
  ]);
}
