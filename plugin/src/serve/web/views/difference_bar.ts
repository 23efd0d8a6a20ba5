import { svg } from "../dom.ts";

const width = 72, height = 10;

/** A bar from the middle: right where `b` is ahead, left where `a` is; `reach` fills a half. */
export function differenceBar(value: number | null, reach: number, looks: { a: number; b: number }): SVGSVGElement {
  const half = width / 2;
  const long = value === null || reach <= 0 ? 0 : Math.min(1, Math.abs(value) / reach) * half;
  const look = (value ?? 0) > 0 ? looks.b : looks.a;
  return svg("svg", { class: `difference-bar arm-${look % 6}`, viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    svg("line", { class: "zero", x1: half, x2: half, y1: 0, y2: height }),
    long > 0 && svg("rect", { x: (value ?? 0) > 0 ? half : half - long, y: 2, width: Math.max(0.75, long), height: height - 4, fill: "currentColor" }));
}
