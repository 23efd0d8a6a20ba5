import { type Child, fill, html, setText, svg } from "../dom.ts";
import { shortened } from "../format.ts";

export interface Drawn {
  height: number;
  content: Child;
}

/** Lets the pointer and the keys choose a place of a drawing. */
export interface Reading {
  /** The place that is so far from the left. */
  placeAt: (x: number) => number;
  /** The places that keys lead to, by the keys' names. */
  keys: () => Record<string, number | undefined>;
  /** Hears of the place that is chosen; null: none. */
  read: (place: number | null) => void;
}

export interface PlotOptions {
  /** Describes the drawing for those who do not see it; the numbers stand in a table. */
  what: string;
  /** Called again whenever its width, in CSS pixels, changes. */
  draw: (width: number) => Drawn;
  class: string;
  /** Makes the drawing focusable; its element has the label then, which may change. */
  reading?: Reading;
  /** Its width on paper, in CSS pixels; by default that of A4 and Letter with their margins. */
  printed?: number;
}

/**
 * A drawing in SVG that scales with its container, also on paper; its texts keep their size on the
 * screen. `redraw` draws it again after the data has changed.
 */
export function plot({ what, draw, class: name, reading, printed = 690 }: PlotOptions) {
  const frame = html("div.plot", { class: name });
  if (reading) choosePlaces(frame, what, reading);
  let width = 720;
  const drawFor = (wide: number) => {
    const { height, content } = draw(wide);
    const label = reading ? { "aria-hidden": "true" } : { role: "img", "aria-label": what };
    fill(frame, svg("svg", { viewBox: `0 0 ${wide} ${height}`, ...label }, content));
  };
  const redraw = () => drawFor(width);
  redraw();
  frame.addEventListener("beforeprint", () => drawFor(printed));
  frame.addEventListener("afterprint", redraw);
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry!.contentRect.width);
    if (now === 0 || now === width) return;
    width = now;
    redraw();
  }).observe(frame);
  return { element: frame, redraw };
}

function choosePlaces(frame: HTMLElement, what: string, { placeAt, keys, read }: Reading): void {
  for (const [name, value] of [["role", "img"], ["aria-label", what], ["tabindex", "0"]] as const)
    frame.setAttribute(name, value);
  frame.addEventListener("pointermove", (event) => read(placeAt(pointedAt(frame, event))));
  frame.addEventListener("pointerleave", () => read(null));
  frame.addEventListener("keydown", (event) => {
    const to = keys()[event.key];
    if (to === undefined) return;
    event.preventDefault();
    read(to);
  });
}

// Passes the printer's events on to the drawings on the page, which then take the paper's width.
for (const name of ["beforeprint", "afterprint"]) globalThis.addEventListener?.(name, () => {
  for (const frame of document.querySelectorAll(".plot")) frame.dispatchEvent(new Event(name));
});

/** A drawing and below it words about the place, from the left, that is pointed at. */
export function withReadout(element: HTMLElement, words: (x: number | null) => string) {
  const readout = html("p.readout", { "aria-hidden": "true" });
  const tell = (x: number | null) => setText(readout, words(x));
  element.addEventListener("pointermove", (event) => tell(pointedAt(element, event)));
  element.addEventListener("pointerleave", () => tell(null));
  tell(null);
  return html("div", element, readout);
}

/** Returns the distance of an event from the left of a drawing. */
export function pointedAt(frame: HTMLElement, event: MouseEvent): number {
  return event.clientX - frame.firstElementChild!.getBoundingClientRect().left;
}

type Anchor = "start" | "middle" | "end";

export function text(x: number, y: number, words: string, anchor: Anchor = "start", name = "") {
  return svg("text", { x: place(x), y: place(y),
    "text-anchor": anchor === "start" ? null : anchor, class: name || null }, words);
}

/** The title of an axis, cut to its length at 7.2 pixels a letter: names may be long. */
export const fitting = (title: string, length: number) =>
  shortened(title, Math.floor(length / 7.2));

/** The title of an upright axis; reads upwards. */
export function uprightText(x: number, top: number, bottom: number, title: string): SVGTextElement {
  const transform = `translate(${place(x)} ${place((top + bottom) / 2)}) rotate(-90)`;
  return svg("text", { x: 0, y: 0, "text-anchor": "middle", transform },
    fitting(title, bottom - top));
}

export function line(x1: number, y1: number, x2: number, y2: number, name: string): SVGLineElement {
  return svg("line", { x1: place(x1), y1: place(y1), x2: place(x2), y2: place(y2), class: name });
}

/** Tenths, without a superfluous 0. */
export const place = (value: number) => Math.round(value * 10) / 10;

/** Values to places in a drawing, linearly. `low` < `high`. */
export interface Scale {
  low: number;
  high: number;
  first: number;
  last: number;
}

export function at({ low, high, first, last }: Scale, value: number): number {
  return first + ((value - low) / (high - low)) * (last - first);
}

export function valueAt({ low, high, first, last }: Scale, place: number): number {
  return low + ((place - first) / (last - first)) * (high - low);
}

