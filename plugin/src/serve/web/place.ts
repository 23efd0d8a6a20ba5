import type { Pair, Summary } from "./data/documents.ts";
import { element, fill } from "./dom.ts";
import { meanName, measureExplanation } from "./measures.ts";
import type { Context } from "./view.ts";

/** A place within the page: #/topic/EP1?measure=PRES@100 */
export interface Place {
  /** Decoded: ["topic", "EP1"]; [] is the beginning. */
  path: string[];
  parameters: URLSearchParams;
}

/** What views share and links carry on. */
const carried = ["measure", "a", "b"];

export function parsePlace(hash: string): Place {
  const [path = "", query = ""] = split(hash.replace(/^#\/?/, ""));
  return { path: path.split("/").filter(Boolean).map(decoded), parameters: new URLSearchParams(query) };
}

export function presentPlace(): Place {
  return parsePlace(location.hash);
}

/** The address of a place: href("topic", id) or href("topics", {sort: "difference"}). */
export function href(...parts: (string | Record<string, string | null>)[]): string {
  const path = parts.filter((part): part is string => typeof part === "string");
  const parameters = new URLSearchParams();
  const here = presentPlace().parameters;
  for (const name of carried) if (here.has(name)) parameters.set(name, here.get(name)!);
  for (const part of parts) if (typeof part !== "string") change(parameters, part);
  return address(path, parameters);
}

export function address(path: string[], parameters: URLSearchParams): string {
  const query = parameters.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
}

export function change(parameters: URLSearchParams, changes: Record<string, string | null>): void {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) parameters.delete(name);
    else parameters.set(name, value);
  }
}

function split(text: string): [string, string] {
  const at = text.indexOf("?");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

// A hand-written address may hold what is not percent-encoding.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

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
