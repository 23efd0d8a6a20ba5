import { armClass, armDash, armName } from "../arms.ts";
import { type Child, fill, html, picture, setText, svg, uniqueId } from "../dom.ts";
import { explained } from "../explain.ts";
import { count, nameInText, score, size } from "../format.ts";
import { at, type Drawn, line, plot, text, ticks } from "../plots/plot.ts";
import {
  actualCase, areaPath, bestCase, blocksAhead, type Extent, foundAt, type Frame, lastRank, rankAt,
  type Rises, stepPath, within, worstCase,
} from "./pres.ts";

export interface CurveArm {
  name: string;
  /** Its place in the order of SUMMARY.arms. */
  look: number;
  /** Ranks of relevant documents, ascending. */
  ranks: readonly number[];
  /** Null if the ranking is not deep enough for one. */
  score: number | null;
  /** Number of known ranks; nothing is drawn behind them. Null: all. */
  known: number | null;
}

export interface CurveData extends Extent {
  measure: string;
  /** One or two; with two, differences are the second's less the first's. */
  arms: readonly CurveArm[];
}

const height = 320, top = 42, bottom = height - 56;

/** Figure 3 of Magdy & Jones, SIGIR 2010, for one or two rankings of one topic. */
export function topicCurve() {
  const entries = html("ul.legend"), readout = html("p.readout", { "aria-live": "polite" });
  const id = uniqueId("curve");
  let data: CurveData | null = null, frame: Frame, rank: number | null = null;
  const draw = (width: number): Drawn => {
    if (!data) return { height, content: [] };
    frame = { x: { low: 1, high: lastRank(data) + 1, first: 46, last: width - 14 },
      y: { low: 0, high: data.numRel, first: bottom, last: top } };
    rank = rank && Math.min(rank, lastRank(data));
    return { height, content: drawCurve(data, frame, id, rank) };
  };
  const read = (place: number | null) => {
    rank = place;
    drawing.redraw();
    setText(readout, data && rank ? rankWords(data, rank)
      : "Point at the drawing, or use the arrow keys, to read a rank.");
  };
  const drawing = plot({ class: "curve", what: "", draw, reading: {
    placeAt: (x) => rankAt(frame, x), keys: () => (data ? stops(data, rank ?? 0) : {}), read } });
  const set = (now: CurveData) => {
    data = now;
    fill(entries, legend(now));
    drawing.element.setAttribute("aria-label", description(now));
    read(rank);
  };
  return { element: html("figure.topic-curve", entries, drawing.element, readout), set };
}

/** The ranks that keys lead to: those at which something was found. */
function stops(data: CurveData, from: number): Record<string, number | undefined> {
  const found = data.arms.flatMap((arm) => foundRanks(data, arm));
  const all = [...new Set([1, ...found, data.cutoff])].sort((x, y) => x - y);
  return { ArrowRight: all.find((stop) => stop > from) ?? all.at(-1),
    ArrowLeft: all.findLast((stop) => stop < from) ?? 1, Home: 1, End: data.cutoff };
}

function drawCurve(data: CurveData, frame: Frame, id: string, rank: number | null): Child {
  const x = rank && at(frame.x, rank + 0.5);
  return [hatches(id, data.arms), areas(data, frame, id), axes(data, frame), outlines(data, frame),
    data.arms.map((arm, i) => curve(arm, i, data, frame)), caseLabels(data, frame),
    x && line(x, top, x, bottom, "cursor")];
}

const foundRanks = (data: CurveData, { ranks }: CurveArm) => within({ ...data, ranks });
const rises = (data: CurveData, { ranks }: CurveArm): Rises => actualCase({ ...data, ranks });

function rankWords(data: CurveData, rank: number): string {
  const { cutoff, arms, numRel } = data;
  if (rank > cutoff)
    return `Rank ${rank} is behind N = ${cutoff}: not read; here the worst case stands.`;
  const found = arms.map(({ name, ranks }) =>
    `${nameInText(name)} has found ${foundAt(ranks, rank)}`);
  return `In the first ${rank === 1 ? "rank" : `${rank} ranks`}: ${found.join(", ")} of ${
    numRel}; best case ${foundAt(bestCase(data), rank)}.`;
}

function legend(data: CurveData): HTMLElement[] {
  const { measure, numRel, cutoff } = data;
  const arms = data.arms.map((arm) => html("li", armName(arm.look, arm.name), " ",
    explained(`${score(arm.score)} ${measure}`, `${nameInText(arm.name)} earns this part of the ` +
      `area between best and worst case, which is its ${measure}.`),
    html("span.quiet", `${foundRanks(data, arm).length} of ${numRel} found`)));
  const [a, b] = data.arms;
  if (!a) return arms;
  const earned = `earned: ${score(a.score)} of the area between best and worst`;
  if (!b) return [...arms, hatchEntry("a", earned, a.look, measure)];
  return [...arms, ...([[b, a, "b"], [a, b, "a"]] as const).map(([upper, lower, hatch]) => {
    const blocks = blocksAhead(rises(data, upper), rises(data, lower), lastRank(data));
    const name = nameInText(upper.name);
    return hatchEntry(hatch, [html("bdi", name), ` ahead: ${size(blocks / (numRel * cutoff))}`],
      upper.look, `Area in which ${name} is above ${nameInText(lower.name)}, of that between ` +
        `best and worst case. The two areas' difference is the difference in ${measure}.`);
  })];
}