/** The lowest and the highest value, which may be too many for the arguments of one call. */
export function extent(values: readonly number[]): [low: number, high: number] {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity]);
}

/** The index of the value that is nearest to `wanted`, the first of several; -1 without values. */
export function nearest(values: readonly number[], wanted: number): number {
  const distances = values.map((value) => Math.abs(value - wanted));
  return distances.indexOf(Math.min(...distances));
}

/** Lines across from `left` to `right` at round values, which stand left of them. */
export function rows(y: Scale, left: number, right: number, signed = false): Child {
  const values = ticks(y.low, y.high, 5);
  const texts = tickTexts(values, signed);
  return values.map((value, i) => [
    line(left, at(y, value), right, at(y, value), "grid"),
    text(left - 7, at(y, value) + 4, texts[i]!, "end", "faint")]);
}

/** Round times below a drawing, and lines up to `top` at them. */
export function timeAxis(x: Scale, top: number, bottom: number): Child {
  return timeTicks(x.low, x.high, Math.max(2, (x.last - x.first) / 90)).map((tick) => [
    line(at(x, tick.time), top, at(x, tick.time), bottom + 4, "grid"),
    text(at(x, tick.time), bottom + 18, tick.text, "middle", "faint")]);
}

/** Upright lines; their labels stand above them as long as there is room. */
export function labelledLines(marks: readonly { x: number; label: string }[],
  { first, last }: Scale, top: number, bottom: number): Child {
  let free = 0;
  return marks.map(({ x, label }) => {
    const wide = 6.6 * label.length;
    const begin = Math.max(first, Math.min(x - 2, last - wide));
    const fits = label !== "" && begin >= free;
    if (fits) free = begin + wide + 8;
    return [line(x, top - 6, x, bottom, "pin"),
      fits && text(begin, top - 9, label, "start", "faint")];
  });
}

/** About `count` round values in [low, high], a step of 1, 2 or 5 times a power of 10 apart. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 },
    (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Formats values with as many digits as the step between them needs; with a sign if `signed`. */
export function tickTexts(values: number[], signed = false): string[] {
  const [first = 0, second] = values;
  const step = Math.abs((second ?? 0) - first) || 1;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return values.map((value) => {
    const text = Math.abs(value).toFixed(digits);
    if (Number(text) === 0) return "0";
    if (value < 0) return `−${text}`;
    return signed ? `+${text}` : text;
  });
}

const minute = 60_000, hour = 60 * minute, day = 24 * hour;

/** Years, months, days, hours, minutes, seconds: how long each is in ms, and steps. */
const units: [number, number[]][] = [
  [365.25 * day, [1, 2, 5, 10, 20, 50, 100]], [30.4 * day, [1, 3, 6]], [day, [1, 2, 7, 14]],
  [hour, [1, 2, 3, 6, 12]], [minute, [1, 2, 5, 10, 15, 30]], [1000, [1, 2, 5, 10, 15, 30]]];
const years = 0, days = 2;

/** How they are written. */
const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const formats = ([{ year: "numeric" }, { month: "short", year: "numeric" },
  { day: "numeric", month: "short" }, clock, clock, { ...clock, second: "2-digit" }] as const)
  .map((options) => new Intl.DateTimeFormat(undefined, options));

/**
 * Returns at most about `count` round times of the viewer's zone in [first, last], with their
 * texts; `first` < `last`.
 */
export function timeTicks(first: number, last: number, count: number) {
  const steps = units.flatMap(([length, factors], unit) =>
    factors.map((factor) => ({ unit, factor, length: length * factor })));
  const { unit, factor } = steps.sort((one, other) => one.length - other.length)
    .find(({ length }) => (last - first) / length <= count) ?? { unit: years, factor: 100 };
  const at = new Date(first);
  const parts = [at.getFullYear(), at.getMonth(), at.getDate(), at.getHours(), at.getMinutes(),
    at.getSeconds()].map((part, index) => (index <= unit ? part : index === days ? 1 : 0));
  // Days count from the first one, everything else from a round one.
  if (unit !== days) parts[unit]! -= parts[unit]! % factor;
  const found: { time: number; text: string }[] = [];
  for (;; parts[unit]! += factor) {
    const tick = new Date(...(parts as [number, number]));
    if (tick.getTime() > last) return found;
    if (tick.getTime() < first) continue;
    const isMidnight = tick.getTime() === new Date(tick).setHours(0, 0, 0, 0);
    const text = formats[isMidnight ? Math.min(unit, days) : unit]!.format(tick);
    found.push({ time: tick.getTime(), text });
  }
}

/** Direction of a change, as a class of the style. */
export type Tone = "good" | "bad" | "same";

export const toneOf = (change: number): Tone => (change > 0 ? "good" : change < 0 ? "bad" : "same");

/** The tone of a verdict that a comparison gives. */
export function toneOfVerdict(verdict: string): Tone {
  return verdict === "better" ? "good" : verdict === "worse" ? "bad" : "same";
}
