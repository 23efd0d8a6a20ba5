import { armClass, armLook, armMarker } from "./arms.ts";
import { type Child, html, setText, svg, uniqueId } from "./dom.ts";
import { count, nameInText, none, timeOfDay } from "./format.ts";
import {
  at, type Drawn, labelledLines, line, place, plot, rows, type Scale, text, ticks, tickTexts,
  timeAxis, uprightText, valueAt,
} from "./plots/plot.ts";
import { numberColumn, nameColumn, table } from "./table.ts";

export interface ChartLine {
  label: string;
  /** The place of its arm in the order of SUMMARY.arms; else `class` gives the line its look. */
  arm?: number;
  class?: string;
}

type Column = readonly (number | null)[];

export interface ChartData {
  /** Ascending: milliseconds since 1970 if x is "time". */
  x: readonly number[];
  /** For each line a column as long as x; null is a gap. */
  lines: readonly Column[];
  /** Upright lines; the labels are written as long as there is room. */
  marks?: readonly { x: number; label: string }[];
}

export interface ChartOptions {
  /** The chart's name: a few words. */
  label: string;
  /** Describes the chart's present content in a sentence or two. */
  describe?: () => string;
  x: "time" | "number" | "log";
  xLabel: string;
  yLabel: string;
  lines: ChartLine[];
  /** Fills the area between the first and the last line. */
  hasBand?: boolean;
  height: number;
  /** Values that the y axis must include. */
  include?: number[];
  /** Fixed ends of the y axis, with signs at its values; by default those of the values. */
  limits?: () => [number, number];
  formatX?: (x: number) => string;
  formatY: (y: number) => string;
}

/** A plot with values under the cursor, reading by arrow keys, and its data as a table. */
export function chart(options: ChartOptions) {
  const { label, lines, x: kind, formatX = kind === "time" ? timeOfDay : String } = options;
  let data: ChartData = { x: [], lines: [] }, x: Scale, read: number | null = null;
  const readout = html("p.readout", html("span"), lines.map(() => html("span.value")));
  // Shows the values under the cursor, or the newest if there is none.
  const show = (index: number | null) => {
    read = index;
    drawing.redraw();
    const shown = index ?? data.x.length - 1;
    const [first, ...values] = Array.from(readout.children);
    setText(first!, shown < 0 ? "No values yet" : formatX(data.x[shown]!));
    lines.forEach((line, i) => setText(values[i]!, shown < 0 ? ""
      : `${nameInText(line.label, 24)} ${valueText(options, data, i, shown)}`));
  };
  // A moment pointed at in one chart is shown in all.
  const showInAll = (index: number | null) => {
    if (kind !== "time") return show(index);
    const time = index === null ? null : data.x[index]!;
    for (const each of document.querySelectorAll(".chart > .plot")) timeReaders.get(each)?.(time);
  };
  const nearest = (value: number) => data.x.reduce((best, each, i) =>
    (Math.abs(each - value) < Math.abs(data.x[best]! - value) ? i : best), 0);
  const keys = () => {
    const last = data.x.length - 1, now = read ?? last;
    return last < 0 ? {} : { ArrowLeft: Math.max(0, now - 1), ArrowRight: Math.min(last, now + 1),
      Home: 0, End: last };
  };
  const drawing = plot({ class: "lines", what: label, draw: (width) => {
    x = scaleOf(options, data, width);
    return drawChart(options, data, x, read);
  }, reading: { keys, read: showInAll,
    placeAt: (from) => nearest(valueOf(kind, valueAt(x, from))) } });
  if (kind === "time")
    timeReaders.set(drawing.element, (time) => show(time === null ? null : nearest(time)));
  // Read out while the reader goes along it, not whenever new numbers come.
  drawing.element.addEventListener("keydown", () => readout.setAttribute("aria-live", "polite"));
  drawing.element.addEventListener("blur", () => readout.removeAttribute("aria-live"));
  const below = chartTable(options, formatX);
  return { element: html("figure.chart", drawing.element, readout, below.element),
    set: (newer: ChartData) => {
      data = newer;
      const words = [label, options.describe?.()].filter(Boolean);
      drawing.element.setAttribute("aria-label", words.join(". "));
      show(read !== null && read < data.x.length ? read : null);
      below.set(data);
    } };
}

export type Chart = ReturnType<typeof chart>;

const timeReaders = new WeakMap<Element, (time: number | null) => void>();

function valueText(
  { formatY }: ChartOptions, { lines }: ChartData, line: number, index: number): string {
  const value = lines[line]?.[index] ?? null;
  return value === null ? none : formatY(value);
}

const left = 58, top = 20, below = 40;

// Logarithms are the places of a logarithmic axis.
const placeOf = (kind: ChartOptions["x"], x: number) => (kind === "log" ? Math.log10(x) : x);
const valueOf = (kind: ChartOptions["x"], place: number) => (kind === "log" ? 10 ** place : place);

function scaleOf({ x: kind }: ChartOptions, { x }: ChartData, width: number): Scale {
  const [low = 0, high = 1] = [x[0], x.at(-1)].filter((end) => end !== undefined)
    .map((end) => placeOf(kind, end));
  return { low, high: high > low ? high : low + 1, first: left, last: width - 16 };
}

function rangeOf({ limits, include = [] }: ChartOptions, { lines }: ChartData) {
  if (limits) return limits();
  const values = [...include, ...lines.flat().filter((value) => value !== null)];
  if (values.length === include.length) return [0, 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room];
}