function hatchEntry(hatch: "a" | "b", words: Child, look: number, about: string): HTMLElement {
  const line = (x: number) => hatch === "b" ? `M${x} 14L${x + 8} 0` : `M${x} 0L${x + 8} 14`;
  const colour = "currentColor";
  return html("li", picture("svg.hatch-sample", { width: 22, height: 14, class: armClass(look) },
    svg("rect", { x: 0.5, y: 0.5, width: 21, height: 13, fill: colour, "fill-opacity": 0.18,
      stroke: colour }),
    [0, 7, 14].map((x) => svg("path", { d: line(x), stroke: colour, "stroke-width": 1.3 }))), " ",
  explained(words, about));
}

function hatches(id: string, arms: readonly CurveArm[]): SVGElement {
  return svg("defs", arms.map((arm, i) => svg("pattern", { id: `${id}-${i}`,
    class: armClass(arm.look), width: 7, height: 7, patternUnits: "userSpaceOnUse",
    patternTransform: `rotate(${i === 1 ? 30 : -30})` },
  svg("rect", { width: 7, height: 7, fill: "currentColor", "fill-opacity": 0.16 }),
  svg("line", { x1: 0, x2: 0, y1: 0, y2: 7, stroke: "currentColor", "stroke-width": 1.6 }))));
}

function areas(data: CurveData, frame: Frame, id: string): Child {
  const [a, b] = data.arms;
  const worst = worstCase(data);
  const filled = (upper: Rises, lower: Rises, i: number) => svg(`path.area.area-${i}`,
    { d: areaPath(upper, lower, frame), fill: `url(#${id}-${i})` });
  return [
    svg("path.band", { d: areaPath(bestCase(data), worst, frame) }),
    a && filled(rises(data, a), b ? rises(data, b) : worst, 0),
    a && b && filled(rises(data, b), rises(data, a), 1)];
}

function outlines(data: CurveData, frame: Frame): Child {
  return [bestCase(data), worstCase(data)].map((rises) =>
    svg("path.case", { d: stepPath(rises, frame), fill: "none" }));
}

function curve(arm: CurveArm, index: number, data: CurveData, frame: Frame): SVGElement {
  const found = foundRanks(data, arm);
  const colour = "currentColor";
  const d = stepPath(rises(data, arm), frame, Math.min(arm.known ?? Infinity, lastRank(data)));
  return svg("g", { class: armClass(arm.look), "data-arm": arm.name },
    svg("path.curve-line", { d, fill: "none", stroke: colour, "stroke-width": 2.25,
      "stroke-dasharray": armDash(arm.look), "stroke-linejoin": "round" }),
    found.length <= 60 && found.map((rank, i) => svg("circle", {
      cx: at(frame.x, rank), cy: at(frame.y, i + 1), r: 3,
      fill: index === 0 ? colour : "var(--surface)", stroke: colour, "stroke-width": 1.75 })));
}

/** Describes the drawing for those who do not see it. */
function description(data: CurveData): string {
  const { measure, numRel, cutoff } = data;
  const arms = data.arms.map((arm) => {
    const found = foundRanks(data, arm);
    const ranks = found.length === 0 ? "" : ` at rank${found.length === 1 ? "" : "s"} ${
      found.slice(0, 12).join(", ")}${found.length > 12 ? " and more" : ""}`;
    return `${nameInText(arm.name)} finds ${found.length}${ranks}: ${measure} ${score(arm.score)}`;
  });
  return `Relevant documents found against rank, of ${numRel}, between the best case (all at the ` +
    `top) and the worst (all just behind rank ${cutoff}). ${
      arms.join(". ")}. Arrow keys read ranks.`;
}

/** 0, some whole numbers between, and `last`; at most `most` and 1 of them. */
function wholeTicks(last: number, most: number): number[] {
  const whole = ticks(0, last, most).filter(Number.isInteger);
  const step = whole[1] ?? last;
  return [...whole.filter((tick) => last - tick >= step * 0.6), last];
}

function axes({ numRel, cutoff }: Extent, { x, y }: Frame): SVGElement {
  const room = Math.max(2, Math.floor((x.last - x.first) / 90));
  const limit = at(x, cutoff + 1);
  return svg("g.axes",
    wholeTicks(numRel, 6).map((found) => [
      line(x.first, at(y, found), x.last, at(y, found), "grid"),
      text(x.first - 8, at(y, found) + 4, count(found), "end")]),
    wholeTicks(cutoff, room).map((tick) => {
      const rank = Math.max(1, tick), isLast = rank === cutoff;
      const place = at(x, rank + 0.5);
      return [line(place, bottom, place, bottom + 4, "tick"),
        text(place, bottom + 17, (isLast ? "N = " : "") + count(rank), isLast ? "end" : "middle")];
    }),
    line(x.first, bottom, x.last, bottom, "axis"),
    line(limit, top - 4, limit, bottom + 6, "limit"),
    text((x.first + x.last) / 2, bottom + 38, "rank in the served list", "middle"),
    text(8, 14, "relevant documents found"));
}

function caseLabels({ cutoff }: Extent, { x }: Frame): SVGElement {
  const end = at(x, cutoff + 1) - 6;
  return svg("g.case-labels", text(end, top - 7, "best case: all at the top", "end"),
    text(end, bottom - 7, "worst case: all just behind N", "end"));
}
