import type { Robustness, VerdictChanges } from "../data/report_documents.ts";
import { element, fill, setText } from "../dom.ts";
import { explained } from "../explain.ts";
import { counted, difference, exactPercent, nameInText } from "../format.ts";
import { meanName } from "../measures.ts";
import { selectedPair, selection } from "../place.ts";
import type { Tone } from "../plots/plot.ts";
import { filledTable, type TableColumn } from "../table.ts";
import type { Context } from "../view.ts";
import type { Part } from "./overview.ts";
import { name } from "./parts.ts";

/** A measure of a pair, and what became of its verdict in the draws. */
export interface Drawn {
  run: string;
  measure: string;
  verdict: string;
  tone: Tone;
  changes: VerdictChanges;
}

/** How often verdicts stay, are lost, appear and turn round if `1 - fraction` of the citations is unknown. */
export function robustnessTable({ options }: Robustness, fraction: number, namesRuns: boolean, rows: Drawn[]): HTMLElement {
  const share = (key: "same" | "lost" | "appeared" | "reversed", explanation: string): TableColumn<Drawn> => ({
    head: explained(key, explanation), cell: ({ changes }) => `${changes[key]} (${exactPercent(changes[key] / changes.samples)})`,
    attributes: ({ changes, measure }) => ({ "data-value": key, "data-number": `robustness/${measure}/${key}`,
      class: key === "reversed" && changes.reversed > 0 ? "bad" : "" }) });
  return filledTable(rows, { captionShown: true, class: "compact robustness",
    caption: `Were ${exactPercent(1 - fraction)} of the citations unknown: verdicts over ${counted(options.samples, "draw")}`, columns: [
      { head: "measure", heads: true, align: "start", cell: ({ measure }) => meanName(measure), attributes: ({ measure }) => ({ "data-measure": measure }) },
      ...(namesRuns ? [{ head: "run", align: "start" as const, cell: ({ run }: Drawn) => name(run) }] : []),
      { head: explained("verdict", "What the test says with all citations."), align: "start", cell: ({ verdict }) => verdict,
        attributes: ({ tone }) => ({ class: `verdict ${tone}` }) },
      share("same", "The verdict is as with all citations."),
      share("lost", "A difference is no longer shown."),
      share("appeared", "A difference is shown where there was none."),
      share("reversed", "The other one comes out better."),
      { head: explained("difference", "Lowest and highest mean difference of the draws."),
        cell: ({ changes }) => `${difference(changes.lowest_difference)} to ${difference(changes.highest_difference)}` },
    ] });
}

/** If some citations were unknown, how often would the comparison say something else? Asked for by a button. */
export function robustnessPart(context: Context): Part {
  const title = element("h2", { text: "Were 20 % of the citations unknown" });
  const state = element("span", { class: "small", role: "status" });
  const ask = element("button", { type: "button", "data-ask": "robustness", onclick: () => void answer() }, "Draw 100 times");
  const results = element("div", {});
  let pair: { a: string; b: string } | null = null;

  const answer = async () => {
    const of = pair;
    if (!of || !context.source.robustness) return;
    ask.disabled = true;
    setText(state, "Drawing …");
    try {
      show(await context.source.robustness(of.a, of.b));
    } catch (failure) {
      setText(state, failure instanceof Error ? failure.message : String(failure));
    }
    ask.disabled = false;
  };
  const show = (document: Robustness) => {
    const { a, b, measures } = document.pairs[0]!;
    const rows = Object.entries(measures).flatMap(([measure, { verdict, changes }]) =>
      changes.map((each): Drawn => ({ run: b, measure, verdict, tone: "same", changes: each })));
    fill(results, rows.length ? robustnessTable(document, document.options.fractions[0] ?? 0.8, false, rows)
      : element("p", { class: "empty", text: "Too few topics that both arms have served." }));
    setText(state, `${nameInText(b, 24)} against ${nameInText(a, 24)}, ${counted(document.options.samples, "draw")}, as of now`);
  };
  return {
    element: element("section", { class: "card", hidden: !context.source.robustness }, title,
      element("p", { class: "sub", text: "Search reports miss citations. Each draw forgets a fifth of each topic's, found or not, scores both arms' last rankings again and asks a paired t test (Holm over the measures)." }),
      element("p", {}, ask, " ", state), results),
    set({ place, summary }) {
      const chosen = selectedPair(selection(place, summary), summary);
      const changed = chosen?.a !== pair?.a || chosen?.b !== pair?.b;
      pair = chosen && { a: chosen.a, b: chosen.b };
      ask.disabled ||= !pair;
      if (!changed) return;
      ask.disabled = !pair;
      fill(results);
      setText(state, "");
    },
  };
}
