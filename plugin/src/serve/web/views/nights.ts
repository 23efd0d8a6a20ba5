import type { HistoryDocument, Night } from "../data/report_documents.ts";
import { type Child, element, fill } from "../dom.ts";
import { explained } from "../explain.ts";
import { count, counted, dateAndTime, difference, milliseconds, none, ratio, score } from "../format.ts";
import { meanName, measureExplanation } from "../measures.ts";
import { href } from "../place.ts";
import { verdictSign, verdictText } from "../plots/nights.ts";
import { table, type TableColumn } from "../table.ts";
import { armsOf, commonTopics } from "./history.ts";
import { name } from "./parts.ts";

const nightsAtFirst = 60;

/** A line a night, newest first, each with a box that chooses it. */
export function nightTable(document: HistoryDocument, choose: (night: number) => void, isServed: boolean) {
  const nights = document.nights.slice().sort((one, other) => Date.parse(other.time) - Date.parse(one.time) || other.night - one.night);
  const boxes = new Map<number, HTMLInputElement>();
  const box = (night: Night) => {
    const made = element("input", { type: "checkbox", "aria-label": `Choose night ${night.night}`, onchange: () => choose(night.night) });
    boxes.set(night.night, made);
    return made;
  };
  const made = table<Night>({ caption: "Nights, newest first", class: "nights-table", columns: columnsOf(document, box, isServed) });
  const frame = element("div", {}, made.element);
  let chosen: number[] = [];
  const setChosen = (now: number[]) => {
    chosen = now;
    for (const [night, each] of boxes) {
      each.checked = now.includes(night);
      each.closest("tr")?.classList.toggle("chosen", each.checked);
    }
  };
  made.set(nights.slice(0, nightsAtFirst));
  if (nights.length > nightsAtFirst) {
    const button = element("button", { type: "button", text: `Show the ${counted(nights.length - nightsAtFirst, "older night")}`, onclick: () => {
      made.set(nights);
      setChosen(chosen);
      fill(frame, made.element);
    } });
    frame.append(button);
  }
  return { element: frame, setChosen };
}

function columnsOf(document: HistoryDocument, box: (night: Night) => HTMLElement, isServed: boolean): TableColumn<Night>[] {
  const several = armsOf(document).length > 1;
  const text = (head: string, cell: (night: Night) => Child): TableColumn<Night> => ({ head, align: "start", cell });
  return [
    { head: element("span", { class: "visually-hidden", text: "Choose" }), align: "start", cell: box },
    { head: "night", heads: true, align: "start", cell: (night) => String(night.night), attributes: (night) => ({ "data-night": String(night.night) }) },
    text("time", (night) => element("time", { datetime: night.time, text: dateAndTime(night.time) })),
    ...(several ? [text("arm", (night) => name(night.arm))] : []),
    { ...text("verdict", (night) => verdictCell(night, isServed)), attributes: () => ({ class: "verdict-cell" }) },
    ...(commonTopics(document) === null && document.nights.length ? [{ head: "topics", cell: (night: Night) => count(night.topics) }] : []),
    ...document.measures.flatMap((measure) => measureColumns(measure)),
    { head: explained("p95", "95 of 100 of the topics' queries were answered within this time."), cell: (night) => milliseconds(night.p95_ms) },
  ];
}

function measureColumns(measure: string): TableColumn<Night>[] {
  const value = (night: Night) => night.measures[measure];
  return [
    { head: explained(meanName(measure), measureExplanation(measure)), cell: (night) => value(night)?.mean == null ? "–" : value(night)!.mean!.toFixed(4),
      attributes: (night) => ({ class: night.verdict === "BAD INPUT" ? "quiet-text" : "", "data-measure": measure, "data-value": "mean" }) },
    { head: explained("pinned", "Change against the baseline of the night."), cell: (night) => difference(value(night)?.from_baseline),
      attributes: () => ({ "data-measure": measure, "data-value": "from_baseline" }) },
    { head: explained("before", "Change against the last night of the arm that was no bad input."), cell: (night) => difference(value(night)?.from_before),
      attributes: () => ({ class: "quiet-text", "data-measure": measure, "data-value": "from_before" }) },
  ];
}

