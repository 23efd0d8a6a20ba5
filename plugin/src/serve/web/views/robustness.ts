import type { ComparisonDocument, Robustness, RunPair, VerdictChanges } from "../data/comparison_document.ts";
import type { Child } from "../dom.ts";
import { explained } from "../explain.ts";
import { counted, difference, meanName } from "../format.ts";
import { exactPercent } from "../statistics_format.ts";
import { type TableColumn, table } from "../table.ts";
import { isPair, toneOf, verdictWords } from "./comparison_words.ts";
import { about, name, section } from "./parts.ts";

/** A measure of a pair, and what became of its verdict in the draws. */
interface Drawn {
  pair: RunPair;
  measure: string;
  changes: VerdictChanges;
}

/** How the verdicts fare where citations are unknown; nothing where nobody asked. */
export function robustnessSection(document: ComparisonDocument): Child {
  const { robustness } = document.comparison;
  if (!robustness) return null;
  const tables = robustness.options.fractions.map((fraction, index) => tableOf(document, robustness, fraction, index));
  return section("Robustness", tables, about(
    "Each draw forgets that share of each topic's relevant documents, found or not (at least one stays known; " +
      `seed ${robustness.options.seed}), scores both runs again and asks the same test.`,
    "Lost: a difference is no longer shown. Appeared: one is shown where there was none. Reversed: the other run comes out better. " +
      "The last column is the lowest and the highest mean difference of the draws."));
}

function tableOf(document: ComparisonDocument, robustness: Robustness, fraction: number, index: number): HTMLElement {
  const unknown = exactPercent(1 - fraction);
  const made = table<Drawn>({ caption: `Were ${unknown} of the citations unknown: verdicts over ${counted(robustness.options.samples, "draw")}`,
    captionShown: true, class: "compact robustness", columns: columnsOf(document) });
  made.set(robustness.pairs.flatMap((each, place) => {
    const pair = document.comparison.pairs[place]!;
    return document.evaluation.measures.flatMap((measure) => {
      const changes = each.measures[measure]?.changes[index];
      return changes ? [{ pair, measure, changes }] : [];
    });
  }));
  return made.element;
}

function columnsOf(document: ComparisonDocument): TableColumn<Drawn>[] {
  const share = (head: string, explanation: string, key: "same" | "lost" | "appeared" | "reversed"): TableColumn<Drawn> => ({
    head: explained(head, explanation), cell: ({ changes }) => `${changes[key]} (${exactPercent(changes[key] / changes.samples)})`,
    attributes: ({ changes }) => ({ "data-value": key, class: key === "reversed" && changes.reversed > 0 ? "bad" : "" }) });
  return [
    { head: "measure", heads: true, align: "start", cell: ({ measure }) => meanName(measure), attributes: ({ measure }) => ({ "data-measure": measure }) },
    ...(isPair(document) ? [] : [{ head: "run", align: "start" as const, cell: ({ pair }: Drawn) => name(pair.b) }]),
    { head: "verdict", align: "start", cell: ({ pair, measure }) => verdictWords(document, pair.measures[measure]!),
      attributes: ({ pair, measure }) => ({ class: `verdict ${toneOf(pair.measures[measure]!)}` }) },
    share("same", "The verdict is as with all citations.", "same"),
    share("lost", "A difference is no longer shown.", "lost"),
    share("appeared", "A difference is shown where there was none.", "appeared"),
    share("reversed", "The other run comes out better.", "reversed"),
    { head: explained("difference", "Lowest and highest mean difference of the draws."),
      cell: ({ changes }) => `${difference(changes.lowest_difference)} to ${difference(changes.highest_difference)}` },
  ];
}
