import { element, svg } from "./dom.ts";

/** How many looks there are; further arms begin anew with other dashes. */
const colours = 6;

const dashes: number[][] = [[], [7, 4], [2, 3], [9, 3, 2, 3], [12, 4], [4, 2]];
const markers = ["circle", "square", "triangle", "diamond", "cross", "ring"] as const;

export type Marker = (typeof markers)[number];

/** What an arm looks like everywhere: colour, dash and marker, so that colour alone never tells. */
export interface ArmLook {
  /** CSS variable: "--arm-0". */
  colour: string;
  dash: number[];
  marker: Marker;
}

/** Of the arm at `index` in the order of SUMMARY.arms. */
export function armLook(index: number): ArmLook {
  const turn = Math.floor(index / colours);
  return {
    colour: `--arm-${index % colours}`,
    dash: dashes[(index + turn) % dashes.length]!,
    marker: markers[(index + turn) % markers.length]!,
  };
}

const shapes: Record<Marker, string> = {
  circle: "M14 8m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
  square: "M10.5 4.5h7v7h-7Z",
  triangle: "M14 3.5l4.5 8h-9Z",
  diamond: "M14 3l5 5l-5 5l-5 -5Z",
  cross: "M10 4l8 8M18 4l-8 8",
  ring: "M14 8m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z",
};

/** The arm's line and marker as a small picture, for legends and tables. */
export function armSwatch(index: number): SVGSVGElement {
  const look = armLook(index);
  const hollow = look.marker === "cross" || look.marker === "ring";
  return svg("svg", { class: `swatch arm-${index % colours}`, viewBox: "0 0 28 16", width: 28, height: 16, "aria-hidden": "true" },
    svg("path", { d: "M0 8H28", stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": look.dash.join(" ") || null, fill: "none" }),
    svg("path", { d: shapes[look.marker], fill: hollow ? "var(--surface)" : "currentColor", stroke: "currentColor", "stroke-width": 1.5 }));
}

/** The arm's marker with its middle at (x, y) of a larger picture; takes its colour from there. */
export function armMarker(look: ArmLook, x: number, y: number): SVGPathElement {
  const hollow = look.marker === "cross" || look.marker === "ring";
  return svg("path", { d: shapes[look.marker], transform: `translate(${x - 14 * 1.25} ${y - 8 * 1.25}) scale(1.25)`,
    fill: hollow ? "var(--surface)" : "currentColor", stroke: "currentColor", "stroke-width": 1.5 });
}

/** An arm's name with its picture. The name is arbitrary text. */
export function armName(index: number, name: string): HTMLElement {
  return element("span", { class: "arm-name" }, armSwatch(index), element("bdi", { text: name, title: name.length > 24 ? name : null }));
}

/** Draws the arm's marker on a canvas, `size` wide. */
export function drawMarker(context: CanvasRenderingContext2D, marker: Marker, x: number, y: number, size: number): void {
  const scale = size / 8;
  context.save();
  context.translate(x - 14 * scale, y - 8 * scale);
  context.scale(scale, scale);
  const path = new Path2D(shapes[marker]);
  if (marker !== "cross" && marker !== "ring") context.fill(path);
  context.lineWidth = 1.5;
  context.stroke(path);
  context.restore();
}
