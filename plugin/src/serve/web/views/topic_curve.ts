import { armName } from "../arms.ts";
import { type Child, element, fill, setText, svg, uniqueId } from "../dom.ts";
import { explained } from "../explain.ts";
import { count, difference, nameInText, score } from "../format.ts";
import { text } from "../plots/plot.ts";
import {
  actualCase, areaPath, bestCase, blocksAhead, type Extent, foundAt, type Frame, lastRank, rankAt, type Rises, stepPath, within, worstCase,
  xOf, yOf,
} from "./pres.ts";

/** One arm's ranking of the topic. */
export interface CurveArm {
  name: string;
  /** Its place in the order of SUMMARY.arms. */
  look: number;
  dash: number[];
  /** Of relevant documents, ascending. */
  ranks: readonly number[];
  /** Null where the ranking is not deep enough for one. */
  score: number | null;
  /** Ranks known: nothing is drawn behind it. Null: all. */
  known: number | null;
}

export interface CurveData {
  measure: string;
  numRel: number;
  cutoff: number;
  /** One or two; with two, differences are the second's less the first's. */
  arms: readonly CurveArm[];
}

/** Figure 3 of Magdy & Jones, SIGIR 2010, for one or two rankings of one topic. */
export interface TopicCurve {
  element: HTMLElement;
  set(data: CurveData): void;
  close(): void;
}

const height = 320, margins = { left: 46, right: 14, top: 42, bottom: 56 };

export function topicCurve(): TopicCurve {
  return new Drawing();
}

class Drawing implements TopicCurve {
  readonly element: HTMLElement;
  private readonly plot = element("div", { class: "plot curve", tabindex: 0, role: "img", "data-key": "curve" });
  private readonly legend = element("ul", { class: "legend" });
  private readonly readout = element("p", { class: "readout", "aria-live": "polite" });
  private readonly resize = new ResizeObserver(() => this.draw());
  private readonly id = uniqueId("curve");
  private data: CurveData | null = null;
  private frame: Frame | null = null;
  private rank: number | null = null;

  constructor() {
    this.element = element("figure", { class: "topic-curve" }, this.legend, this.plot, this.readout);
    this.plot.addEventListener("keydown", (event) => this.key(event));
    this.plot.addEventListener("pointermove", (event) => this.point(event));
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
    this.frame = {
      left: margins.left, right: width - margins.right, top: margins.top, bottom: height - margins.bottom,
      ranks: lastRank(this.data), documents: this.data.numRel };
    fill(this.plot, svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
      hatches(this.id, this.data.arms), areas(this.data, this.frame, this.id), axes(this.data, this.frame),
      outlines(this.data, this.frame), this.data.arms.map((arm, i) => curve(arm, i, this.data!, this.frame!)),
      caseLabels(this.data, this.frame), svg("line", { class: "cursor", y1: this.frame.top, y2: this.frame.bottom, visibility: "hidden" })));
    this.read(this.rank);
  }

  private key(event: KeyboardEvent): void {
    if (!this.data) return;
    const stops = [...new Set([1, ...this.data.arms.flatMap((arm) => within({ ...this.data!, ranks: arm.ranks })), this.data.cutoff])]
      .sort((x, y) => x - y);
    const at = this.rank ?? 0;
    const to = { ArrowRight: stops.find((stop) => stop > at) ?? stops.at(-1), ArrowLeft: stops.filter((stop) => stop < at).at(-1) ?? 1,
      Home: 1, End: this.data.cutoff }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.read(to);
  }

  private point(event: PointerEvent): void {
    if (this.frame) this.read(rankAt(this.frame, event.clientX - this.plot.getBoundingClientRect().left));
  }

  private read(rank: number | null): void {
    const { data, frame } = this;
    if (!data || !frame) return;
    this.rank = rank === null ? null : Math.min(rank, frame.ranks);
    const line = this.plot.querySelector(".cursor")!;
    line.setAttribute("visibility", this.rank === null ? "hidden" : "visible");
    if (this.rank === null) return setText(this.readout, "Point at the drawing, or use the arrow keys, to read a rank.");
    const x = String((xOf(frame, this.rank) + xOf(frame, this.rank + 1)) / 2);
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    setText(this.readout, rankWords(data, this.rank));
  }
}

