import type uPlot from "uplot";
import { drawMarker } from "./arms.ts";
import type { ChartData, ChartMark, ChartOptions } from "./chart.ts";
import { timeOfDay } from "./format.ts";
import { colour } from "./theme.ts";

const fontFamily = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
export const axisFont = `11px ${fontFamily}`;

/** Ticks in the viewer's zone, as fine as their distance. */
export function timeTicks(_plot: uPlot, values: number[]): string[] {
  const step = (values[1] ?? values[0] ?? 0) - (values[0] ?? 0);
  return values.map((value, index) => {
    if (index > 0 && step >= 86_400_000) return new Date(value).toLocaleDateString();
    return step >= 60_000 ? timeOfDay(value).slice(0, 5) : timeOfDay(value);
  });
}

/** A colour of six hexadecimal digits, let through. */
export function translucent(hex: string): string {
  return /^#[0-9a-f]{6}$/i.test(hex) ? `${hex}33` : hex;
}

/** A thin line across the plot at `y`, if that is on it. */
export function drawAcross(plot: uPlot, y: number): void {
  const { left, top, width, height } = plot.bbox;
  const at = plot.valToPos(y, "y", true);
  if (at >= top && at <= top + height) stroke(plot.ctx, [], [left, at], [left + width, at]);
}

/** Upright lines with their words, where there is room for them. */
export function drawMarks(plot: uPlot, marks: readonly ChartMark[]): void {
  const { left, top, width, height } = plot.bbox;
  const ratio = devicePixelRatio || 1;
  let free = -Infinity;
  for (const mark of marks) {
    const x = plot.valToPos(mark.x, "x", true);
    if (x < left - 1 || x > left + width + 1) continue;
    stroke(plot.ctx, [3 * ratio, 3 * ratio], [x, top], [x, top + height]);
    if (mark.label) free = Math.max(free, drawLabel(plot, mark.label, x, free));
  }
}

// Gives where the label ends; nothing is drawn over what ends at `free`.
function drawLabel(plot: uPlot, label: string, x: number, free: number): number {
  const { left, top, width } = plot.bbox;
  const ratio = devicePixelRatio || 1;
  const context = plot.ctx;
  context.save();
  context.font = `${11 * ratio}px ${fontFamily}`;
  context.textBaseline = "top";
  context.textAlign = "left";
  const wide = context.measureText(label).width + 6 * ratio;
  const place = x + wide > left + width ? x - wide : x + 4 * ratio;
  if (place > free) {
    context.fillStyle = colour("--surface");
    context.fillRect(place - 2 * ratio, top + ratio, wide, 14 * ratio);
    context.fillStyle = colour("--text-quiet");
    context.fillText(label, place, top + 2 * ratio);
  }
  context.restore();
  return place > free ? place + wide : free;
}

/** The last value of each line carries its marker. */
export function drawLastMarkers(plot: uPlot, options: ChartOptions, data: ChartData): void {
  options.lines.forEach((line, index) => {
    const values = data.lines[index] ?? [];
    let last = values.length - 1;
    while (last >= 0 && values[last] === null) --last;
    if (!line.marker || line.only === "band" || last < 0) return;
    plot.ctx.fillStyle = plot.ctx.strokeStyle = colour(line.colour);
    drawMarker(plot.ctx, line.marker, plot.valToPos(data.x[last]!, "x", true), plot.valToPos(values[last]!, "y", true), 8 * (devicePixelRatio || 1));
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
