import { html, picture, svg } from "./dom.ts";
import { visibleText } from "./format.ts";

/** Number of colours; further arms use them again with other dashes. */
const colours = 6;

const dashes = [null, "7 4", "2 3", "9 3 2 3", "12 4", "4 2"];

/** Markers in a box of 28 by 16, around (14, 8). */
const markers = [
  { path: "M14 8m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z", filled: true },
  { path: "M10.5 4.5h7v7h-7Z", filled: true },
  { path: "M14 3.5l4.5 8h-9Z", filled: true },
  { path: "M14 3l5 5l-5 5l-5 -5Z", filled: true },
  { path: "M10 4l8 8M18 4l-8 8", filled: false },
  { path: "M14 8m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z", filled: false },
];

// Dash and marker of the arm at `index` in the order of SUMMARY.arms, in every view, so that colour
// alone never tells.
const lookAt = (index: number) => (index + Math.floor(index / colours)) % colours;

/** The stroke-dasharray of an arm's lines. */
export const armDash = (index: number) => dashes[lookAt(index)];

export const armClass = (index: number) => `arm-${index % colours}`;

/** An arm's marker with its middle at (x, y) of a picture; takes its colour from there. */
export function armMarker(index: number, x = 14, y = 8, scale = 1): SVGPathElement {
  const { path, filled } = markers[lookAt(index)]!;
  const transform = `translate(${x - 14 * scale} ${y - 8 * scale}) scale(${scale})`;
  const fill = filled ? "currentColor" : "var(--surface)";
  return svg("path", { d: path, transform, fill, stroke: "currentColor", "stroke-width": 1.5 });
}

/** An arm's name with its line and marker as a small picture. The name is arbitrary text. */
export function armName(index: number, name: string): HTMLElement {
  const swatch = picture("svg.swatch", { width: 28, height: 16, class: armClass(index) },
    svg("path", { d: "M0 8H28", stroke: "currentColor", "stroke-width": 2, fill: "none",
      "stroke-dasharray": armDash(index) }),
    armMarker(index));
  const text = visibleText(name);
  const title = text.length > 24 ? text : null;
  return html("span.arm-name", swatch, html("bdi", { title }, text));
}