function rankWords(data: CurveData, rank: number): string {
  if (rank > data.cutoff) return `Rank ${rank} is behind N = ${data.cutoff}: not read; here the worst case stands.`;
  const found = data.arms.map((arm) => `${nameInText(arm.name)} has found ${foundAt(arm.ranks, rank)}`);
  return `In the first ${rank === 1 ? "rank" : `${rank} ranks`}: ${found.join(", ")} of ${data.numRel}; best case ${foundAt(bestCase(data), rank)}.`;
}

function rises(data: CurveData, arm: CurveArm): Rises {
  return actualCase({ ...data, ranks: arm.ranks });
}

function legend(data: CurveData): HTMLElement[] {
  const whole = data.numRel * data.cutoff;
  const arms = data.arms.map((arm) => element("li", {}, armName(arm.look, arm.name), " ",
    explained(`${score(arm.score)} ${data.measure}`, `${nameInText(arm.name)} earns this part of the area between best and worst case, which is its ${data.measure}.`),
    element("span", { class: "quiet" }, `${within({ ...data, ranks: arm.ranks }).length} of ${data.numRel} found`)));
  const [a, b] = data.arms;
  if (!a) return arms;
  if (!b) return [...arms, hatchEntry("a", [`earned: ${score(a.score)} of the area between best and worst`], a.look, data.measure)];
  const ahead = [[b, a, "b"], [a, b, "a"]] as const;
  return [...arms, ...ahead.map(([upper, lower, name]) => {
    const blocks = blocksAhead(rises(data, upper), rises(data, lower), lastRank(data));
    return hatchEntry(name, [element("bdi", { text: nameInText(upper.name) }), ` ahead: ${difference(blocks / whole).replace("+", "")}`], upper.look,
      `Area in which ${nameInText(upper.name)} is above ${nameInText(lower.name)}, of that between best and worst case. The two areas' difference is the difference in ${data.measure}.`);
  })];
}

function hatchEntry(name: "a" | "b", words: Child, look: number, line: string): HTMLElement {
  return element("li", {}, svg("svg", { class: `hatch-sample arm-${look % 6}`, width: 22, height: 14, viewBox: "0 0 22 14", "aria-hidden": "true" },
    svg("rect", { x: 0.5, y: 0.5, width: 21, height: 13, fill: "currentColor", "fill-opacity": 0.18, stroke: "currentColor" }),
    [0, 7, 14].map((x) => svg("path", { d: name === "b" ? `M${x} 14L${x + 8} 0` : `M${x} 0L${x + 8} 14`, stroke: "currentColor", "stroke-width": 1.3 }))), " ",
  explained(words, line));
}

