import type { GateOutcome } from "../data/documents.ts";
import { type Child, picture, svg } from "../dom.ts";
import {
  at, type Drawn, extent, labelledLines, line, nearest, place, plot, pointedAt, rows, type Scale,
  timeAxis, valueAt, withReadout,
} from "./plot.ts";

/** One number of one night. */
export interface NightPoint {
  night: number;
  time: number;
  /** Null if the night has none; the line skips it. */
  value: number | null;
  /** Value of the baseline that the night is compared with. */
  level: number | null;
  verdict: GateOutcome | null;
  pins: string[];
  words: string;
  reason: string;
}

/** One number over the nights, oldest left. A click chooses the night under it. */
export function nightsPlot(what: string, points: NightPoint[], choose: (night: number) => void) {
  let chosen: number[] = [], x: Scale | undefined;
  const drawing = plot({ what, class: "nights", printed: 335, draw: (width) => {
    x = timeScale(points, width);
    return draw(points, x, chosen, width);
  } });
  const pointAt = (place: number) =>
    points[nearest(points.map(({ time }) => time), valueAt(x!, place))];
  const words = (place: number | null) => {
    if (place === null) return points.length ? `Newest: ${points.at(-1)!.words}` : "";
    const point = pointAt(place);
    return point?.reason ? `${point.words}: ${point.reason}` : point?.words ?? "";
  };
  drawing.element.addEventListener("click", (event) => {
    const point = pointAt(pointedAt(drawing.element, event));
    if (point) choose(point.night);
  });
  return { element: withReadout(drawing.element, words), setChosen: (nights: number[]) => {
    chosen = nights;
    drawing.redraw();
  } };
}

const height = 230, left = 58, right = 12, top = 26, bottom = height - 26;

function timeScale(points: NightPoint[], width: number): Scale {
  let low = points[0]?.time ?? 0, high = points.at(-1)?.time ?? 0;
  if (low >= high) [low, high] = [low - 30_000, high + 30_000];
  return { low, high, first: left + 10, last: width - right - 10 };
}

/** The axis spans at least 1 % of the highest value, so that tiny differences look tiny. */
function valueScale(points: NightPoint[]): Scale {
  const places = { first: bottom, last: top };
  const values = points.filter((point) => point.value !== null)
    .flatMap((point) => [point.value!, point.level ?? point.value!]);
  if (values.length === 0) return { low: 0, high: 1, ...places };
  const [low, high] = extent(values);
  const least = Math.max(0.01 * Math.abs(high), 1e-4);
  const margin = 0.08 * (high - low) + Math.max(0, least - (high - low)) / 2;
  return { low: low - margin, high: high + margin, ...places };
}

function draw(points: NightPoint[], x: Scale, chosen: number[], width: number): Drawn {
  if (points.length === 0) return { height, content: [] };
  const y = valueScale(points);
  const placed = points.map((point): Placed => ({ ...point, x: at(x, point.time),
    y: point.value === null ? bottom : at(y, point.value) }));
  return { height, content: [
    rows(y, left, width - right), line(left, bottom, width - right, bottom, "axis"),
    timeAxis(x, bottom, bottom),
    labelledLines(placed.filter(({ pins }) => pins.length > 0).map(({ pins, x }) =>
      ({ x, label: `pinned: ${pins.join(", ")}` })), x, top, bottom),
    levelPath(placed, y), valuePath(placed), drawMarks(placed),
    placed.filter(({ night }) => chosen.includes(night)).map((point) => [
      line(point.x, top, point.x, bottom, "chosen"),
      svg("circle.chosen", { cx: place(point.x), cy: place(point.y), r: 9 })])] };
}

/** A point at its place; one without a value stands on the axis. */
type Placed = NightPoint & { x: number; y: number };

/** Steps that are flat as long as the baseline stays, with a gap when it changes. */
function levelPath(points: Placed[], y: Scale): Child {
  let steps = "", before: number | null = null;
  for (const { x, value, level } of points) {
    if (value === null) continue;
    if (level !== null) {
      const stays: boolean = before !== null && Math.abs(before - level) < 1e-9;
      steps += stays ? `H${place(x)}` : `M${place(x)} ${place(at(y, level))}h0`;
    }
    before = level;
  }
  return steps && svg("path.level", { d: steps });
}

function valuePath(points: Placed[]): Child {
  const places = points.filter(({ value }) => value !== null)
    .map(({ x, y }) => `${place(x)} ${place(y)}`);
  return places.length > 0 && svg("path.series", { d: `M${places.join("L")}` });
}

const manyNights = 150;

/** If there are many nights, marks only those that need attention. */
function drawMarks(points: Placed[]): Child {
  return points.map(({ verdict, value, x, y }) => {
    const isPlain = verdict === null || verdict === "PASS";
    const isLeftOut = isPlain && (points.length > manyNights || value === null);
    return !isLeftOut && nightMark(verdict, x, y);
  });
}

export const verdicts: (GateOutcome | null)[] =
  ["PASS", "REGRESSION", "INCONCLUSIVE", "BAD INPUT", null];

export const verdictText = (verdict: GateOutcome | null) => verdict ?? "not gated";

/** A mark of its own shape for each verdict: dot, triangle, diamond, cross, open dot. */
function nightMark(verdict: GateOutcome | null, x: number, y: number): Child {
  const from = (dx: number, dy: number) => `M${place(x + dx)} ${place(y + dy)}`;
  const centre = { cx: place(x), cy: place(y) };
  switch (verdict) {
    case "PASS": return svg("circle.mark.pass", { ...centre, r: 3.6 });
    case "REGRESSION": return svg("path.mark.fail", { d: `${from(-7, -6)}h14l-7 12Z` });
    case "INCONCLUSIVE": return svg("path.mark.doubt", { d: `${from(0, -6)}l6 6l-6 6l-6 -6Z` });
    case "BAD INPUT": return svg("path.mark.cross", { d: `${from(-5, -5)}l10 10m0 -10l-10 10` });
    case null: return svg("circle.mark.open", { ...centre, r: 3.8 });
  }
}

export function verdictWord(verdict: GateOutcome | null, ...words: Child[]): Child[] {
  return [picture("svg.verdict-sign", { width: 16, height: 16 }, nightMark(verdict, 8, 8)),
    words.length ? words : verdictText(verdict)];
}
