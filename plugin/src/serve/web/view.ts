// The interface of a view, its address, and the context of live views.
import type { PageData, Pair, Series, Summary, SummaryDocument } from "./data/documents.ts";
import { decoded, type Source } from "./data/source.ts";
import { type Child, type Choice, chooser, html, setText } from "./dom.ts";
import { meanName, measureExplanation } from "./explain.ts";
import { visibleText } from "./format.ts";

export interface Context {
  readonly data: PageData;
  readonly source: Source;
  /** The newest data; the series is null if there is none (has.series). */
  readonly now: { readonly document: SummaryDocument; readonly series: Series | null };
  /** Changes parameters of the address (null removes one) and tells the view: parameters(). */
  setParameters(changes: Changes): void;
}

export type Changes = Record<string, string | null>;

export interface ShownView {
  /** Begins with an h1. */
  element: HTMLElement;
  /** The address has other parameters but the same path. Without it the view is rebuilt. */
  parameters?(): void;
  /** Called when there is newer data, at most 4 times a second: change texts, keep the focus. */
  update?(): void;
  /** Another view comes: stop timers, close charts. */
  close?(): void;
}

export type View = (context: Context) => ShownView;

/**
 * The place within the page that the address names: #/topic/EP1?measure=PRES@100. The path is
 * decoded: ["topic", "EP1"]; [] is the beginning.
 */
export function here() {
  const [path = "", ...query] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decoded);
  return { path: parts, parameters: new URLSearchParams(query.join("?")) };
}

/** Parameters that views share and links carry on. */
const carried = ["measure", "a", "b"];

/** The address of a place: href("topic", id) or href("topics", {sort: "difference"}). */
export function href(...parts: (string | Changes)[]): string {
  const path = parts.filter((part) => typeof part === "string");
  const kept = [...here().parameters].filter(([name]) => carried.includes(name));
  const changes = parts.filter((part) => typeof part !== "string");
  return address(path, new URLSearchParams(kept), Object.assign({}, ...changes));
}

export function address(path: string[], parameters: URLSearchParams, changes: Changes): string {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) parameters.delete(name);
    else parameters.set(name, value);
  }
  const query = parameters.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
}

/**
 * The measure and the two arms that the address asks for. Without it: the first ones, and as b the
 * first other arm that is not removed; no b with one arm.
 */
export function selection(summary: Summary) {
  const { parameters } = here();
  const wanted = (name: string, known: string[]) =>
    known.find((each) => each === parameters.get(name)) ?? known[0];
  const a = wanted("a", summary.arms.map((arm) => arm.name)) ?? "";
  const others = summary.arms.filter((arm) => arm.name !== a);
  const first = others.find(({ status }) => status !== "removed") ?? others[0];
  const b = (others.find(({ name }) => name === parameters.get("b")) ?? first)?.name ?? null;
  const { primary, measures } = summary;
  const measure = wanted("measure", primary === null ? measures : [primary, ...measures]) ?? "";
  return { measure, a, b };
}

/** The pair that has the second arm of the address, else the first; null without pairs. */
export function selectedPair(summary: Summary): Pair | null {
  const b = here().parameters.get("b");
  return summary.pairs.find((pair) => pair.b === b) ?? summary.pairs[0] ?? null;
}

/**
 * Choosers of measure and arms; the choice is kept in the address. `arms` is "pairs" if the first
 * arm is compared with another (as summaries are), "any" if any two may be.
 */
export function selectionBar(context: Context, arms: "pairs" | "any" | "none") {
  const measure = chooser("Measure", (value) => context.setParameters({ measure: value }));
  const a = chooser("Arm", (value) => context.setParameters({ a: value }));
  const b = chooser("against", (value) => context.setParameters({ b: value }));
  const element = html("div.bar", { role: "group", "aria-label": "View" },
    measure.element, a.element, b.element);
  const set = (summary: Summary | null) => {
    element.hidden = !summary;
    if (!summary) return;
    const chosen = selection(summary);
    const names = summary.arms.map((arm) => arm.name);
    const inPairs = arms === "pairs";
    const others = inPairs ? summary.pairs.map((pair) => pair.b)
      : names.filter((name) => name !== chosen.a);
    measure.set(summary.measures.map((each) =>
      ({ value: each, text: meanName(each), title: measureExplanation(each) })), chosen.measure);
    a.set(names.map(plain), chosen.a);
    b.set(others.map(plain), (inPairs ? selectedPair(summary)?.b : chosen.b) ?? "");
    a.element.hidden = arms !== "any" || names.length < 2;
    b.element.hidden = arms === "none" || others.length < (inPairs ? 2 : 1);
  };
  return { element, set };
}

const plain = (name: string): Choice => ({ value: name, text: visibleText(name) });

/** The heading of a view, a line below it, and elements beside it. */
export function viewHead(title: Child, lead: Child, ...beside: Child[]): HTMLElement {
  return html("div.view-head", html("div", html("h1", title), lead), beside);
}

/**
 * Loads a document for a view on demand, and again after new observations, at most once in
 * `pauseMs`. `problem` holds the error if it could not be loaded.
 */
export function loading<Document>(context: Context, pauseMs: number,
  fetch: () => Promise<Document>, show: (document: Document) => void) {
  const problem = html("p.problem", { role: "alert", hidden: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = -Infinity, asked = 0, state: string | null = null;
  const load = async () => {
    clearTimeout(timer);
    timer = undefined;
    last = performance.now();
    const mine = ++asked;
    try {
      const document = await fetch();
      if (mine !== asked) return;
      problem.hidden = true;
      show(document);
    } catch (error) {
      if (mine !== asked) return;
      setText(problem, visibleText(error instanceof Error ? error.message : String(error)));
      problem.hidden = false;
    }
  };
  const update = () => {
    const epoch = context.now.document?.summary?.epoch;
    const now = epoch ? `${epoch.number} ${epoch.observations}` : "";
    const changed = state !== null && state !== now;
    state = now;
    const wait = Math.max(0, last + pauseMs - performance.now());
    if (changed) timer ??= setTimeout(() => void load(), wait);
  };
  const close = () => {
    ++asked;
    clearTimeout(timer);
  };
  return { problem, load, update, close };
}
