import "../styles/reports.css";
import { armName } from "../arms.ts";
import type { Arm, Difference, Pair, Summary, TopicMove } from "../data/documents.ts";
import type { ReplayDocument } from "../data/report_documents.ts";
import { type Child, element } from "../dom.ts";
import { explained } from "../explain.ts";
import { count, counted, difference, interval, microseconds, milliseconds, none, outcomes, pValue, score } from "../format.ts";
import { meanName, measureExplanation } from "../measures.ts";
import { href } from "../place.ts";
import { forestPlot } from "../plots/forest.ts";
import type { Tone } from "../plots/plot.ts";
import { filledTable, type TableColumn } from "../table.ts";
import type { Context, ShownView } from "../view.ts";
import { about, changedTopic, cutoffOf, heading, leadOf, name, section, sentences, shown, subject, unfoldForPrinting } from "./parts.ts";

/** A finished replay at a glance: a report of `prescope replay`. Its topics and sweep are views of their own. */
export function replayView(context: Context): ShownView {
  const document = context.data.document as ReplayDocument;
  const { summary } = document;
  const view = element("div", { class: "view report" },
    heading(context.data.title ?? "Replay", outcome(summary)), element("section", { class: "card" }, subject(document.words.subject)),
    section("Arms", means(summary)), summary.pairs.map((pair) => differences(summary, pair)),
    section("Latency", latencies(summary), about("Latency counts queries, not topics. own: the plugin's time on the query thread, within the query's latency.")),
    summary.pairs.map((pair) => moves(pair)), sentences("Worth knowing", document.words.notes.map(shown)));
  return { element: view, close: unfoldForPrinting() };
}

function outcome({ pairs, arms }: Summary): Child {
  if (pairs.length === 0) return `One arm, ${counted(arms[0]?.topics_seen ?? 0, "topic")}.`;
  return leadOf(pairs.map(({ words }) => `${words.finished} ${words.finished_latency}`));
}

function toneOf({ verdict }: Difference): Tone {
  return verdict === "better" ? "good" : verdict === "worse" ? "bad" : "same";
}

function armColumn(summary: Summary): TableColumn<Arm> {
  return { head: "arm", heads: true, align: "start", cell: (arm) => armName(summary.arms.indexOf(arm), arm.name), attributes: (arm) => ({ "data-arm": arm.name }) };
}

function means(summary: Summary): HTMLElement {
  return filledTable<Arm>(summary.arms, { caption: "Means over topics", class: "compact means", columns: [
    armColumn(summary), { head: explained("topics", "Topics that this arm served."), cell: (arm) => count(arm.topics_seen) },
    ...summary.measures.map((measure): TableColumn<Arm> => ({
      head: explained(meanName(measure), measureExplanation(measure)), cell: (arm) => score(arm.means[measure]?.mean),
      explain: (arm) => meanLine(arm, measure), attributes: () => ({ "data-measure": measure }) })),
  ] });
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
      words: it.verdict === "no difference shown" ? "not shown" : it.verdict })) });
  return section(`${of}, topic by topic`, element("div", { class: "plot-and-table" }, plot.element, differenceTable(pair, rows)),
    element("p", { class: "latency-sentence" }, name(pair.words.finished_latency)), about(...aboutDifferences));
}

const aboutDifferences = [
  "Differences are over the topics in which both arms have a value, with their 95 % paired t interval and the p of the paired t test, two-sided:",
  "they hold for a finished run, not for looking while it still goes on. Not corrected for the number of measures.",
];

function differenceTable(pair: Pair, rows: { measure: string; it: Difference }[]): HTMLElement {
  return filledTable(rows, { caption: `Differences of ${pair.b} and ${pair.a}`, class: "compact differences", columns: [
    { head: "measure", heads: true, align: "start", cell: ({ measure }) => explained(meanName(measure), measureExplanation(measure)), attributes: ({ measure }) => ({ "data-measure": measure }) },
    { head: explained("topics", "With a value in both arms."), cell: ({ it }) => count(it.topics) },
    { head: "difference", cell: ({ it }) => difference(it.mean), attributes: () => ({ "data-value": "difference" }) },
    { head: "95 % interval", cell: ({ it }) => it.ci_low === null ? none : interval(it.ci_low, it.ci_high, difference), attributes: () => ({ "data-value": "interval" }) },
    { head: explained("p", "Paired t test, two-sided."), cell: ({ it }) => pValue(it.p_value) },
    { head: explained("wins/ties/losses", "Topics in which the second arm scores above, equal to, below the first."), cell: ({ it }) => outcomes(it) },
    { head: "verdict", align: "start", cell: ({ it }) => shown(it.words.finished), attributes: ({ it }) => ({ class: `verdict ${toneOf(it)}` }) },
  ] });
}

function latencies(summary: Summary): HTMLElement {
  const time = (key: "p50" | "p95" | "p99" | "max"): TableColumn<Arm> => ({
    head: key === "max" ? explained("max", "The longest that did not fail.") : explained(key, key), cell: (arm) => milliseconds(arm.latency_ms[key]) });
  return filledTable<Arm>(summary.arms, { caption: "Latency of a query, and of it the plugin's own time on the query thread", captionShown: true, class: "compact latency", columns: [
    armColumn(summary), { head: explained("queries", "Whose latency is known."), cell: (arm) => count(arm.latency_ms.count) },
    time("p50"), time("p95"), time("p99"), time("max"),
    { head: explained("own p50", "self-time"), cell: (arm) => microseconds(arm.self_time_us.p50) },
    { head: explained("own p99", "self-time"), cell: (arm) => microseconds(arm.self_time_us.p99) },
  ] });
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
  const made = changedTopic(move, { before: `rank, ${pair.a}`, after: `rank, ${pair.b}`, cutoff: cutoffOf(move.measure) }, true);
  made.append(element("p", { class: "bar" }, element("a", { href: href("topic", move.topic, { measure: move.measure, a: pair.a, b: pair.b }) }, "Its PRES curve and all its citations")));
  return made;
}
