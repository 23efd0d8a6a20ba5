import "uplot/dist/uPlot.min.css";
import uPlot from "uplot";
import { armLook, type ArmLook, drawMarker } from "./arms.ts";
import { fill, html, setText } from "./dom.ts";
import { nameInText, none, timeOfDay } from "./format.ts";
import { numberColumn, nameColumn, table } from "./table.ts";
import { colour, onThemeChange } from "./theme.ts";

export interface ChartLine extends Partial<ArmLook> {
  label: string;
  /** A CSS variable such as "--arm-0". */
  colour: string;
  width?: number;
}

export interface ChartMark {
  x: number;
  label: string;
}

export interface ChartData {
  /** Ascending: milliseconds since 1970 if x is "time". */
  x: readonly number[];
  /** For each line a column as long as x; null is a gap. */
  lines: readonly (readonly (number | null)[])[];
  marks?: readonly ChartMark[];
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
  /** The area between two lines, by their places in `lines`. */
  band?: { high: number; low: number; colour: string };
  height: number;
  /** Values that the y axis must include. */
  include?: number[];
  /** Fixed ends of the y axis; by default those of the values. */
  limits?: () => [number, number];
  formatX?: (x: number) => string;
  formatY: (y: number) => string;
  /** Axis ticks, shorter than formatY. */
  tickY: (y: number) => string;
  /** A line across at this y. */
  zero?: number;
}

/** The line of the arm at `index` in the order of SUMMARY.arms. */
export function armLine(index: number, label: string): ChartLine {
  return { label, ...armLook(index) };
}

/** A plot with values under the cursor, reading by arrow keys, and its data as a table. */
export class Chart {
  readonly element: HTMLElement;
  private plot: uPlot | undefined;
  private data: ChartData = { x: [], lines: [] };
  private readonly frame: HTMLElement;
  private readonly readout = html("p.readout");
  private readonly table: ReturnType<typeof chartTable>;
  private readonly resize = new ResizeObserver(() => this.fit());
  private readonly unwatchTheme = onThemeChange(() => this.rebuild());

  constructor(private readonly options: ChartOptions) {
    this.frame = html("div.plot", { tabindex: 0, role: "img", "aria-label": options.label,
      onkeydown: (event) => this.key(event),
      onblur: () => this.readout.removeAttribute("aria-live") });
    this.table = chartTable(options, (x) => this.formatX(x));
    this.element = html("figure.chart", this.frame, this.readout, this.table.element);
    this.resize.observe(this.frame);
  }

  set(data: ChartData): void {
    this.data = data;
    if (this.plot) this.plot.setData(this.columns());
    else this.rebuild();
    const words = [this.options.label, this.options.describe?.()].filter(Boolean);
    this.frame.setAttribute("aria-label", words.join(". "));
    this.read(this.plot?.cursor.idx ?? null);
    this.table.set(data);
  }

  /** Stops watching size and theme; the element is of no use then. */
  close(): void {
    this.resize.disconnect();
    this.unwatchTheme();
    this.plot?.destroy();
    this.plot = undefined;
  }

  private columns(): uPlot.AlignedData {
    return [this.data.x, ...this.data.lines] as unknown as uPlot.AlignedData;
  }

  private fit(): void {
    const width = Math.floor(this.frame.clientWidth);
    if (!this.plot) this.rebuild();
    else if (width > 0 && this.plot.width !== width)
      this.plot.setSize({ width, height: this.options.height });
  }

  private rebuild(): void {
    const width = Math.floor(this.frame.clientWidth);
    if (width <= 0) return;
    this.plot?.destroy();
    this.plot = new uPlot(this.uplotOptions(width), this.columns(), this.frame);
  }

