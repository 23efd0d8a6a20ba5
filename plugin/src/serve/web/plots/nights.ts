import type { GateOutcome } from "../data/report_documents.ts";
import { type Child, element, setText, svg } from "../dom.ts";
import { at, type Drawn, line, place, plot, type Scale, text, ticks, tickTexts, valueAt } from "./plot.ts";
import { timeTicks } from "./time_ticks.ts";

/** One number of one night. */
export interface NightPoint {
  night: number;
  time: number;
  /** Null: none; the line goes on without it. */
  value: number | null;
  /** Of the baseline that the night is compared with. */
  level: number | null;
  verdict: GateOutcome | null;
  /** Names that it was pinned as. */
  pins: string[];
  /** The night in a line. */
  words: string;
  /** Why it did not pass. */
  reason: string;
}

export interface NightsPlotOptions {
  what: string;
  points: NightPoint[];
  choose: (night: number) => void;
}

/** One number over the nights, oldest left, readable without its colours. A click chooses the night under it. */
export function nightsPlot(options: NightsPlotOptions) {
  let chosen: number[] = [], scales: Scales | null = null;
  const readout = element("p", { class: "readout", "aria-hidden": "true" });
  const drawing = plot({ what: options.what, class: "nights", printed: 335, draw: (width) => {
    scales = scalesOf(options.points, width);
    return draw(options.points, scales, chosen, width);
  } });
  const nearest = (event: MouseEvent): NightPoint | null => {
    const frame = drawing.element.firstElementChild!.getBoundingClientRect();
    return scales ? nearestTo(options.points, valueAt(scales.x, event.clientX - frame.left)) : null;
  };
  const tell = (point: NightPoint | null) => setText(readout, wordsOf(point, options.points.at(-1)));
  drawing.element.addEventListener("pointermove", (event) => tell(nearest(event)));
  drawing.element.addEventListener("pointerleave", () => tell(null));
  drawing.element.addEventListener("click", (event) => {
    const point = nearest(event);
    if (point) options.choose(point.night);
  });
  tell(null);
  return { element: element("div", {}, drawing.element, readout), setChosen: (nights: number[]) => {
    chosen = nights;
    drawing.redraw();
  } };
}

/** The night that is pointed at with its reason, else the newest. */
function wordsOf(point: NightPoint | null, newest: NightPoint | undefined): string {
  if (point) return point.reason ? `${point.words}: ${point.reason}` : point.words;
  return newest ? `Newest: ${newest.words}` : "";
}

function nearestTo(points: NightPoint[], time: number): NightPoint | null {
  let best: NightPoint | null = null;
  for (const point of points) if (!best || Math.abs(point.time - time) < Math.abs(best.time - time)) best = point;
  return best;
}

interface Scales {
  x: Scale;
  y: Scale;
}

const height = 230, left = 58, right = 12, top = 26, below = 26;

function scalesOf(points: NightPoint[], width: number): Scales {
  let first = points[0]?.time ?? 0, last = points.at(-1)?.time ?? 0;
  if (first >= last) [first, last] = [first - 30_000, last + 30_000];
  return { x: { low: first, high: last, first: left + 10, last: width - right - 10 }, y: { ...rangeOf(points), first: height - below, last: top } };
}

/** What hardly differs is not drawn as if it did. */
function rangeOf(points: NightPoint[]): { low: number; high: number } {
  const values = points.filter((point) => point.value !== null).flatMap((point) => [point.value!, point.level ?? point.value!]);
  if (values.length === 0) return { low: 0, high: 1 };
  let low = Infinity, high = -Infinity;
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const least = Math.max(0.01 * Math.abs(high), 1e-4);
  const margin = 0.08 * (high - low) + Math.max(0, least - (high - low)) / 2;
  return { low: low - margin, high: high + margin };
}

function draw(points: NightPoint[], { x, y }: Scales, chosen: number[], width: number): Drawn {
  const content = points.length === 0 ? [] : [
    drawAxes(x, y, width), drawPins(points, x, y, width), levelPath(points, x, y), valuePath(points, x, y),
    drawMarks(points, x, y), drawChosen(points, x, y, chosen)];
  return { height, content };
}

