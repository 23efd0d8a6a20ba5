import "../styles/reports.css";
import { armName } from "../arms.ts";
import type { Arm, Difference, Pair, Summary, TopicMove } from "../data/documents.ts";
import type { ReplayDocument } from "../data/replay_document.ts";
import { type Child, element } from "../dom.ts";
import { explained, measureExplanation } from "../explain.ts";
import { count, counted, difference, interval, meanName, microseconds, milliseconds, none, score } from "../format.ts";
import { href } from "../place.ts";
import { forestPlot } from "../plots/forest.ts";
import { outcomes, pValue } from "../statistics_format.ts";
import { type TableColumn, table } from "../table.ts";
import type { Context, ShownView } from "../view.ts";
import { changedTopic } from "./changed_topic.ts";
import { cutoffOf } from "./citation_changes.ts";
import { about, heading, name, section, sentences, subject, unfoldForPrinting } from "./parts.ts";
import { aboutDifferences, aboutLatency, differenceLine, latencySentence, oddities, pairSentence, subjectLines, toneOf, verdictWords } from "./replay_words.ts";

/** A finished replay at a glance: a report of `prescope replay`. Its topics and sweep are views of their own. */
export function replayView(context: Context): ShownView {
  const document = context.data.document as ReplayDocument;
  const { summary } = document;
  const view = element("div", { class: "view report" },
    heading(context.data.title ?? "Replay", leadOf(summary)), element("section", { class: "card" }, subject(subjectLines(document))),
    section("Arms", means(summary)), summary.pairs.map((pair) => differences(summary, pair)),
    section("Latency", latencies(summary), about(aboutLatency)),
    summary.pairs.map((pair) => moves(pair)), sentences("Worth knowing", oddities(document)));
  return { element: view, close: unfoldForPrinting() };
}

function leadOf(summary: Summary): Child {
  const lines = summary.pairs.map((pair) => pairSentence(pair, summary.measures));
  if (lines.length === 0) return `One arm, ${counted(summary.arms[0]?.topics_seen ?? 0, "topic")}.`;
  return lines.length === 1 ? lines[0] : element("ul", { class: "sentences" }, lines.map((text) => element("li", { text })));
}

function armColumn(summary: Summary): TableColumn<Arm> {
  return { head: "arm", heads: true, align: "start", cell: (arm) => armName(summary.arms.indexOf(arm), arm.name), attributes: (arm) => ({ "data-arm": arm.name }) };
}

function means(summary: Summary): HTMLElement {
  const made = table<Arm>({ caption: "Means over topics", class: "compact means", columns: [
    armColumn(summary), { head: explained("topics", "Topics that this arm served."), cell: (arm) => count(arm.topics_seen) },
    ...summary.measures.map((measure): TableColumn<Arm> => ({
      head: explained(meanName(measure), measureExplanation(measure)), cell: (arm) => score(arm.means[measure]?.mean),
      explain: (arm) => meanLine(arm, measure), attributes: () => ({ "data-measure": measure }) })),
  ] });
  made.set(summary.arms);
  return made.element;
}

function meanLine(arm: Arm, measure: string): string | null {
  const mean = arm.means[measure];
  if (!mean) return null;
  return `${score(mean.mean)} over the ${counted(mean.topics, "topic")} with a value; ${score(mean.mean_over_all)} over all topics with relevant documents, 0 where there is none.`;
}

function differences(summary: Summary, pair: Pair): HTMLElement {
  const of = `${pair.b} minus ${pair.a}`;
  const rows = summary.measures.map((measure) => ({ measure, it: pair.differences[measure]! })).filter(({ it }) => it);
  const plot = forestPlot({ what: `Mean differences, ${of}, with their 95 % intervals; the numbers are in the table.`, axis: `mean difference, ${of}, with 95 % interval`,
    rows: rows.map(({ measure, it }) => ({ label: meanName(measure), mean: it.mean, low: it.ci_low, high: it.ci_high, tone: toneOf(it),
      words: shortVerdict(it), hint: differenceLine(measure, it) })) });
  const latency = latencySentence(pair);
  return section(`${of}, topic by topic`, element("div", { class: "plot-and-table" }, plot.element, differenceTable(pair, rows)),
    latency ? element("p", { class: "latency-sentence" }, name(latency)) : null, about(aboutDifferences));
}

