import { armName } from "../arms.ts";
import type { Arm, ReplayDocument, Summary } from "../data/documents.ts";
import { html } from "../dom.ts";
import { explainedMean } from "../explain.ts";
import { count, counted, score, visibleText } from "../format.ts";
import { filledTable, nameColumn, numberColumn } from "../table.ts";
import { type Context, href, type ShownView } from "../view.ts";
import { comparisonCards, verdicts } from "./compare.ts";
import { selfTimeTable } from "./health.ts";
import { explainMean } from "./overview.ts";
import { latencyTable } from "./overview_charts.ts";
import { about, name, report, section, sentences } from "./parts.ts";

/** A finished replay: a report of `prescope replay`. A topic that moved leads to its own view. */
export function replayView({ data }: Context): ShownView {
  const { comparison, latencies, summary, words } = data.document as ReplayDocument;
  const outcome = comparison ? verdicts(comparison)
    : `One arm, ${counted(summary.arms[0]?.topics_seen ?? 0, "topic")}.`;
  const measure = comparison?.moving_measure ?? "";
  const cards = comparison && comparisonCards(comparison, ({ topic }, { a, b }) =>
    html("p.bar", html("a", { href: href("topic", topic, { measure, a, b }) },
      "Its PRES curve and all its citations")));
  return report(data.title ?? "Replay", outcome, words.subject, section("Arms", means(summary)),
    cards, latencyCard(summary, latencies),
    sentences("Worth knowing", words.notes.map(visibleText)));
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

function latencyCard({ arms }: Summary, ratios: ReplayDocument["latencies"]): HTMLElement {
  const latency = latencyTable("Latency of queries", "latency_ms"), own = selfTimeTable();
  for (const each of [latency, own]) each.set(arms);
  return section("Latency", latency.element,
    ratios.map(({ words }) => html("p", name(words))),
    html("h3", "The plugin's own time"), own.element,
    about("Latency counts queries, not topics. The plugin's own time on the query thread is " +
      "within the query's latency."));
}
