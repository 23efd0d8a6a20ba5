import "uplot/dist/uPlot.min.css";
import uPlot from "uplot";
import { armLook, type Marker } from "./arms.ts";
import { axisFont, drawAcross, drawLastMarkers, drawMarks, timeTicks, translucent } from "./chart_drawing.ts";
import { element, fill, setText } from "./dom.ts";
import { nameInText, none, timeOfDay } from "./format.ts";
import { table } from "./table.ts";
import { colour, onThemeChange } from "./theme.ts";

/** The look of the arm at `index` in the order of SUMMARY.arms. */
export function armLine(index: number, label: string): ChartLine {
  const look = armLook(index);
  return { label, colour: look.colour, dash: look.dash, marker: look.marker };
}

export function chart(options: ChartOptions): Chart {
  return new UplotChart(options);
}

class UplotChart implements Chart {
  readonly element: HTMLElement;
  private plot: uPlot | undefined;
  private data: ChartData = { x: [], lines: [] };
  private readonly frame: HTMLElement;
  private readonly readout: HTMLElement;
  private readonly table: ChartTable;
  private readonly resize: ResizeObserver;
  private readonly unwatchTheme: () => void;

  constructor(private readonly options: ChartOptions) {
    this.frame = element("div", { class: "plot", tabindex: 0, role: "img", "aria-label": options.label,
      onkeydown: (event: KeyboardEvent) => this.key(event), onblur: () => this.readout.removeAttribute("aria-live") });
    this.readout = element("p", { class: "readout" });
    this.table = chartTable(options, (x) => this.formatX(x));
    this.element = element("figure", { class: "chart" }, this.frame, this.readout, this.table.element);
    this.resize = new ResizeObserver(() => this.fit());
    this.resize.observe(this.frame);
    this.unwatchTheme = onThemeChange(() => this.rebuild());
  }

