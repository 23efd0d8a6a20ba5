import { type Child, svg } from "../dom.ts";
import { difference, interval } from "../format.ts";
import { at, type Drawn, type Tone, line, place, plot, type Plot, type Scale, shortened, text, ticks, tickTexts } from "./plot.ts";

/** A mean difference with its interval; the ends are null where there is none. */
export interface ForestRow {
  label: string;
  mean: number | null;
  low: number | null;
  high: number | null;
  tone: Tone;
  /** "B better", "holds" */
  words: string;
  /** Largest loss that is accepted: what lies below -margin is shaded. */
  margin?: number;
}

export interface ForestOptions {
  what: string;
  /** Under the axis: "mean difference, B minus A, with 95 % interval". */
  axis: string;
  rows: ForestRow[];
}

/** Mean differences below each other, each a mark with its interval, 0 as an upright line. */
export function forestPlot(options: ForestOptions): Plot {
  return plot({ what: options.what, class: "forest", draw: (width) => drawForest(options, width) });
}

const rowHeight = 30;
const top = 8;

interface Places {
  scale: Scale;
  labelEnd: number;
  wordsStart: number | null;
  bottom: number;
}

function placesOf({ rows }: ForestOptions, width: number): Places {
  const isNarrow = width < 560;
  const label = Math.min(width * (isNarrow ? 0.3 : 0.24), 12 + 7.2 * Math.max(...rows.map((row) => row.label.length), 4));
  const words = isNarrow ? 0 : Math.min(width * 0.3, 80 + 7 * Math.max(...rows.map((row) => row.words.length)));
  const scale = { ...rangeOf(rows), first: label + 20, last: width - words - 20 };
  return { scale, labelEnd: label, wordsStart: isNarrow ? null : width - words, bottom: top + rowHeight * rows.length };
}

/** From the lowest end to the highest, with 0 and all margins. */
function rangeOf(rows: ForestRow[]): { low: number; high: number } {
  const values = rows.flatMap((row) => [row.low, row.high, row.mean, row.margin ? -row.margin : 0]);
  const known = values.filter((value): value is number => value !== null);
  const low = Math.min(0, ...known), high = Math.max(0, ...known);
  const around = Math.max((high - low) * 0.06, 1e-4);
  return { low: low - around, high: high + around };
}

function drawForest(options: ForestOptions, width: number): Drawn {
  const places = placesOf(options, width);
  const rows = options.rows.map((row, index) => drawRow(row, top + rowHeight * (index + 0.5), places));
  const title = titleLines(options.axis, width);
  return { height: places.bottom + 28 + 16 * title.length, content: [drawAxis(places, title, width), rows] };
}

/** In two lines where one is too long for the drawing. */
function titleLines(title: string, width: number): string[] {
  if (title.length * 6.4 <= width) return [title];
  const middle = title.length / 2;
  const breaks = [...title.matchAll(/[,;] /g)].map((found) => found.index + 1);
  const at = breaks.sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle))[0];
  return at ? [title.slice(0, at), title.slice(at + 1)] : [title];
}

function drawAxis({ scale, bottom }: Places, title: string[], width: number): Child {
  const values = ticks(scale.low, scale.high, Math.max(3, (scale.last - scale.first) / 75));
  const texts = tickTexts(values, true);
  const grid = values.map((value, i) => {
    const x = at(scale, value);
    return [line(x, top, x, bottom, value === 0 ? "axis" : "grid"), text(x, bottom + 17, texts[i]!, "middle", "faint")];
  });
  const middle = width < 560 ? width / 2 : (scale.first + scale.last) / 2;
  return [grid, title.map((words, i) => text(middle, bottom + 38 + 16 * i, words, "middle", "faint"))];
}

function drawRow(row: ForestRow, y: number, places: Places): Child {
  const { scale, labelEnd, wordsStart } = places;
  return svg("g", { class: `row ${row.tone}`, "data-explain": hintOf(row) },
    svg("rect", { class: "hit", x: 0, y: place(y - rowHeight / 2), width: place(scale.last + 20), height: rowHeight }),
    drawMargin(row, y, scale),
    text(labelEnd, y + 4.5, shortened(row.label, labelEnd), "end"),
    drawInterval(row, y, scale),
    wordsStart === null ? null
      : [text(wordsStart + 62, y + 4.5, difference(row.mean), "end", "value"), text(wordsStart + 72, y + 4.5, row.words, "start", "words")]);
}

/** The row in words, on hover. */
function hintOf({ label, mean, low, high, words }: ForestRow): string {
  return mean === null ? `${label}: ${words}` : `${label}: ${difference(mean)}, interval ${interval(low, high, difference)}; ${words}`;
}

function drawMargin(row: ForestRow, y: number, scale: Scale): Child {
  if (row.margin === undefined) return null;
  const x = at(scale, -row.margin);
  return [
    svg("rect", { class: "refused", x: place(scale.first), y: place(y - rowHeight / 2 + 3), width: Math.max(0, place(x - scale.first)), height: rowHeight - 6 }),
    line(x, y - rowHeight / 2 + 3, x, y + rowHeight / 2 - 3, "limit")];
}

function drawInterval(row: ForestRow, y: number, scale: Scale): Child {
  if (row.mean === null) return text(at(scale, 0) + 8, y + 4.5, "no value", "start", "faint");
  const x = at(scale, row.mean);
  if (row.low === null || row.high === null) return drawDot(row.tone, x, y);
  const low = at(scale, row.low), high = at(scale, row.high);
  return [line(low, y, high, y, "interval"), line(low, y - 5, low, y + 5, "interval"), line(high, y - 5, high, y + 5, "interval"), drawDot(row.tone, x, y)];
}

/** Upwards for better, downwards for worse, a circle for neither: not by colour alone. */
function drawDot(tone: Tone, x: number, y: number): Child {
  if (tone === "same") return svg("circle", { class: "dot", cx: place(x), cy: y, r: 5 });
  const sign = tone === "good" ? 1 : -1;
  return svg("path", { class: "dot", d: `M${place(x)} ${place(y - 6 * sign)}l6.5 ${11 * sign}h-13Z` });
}
