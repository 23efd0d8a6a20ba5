import type { Pair, Summary } from "./data/documents.ts";
import { element, fill } from "./dom.ts";
import { measureExplanation } from "./explain.ts";
import { meanName } from "./format.ts";
import type { Place } from "./place.ts";
import type { Context } from "./view.ts";

/** The measure and the two arms that the address asks for; what it does not name, or wrongly, is the first. */
export interface Selection {
  measure: string;
  a: string;
  /** Null with one arm. */
  b: string | null;
}

export function selection(place: Place, summary: Summary): Selection {
  const names = summary.arms.map((arm) => arm.name);
  const wanted = (name: string) => place.parameters.get(name) ?? "";
  const measure = summary.measures.includes(wanted("measure")) ? wanted("measure") : summary.measures[0] ?? "";
  const a = names.includes(wanted("a")) ? wanted("a") : names[0] ?? "";
  const b = names.includes(wanted("b")) && wanted("b") !== a ? wanted("b") : names.find((name) => name !== a) ?? null;
  return { measure, a, b };
}

/** The pair of SUMMARY.pairs that has the selected second arm; else the first; null without pairs. */
export function selectedPair(chosen: Selection, summary: Summary): Pair | null {
  return summary.pairs.find((pair) => pair.b === chosen.b) ?? summary.pairs[0] ?? null;
}

/** Where an arm stands in SUMMARY.arms, which decides its look; 0 if nowhere. */
export function armIndex(summary: Summary, name: string): number {
  return Math.max(0, summary.arms.findIndex((arm) => arm.name === name));
}

export interface SelectionBar {
  element: HTMLElement;
  /** Call it from parameters() and update(). */
  set(place: Place, summary: Summary): void;
}

/**
 * Choosers of measure and arms; what is chosen is kept in the address. `arms` is "pairs" where the
 * first arm is compared with another (as summaries are), "any" where any two may be.
 */
export function selectionBar(context: Context, arms: "pairs" | "any" | "none"): SelectionBar {
  const measure = chooser("Measure", (value) => context.setParameters({ measure: value }));
  const a = chooser("Arm", (value) => context.setParameters({ a: value }));
  const b = chooser("against", (value) => context.setParameters({ b: value }));
  const bar = element("div", { class: "bar", role: "group", "aria-label": "What is shown" });
  const set = (place: Place, summary: Summary) => {
    const chosen = selection(place, summary);
    const names = summary.arms.map((arm) => arm.name);
    measure.set(summary.measures.map((each) => ({ value: each, text: meanName(each), title: measureExplanation(each) })), chosen.measure);
    a.set(names.map(plain), chosen.a);
    b.set((arms === "pairs" ? summary.pairs.map((pair) => pair.b) : names.filter((name) => name !== chosen.a)).map(plain), chosen.b ?? "");
    a.element.hidden = arms !== "any" || names.length < 2;
    b.element.hidden = arms === "none" || names.length < 2 || (arms === "pairs" && summary.pairs.length < 2);
  };
  bar.append(measure.element, a.element, b.element);
  return { element: bar, set };
}

interface Choice {
  value: string;
  text: string;
  title?: string;
}

const plain = (name: string): Choice => ({ value: name, text: name });

function chooser(label: string, chosen: (value: string) => void) {
  const select = element("select", { onchange: () => chosen(select.value) });
  let shown = "";
  const set = (choices: Choice[], value: string) => {
    const key = JSON.stringify(choices);
    if (key !== shown) fill(select, choices.map((each) => element("option", { value: each.value, title: each.title ?? null, text: each.text })));
    shown = key;
    if (select.value !== value) select.value = value;
  };
  return { element: element("label", { class: "choice" }, element("span", { text: label }), select), set };
}