function shortVerdict(it: Difference): string {
  return it.verdict === "no difference shown" ? "not shown" : it.verdict;
}

function differenceTable(pair: Pair, rows: { measure: string; it: Difference }[]): HTMLElement {
  const made = table<{ measure: string; it: Difference }>({ caption: `Differences of ${pair.b} and ${pair.a}`, class: "compact differences", columns: [
    { head: "measure", heads: true, align: "start", cell: ({ measure }) => explained(meanName(measure), measureExplanation(measure)), attributes: ({ measure }) => ({ "data-measure": measure }) },
    { head: explained("topics", "With a value in both arms."), cell: ({ it }) => count(it.topics) },
    { head: "difference", cell: ({ it }) => difference(it.mean), attributes: () => ({ "data-value": "difference" }) },
    { head: "95 % interval", cell: ({ it }) => it.ci_low === null ? none : interval(it.ci_low, it.ci_high, difference), attributes: () => ({ "data-value": "interval" }) },
    { head: explained("p", "Paired t test, two-sided."), cell: ({ it }) => pValue(it.p_value) },
    { head: explained("wins/ties/losses", "Topics in which the second arm scores above, equal to, below the first."), cell: ({ it }) => outcomes(it) },
    { head: "verdict", align: "start", cell: ({ it }) => verdictWords(it, pair), attributes: ({ it }) => ({ class: `verdict ${toneOf(it)}` }) },
  ] });
  made.set(rows);
  return made.element;
}

function latencies(summary: Summary): HTMLElement {
  const time = (key: "p50" | "p95" | "p99" | "max"): TableColumn<Arm> => ({
    head: key === "max" ? explained("max", "The longest that did not fail.") : explained(key, key), cell: (arm) => milliseconds(arm.latency_ms[key]) });
  const made = table<Arm>({ caption: "Latency of a query, and of it the plugin's own time on the query thread", captionShown: true, class: "compact latency", columns: [
    armColumn(summary), { head: explained("queries", "Whose latency is known."), cell: (arm) => count(arm.latency_ms.count) },
    time("p50"), time("p95"), time("p99"), time("max"),
    { head: explained("own p50", "self-time"), cell: (arm) => microseconds(arm.self_time_us.p50) },
    { head: explained("own p99", "self-time"), cell: (arm) => microseconds(arm.self_time_us.p99) },
  ] });
  made.set(summary.arms);
  return made.element;
}

const movesShown = 10;

/** The topics that moved most; each leads to the topic's own view. */
function moves(pair: Pair): Child {
  if (pair.moves.length === 0) return null;
  const first = pair.moves.slice(0, movesShown);
  const title = `${counted(first.length, "topic")} that moved most, of ${count(pair.moves.length)}: ${first[0]!.measure}, ${pair.a} → ${pair.b}, and each citation's share`;
  return section("Topics that moved", element("p", { class: "sub" }, name(title), " ", element("a", { href: href("topics", { measure: first[0]!.measure, a: pair.a, b: pair.b }) }, "All topics")),
    element("div", { class: "changed-topics" }, first.map((move) => movedTopic(pair, move))));
}

function movedTopic(pair: Pair, move: TopicMove): HTMLElement {
  const made = changedTopic({
    topic: move.topic, before: move.a, after: move.b, difference: move.difference, numRel: move.num_rel, fails: [],
    citations: move.citations.map((each) => ({ docno: each.docno, grade: each.grade, before: each.rank_a, after: each.rank_b, share: each.share })),
  }, { before: `rank, ${pair.a}`, after: `rank, ${pair.b}`, cutoff: cutoffOf(move.measure) }, true);
  made.append(element("p", { class: "bar" }, element("a", { href: href("topic", move.topic, { measure: move.measure, a: pair.a, b: pair.b }) }, "Its PRES curve and all its citations")));
  return made;
}
