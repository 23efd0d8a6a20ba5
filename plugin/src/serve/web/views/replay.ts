import { armName } from "../arms.ts";
import type {
  Arm, FinishedPair as Pair, FinishedSummary as Summary, ReplayDocument, TestedDifference,
} from "../data/documents.ts";
import { type Child, html } from "../dom.ts";
import { explainedMean, meanName } from "../explain.ts";
import {
  count, counted, difference, interval, outcomes, pValue, score, visibleText,
} from "../format.ts";
import { forestPlot } from "../plots/forest.ts";
import { toneOfVerdict } from "../plots/plot.ts";
import { filledTable, nameColumn, numberColumn } from "../table.ts";
import { type Context, href, type ShownView } from "../view.ts";
import { selfTimeTable } from "./health.ts";
import { explainMean } from "./overview.ts";
import { latencyTable } from "./overview_charts.ts";
import {
  about, changedTopic, cutoffOf, leadOf, measureColumn, name, report, section, sentences,
  valueColumn, verdictColumn,
} from "./parts.ts";

/** A finished replay at a glance: a report of `prescope replay`. */
export function replayView({ data }: Context): ShownView {
  const { summary, words } = data.document as ReplayDocument;
  const { pairs } = summary;
  return report(data.title ?? "Replay", outcome(summary), words.subject,
    section("Arms", means(summary)), pairs.map((pair) => differences(summary, pair)),
    latencies(summary), pairs.map(moves), sentences("Worth knowing", words.notes.map(visibleText)));
}

function outcome({ pairs, arms }: Summary): Child {
  if (pairs.length === 0) return `One arm, ${counted(arms[0]?.topics_seen ?? 0, "topic")}.`;
  return leadOf(pairs.map(({ words }) => `${words.finished} ${words.finished_latency}`));
}

function means(summary: Summary): HTMLElement {
  return filledTable(summary.arms, { caption: "Means over topics", class: "compact means" }, [
    nameColumn("arm", ({ name }, index) => armName(index, name),
      { attributes: ({ name }) => ({ "data-arm": name }) }),
    numberColumn("topics", (arm) => count(arm.topics_seen),
      { about: "Topics that this arm served." }),
    ...summary.measures.map((measure) => numberColumn<Arm>(explainedMean(measure),
      ({ means }) => score(means[measure]?.mean), {
        explain: (arm) => explainMean(arm, measure),
        attributes: { "data-measure": measure } })),
  ]);
}

interface Row {
  measure: string;
  it: TestedDifference;
}

function differences(summary: Summary, pair: Pair): HTMLElement {
  const of = visibleText(`${pair.b} minus ${pair.a}`);
  const rows = summary.measures.map((measure) => ({ measure, it: pair.differences[measure]! }))
    .filter(({ it }) => it);
  const plot = forestPlot({
    what: `Mean differences, ${of}, with their 95 % intervals; the numbers are in the table.`,
    axis: `mean difference, ${of}, with 95 % interval`,
    rows: rows.map(({ measure, it }) => ({ label: meanName(measure), mean: it.mean,
      low: it.ci_low, high: it.ci_high, tone: toneOfVerdict(it.verdict),
      words: it.mean === null ? "not compared"
        : it.verdict === "no difference shown" ? "not shown" : it.verdict })) });
  return section(`${of}, topic by topic`,
    html("div.plot-and-table", plot, differenceTable(pair, rows)),
    html("p", name(pair.words.finished_latency)),
    about("Differences are over the topics in which both arms have a value, with their 95 % " +
      "paired t interval and the p of the test that decides, two-sided: they hold for a finished " +
      "run, not for looking while it still goes on. Not corrected for the number of measures."));
}

function differenceTable({ a, b }: Pair, rows: Row[]): HTMLElement {
  return filledTable(rows,
    { caption: visibleText(`Differences of ${b} and ${a}`), class: "compact differences" }, [
      measureColumn(),
      numberColumn("topics", ({ it }) => count(it.topics), { about: "With a value in both arms." }),
      valueColumn("difference", "difference", ({ it }) => difference(it.mean)),
      valueColumn("95 % interval", "interval", ({ it }) => interval(it.ci_low, it.ci_high)),
      numberColumn("p", ({ it }) => pValue(it.p_value), {
        about: "Two-sided, of the test that decides.",
        explain: ({ it }) => visibleText(it.words.grounds) }),
      numberColumn("wins/ties/losses", ({ it }) => outcomes(it),
        { about: "Topics in which the second arm scores above, equal to, below the first." }),
      verdictColumn(
        ({ it }) => visibleText(it.words.finished), ({ it }) => toneOfVerdict(it.verdict)),
    ]);
}

function latencies({ arms }: Summary): HTMLElement {
  const latency = latencyTable("Latency of queries", "latency_ms"), own = selfTimeTable();
  for (const each of [latency, own]) each.set(arms);
  return section("Latency", latency.element, html("h3", "The plugin's own time"), own.element,
    about("Latency counts queries, not topics. The plugin's own time on the query thread is " +
      "within the query's latency."));
}

const movesShown = 10;

/** The topics that moved most; each leads to the topic's own view. */
function moves({ a, b, moves: all }: Pair): Child {
  const shownMoves = all.slice(0, movesShown);
  const [first] = shownMoves;
  if (!first) return null;
  const { measure } = first;
  const address = href("topics", { measure, a, b });
  const title = `${counted(shownMoves.length, "topic")} that moved most, of ${count(all.length)}: ${
    measure}, ${a} → ${b}, and each citation's share`;
  return section("Topics that moved",
    html("p.sub", name(title), " ", html("a", { href: address }, "All topics")),
    html("div.changed-topics", shownMoves.map((move) => movedTopic(move, a, b))));
}

function movedTopic(move: Pair["moves"][number], a: string, b: string): HTMLElement {
  const { topic, measure } = move;
  const words = { before: `rank, ${a}`, after: `rank, ${b}`, cutoff: cutoffOf(measure) };
  const made = changedTopic(move, words, true);
  made.append(html("p.bar", html("a", { href: href("topic", topic, { measure, a, b }) },
    "Its PRES curve and all its citations")));
  return made;
}
