import type { Robustness, VerdictChanges } from "../data/documents.ts";
import { fill, html, setText } from "../dom.ts";
import { meanName } from "../explain.ts";
import { counted, difference, exactPercent, nameInText } from "../format.ts";
import type { Tone } from "../plots/plot.ts";
import { filledTable, nameColumn, numberColumn, textColumn } from "../table.ts";
import { type Context, selectedPair } from "../view.ts";
import type { Part } from "./overview.ts";
import { card, name, verdictColumn } from "./parts.ts";

interface Drawn {
  run: string;
  measure: string;
  verdict: string;
  tone: Tone;
  changes: VerdictChanges;
}

/** Counts of verdicts that stay, are lost, appear and reverse with `fraction` of the citations. */
export function robustnessTable(
  { options }: Robustness, fraction: number, namesRuns: boolean, rows: Drawn[]): HTMLElement {
  const share = (key: "same" | "lost" | "appeared" | "reversed", about: string) =>
    numberColumn<Drawn>(key, ({ changes }) =>
      `${changes[key]} (${exactPercent(changes[key] / changes.samples)})`, { about,
      attributes: ({ changes, measure }) => ({ "data-value": key,
        "data-number": `robustness/${measure}/${key}`,
        class: key === "reversed" && changes.reversed > 0 ? "bad" : "" }) });
  const caption = `Were ${exactPercent(1 - fraction)} of the citations unknown: verdicts over ${
    counted(options.samples, "draw")}`;
  return filledTable(rows, { caption, captionShown: true, class: "compact robustness" }, [
    nameColumn("measure", ({ measure }) => meanName(measure),
      { attributes: ({ measure }) => ({ "data-measure": measure }) }),
    namesRuns && textColumn("run", ({ run }) => name(run)),
    verdictColumn(({ verdict }) => verdict, ({ tone }) => tone,
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

/** How often the comparison would have another result if citations were unknown; on demand. */
export function robustnessPart({ source }: Context): Part {
  const state = html("span.small", { role: "status" });
  const ask = html("button", { type: "button", "data-ask": "robustness",
    onclick: () => void answer() }, "Draw 100 times");
  const results = html("div");
  let pair: { a: string; b: string } | null = null;
  const answer = async () => {
    if (!pair || !source.robustness) return;
    ask.disabled = true;
    setText(state, "Drawing …");
    try {
      show(await source.robustness(pair.a, pair.b));
    } catch (failure) {
      setText(state, failure instanceof Error ? failure.message : String(failure));
    }
    ask.disabled = false;
  };
  const show = (document: Robustness) => {
    const { options, pairs: [{ a, b, measures } = { a: "", b: "", measures: {} }] } = document;
    const rows = Object.entries(measures).flatMap(([measure, { verdict, changes }]) =>
      changes.map((each): Drawn => ({ run: b, measure, verdict, tone: "same", changes: each })));
    fill(results, rows.length ? robustnessTable(document, options.fractions[0] ?? 0.8, false, rows)
      : html("p.empty", "Too few topics that both arms have served."));
    setText(state, `${nameInText(b, 24)} against ${nameInText(a, 24)}, ${
      counted(options.samples, "draw")}, as of now`);
  };
  const element = card("Were 20 % of the citations unknown", "Search reports miss citations. " +
    "Each draw forgets a fifth of each topic's, found or not, scores both arms' last rankings " +
    "again and asks a paired t test (Holm over the measures).",
  html("p", ask, " ", state), results);
  element.hidden = !source.robustness;
  return { element, set(summary) {
    const chosen = selectedPair(summary);
    const changed = chosen?.a !== pair?.a || chosen?.b !== pair?.b;
    pair = chosen && { a: chosen.a, b: chosen.b };
    ask.disabled ||= !pair;
    if (!changed) return;
    ask.disabled = !pair;
    fill(results);
    setText(state, "");
  } };
}
