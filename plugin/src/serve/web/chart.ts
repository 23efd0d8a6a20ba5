import { armClass, armDash, armMarker } from "./arms.ts";
import { type Child, html, refill, svg, uniqueId } from "./dom.ts";
import { count, dateAndTime, dayMs, nameInText, none, timeOfDay } from "./format.ts";
import {
  at, type Drawn, extent, labelledLines, line, nearest, place, plot, rows, type Scale, text, ticks,
  timeAxis, uprightText, valueAt,
} from "./plots/plot.ts";
import { numberColumn, nameColumn, table } from "./table.ts";

type Column = readonly (number | null)[];

export interface ChartLine {
  label: string;
  /** The place of its arm in the order of SUMMARY.arms; else `class` gives the line its look. */
  arm?: number;
  class?: string;
  /** As long as the chart's x; null is a gap. */
  values: Column;
}

export interface ChartData {
  /** Ascending: milliseconds since 1970 if x is "time". */
  x: readonly number[];
  lines: readonly ChartLine[];
  /** Upright lines; the labels are written as long as there is room. */
  marks?: readonly { x: number; label: string }[];
  /** Describes the content in a sentence or two. */
  words?: string;
  /** Fixed ends of the y axis, with signs at its values; by default those of the values. */
  limits?: [number, number];
  isLog?: boolean;
}

export interface ChartOptions {
  /** The chart's name: a few words. */
  label: string;
  x: "time" | "number";
  xLabel: string;
  yLabel: string;
  /** Fills the area between the first and the last line. */
  hasBand?: boolean;
  height: number;
  /** Values that the y axis must include. */
  include?: number[];
  formatX?: (x: number) => string;
  formatY: (y: number) => string;
}

/** A plot with values under the cursor, reading by arrow keys, and its data as a table. */
export function chart(options: ChartOptions) {
  const { label, x: kind } = options;
  let data: ChartData = { x: [], lines: [] }, x: Scale, read: number | null = null;
  const timeText = (time: number) =>
    (data.x.at(-1)! - data.x[0]! > dayMs ? dateAndTime(time) : timeOfDay(time));
  const { formatX = kind === "time" ? timeText : String } = options;
  const readout = html("p.readout");
  // Shows the values under the cursor, or the newest if there is none.
  const show = (index: number | null) => {
    read = index;
    drawing.redraw();
    const shown = index ?? data.x.length - 1;
    const place = shown < 0 ? "No values yet" : formatX(data.x[shown]!);
    const values = shown < 0 ? [] : data.lines.map((line) =>
      `${nameInText(line.label, 24)} ${valueText(options, line, shown)}`);
    refill(readout, [html("span", place), ...values.map((each) => html("span.value", each))]);
  };
  // A moment pointed at in one chart is shown in all.
  const showInAll = (index: number | null) => {
    if (kind !== "time") return show(index);
    const time = index === null ? null : data.x[index] ?? null;
    for (const each of document.querySelectorAll(".chart > .plot")) timeReaders.get(each)?.(time);
  };
  const keys = () => {
    const last = data.x.length - 1, now = read ?? last;
    return last < 0 ? {} : { ArrowLeft: Math.max(0, now - 1), ArrowRight: Math.min(last, now + 1),
      Home: 0, End: last };
  };
  const drawing = plot({ class: "lines", what: label, draw: (width) => {
    x = scaleOf(data, width);
    return drawChart(options, data, x, read);
  }, reading: { keys, read: showInAll,
    placeAt: (from) => nearest(data.x, valueOf(data, valueAt(x, from))) } });
  if (kind === "time")
    timeReaders.set(drawing.element, (time) => show(time === null ? null : nearest(data.x, time)));
  // Read out while the reader goes along it, not whenever new numbers come.
  drawing.element.addEventListener("keydown", () => readout.setAttribute("aria-live", "polite"));
  drawing.element.addEventListener("blur", () => readout.removeAttribute("aria-live"));
  const below = chartTable(options, formatX);
  return { element: html("figure.chart", drawing.element, readout, below.element),
    set: (newer: ChartData) => {
      data = newer;
      const words = [label, data.words].filter(Boolean);
      drawing.element.setAttribute("aria-label", words.join(". "));
      show(read !== null && data.x[read] !== undefined ? read : null);
      below.set(data);
    } };
}

const timeReaders = new WeakMap<Element, (time: number | null) => void>();

function valueText({ formatY }: ChartOptions, { values }: ChartLine, index: number): string {
  const value = values[index] ?? null;
  return value === null ? none : formatY(value);
}

const left = 58, top = 20, below = 40;

// Logarithms are the places of a logarithmic axis.
const placeOf = ({ isLog }: ChartData, x: number) => (isLog ? Math.log10(x) : x);
const valueOf = ({ isLog }: ChartData, place: number) => (isLog ? 10 ** place : place);