function drawChart(options: ChartOptions, data: ChartData, x: Scale, read: number | null): Drawn {
  const { height, hasBand, limits, lines, xLabel, yLabel, x: kind } = options;
  const bottom = height - below, [low, high] = rangeOf(options, data) as [number, number];
  const y = { low, high, first: bottom, last: top };
  const places: Places = { x: data.x.map((each) => place(at(x, placeOf(kind, each)))), y };
  const id = uniqueId("chart"), cursor = read === null ? undefined : places.x[read];
  const marks = data.marks?.map((mark) => ({ ...mark, x: at(x, placeOf(kind, mark.x)) })) ?? [];
  return { height, content: [
    rows(y, left, x.last, limits !== undefined), xAxis(kind, x, bottom),
    low < 0 && high > 0 && line(left, at(y, 0), x.last, at(y, 0), "axis"),
    text((left + x.last) / 2, height - 6, xLabel, "middle", "faint"),
    uprightText(12, (top + bottom) / 2, yLabel),
    svg("clipPath", { id },
      svg("rect", { x: left, y: top, width: x.last - left, height: bottom - top })),
    svg("g", { "clip-path": `url(#${id})` },
      hasBand && svg("path.band",
        { d: bandPath(data.lines[0] ?? [], data.lines.at(-1) ?? [], places) }),
      lines.map((each, i) => drawLine(each, data.lines[i] ?? [], places))),
    lines.map((each, i) => lastMarker(each, data.lines[i] ?? [], places)),
    labelledLines(marks.filter((mark) => mark.x >= left && mark.x <= x.last), x, top, bottom),
    cursor && line(cursor, top, cursor, bottom, "cursor")] };
}

function xAxis(kind: ChartOptions["x"], x: Scale, bottom: number): Child {
  if (kind === "time") return timeAxis(x, top, bottom);
  const most = Math.max(2, (x.last - x.first) / 70);
  const values = kind === "number" ? ticks(x.low, x.high, most) : decades(x);
  const texts = kind === "number" ? tickTexts(values) : values.map(String);
  return values.map((value, i) => {
    const from = at(x, placeOf(kind, value));
    return [line(from, top, from, bottom, "grid"), (kind === "number" || /^1(0*)$/.test(texts[i]!))
      && text(from, bottom + 16, count(value), "middle", "faint")];
  });
}

/** 1, 2, ... 9, 10, 20, ... as far as the axis goes. */
function decades({ low, high }: Scale): number[] {
  const powers = Array.from({ length: Math.floor(high) - Math.floor(low) + 1 },
    (_, i) => 10 ** (Math.floor(low) + i));
  return powers.flatMap((power) => [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => digit * power))
    .filter((value) => Math.log10(value) >= low - 1e-9 && Math.log10(value) <= high + 1e-9);
}

/** The x of all points, and the scale of their values. */
interface Places {
  x: number[];
  y: Scale;
}

/** Stretches of points at which all columns have a value. */
function stretches(columns: readonly Column[]): number[][] {
  const found: number[][] = [[]];
  columns[0]!.forEach((_value, i) => {
    if (columns.every((column) => typeof column[i] === "number")) found.at(-1)!.push(i);
    else found.push([]);
  });
  return found.filter((stretch) => stretch.length > 0);
}

const points = (column: Column, stretch: number[], { x, y }: Places) =>
  stretch.map((i) => `${x[i]} ${place(at(y, column[i]!))}`);

function drawLine({ arm, class: name }: ChartLine, column: Column, places: Places): Child {
  const d = stretches([column]).map((each) => `M${points(column, each, places).join("L")}`);
  const look = arm === undefined ? { class: name }
    : { class: armClass(arm), "stroke-dasharray": armLook(arm).dash.join(" ") || null };
  return d.length > 0 && svg("path.line", { d: d.join(""), ...look });
}

function bandPath(high: Column, low: Column, places: Places): string {
  return stretches([high, low]).map((each) => `M${[...points(high, each, places),
    ...points(low, each.slice().reverse(), places)].join("L")}Z`).join("");
}

function lastMarker({ arm }: ChartLine, column: Column, { x, y }: Places): Child {
  const last = column.findLastIndex((value) => value !== null);
  return arm !== undefined && last >= 0
    && svg("g", { class: armClass(arm) }, armMarker(arm, x[last]!, at(y, column[last]!)));
}

/** Largest number of rows; longer data shows every nth, and always the last. */
const mostRows = 200;

// The chart's data as a table that can be opened below it.
function chartTable(options: ChartOptions, formatX: (x: number) => string) {
  let data: ChartData = { x: [], lines: [] };
  const rows = table<number>({ caption: options.label }, [
    nameColumn(options.xLabel, (index) => formatX(data.x[index]!)),
    ...options.lines.map(({ label }, place) =>
      numberColumn<number>(label, (index) => valueText(options, data, place, index)))]);
  rows.element.classList.add("tall");
  const show = () => {
    const step = Math.max(1, Math.ceil(data.x.length / mostRows));
    const wanted = [...data.x.keys()].filter((index) => (data.x.length - 1 - index) % step === 0);
    if (frame.open) rows.set(wanted);
  };
  const frame = html("details.chart-table", { ontoggle: show },
    html("summary", "Show as a table"), rows.element);
  return { element: frame, set(newer: ChartData) {
    data = newer;
    show();
  } };
}
