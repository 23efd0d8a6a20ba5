import { type Child, svg } from "../dom.ts";
import { difference, interval, shortened } from "../format.ts";
import {
  at, type Drawn, extent, fitting, line, place, plot, type Scale, text, ticks, tickTexts, type Tone,
} from "./plot.ts";

/** A mean difference with its interval; the ends are null if there is none. */
export interface ForestRow {
  label: string;
  mean: number | null;
  low: number | null;
  high: number | null;
  tone: Tone;
  /** "B better", "holds" */
  words: string;
  /** Largest loss that is accepted; the area below -margin is shaded. */
  margin?: number;
}

export interface ForestOptions {
  what: string;
  /** Text below the axis: "mean difference, B minus A, with 95 % interval". */
  axis: string;
  rows: ForestRow[];
}

/** Mean differences below each other, each a mark with its interval, 0 as an upright line. */
export function forestPlot(options: ForestOptions): HTMLElement {
  const draw = (width: number) => drawForest(options, width);
  return plot({ what: options.what, class: "forest", draw }).element;
}

const rowHeight = 30;
const top = 8;

type Places = ReturnType<typeof placesOf>;

function placesOf({ rows }: ForestOptions, width: number) {
  const isNarrow = width < 560;
  const longest = (texts: string[]) => Math.max(...texts.map((text) => text.length), 4);
  const labelEnd = Math.min(width * (isNarrow ? 0.3 : 0.24),
    12 + 7.2 * longest(rows.map((row) => row.label)));
  const words = isNarrow ? 0
    : Math.min(width * 0.3, 80 + 7 * longest(rows.map((row) => row.words)));
  const scale = { ...rangeOf(rows), first: labelEnd + 20, last: width - words - 20 };
  return { scale, labelEnd, wordsStart: isNarrow ? null : width - words,
    bottom: top + rowHeight * rows.length };
}

/** Returns the range from the lowest end to the highest, with 0 and all margins. */
function rangeOf(rows: ForestRow[]): { low: number; high: number } {
  const values = rows.flatMap(({ low, high, mean, margin }) => [low, high, mean, -(margin ?? 0)])
    .filter((value) => value !== null);
  const [low, high] = extent([0, ...values]);
  const around = Math.max((high - low) * 0.06, 1e-4);
  return { low: low - around, high: high + around };
}

function drawForest(options: ForestOptions, width: number): Drawn {
  const places = placesOf(options, width);
  const rows = options.rows.map((row, index) =>
    drawRow(row, top + rowHeight * (index + 0.5), places));
  const title = titleLines(options.axis, width);
  return { height: places.bottom + 28 + 16 * title.length,
    content: [drawAxis(places, title, width), rows] };
}

function titleLines(title: string, width: number): string[] {
  if (title.length * 6.4 <= width) return [title];
  const fromMiddle = (place: number) => Math.abs(place - title.length / 2);
  const [at] = [...title.matchAll(/[,;] /g)].map((found) => found.index + 1)
    .sort((one, other) => fromMiddle(one) - fromMiddle(other));
  return (at ? [title.slice(0, at), title.slice(at + 1)] : [title])
    .map((words) => fitting(words, width));
}

function drawAxis({ scale, bottom }: Places, title: string[], width: number): Child {
  const values = ticks(scale.low, scale.high, Math.max(3, (scale.last - scale.first) / 75));
  const texts = tickTexts(values, true);
  const middle = width < 560 ? width / 2 : (scale.first + scale.last) / 2;
  return [
    values.map((value, i) => {
      const x = at(scale, value);
      return [line(x, top, x, bottom, value === 0 ? "axis" : "grid"),
        text(x, bottom + 17, texts[i]!, "middle", "faint")];
    }),
    title.map((words, i) => text(middle, bottom + 38 + 16 * i, words, "middle", "faint"))];
}

function drawRow(row: ForestRow, y: number, places: Places): Child {
  const { scale, labelEnd, wordsStart } = places;
  const { label, mean, low, high, words } = row;
  const numbers = `${difference(mean)}, interval ${interval(low, high)}; `;
  return svg("g.row", { class: row.tone,
    "data-explain": `${label}: ${mean === null ? "" : numbers}${words}` },
  svg("rect.hit", { x: 0, y: place(y - rowHeight / 2), width: place(scale.last + 20),
    height: rowHeight }),
  row.margin !== undefined && drawMargin(row.margin, y, scale),
  text(labelEnd, y + 4.5, shortened(label, Math.max(4, Math.floor(labelEnd / 7))), "end"),
  drawInterval(row, y, scale),
  wordsStart !== null && [
    text(wordsStart + 62, y + 4.5, difference(mean), "end", "value"),
    text(wordsStart + 72, y + 4.5, words, "start", "words")]);
}

function drawMargin(margin: number, y: number, scale: Scale): Child {
  const x = at(scale, -margin), { first } = scale;
  const half = rowHeight / 2 - 3;
  return [
    svg("rect.refused", { x: place(first), y: place(y - half),
      width: Math.max(0, place(x - first)), height: 2 * half }),
    line(x, y - half, x, y + half, "limit")];
}

function drawInterval({ mean, low, high, tone }: ForestRow, y: number, scale: Scale): Child {
  if (mean === null) return text(at(scale, 0) + 8, y + 4.5, "no value", "start", "faint");
  const dot = drawDot(tone, at(scale, mean), y);
  if (low === null || high === null) return dot;
  const ends = [at(scale, low), at(scale, high)] as const;
  return [line(ends[0], y, ends[1], y, "interval"),
    ends.map((end) => line(end, y - 5, end, y + 5, "interval")), dot];
}

/** Upwards for better, downwards for worse, a circle for neither: not by colour alone. */
function drawDot(tone: Tone, x: number, y: number): Child {
  if (tone === "same") return svg("circle.dot", { cx: place(x), cy: y, r: 5 });
  const sign = tone === "good" ? 1 : -1;
  return svg("path.dot", { d: `M${place(x)} ${place(y - 6 * sign)}l6.5 ${11 * sign}h-13Z` });
}
