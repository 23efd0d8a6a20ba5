import type { HistoryDocument, Night } from "../data/history_document.ts";
import { element, fill } from "../dom.ts";
import { dateAndTime, difference, meanName, milliseconds, none, score } from "../format.ts";
import { href } from "../place.ts";
import { ratio } from "../statistics_format.ts";
import { table } from "../table.ts";

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