  set(data: ChartData): void {
    this.data = data;
    if (this.plot) this.plot.setData(this.columns());
    else this.rebuild();
    this.frame.setAttribute("aria-label", [this.options.label, this.options.describe?.()].filter(Boolean).join(". "));
    this.read(this.plot?.cursor.idx ?? null);
    this.table.set(data);
  }

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
    if (width <= 0) return;
    if (!this.plot) this.rebuild();
    else if (this.plot.width !== width) this.plot.setSize({ width, height: this.height() });
  }

  private height(): number {
    return this.options.height ?? 220;
  }

  private rebuild(): void {
    const width = Math.floor(this.frame.clientWidth);
    if (width <= 0) return;
    this.plot?.destroy();
    this.plot = new uPlot(this.uplotOptions(width), this.columns(), this.frame);
  }

  private uplotOptions(width: number): uPlot.Options {
    return {
      width, height: this.height(), ms: 1, legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 },
        // A moment pointed at in one chart is shown in all.
        ...(this.options.x === "time" ? { sync: { key: "time" } } : {}) },
      scales: { x: { time: this.options.x === "time", distr: this.options.x === "log" ? 3 : 1 },
        y: { range: (_plot, low, high) => this.range(low, high) } },
      series: [{}, ...this.options.lines.map((line) => this.series(line))],
      bands: (this.options.bands ?? []).map((band) => ({
        series: [band.high + 1, band.low + 1] as [number, number], fill: translucent(colour(band.colour)) })),
      axes: this.axes(),
      hooks: this.hooks(),
    };
  }

  private hooks(): uPlot.Hooks.Arrays {
    const { zero } = this.options;
    return {
      setCursor: [(plot) => this.read(plot.cursor.idx ?? null)],
      drawClear: [(plot) => { if (zero !== undefined) drawAcross(plot, zero); }],
      draw: [(plot) => {
        drawLastMarkers(plot, this.options, this.data);
        drawMarks(plot, this.data.marks ?? []);
      }],
    };
  }

  private series(line: ChartLine): uPlot.Series {
    const stroke = line.only ? "transparent" : colour(line.colour);
    return {
      label: line.label, stroke, width: line.only ? 0 : line.width ?? 2, dash: line.dash ?? [],
      spanGaps: false,
      ...(line.steps && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
      points: { show: line.only === "band" ? false : line.only === "markers" ? true : undefined as unknown as boolean, size: 5,
        stroke: colour(line.colour), fill: colour(line.colour) },
    };
  }

  private axes(): uPlot.Axis[] {
    const look = { stroke: colour("--text-quiet"), font: axisFont, labelFont: axisFont, labelSize: 18, labelGap: 2,
      grid: { stroke: colour("--grid"), width: 1 }, ticks: { show: false } };
    const tick = this.options.tickY ?? this.options.formatY;
    return [
      { ...look, label: this.options.xLabel, size: 28, space: 70,
        ...(this.options.x === "time" ? { values: timeTicks } : {}) },
      { ...look, label: this.options.yLabel, size: 62, values: (_plot: uPlot, values: number[]) => values.map(tick) },
    ];
  }

  private range(low: number | null, high: number | null): [number, number] {
    if (this.options.limits) return this.options.limits();
    const values = [low, high, ...(this.options.include ?? [])].filter((value): value is number => value !== null && Number.isFinite(value));
    if (values.length === 0) return [0, 1];
    const [bottom, top] = [Math.min(...values), Math.max(...values)];
    const room = (top - bottom || Math.abs(top) || 1) * 0.06;
    return [bottom === 0 ? 0 : bottom - room, top === 0 ? 0 : top + room];
  }

  private key(event: KeyboardEvent): void {
    const last = this.data.x.length - 1;
    if (!this.plot || last < 0) return;
    const at = this.plot.cursor.idx ?? last;
    const to = ({ ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last } as Record<string, number>)[event.key];
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

  // What is under the cursor, or the newest where there is none.
  private read(index: number | null): void {
    const at = index ?? this.data.x.length - 1;
    const x = this.data.x[at];
    if (x === undefined) return fill(this.readout, "No values yet");
    if (this.readout.childElementCount !== this.options.lines.length + 1)
      fill(this.readout, element("span"), this.options.lines.map((each) => element("span", { class: "value", hidden: each.only === "band" })));
    const parts = Array.from(this.readout.children);
    setText(parts[0]!, `${this.formatX(x)}`);
    this.options.lines.forEach((each, place) => {
      const value = this.data.lines[place]?.[at] ?? null;
      setText(parts[place + 1]!, `${nameInText(each.label, 24)} ${value === null ? "–" : this.options.formatY(value)}`);
    });
  }
}

export interface ChartLine {
  /** The name in the legend and in the table. */
  label: string;
  /** A CSS variable such as "--arm-0"; armLine() gives an arm's look. */
  colour: string;
  dash?: number[];
  marker?: Marker;
  width?: number;
  /** Only markers, or nothing at all (the end of a band). */
  only?: "markers" | "band";
  /** Stays at a value until the next: for what holds from a point on. */
  steps?: boolean;
}

/** The area between two lines, by their places in `lines`. */
export interface ChartBand {
  high: number;
  low: number;
  colour: string;
}

/** A vertical line at `x` with a few words. */
export interface ChartMark {
  x: number;
  label: string;
}

export interface ChartData {
  /** Ascending: milliseconds since 1970 where x is "time". */
  x: readonly number[];
  /** For each line a column as long as x; null is a gap. */
  lines: readonly (readonly (number | null)[])[];
  marks?: readonly ChartMark[];
}

export interface ChartOptions {
  /** What the chart shows, in a few words: its name. */
  label: string;
  /** What can be read from it now, a sentence or two: its description, made anew with the data. */
  describe?: () => string;
  x: "time" | "number" | "log";
  xLabel: string;
  yLabel: string;
  lines: ChartLine[];
  bands?: ChartBand[];
  height?: number;
  /** What the y axis has to include. */
  include?: number[];
  /** The ends of the y axis, instead of those of the values. */
  limits?: () => [number, number];
  formatX?: (x: number) => string;
  formatY: (y: number) => string;
  /** Axis ticks, shorter than formatY where given. */
  tickY?: (y: number) => string;
  /** A line across at this y. */
  zero?: number;
}

export interface Chart {
  /** A figure: legend, plot (focusable, arrow keys read it out) and the same as a table. */
  element: HTMLElement;
  set(data: ChartData): void;
  /** Stops watching size and theme; the element is of no use then. */
  close(): void;
}

/** At most so many rows: of longer data every nth. */
const most = 200;

export interface ChartTable {
  element: HTMLElement;
  set(data: ChartData): void;
}

/** What a chart draws, as a table that can be opened below it. */
export function chartTable(options: ChartOptions, formatX: (x: number) => string): ChartTable {
  let data: ChartData = { x: [], lines: [] };
  const rows = table<number>({
    caption: options.label,
    columns: [{ head: options.xLabel, heads: true, cell: (index) => formatX(data.x[index]!) },
      ...options.lines.map((line, place) => ({ head: line.label, cell: (index: number) => {
        const value = data.lines[place]?.[index] ?? null;
        return value === null ? none : options.formatY(value);
      } }))],
  });
  rows.element.classList.add("tall");
  const show = () => { if (frame.open) rows.set(thinned(data.x.length)); };
  const frame = element("details", { class: "chart-table", ontoggle: show }, element("summary", { text: "Show as a table" }), rows.element);
  return {
    element: frame,
    set(newer) {
      data = newer;
      show();
    },
  };
}

// Indices of 0 .. length - 1, evenly, the last always.
function thinned(length: number): number[] {
  const step = Math.max(1, Math.ceil(length / most));
  const kept: number[] = [];
  for (let index = (length - 1) % step; index < length; index += step) kept.push(index);
  return kept;
}
