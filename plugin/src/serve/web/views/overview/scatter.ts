import { type ArmLook, armMarker } from "../../arms.ts";
import { svg } from "../../dom.ts";
import { meanName, nameInText, score, significant } from "../../format.ts";

export interface Point {
  /** ms, with the ends of its interval. */
  x: number;
  low: number;
  high: number;
  y: number;
  look: ArmLook;
  index: number;
  name: string;
}

const height = 230;
const margin = { left: 52, right: 16, top: 16, bottom: 36 };

/** Scores against latency, an arm a marker. The numbers stand beside it as text too. */
export function scatter(points: Point[], label: string, measure: string, width: number): SVGSVGElement {
  const right = width - margin.right;
  const x = scale(points.flatMap((point) => [point.low, point.high]), margin.left, right);
  const y = scale(points.map((point) => point.y), height - margin.bottom, margin.top);
  const bottom = height - margin.bottom;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label },
    y.ticks.map((tick) => [
      svg("path", { class: "grid", d: `M${margin.left} ${y.at(tick)}H${right}` }),
      svg("text", { class: "tick", x: margin.left - 6, y: y.at(tick) + 4, "text-anchor": "end", text: score(tick).replace(/0$/, "") })]),
    x.ticks.map((tick) => svg("text", { class: "tick", x: x.at(tick), y: bottom + 15, "text-anchor": "middle", text: significant(tick).replace(/\.0+$/, "") })),
    svg("path", { class: "axis", d: `M${margin.left} ${bottom}H${right}` }),
    svg("text", { class: "tick", x: right, y: height - 5, "text-anchor": "end", text: "p50 latency, ms" }),
    svg("text", { class: "tick", x: margin.left, y: 10, text: meanName(measure) }),
    points.map((point) => svg("g", { class: `arm-${point.look.colour.slice(-1)}` },
      svg("path", { class: "spread", d: `M${x.at(point.low)} ${y.at(point.y)}H${x.at(point.high)}` }),
      armMarker(point.look, x.at(point.x), y.at(point.y)))),
    placedNames(points, (point) => [x.at(point.x), y.at(point.y)], width).map((name) =>
      svg("text", { class: `name arm-${name.point.look.colour.slice(-1)}`, x: name.x, y: name.y, "text-anchor": "middle", text: name.text })));
}

interface PlacedName {
  point: Point;
  text: string;
  x: number;
  y: number;
  wide: number;
}

// Above its marker, or the next place above or below that no other name takes.
function placedNames(points: Point[], at: (point: Point) => [number, number], width: number): PlacedName[] {
  const placed: PlacedName[] = [];
  for (const point of points) {
    const text = nameInText(point.name, 18);
    const wide = Array.from(text).length * 7.2;
    const [x, y] = at(point);
    const middle = Math.min(width - wide / 2, Math.max(wide / 2, x));
    const free = (line: number) => placed.every((other) => Math.abs(other.y - line) > 13 || Math.abs(other.x - middle) > (other.wide + wide) / 2);
    const offset = [-10, 20, -24, 34, -38, 48].find((each) => free(y + each)) ?? -10;
    placed.push({ point, text, x: middle, y: y + offset, wide });
  }
  return placed;
}

function scale(values: number[], from: number, to: number) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = (most - least || Math.abs(most) || 1) * 0.25;
  const [low, high] = [Math.max(0, least - room), most + room];
  const at = (value: number) => Math.round((from + ((value - low) / (high - low)) * (to - from)) * 10) / 10;
  return { at, ticks: ticks(low, high) };
}

// Three to six round numbers.
function ticks(low: number, high: number): number[] {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? rough;
  const found: number[] = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) found.push(Number(tick.toPrecision(12)));
  return found;
}
