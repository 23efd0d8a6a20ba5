import { armClass, armLook, armName } from "../arms.ts";
import { type Child, fill, html, setText, svg, uniqueId } from "../dom.ts";
import { explained } from "../explain.ts";
import { count, nameInText, score, size } from "../format.ts";
import { at, line, text } from "../plots/plot.ts";
import {
  actualCase, areaPath, bestCase, blocksAhead, type Extent, foundAt, type Frame, lastRank, rankAt,
  type Rises, stepPath, within, worstCase,
} from "./pres.ts";

export interface CurveArm {
  name: string;
  /** Its place in the order of SUMMARY.arms. */
  look: number;
  /** Of relevant documents, ascending. */
  ranks: readonly number[];
  /** Null if the ranking is not deep enough for one. */
  score: number | null;
  /** Ranks known: nothing is drawn behind it. Null: all. */
  known: number | null;
}

export interface CurveData extends Extent {
  measure: string;
  /** One or two; with two, differences are the second's less the first's. */
  arms: readonly CurveArm[];
}

const height = 320, top = 42, bottom = height - 56;

/** Figure 3 of Magdy & Jones, SIGIR 2010, for one or two rankings of one topic. */
export class TopicCurve {
  readonly element: HTMLElement;
  private readonly plot = html("div.plot.curve", { tabindex: 0, role: "img", "data-key": "curve" });
  private readonly legend = html("ul.legend");
  private readonly readout = html("p.readout", { "aria-live": "polite" });
  private readonly resize = new ResizeObserver(() => this.draw());
  private readonly id = uniqueId("curve");
  private data: CurveData | null = null;
  private frame: Frame | null = null;
  private rank: number | null = null;

  constructor() {
    this.element = html("figure.topic-curve", this.legend, this.plot, this.readout);
    this.plot.addEventListener("keydown", (event) => this.key(event));
    this.plot.addEventListener("pointermove", ({ clientX }) => {
      const { left } = this.plot.getBoundingClientRect();
      if (this.frame) this.read(rankAt(this.frame, clientX - left));
    });
    this.plot.addEventListener("pointerleave", () => this.read(null));
    this.resize.observe(this.plot);
  }

  set(data: CurveData): void {
    this.data = data;
    fill(this.legend, legend(data));
    this.plot.setAttribute("aria-label", description(data));
    this.draw();
  }

  close(): void {
    this.resize.disconnect();
  }

  private draw(): void {
    const width = this.plot.clientWidth;
    if (!this.data || width === 0) return;
    const { data } = this;
    const frame = this.frame = {
      x: { low: 1, high: lastRank(data) + 1, first: 46, last: width - 14 },
      y: { low: 0, high: data.numRel, first: bottom, last: top } };
    const box = { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" };
    fill(this.plot, svg("svg", box, hatches(this.id, data.arms), areas(data, frame, this.id),
      axes(data, frame), outlines(data, frame),
      data.arms.map((arm, i) => curve(arm, i, data, frame)), caseLabels(data, frame),
      svg("line.cursor", { y1: top, y2: bottom, visibility: "hidden" })));
    this.read(this.rank);
  }

  private key(event: KeyboardEvent): void {
    const { data } = this;
    if (!data) return;
    const found = data.arms.flatMap((arm) => foundRanks(data, arm));
    const stops = [...new Set([1, ...found, data.cutoff])].sort((x, y) => x - y);
    const at = this.rank ?? 0;
    const to = {
      ArrowRight: stops.find((stop) => stop > at) ?? stops.at(-1),
      ArrowLeft: stops.findLast((stop) => stop < at) ?? 1,
      Home: 1, End: data.cutoff,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.read(to);
  }

  private read(rank: number | null): void {
    const { data, frame } = this;
    if (!data || !frame) return;
    this.rank = rank === null ? null : Math.min(rank, frame.x.high - 1);
    const line = this.plot.querySelector(".cursor")!;
    line.setAttribute("visibility", this.rank === null ? "hidden" : "visible");
    const place = String(at(frame.x, (this.rank ?? 1) + 0.5));
    for (const end of ["x1", "x2"]) line.setAttribute(end, place);
    setText(this.readout, this.rank === null
      ? "Point at the drawing, or use the arrow keys, to read a rank."
      : rankWords(data, this.rank));
  }
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
  const box = { width: 22, height: 14, viewBox: "0 0 22 14", "aria-hidden": "true" };
  const colour = "currentColor";
  return html("li", svg("svg.hatch-sample", { ...box, class: armClass(look) },
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
      "stroke-dasharray": armLook(arm.look).dash.join(" ") || null, "stroke-linejoin": "round" }),
    found.length <= 60 && found.map((rank, i) => svg("circle", {
      cx: at(frame.x, rank), cy: at(frame.y, i + 1), r: 3,
      fill: index === 0 ? colour : "var(--surface)", stroke: colour, "stroke-width": 1.75 })));
}

/** What the drawing shows, for who cannot see it. */
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
  const rough = last / most;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const steps = [1, 2, 5, 10].map((each) => each * power);
  const step = Math.max(1, steps.find((each) => each >= rough) ?? rough);
  const ticks = Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => i * step);
  if (last - ticks.at(-1)! < step * 0.6 && ticks.length > 1) ticks.pop();
  return [...ticks, last];
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
