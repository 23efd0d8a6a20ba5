import { type Child, element, fill, svg } from "../dom.ts";

/** A drawing as it is at one width. */
export interface Drawn {
  height: number;
  content: Child;
}

export interface PlotOptions {
  /** What the drawing shows, for those who do not see it; the numbers stand in a table. */
  what: string;
  /** Drawn anew whenever its width, in CSS pixels, changes. */
  draw: (width: number) => Drawn;
  class?: string;
  /** Its width on paper, in CSS pixels, where it is not the whole width of a page. */
  printed?: number;
}

export interface Plot {
  element: HTMLElement;
  /** After what it shows has changed. */
  redraw(): void;
}

const widthBeforeItIsShown = 720;
/** A4 and Letter with their usual margins. */
const widthOfPaper = 690;

/**
 * A drawing in SVG: it scales with what it stands in, also on paper, and its texts keep their size
 * on the screen.
 */
export function plot(options: PlotOptions): Plot {
  const frame = element("div", { class: options.class ? `plot ${options.class}` : "plot" });
  let width = widthBeforeItIsShown;
  const drawFor = (wide: number) => {
    const { height, content } = options.draw(wide);
    fill(frame, svg("svg", { viewBox: `0 0 ${wide} ${height}`, role: "img", "aria-label": options.what }, content));
  };
  const redraw = () => drawFor(width);
  redraw();
  forPaper.add({ frame, print: () => drawFor(options.printed ?? widthOfPaper), redraw });
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry!.contentRect.width);
    if (now === 0 || now === width) return;
    width = now;
    redraw();
  }).observe(frame);
  return { element: frame, redraw };
}

/** Paper is as wide as it is, whatever the window. */
const forPaper = new Set<{ frame: HTMLElement; print: () => void; redraw: () => void }>();

function eachShown(act: (plot: { print: () => void; redraw: () => void }) => void): void {
  for (const plot of forPaper) {
    if (plot.frame.isConnected) act(plot);
    else forPaper.delete(plot);
  }
}
globalThis.addEventListener?.("beforeprint", () => eachShown((plot) => plot.print()));
globalThis.addEventListener?.("afterprint", () => eachShown((plot) => plot.redraw()));

type Anchor = "start" | "middle" | "end";

export function text(x: number, y: number, words: string, anchor: Anchor = "start", name = ""): SVGTextElement {
  return svg("text", { x: place(x), y: place(y), "text-anchor": anchor === "start" ? null : anchor, class: name || null }, words);
}

/** Reads upwards, its middle at the place. */
export function uprightText(x: number, y: number, words: string): SVGTextElement {
  return svg("text", { x: 0, y: 0, "text-anchor": "middle", transform: `translate(${place(x)} ${place(y)}) rotate(-90)` }, words);
}

export function line(x1: number, y1: number, x2: number, y2: number, name: string): SVGLineElement {
  return svg("line", { x1: place(x1), y1: place(y1), x2: place(x2), y2: place(y2), class: name });
}

/** Tenths, without a superfluous 0. */
export function place(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A name that fits into about `width` CSS pixels. */
export function shortened(name: string, width: number): string {
  const most = Math.max(4, Math.floor(width / 7));
  const characters = Array.from(name);
  return characters.length <= most ? name : `${characters.slice(0, most - 1).join("")}…`;
}

/** Values to places in a drawing, linearly. `low` < `high`. */
export interface Scale {
  low: number;
  high: number;
  first: number;
  last: number;
}

export function at(scale: Scale, value: number): number {
  return scale.first + ((value - scale.low) / (scale.high - scale.low)) * (scale.last - scale.first);
}

/** The value at a place: what `at` undoes. */
export function valueAt(scale: Scale, place: number): number {
  return scale.low + ((place - scale.first) / (scale.last - scale.first)) * (scale.high - scale.low);
}

/** Round values within [low, high], about `count` of them, a step of 1, 2 or 5 times a power of 10 apart. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const values: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) {
    values.push(Number((i * step).toPrecision(12)));
  }
  return values;
}

/** With as many digits as the step between `values` needs; with a sign where `signed`. */
export function tickTexts(values: number[], signed = false): string[] {
  const step = values.length > 1 ? Math.abs(values[1]! - values[0]!) : Math.abs(values[0] ?? 1) || 1;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return values.map((value) => {
    const text = Math.abs(value).toFixed(digits);
    if (Number(text) === 0) return "0";
    if (value < 0) return `−${text}`;
    return signed ? `+${text}` : text;
  });
}

/** How a change came out, as a class of the style. */
export type Tone = "good" | "bad" | "same";

export function toneOf(change: number): Tone {
  return change > 0 ? "good" : change < 0 ? "bad" : "same";
}
