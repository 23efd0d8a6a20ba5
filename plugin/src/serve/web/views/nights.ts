import type { HistoryDocument, Night } from "../data/documents.ts";
import { type Child, fill, html } from "../dom.ts";
import { explainedMean, meanName } from "../explain.ts";
import {
  count, counted, dateAndTime, difference, milliseconds, none, ratio, score, visibleText,
} from "../format.ts";
import { verdictText, verdictWord } from "../plots/nights.ts";
import { type Column, filledTable, nameColumn, numberColumn, table, textColumn } from "../table.ts";
import { href } from "../view.ts";
import { firstRows, name } from "./parts.ts";

/** The arms of the nights, in the order in which they come. */
export function armsOf({ nights }: HistoryDocument): string[] {
  return [...new Set(nights.map((night) => night.arm))];
}

export function byTime(one: Night, other: Night): number {
  return Date.parse(one.time) - Date.parse(other.time) || one.night - other.night;
}

const nightsAtFirst = 60;

/** A line a night, newest first, each with a box that chooses it. */
export function nightTable(
  document: HistoryDocument, choose: (night: number) => void, isServed: boolean) {
  let chosen: number[] = [];
  const box = ({ night }: Night) => html("input", { type: "checkbox", value: night,
    "data-key": `night-${night}`, "aria-label": `Choose night ${night}`,
    checked: chosen.includes(night), onchange: () => choose(night) });
  const made = table<Night>({ caption: "Nights, newest first", class: "nights-table" },
    columnsOf(document, box, isServed));
  const element = firstRows(made, document.nights.slice().sort(byTime).reverse(), nightsAtFirst,
    (rest) => `Show the ${counted(rest.length, "older night")}`);
  return { element, setChosen: (nights: number[]) => {
    chosen = nights;
    for (const each of element.querySelectorAll("input"))
      each.checked = nights.includes(Number(each.value));
  } };
}

function columnsOf(document: HistoryDocument, box: (night: Night) => HTMLElement,
  isServed: boolean): (Column<Night> | false)[] {
  const topics = new Set(document.nights.map((night) => night.topics));
  return [
    textColumn(html("span.visually-hidden", "Choose"), box),
    nameColumn("night", ({ night }) => night),
    textColumn("time", ({ time }) => html("time", { datetime: time }, dateAndTime(time))),
    armsOf(document).length > 1 && textColumn("arm", ({ arm }) => name(arm)),
    textColumn("verdict", (night) => verdictCell(night, isServed),
      { attributes: { class: "verdict-cell" } }),
    topics.size > 1 && numberColumn("topics", (night) => count(night.topics)),
    ...document.measures.flatMap(measureColumns),
    numberColumn("p95", ({ p95_ms }) => milliseconds(p95_ms),
      { about: "95 of 100 of the topics' queries were answered within this time." }),
  ];
}

function measureColumns(measure: string): Column<Night>[] {
  const of = (key: string, style = "") =>
    ({ "data-measure": measure, "data-value": key, class: style });
  return [
    numberColumn(explainedMean(measure), ({ measures }) => score(measures[measure]?.mean),
      { attributes: ({ verdict }) => of("mean", verdict === "BAD INPUT" ? "quiet" : "") }),
    numberColumn("pinned", ({ measures }) => difference(measures[measure]?.from_baseline),
      { about: "Change against the baseline of the night.", attributes: of("from_baseline") }),
    numberColumn("before", ({ measures }) => difference(measures[measure]?.from_before),
      { about: "Change against the last night of the arm that was no bad input.",
        attributes: of("from_before", "quiet") }),
  ];
}

/** The verdict in shape and word; if there is a server, a link to the comparison of the gate. */
function verdictCell({ night, verdict, baseline, pinned_as }: Night, isServed: boolean): Child {
  const tone = verdict === "PASS" ? "good" : verdict === null ? "quiet"
    : verdict === "INCONCLUSIVE" ? "warn" : "bad";
  const word = html("span.verdict-word", { class: tone }, verdictWord(verdict));
  const isCompared = isServed && baseline !== null && baseline !== night;
  return [
    isCompared ? html("a", { href: href("compare", String(baseline), String(night)), "aria-label":
      `Night ${night}, ${verdictText(verdict)}: compare with its baseline, night ${baseline}` },
    word) : word,
    pinned_as.map((pin) => html("span.tag.pin", "pinned: ", name(pin)))];
}

/** The two nights that are chosen: their means beside each other, and the way to their topics. */
export function chosenNights(document: HistoryDocument, clear: () => void, isServed: boolean) {
  const element = html("div.chosen-nights", { role: "status" });
  const set = (chosen: number[]) => {
    const nights = document.nights.filter(({ night }) => chosen.includes(night)).sort(byTime);
    const [from, to] = nights;
    if (!from) return fill(element, html("p.sub",
      "Choose two nights to compare them: in the table, or by a click into a chart."));
    const cancel = html("button.quiet", { type: "button", onclick: clear }, "Choose none");
    if (!to) return fill(element, html("p.bar",
      `Night ${from.night} is chosen. Choose another to compare it with.`, cancel));
    const link = html("a.primary", { href: href("compare", String(from.night), String(to.night)) },
      `Compare night ${from.night} and night ${to.night} topic by topic`);
    fill(element, comparison(document, from, to), html("p.bar", isServed && link, cancel));
  };
  return { element, set };
}

function comparison(document: HistoryDocument, from: Night, to: Night): HTMLElement {
  const caption = `Night ${to.night} against night ${from.night}`;
  return html("div",
    filledTable(linesOf(document, from, to),
      { caption, captionShown: true, class: "compact two-nights" }, [
        nameColumn("", ([what]) => what),
        numberColumn(`night ${from.night}`, ([, before]) => before),
        numberColumn(`night ${to.night}`, ([, , after]) => after),
        numberColumn("change", ([, , , change]) => change),
      ]),
    from.qrels !== to.qrels && html("p.sub",
      "Their judgements differ: means over other judgements are not comparable."));
}

/** The thing compared, its value in the first and the second night, and the change. */
type Line = [what: string, from: string, to: string, change: string];

function linesOf({ measures }: HistoryDocument, from: Night, to: Night): Line[] {
  const isTimed = from.p95_ms !== null && to.p95_ms !== null && from.p95_ms > 0;
  const lines: Line[] = [
    ["time", dateAndTime(from.time), dateAndTime(to.time), ""],
    ["arm", visibleText(from.arm), visibleText(to.arm), ""],
    ["verdict", verdictText(from.verdict), verdictText(to.verdict), ""],
    ...measures.map((measure): Line => {
      const a = from.measures[measure]?.mean ?? null, b = to.measures[measure]?.mean ?? null;
      const isComparable = a !== null && b !== null && from.qrels === to.qrels;
      return [meanName(measure), score(a), score(b), isComparable ? difference(b - a) : none];
    }),
    ["p95 latency", milliseconds(from.p95_ms), milliseconds(to.p95_ms),
      isTimed ? `× ${ratio(to.p95_ms! / from.p95_ms!)}` : none],
  ];
  return lines.filter(([what, a, b]) => what !== "arm" || a !== b);
}

/** Night numbers from an address, two at most: "3,5". */
export function parseNights(text: string | null): number[] {
  return (text ?? "").split(",").map(Number)
    .filter((night) => Number.isInteger(night) && night > 0).slice(0, 2);
}

/** Adds `night` to the chosen ones or removes it; a third choice replaces the oldest. */
export function toggled(chosen: number[], night: number): number[] {
  return chosen.includes(night) ? chosen.filter((each) => each !== night)
    : [...chosen, night].slice(-2);
}
