import type { Difference } from "../../data/documents.ts";
import { svg } from "../../dom.ts";

const width = 180;
const height = 18;

/** An interval on a line from -reach to reach with its mean and 0; what it says stands beside it. */
export function intervalPicture(of: Difference, reach: number): SVGSVGElement {
  const x = (value: number) => (Math.min(1, Math.max(-1, value / reach)) * (width / 2 - 4) + width / 2).toFixed(1);
  const middle = height / 2;
  const known = of.live.state !== "collecting" && of.mean !== null;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true", class: `interval ${tone(of)}` },
    svg("path", { class: "axis", d: `M0 ${middle}H${width}` }),
    svg("path", { class: "zero", d: `M${width / 2} 1V${height - 1}` }),
    known && svg("path", { class: "range", d: `M${x(of.live.low)} ${middle}H${x(of.live.high)}` }),
    known && svg("circle", { class: "mean", cx: x(of.mean!), cy: middle, r: 4 }));
}

function tone(of: Difference): string {
  if (of.live.state !== "leading" && of.live.state !== "confirmed") return "";
  return (of.mean ?? 0) > 0 ? "above" : "below";
}