function hatches(id: string, arms: readonly CurveArm[]): SVGElement {
  return svg("defs", {}, arms.map((arm, i) => svg("pattern", {
    id: `${id}-${i}`, class: `arm-${arm.look % 6}`, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${i === 1 ? 30 : -30})` },
  svg("rect", { width: 7, height: 7, fill: "currentColor", "fill-opacity": 0.16 }),
  svg("line", { x1: 0, x2: 0, y1: 0, y2: 7, stroke: "currentColor", "stroke-width": 1.6 }))));
}

function areas(data: CurveData, frame: Frame, id: string): SVGElement[] {
  const band = svg("path", { class: "band", d: areaPath(bestCase(data), worstCase(data), frame) });
  const [a, b] = data.arms;
  if (!a) return [band];
  const filled = (upper: Rises, lower: Rises, i: number) => svg("path", { class: `area area-${i}`, d: areaPath(upper, lower, frame), fill: `url(#${id}-${i})` });
  if (!b) return [band, filled(rises(data, a), worstCase(data), 0)];
  return [band, filled(rises(data, a), rises(data, b), 0), filled(rises(data, b), rises(data, a), 1)];
}

function outlines(data: CurveData, frame: Frame): SVGElement[] {
  return [bestCase(data), worstCase(data)].map((rises) => svg("path", { class: "case", d: stepPath(rises, frame), fill: "none" }));
}

function curve(arm: CurveArm, index: number, data: CurveData, frame: Frame): SVGElement {
  const until = arm.known === null ? frame.ranks : Math.min(arm.known, frame.ranks);
  const found = within({ ...data, ranks: arm.ranks });
  return svg("g", { class: `arm-${arm.look % 6}`, "data-arm": arm.name },
    svg("path", { class: "curve-line", d: stepPath(rises(data, arm), frame, until), fill: "none", stroke: "currentColor",
      "stroke-width": 2.25, "stroke-dasharray": arm.dash.join(" ") || null, "stroke-linejoin": "round" }),
    found.length <= 60 && found.map((rank, i) => svg("circle", { cx: xOf(frame, rank), cy: yOf(frame, i + 1), r: 3, fill: index === 0 ? "currentColor" : "var(--surface)", stroke: "currentColor", "stroke-width": 1.75 })));
}

/** What the drawing shows, for who cannot see it. */
function description(data: CurveData): string {
  const arms = data.arms.map((arm) => {
    const found = within({ ...data, ranks: arm.ranks });
    const ranks = found.length === 0 ? "" : ` at rank${found.length === 1 ? "" : "s"} ${found.slice(0, 12).join(", ")}${found.length > 12 ? " and more" : ""}`;
    return `${nameInText(arm.name)} finds ${found.length}${ranks}: ${data.measure} ${score(arm.score)}`;
  });
  return `Relevant documents found against rank, of ${data.numRel}, between the best case (all at the top) and the worst (all just behind rank ${data.cutoff}). ${arms.join(". ")}. Arrow keys read ranks.`;
}

/** 0, some whole numbers between, and `last`; at most `most` and 1 of them. */
export function wholeTicks(last: number, most: number): number[] {
  const rough = last / most;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = Math.max(1, [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough);
  const ticks = Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => i * step);
  if (last - ticks.at(-1)! < step * 0.6 && ticks.length > 1) ticks.pop();
  return [...ticks, last];
}

export function axes({ numRel, cutoff }: Extent, frame: Frame): SVGElement {
  const room = Math.max(2, Math.floor((frame.right - frame.left) / 90));
  const ranks = wholeTicks(cutoff, room).map((rank) => Math.max(1, rank));
  return svg("g", { class: "axes" },
    wholeTicks(numRel, 6).map((found) => [
      svg("line", { class: "grid", x1: frame.left, x2: frame.right, y1: yOf(frame, found), y2: yOf(frame, found) }),
      text(frame.left - 8, yOf(frame, found) + 4, count(found), "end"),
    ]),
    ranks.map((rank) => {
      const x = middle(frame, rank);
      return [
        svg("line", { class: "tick", x1: x, x2: x, y1: frame.bottom, y2: frame.bottom + 4 }),
        rank === cutoff ? text(x, frame.bottom + 17, `N = ${count(rank)}`, "end") : text(x, frame.bottom + 17, count(rank), "middle"),
      ];
    }),
    svg("line", { class: "axis", x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom }),
    svg("line", { class: "limit", x1: xOf(frame, cutoff + 1), x2: xOf(frame, cutoff + 1), y1: frame.top - 4, y2: frame.bottom + 6 }),
    text((frame.left + frame.right) / 2, frame.bottom + 38, "rank in the served list", "middle"),
    text(8, 14, "relevant documents found"));
}

export function caseLabels({ cutoff }: Extent, frame: Frame): SVGElement {
  return svg("g", { class: "case-labels" },
    text(xOf(frame, cutoff + 1) - 6, frame.top - 7, "best case: all at the top", "end"),
    text(xOf(frame, cutoff + 1) - 6, frame.bottom - 7, "worst case: all just behind N", "end"));
}

function middle(frame: Frame, rank: number): number {
  return (xOf(frame, rank) + xOf(frame, rank + 1)) / 2;
}
