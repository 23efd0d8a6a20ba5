import type { Robustness, VerdictChanges } from "../../data/comparison_document.ts";
import { element, fill, setText } from "../../dom.ts";
import { explained } from "../../explain.ts";
import { counted, difference, meanName, nameInText } from "../../format.ts";
import { selectedPair, selection } from "../../selection.ts";
import { exactPercent } from "../../statistics_format.ts";
import { type TableColumn, table } from "../../table.ts";
import type { Context } from "../../view.ts";
import type { Part } from "./part.ts";

interface Drawn {
  measure: string;
  verdict: string;
  changes: VerdictChanges;
}

/** Were some citations unknown, how often would the comparison say something else? Asked for by a button. */
export function robustnessPart(context: Context): Part {
  const title = element("h2", { text: "Were 20 % of the citations unknown" });
  const state = element("span", { class: "small", role: "status" });
  const ask = element("button", { type: "button", "data-ask": "robustness", onclick: () => void answer() }, "Draw 100 times");
  const made = table<Drawn>({ caption: "How often the comparison would say something else", columns, class: "compact" });
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
    const rows = Object.entries(measures).flatMap(([measure, { verdict, changes }]) => changes.map((each) => ({ measure, verdict, changes: each })));
    made.set(rows);
    fill(results, rows.length ? made.element : element("p", { class: "empty", text: "Too few topics that both arms have served." }));
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

const share = (head: string, about: string, key: "same" | "lost" | "appeared" | "reversed"): TableColumn<Drawn> => ({
  head: explained(head, about), align: "end", cell: ({ changes }) => `${changes[key]} (${exactPercent(changes[key] / changes.samples)})`,
  attributes: ({ measure }) => ({ "data-number": `robustness/${measure}/${key}` }) });

const columns: TableColumn<Drawn>[] = [
  { head: "Measure", heads: true, align: "start", cell: ({ measure }) => meanName(measure) },
  { head: explained("Now", "What the paired t test says with all citations."), align: "start", cell: ({ verdict }) => verdict },
  share("Same", "Draws in which the test says what it says with all citations.", "same"),
  share("Lost", "Draws in which a difference is no longer shown.", "lost"),
  share("Appeared", "Draws in which a difference is shown where there is none with all citations.", "appeared"),
  share("Reversed", "Draws in which the other arm comes out better.", "reversed"),
  { head: explained("Difference", "Lowest and highest mean difference of the draws."), align: "end",
    cell: ({ changes }) => `${difference(changes.lowest_difference)} to ${difference(changes.highest_difference)}` },
];
