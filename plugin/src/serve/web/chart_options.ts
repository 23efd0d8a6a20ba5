import type { Marker } from "./arms.ts";

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
