import type { ChartData, ChartOptions } from "./chart_options.ts";
import { element } from "./dom.ts";
import { none } from "./format.ts";
import { table } from "./table.ts";

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
