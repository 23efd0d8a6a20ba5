import type { HistoryDocument, Night } from "../data/history_document.ts";
import { type Child, element, fill } from "../dom.ts";
import { explained, measureExplanation } from "../explain.ts";
import { count, counted, dateAndTime, difference, meanName, milliseconds } from "../format.ts";
import { href } from "../place.ts";
import { verdictSign, verdictText } from "../plots/night_marks.ts";
import { type TableColumn, table } from "../table.ts";
import { armsOf, commonTopics } from "./history_words.ts";
import { name } from "./parts.ts";

export interface NightTable {
  element: HTMLElement;
  setChosen(nights: number[]): void;
}

const nightsAtFirst = 60;

/** A line a night, newest first, each with a box that chooses it. */
export function nightTable(document: HistoryDocument, choose: (night: number) => void, isServed: boolean): NightTable {
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