  private uplotOptions(width: number): uPlot.Options {
    const { x, band, height, lines } = this.options;
    return {
      width, height, ms: 1, legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 },
        // A moment pointed at in one chart is shown in all.
        ...(x === "time" ? { sync: { key: "time" } } : {}) },
      scales: { x: { time: x === "time", distr: x === "log" ? 3 : 1 },
        y: { range: (_plot, low, high) => this.range(low, high) } },
      series: [{}, ...lines.map(seriesOf)],
      bands: band ? [{ series: [band.high + 1, band.low + 1], fill: colour(band.colour) }] : [],
      axes: this.axes(),
      hooks: this.hooks(),
    };
  }

  private hooks(): uPlot.Hooks.Arrays {
    const { zero, lines } = this.options;
    return {
      setCursor: [(plot) => this.read(plot.cursor.idx ?? null)],
      drawClear: [(plot) => { if (zero !== undefined) drawAcross(plot, zero); }],
      draw: [(plot) => {
        drawLastMarkers(plot, lines, this.data);
        drawMarks(plot, this.data.marks ?? []);
      }],
    };
  }

  private axes(): uPlot.Axis[] {
    const { x, xLabel, yLabel, tickY } = this.options;
    const look = {
      stroke: colour("--text-quiet"), font: axisFont, labelFont: axisFont, labelSize: 18,
      labelGap: 2, grid: { stroke: colour("--grid"), width: 1 }, ticks: { show: false } };
    return [
      { ...look, label: xLabel, size: 28, space: 70,
        ...(x === "time" ? { values: timeTicks } : {}) },
      { ...look, label: yLabel, size: 62, values: (_plot, values) => values.map(tickY) },
    ];
  }

  private range(low: number | null, high: number | null): [number, number] {
    if (this.options.limits) return this.options.limits();
    const values = [low, high, ...(this.options.include ?? [])]
      .filter((value) => value !== null && Number.isFinite(value)) as number[];
    if (values.length === 0) return [0, 1];
    const [bottom, top] = [Math.min(...values), Math.max(...values)];
    const room = (top - bottom || Math.abs(top) || 1) * 0.06;
    return [bottom === 0 ? 0 : bottom - room, top === 0 ? 0 : top + room];
  }

  private key(event: KeyboardEvent): void {
    const last = this.data.x.length - 1;
    if (!this.plot || last < 0) return;
    const at = this.plot.cursor.idx ?? last;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    // Read out while the reader goes along it, not whenever new numbers come.
    this.readout.setAttribute("aria-live", "polite");
    const index = Math.min(last, Math.max(0, to));
    this.plot.setCursor({ left: this.plot.valToPos(this.data.x[index]!, "x"), top: 10 });
    this.read(index);
  }

  private formatX(x: number): string {
    return this.options.formatX?.(x) ?? (this.options.x === "time" ? timeOfDay(x) : String(x));
  }

  // Shows the values under the cursor, or the newest if there is none.
  private read(index: number | null): void {
    const { lines } = this.options;
    const at = index ?? this.data.x.length - 1;
    const x = this.data.x[at];
    if (x === undefined) return fill(this.readout, "No values yet");
    if (this.readout.childElementCount !== lines.length + 1)
      fill(this.readout, html("span"), lines.map(() => html("span.value")));
    const [first, ...values] = Array.from(this.readout.children);
    setText(first!, this.formatX(x));
    lines.forEach(({ label }, place) => setText(values[place]!,
      `${nameInText(label, 24)} ${valueText(this.options, this.data, place, at)}`));
  }
}

function valueText(
  { formatY }: ChartOptions, { lines }: ChartData, line: number, at: number): string {
  const value = lines[line]?.[at] ?? null;
  return value === null ? none : formatY(value);
}

function seriesOf({ label, dash = [], width = 2, colour: name }: ChartLine): uPlot.Series {
  return { label, dash, width, stroke: colour(name), spanGaps: false, points: { show: false } };
}

const fontFamily = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const axisFont = `11px ${fontFamily}`;

// Ticks in the viewer's zone, as fine as their distance.
function timeTicks(_plot: uPlot, values: number[]): string[] {
  const step = (values[1] ?? values[0] ?? 0) - (values[0] ?? 0);
  return values.map((value, index) => {
    if (index > 0 && step >= 86_400_000) return new Date(value).toLocaleDateString();
    return step >= 60_000 ? timeOfDay(value).slice(0, 5) : timeOfDay(value);
  });
}

// A thin line across the plot at `y`, if that is on it.
function drawAcross(plot: uPlot, y: number): void {
  const { left, top, width, height } = plot.bbox;
  const at = plot.valToPos(y, "y", true);
  if (at >= top && at <= top + height) stroke(plot.ctx, [], [left, at], [left + width, at]);
}

// Upright lines with their words, if there is room for them.
function drawMarks(plot: uPlot, marks: readonly ChartMark[]): void {
  const { left, top, width, height } = plot.bbox;
  const ratio = devicePixelRatio || 1;
  let free = -Infinity;
  for (const { x, label } of marks) {
    const at = plot.valToPos(x, "x", true);
    if (at < left - 1 || at > left + width + 1) continue;
    stroke(plot.ctx, [3 * ratio, 3 * ratio], [at, top], [at, top + height]);
    if (label) free = Math.max(free, drawLabel(plot, label, at, free));
  }
}

// Returns the x at which the label ends; skips the label if it would begin before `free`.
function drawLabel({ ctx, bbox }: uPlot, label: string, x: number, free: number): number {
  const ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.font = `${11 * ratio}px ${fontFamily}`;
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  const wide = ctx.measureText(label).width + 6 * ratio;
  const place = x + wide > bbox.left + bbox.width ? x - wide : x + 4 * ratio;
  if (place > free) {
    ctx.fillStyle = colour("--surface");
    ctx.fillRect(place - 2 * ratio, bbox.top + ratio, wide, 14 * ratio);
    ctx.fillStyle = colour("--text-quiet");
    ctx.fillText(label, place, bbox.top + 2 * ratio);
  }
  ctx.restore();
  return place > free ? place + wide : free;
}

function drawLastMarkers(plot: uPlot, lines: ChartLine[], data: ChartData): void {
  lines.forEach(({ marker, colour: name }, index) => {
    const values = data.lines[index] ?? [];
    const last = values.findLastIndex((value) => value !== null);
    if (!marker || last < 0) return;
    plot.ctx.fillStyle = plot.ctx.strokeStyle = colour(name);
    const x = plot.valToPos(data.x[last]!, "x", true), y = plot.valToPos(values[last]!, "y", true);
    drawMarker(plot.ctx, marker, x, y, 8 * (devicePixelRatio || 1));
  });
}

type Place = [number, number];

function stroke(context: CanvasRenderingContext2D, dash: number[], from: Place, to: Place): void {
  context.save();
  context.strokeStyle = colour("--text-quiet");
  context.lineWidth = devicePixelRatio || 1;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
  context.restore();
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
