import { svg } from "../dom.ts";
import { at } from "./scale.ts";
import { place } from "./plot.ts";

const width = 150, height = 16, behind = 134;

/**
 * Where a citation stood before, a ring, and where it stands after, a dot: rank 1 at the left, the
 * cutoff at the line, behind it what was not found. The ranks stand beside it as text.
 */
export function rankMove(before: number | null, after: number | null, cutoff: number): SVGSVGElement {
  const scale = { low: 1, high: Math.max(2, cutoff), first: 7, last: 118 };
  const x = (rank: number | null) => place(rank === null ? behind : at(scale, Math.min(rank, cutoff)));
  const tone = (after ?? Infinity) < (before ?? Infinity) ? "good" : (after ?? Infinity) > (before ?? Infinity) ? "bad" : "same";
  const middle = height / 2;
  return svg("svg", { class: `rank-move ${tone}`, viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    svg("line", { class: "grid", x1: scale.first, y1: middle, x2: scale.last, y2: middle }),
    svg("line", { class: "limit", x1: 126, y1: 2, x2: 126, y2: height - 2 }),
    svg("line", { class: "move", x1: x(before), y1: middle, x2: x(after), y2: middle }),
    svg("circle", { class: "ring", cx: x(before), cy: middle, r: 4 }),
    svg("circle", { class: "dot", cx: x(after), cy: middle, r: 3.4 }));
}