function drawAxes(x: Scale, y: Scale, width: number): Child {
  const values = ticks(y.low, y.high, 5);
  const texts = tickTexts(values);
  return [
    values.map((value, i) => [line(left, at(y, value), width - right, at(y, value), "grid"), text(left - 7, at(y, value) + 4, texts[i]!, "end", "faint")]),
    line(left, y.first, width - right, y.first, "axis"),
    timeTicks(x.low, x.high, Math.max(2, width / 90)).map((tick) => [
      line(at(x, tick.time), y.first, at(x, tick.time), y.first + 4, "axis"), text(at(x, tick.time), y.first + 18, tick.text, "middle", "faint")])];
}

/** Names stand where they fit; the line is there in any case. */
function drawPins(points: NightPoint[], x: Scale, y: Scale, width: number): Child {
  let free = 0;
  return points.filter((point) => point.pins.length > 0).map((point) => {
    const words = `pinned: ${point.pins.join(", ")}`;
    const wide = 6.6 * words.length;
    const begin = Math.max(left, Math.min(at(x, point.time) - 2, width - right - wide));
    const fits = begin >= free;
    if (fits) free = begin + wide + 8;
    return [line(at(x, point.time), y.last - 6, at(x, point.time), y.first, "pin"), fits ? text(begin, 14, words, "start", "faint") : null];
  });
}

/** Flat as long as the baseline stays, with a gap where it changes. */
function levelPath(points: NightPoint[], x: Scale, y: Scale): Child {
  let steps = "", level: number | null = null;
  for (const point of points) {
    if (point.value === null) continue;
    if (point.level !== null) {
      const stays = level !== null && Math.abs(level - point.level) < 1e-9;
      steps += stays ? `H${place(at(x, point.time))}` : `M${place(at(x, point.time))} ${place(at(y, point.level))}h0`;
    }
    level = point.level;
  }
  return steps ? svg("path", { class: "level", d: steps }) : null;
}

function valuePath(points: NightPoint[], x: Scale, y: Scale): Child {
  const steps = points.filter((point) => point.value !== null)
    .map((point, i) => `${i ? "L" : "M"}${place(at(x, point.time))} ${place(at(y, point.value!))}`).join("");
  return steps ? svg("path", { class: "series", d: steps }) : null;
}

const manyNights = 150;

/** Of many nights only those are marked that somebody looks for. */
function drawMarks(points: NightPoint[], x: Scale, y: Scale): Child {
  return points.map((point) => {
    const isPlain = point.verdict === null || point.verdict === "PASS";
    if (isPlain && (points.length > manyNights || point.value === null)) return null;
    return nightMark(point.verdict, at(x, point.time), point.value === null ? y.first : at(y, point.value));
  });
}

function drawChosen(points: NightPoint[], x: Scale, y: Scale, chosen: number[]): Child {
  return points.filter((point) => chosen.includes(point.night)).map((point) => [
    line(at(x, point.time), y.last, at(x, point.time), y.first, "chosen"),
    svg("circle", { class: "chosen", cx: place(at(x, point.time)), cy: place(point.value === null ? y.first : at(y, point.value)), r: 9 })]);
}

export const verdicts: (GateOutcome | null)[] = ["PASS", "REGRESSION", "INCONCLUSIVE", "BAD INPUT", null];

export function verdictText(verdict: GateOutcome | null): string {
  return verdict ?? "not gated";
}

/** A mark of its own shape for each verdict: dot, triangle, diamond, cross, open dot. */
export function nightMark(verdict: GateOutcome | null, x: number, y: number): Child {
  switch (verdict) {
    case "PASS": return svg("circle", { class: "mark pass", cx: place(x), cy: place(y), r: 3.6 });
    case "REGRESSION": return svg("path", { class: "mark fail", d: `M${place(x - 7)} ${place(y - 6)}h14l-7 12Z` });
    case "INCONCLUSIVE": return svg("path", { class: "mark doubt", d: `M${place(x)} ${place(y - 6)}l6 6l-6 6l-6 -6Z` });
    case "BAD INPUT": return svg("path", { class: "mark cross", d: `M${place(x - 5)} ${place(y - 5)}l10 10m0 -10l-10 10` });
    case null: return svg("circle", { class: "mark open", cx: place(x), cy: place(y), r: 3.8 });
  }
}

/** The mark alone, beside words. */
export function verdictSign(verdict: GateOutcome | null): SVGSVGElement {
  return svg("svg", { class: "verdict-sign", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, nightMark(verdict, 8, 8));
}