/** The verdict in shape and word; where there is a server, the way to what the gate compared. */
function verdictCell(night: Night, isServed: boolean): Child {
  const word = element("span", { class: `verdict-word ${toneClass(night)}` }, verdictSign(night.verdict), verdictText(night.verdict));
  const compared = isServed && night.baseline !== null && night.baseline !== night.night;
  return [
    compared ? element("a", { href: href("compare", String(night.baseline), String(night.night)), "aria-label":
      `Night ${night.night}, ${verdictText(night.verdict)}: compare with its baseline, night ${night.baseline}` }, word) : word,
    night.pinned_as.map((pin) => element("span", { class: "tag pin" }, "pinned: ", name(pin)))];
}

function toneClass({ verdict }: Night): string {
  if (verdict === "PASS") return "tone-good";
  if (verdict === null) return "quiet-text";
  return verdict === "INCONCLUSIVE" ? "tone-warn" : "tone-bad";
}

interface Line {
  what: string;
  from: string;
  to: string;
  change: string;
}

/** The two nights that are chosen: their means beside each other, and the way to their topics. */
export function chosenNights(document: HistoryDocument, clear: () => void, isServed: boolean) {
  const frame = element("div", { class: "chosen-nights", role: "status" });
  const set = (chosen: number[]) => {
    const nights = chosen.map((number) => document.nights.find((night) => night.night === number)).filter((night): night is Night => !!night);
    nights.sort((one, other) => Date.parse(one.time) - Date.parse(other.time) || one.night - other.night);
    frame.dataset.nights = nights.map((night) => night.night).join(" ");
    const [from, to] = nights;
    if (!from) return fill(frame, element("p", { class: "sub", text: "Choose two nights to compare them: in the table, or by a click into a chart." }));
    const cancel = element("button", { type: "button", class: "quiet", text: "Choose none", onclick: clear });
    if (!to) return fill(frame, element("p", { class: "bar" }, `Night ${from.night} is chosen. Choose another to compare it with.`, cancel));
    fill(frame, comparison(document, from, to), element("p", { class: "bar" },
      isServed ? element("a", { class: "primary", href: href("compare", String(from.night), String(to.night)),
        text: `Compare night ${from.night} and night ${to.night} topic by topic` }) : null, cancel));
  };
  return { element: frame, set };
}

function comparison(document: HistoryDocument, from: Night, to: Night): HTMLElement {
  const made = table<Line>({ caption: `Night ${to.night} against night ${from.night}`, captionShown: true, class: "compact two-nights", columns: [
    { head: "", heads: true, align: "start", cell: (each) => each.what },
    { head: `night ${from.night}`, cell: (each) => each.from },
    { head: `night ${to.night}`, cell: (each) => each.to },
    { head: "change", cell: (each) => each.change },
  ] });
  made.set(linesOf(document, from, to));
  const warning = from.qrels === to.qrels ? null
    : element("p", { class: "sub", text: "Their judgements differ: means over other judgements are not comparable." });
  return element("div", {}, made.element, warning);
}

function linesOf(document: HistoryDocument, from: Night, to: Night): Line[] {
  const measures = document.measures.map((measure): Line => {
    const a = from.measures[measure]?.mean ?? null, b = to.measures[measure]?.mean ?? null;
    const isComparable = a !== null && b !== null && from.qrels === to.qrels;
    return { what: meanName(measure), from: score(a), to: score(b), change: isComparable ? difference(b - a) : none };
  });
  const timed = from.p95_ms !== null && to.p95_ms !== null && from.p95_ms > 0;
  return [
    { what: "time", from: dateAndTime(from.time), to: dateAndTime(to.time), change: "" },
    ...(from.arm === to.arm ? [] : [{ what: "arm", from: from.arm, to: to.arm, change: "" }]),
    { what: "verdict", from: from.verdict ?? "not gated", to: to.verdict ?? "not gated", change: "" },
    ...measures,
    { what: "p95 latency", from: milliseconds(from.p95_ms), to: milliseconds(to.p95_ms), change: timed ? `× ${ratio(to.p95_ms! / from.p95_ms!)}` : none },
  ];
}

/** Night numbers from an address, two at most: "3,5". */
export function parseNights(text: string | null): number[] {
  return (text ?? "").split(",").map(Number).filter((night) => Number.isInteger(night) && night > 0).slice(0, 2);
}

/** With `night` chosen, or no longer chosen; of three the one that was chosen first goes. */
export function toggled(chosen: number[], night: number): number[] {
  return chosen.includes(night) ? chosen.filter((each) => each !== night) : [...chosen, night].slice(-2);
}
