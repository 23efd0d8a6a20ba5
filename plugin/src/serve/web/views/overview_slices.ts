import type { SliceSummary, Summary } from "../data/documents.ts";
import { html, refill, setText } from "../dom.ts";
import { meanName, terms } from "../explain.ts";
import {
  count, difference, interval, nameInText, none, percent, score, visibleText,
} from "../format.ts";
import { type Column, nameColumn, numberColumn, table, textColumn } from "../table.ts";
import { selectedPair } from "../view.ts";
import type { Part } from "./overview.ts";
import { intervalPicture, isBounded, reachOf, shownMean, stateTag } from "./verdict_cells.ts";

/** Who wins where: the slices of the selected pair, in the primary measure. */
export function slicesPart(): Part {
  const lead = html("p.who-wins"), title = html("h2"), about = html("div");
  const rows = table<SliceSummary>({ caption: "The difference in each slice", class: "slices" });
  const element = html("section.card.slices", { "aria-label": "Slices" },
    title, lead, rows.element, about);
  return { element, set(summary) {
    const pair = selectedPair(summary);
    element.hidden = !pair || pair.slices.length === 0;
    if (!pair || element.hidden) return;
    setText(title, `Slices, ${meanName(summary.primary ?? "")}: ${nameInText(pair.b)} minus ${
      nameInText(pair.a)}`);
    setText(lead, visibleText(pair.words.slices));
    lead.hidden = pair.words.slices === "";
    refill(about, pair.words.about_slices.map((line) => html("p.sub", visibleText(line))));
    rows.set(pair.slices, { columns: sliceColumns(summary, pair) });
  } };
}

function sliceColumns({ mode }: Summary, { a, b, slices }: { a: string; b: string;
  slices: SliceSummary[] }): Column<SliceSummary>[] {
  const reach = reachOf(slices.map((slice) => slice.difference));
  const mean = (name: string, key: "mean_a" | "mean_b") => mode === "split" ? []
    : [numberColumn(nameInText(name), (slice: SliceSummary) => score(slice.difference[key]))];
  return [
    nameColumn("Slice", ({ words }) => visibleText(words.name)),
    numberColumn("Topics", ({ difference: { live, topics } }) => count(live?.topics ?? topics),
      { about: terms.topics }),
    ...mean(a, "mean_a"), ...mean(b, "mean_b"),
    numberColumn("Difference", ({ difference: of }) => html("strong", difference(shownMean(of))),
      { about: terms.difference, attributes: ({ dimension, slice }) =>
        ({ "data-number": `slice/${dimension}/${slice}/mean` }) }),
    textColumn("Interval", ({ difference: of }) => intervalPicture(of, reach),
      { about: terms.sequence, attributes: { class: "picture" } }),
    numberColumn("[low, high]", ({ difference: { live } }) =>
      live && isBounded(live) ? interval(live.low, live.high) : none,
    { explain: ({ difference: { live } }) => live
      ? `Holds at all times but for a chance of ${percent(live.alpha)}.` : null }),
    textColumn("State", ({ difference: of, words }) => stateTag(of, words.state)),
  ];
}
