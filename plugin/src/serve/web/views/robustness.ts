import type { Robustness, VerdictChanges } from "../data/documents.ts";
import { meanName } from "../explain.ts";
import { counted, difference, exactPercent } from "../format.ts";
import type { Tone } from "../plots/plot.ts";
import { filledTable, nameColumn, numberColumn, textColumn } from "../table.ts";
import { name, verdictColumn } from "./parts.ts";

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