function scaleOf(data: ChartData, width: number): Scale {
  const [low = 0, high = 1] = [data.x[0], data.x.at(-1)].filter((end) => end !== undefined)
    .map((end) => placeOf(data, end));
  return { low, high: high > low ? high : low + 1, first: left, last: width - 16 };
}

function rangeOf({ include = [] }: ChartOptions, { limits, lines }: ChartData): [number, number] {
  if (limits) return limits;
  const values = [...include, ...lines.flatMap((line) => line.values).filter((it) => it !== null)];
  if (values.length === include.length) return [0, 1];
  const [low, high] = extent(values);
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room];
}

function drawChart(options: ChartOptions, data: ChartData, x: Scale, read: number | null): Drawn {
  const { height, hasBand, xLabel, yLabel } = options, { lines } = data;
  const bottom = height - below, [low, high] = rangeOf(options, data);
  const y = { low, high, first: bottom, last: top };
  const places: Places = { x: data.x.map((each) => place(at(x, placeOf(data, each)))), y };
  const id = uniqueId("chart"), cursor = read === null ? undefined : places.x[read];
  const marks = data.marks?.map((mark) => ({ ...mark, x: at(x, placeOf(data, mark.x)) })) ?? [];
  return { height, content: [
    rows(y, left, x.last, data.limits !== undefined), xAxis(options, data, x, bottom),
    low < 0 && high > 0 && line(left, at(y, 0), x.last, at(y, 0), "axis"),
    text((left + x.last) / 2, height - 6, xLabel, "middle", "faint"),
    uprightText(12, top, bottom, yLabel),
    svg("clipPath", { id },
      svg("rect", { x: left, y: top, width: x.last - left, height: bottom - top })),
    svg("g", { "clip-path": `url(#${id})` },
      hasBand && svg("path.band",
        { d: bandPath(lines[0]?.values ?? [], lines.at(-1)?.values ?? [], places) }),
      lines.map((each) => drawLine(each, places))),
    lines.map((each) => lastMarker(each, places)),
    labelledLines(marks.filter((mark) => mark.x >= left && mark.x <= x.last), x, top, bottom),
    cursor && line(cursor, top, cursor, bottom, "cursor")] };
}

function xAxis({ x: kind }: ChartOptions, data: ChartData, x: Scale, bottom: number): Child {
  if (kind === "time") return timeAxis(x, top, bottom);
  const most = Math.max(2, (x.last - x.first) / 70);
  const values = data.isLog ? decades(x) : ticks(x.low, x.high, most);
  return values.map((value) => {
    const from = at(x, placeOf(data, value));
    return [line(from, top, from, bottom, "grid"), (!data.isLog || /^10*$/.test(String(value)))
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

function drawLine({ arm, class: name, values }: ChartLine, places: Places): Child {
  const d = stretches([values]).map((each) => `M${points(values, each, places).join("L")}`);
  const look = arm === undefined ? { class: name }
    : { class: armClass(arm), "stroke-dasharray": armDash(arm) };
  return d.length > 0 && svg("path.line", { d: d.join(""), ...look });
}

function bandPath(high: Column, low: Column, places: Places): string {
  return stretches([high, low]).map((each) => `M${[...points(high, each, places),
    ...points(low, each.slice().reverse(), places)].join("L")}Z`).join("");
}

function lastMarker({ arm, values }: ChartLine, { x, y }: Places): Child {
  const last = values.findLastIndex((value) => value !== null);
  return arm !== undefined && last >= 0
    && svg("g", { class: armClass(arm) }, armMarker(arm, x[last]!, at(y, values[last]!)));
}

/** Largest number of rows; longer data shows every nth, and always the last. */
const mostRows = 200;

// The chart's data as a table that can be opened below it.
function chartTable(options: ChartOptions, formatX: (x: number) => string) {
  let data: ChartData = { x: [], lines: [] };
  const rows = table<number>({ caption: options.label });
  rows.element.classList.add("tall");
  const show = () => {
    if (!frame.open) return;
    const step = Math.max(1, Math.ceil(data.x.length / mostRows));
    const wanted = [...data.x.keys()].filter((index) => (data.x.length - 1 - index) % step === 0);
    const columns = [nameColumn<number>(options.xLabel, (index) => formatX(data.x[index]!)),
      ...data.lines.map((line) =>
        numberColumn<number>(line.label, (index) => valueText(options, line, index)))];
    rows.set(wanted, { columns });
  };
  const frame = html("details.chart-table", { ontoggle: show },
    html("summary", "Show as a table"), rows.element);
  return { element: frame, set(newer: ChartData) {
    data = newer;
    show();
  } };
}
