import type { TopicDifference } from "../data/documents.ts";
import { type Child, element, setText, svg } from "../dom.ts";
import { counted } from "../format.ts";
import { at, type Drawn, line, place, plot, type Plot, type Scale, text, ticks, tickTexts, uprightText, toneOf } from "./plot.ts";

export interface TopicPlotOptions {
  measure: string;
  a: string;
  b: string;
  topics: TopicDifference[];
  /** A topic in a line: what is told of the one that is pointed at. */
  words: (topic: TopicDifference) => string;
}

/** Differences of all topics as bars, from the lowest to the highest. */
export function waterfallPlot(options: TopicPlotOptions): HTMLElement {
  const sorted = options.topics.slice().sort((one, other) => one.difference - other.difference);
  const readout = element("p", { class: "readout", "aria-hidden": "true" }, hoverWords);
  const drawn = plot({ what: wordsOf(options), class: "waterfall", printed: 410, draw: (width) => drawWaterfall(options, sorted, width) });
  pointAt(drawn, sorted.length, (index) => setText(readout, index === null ? hoverWords : options.words(sorted[index]!)));
  return element("div", {}, drawn.element, readout);
}

const hoverWords = "Point at a bar to see its topic.";
const left = 58, top = 12, below = 46;

function wordsOf({ measure, a, b, topics }: TopicPlotOptions): string {
  const [worse, same, better] = signs(topics);
  return `${measure} of each topic, ${b} minus ${a}, as bars from the lowest difference to the highest: ` +
    `${counted(worse, "topic")} lower, ${same} the same, ${better} higher.`;
}

function signs(topics: TopicDifference[]): [number, number, number] {
  const worse = topics.filter((topic) => topic.difference < 0).length;
  const better = topics.filter((topic) => topic.difference > 0).length;
  return [worse, topics.length - worse - better, better];
}

function drawWaterfall(options: TopicPlotOptions, sorted: TopicDifference[], width: number): Drawn {
  const height = Math.max(240, Math.min(340, width * 0.62));
  const low = Math.min(0, sorted[0]?.difference ?? 0), high = Math.max(0, sorted.at(-1)?.difference ?? 0);
  const around = Math.max((high - low) * 0.04, 1e-4);
  const y = { low: low - around, high: high + around, first: height - below, last: top };
  const x = { low: 0, high: Math.max(1, sorted.length), first: left, last: width - 8 };
  return { height, content: [
    drawRows(y, width), drawBars(sorted, x, y), line(left, at(y, 0), width - 8, at(y, 0), "axis"),
    uprightText(12, (y.first + y.last) / 2, `${options.measure}, ${options.b} minus ${options.a}`), drawCounts(sorted, x, height, width)] };
}

function drawRows(y: Scale, width: number): Child {
  const values = ticks(y.low, y.high, 5);
  const texts = tickTexts(values, true);
  return values.map((value, i) => [
    line(left, at(y, value), width - 8, at(y, value), "grid"), text(left - 7, at(y, value) + 4, texts[i]!, "end", "faint")]);
}

function drawBars(sorted: TopicDifference[], x: Scale, y: Scale): Child {
  const bars = (name: string, wanted: (value: number) => boolean) => {
    let steps = "";
    sorted.forEach(({ difference }, i) => {
      if (!wanted(difference)) return;
      const from = at(x, i), to = at(x, i + 1);
      const gap = to - from > 4 ? 0.8 : 0;
      steps += `M${place(from + gap)} ${place(at(y, 0))}V${place(at(y, difference))}H${place(to - gap)}V${place(at(y, 0))}Z`;
    });
    return steps ? svg("path", { class: name, d: steps }) : null;
  };
  return [bars("bars bad", (value) => value < 0), bars("bars good", (value) => value > 0)];
}

/** Under the axis how many are lower, the same and higher; where there is little room, the names only. */
function drawCounts(sorted: TopicDifference[], x: Scale, height: number, width: number): Child {
  const [worse, same, better] = signs(sorted);
  const wide = width > 360;
  const y = height - below + 20;
  return [
    worse ? text(x.first, y, `▼ ${worse} lower`, "start", "bad") : null,
    same && wide ? text((x.first + x.last) / 2, y, `${same} the same`, "middle", "faint") : null,
    better ? text(x.last, y, `${better} higher ▲`, "end", "good") : null,
    text((x.first + x.last) / 2, height - 6, `${counted(sorted.length, "topic")}, by difference`, "middle", "faint")];
}

/** Tells which bar the pointer is over. */
function pointAt({ element: frame }: Plot, topics: number, tell: (index: number | null) => void): void {
  frame.addEventListener("pointermove", (event) => {
    const drawing = frame.firstElementChild!.getBoundingClientRect();
    const share = (event.clientX - drawing.left - left) / (drawing.width - left - 8);
    tell(topics > 0 && share >= 0 && share < 1 ? Math.floor(share * topics) : null);
  });
  frame.addEventListener("pointerleave", () => tell(null));
}

/** Scores of B over those of A: above the diagonal B is higher. */
export function scatterPlot(options: TopicPlotOptions): HTMLElement {
  const dots = dotsOf(options.topics);
  const what = `${options.measure} of each topic: ${options.b} upwards over ${options.a} to the right; a mark for each topic, larger ` +
    `where several coincide. Above the diagonal ${options.b} is higher.`;
  return plot({ what, class: "scatter", printed: 265, draw: (width) => drawScatter(options, dots, width) }).element;
}

/** Topics that lie in the same place. */
interface Dot {
  a: number;
  b: number;
  topics: TopicDifference[];
}

const grain = 250;

function dotsOf(topics: TopicDifference[]): Dot[] {
  const dots = new Map<string, Dot>();
  for (const topic of topics) {
    const key = `${Math.round(topic.a * grain)} ${Math.round(topic.b * grain)} ${Math.sign(topic.difference)}`;
    const dot = dots.get(key);
    if (dot) dot.topics.push(topic);
    else dots.set(key, { a: topic.a, b: topic.b, topics: [topic] });
  }
  return [...dots.values()].sort((one, other) => other.topics.length - one.topics.length);
}

function drawScatter(options: TopicPlotOptions, dots: Dot[], width: number): Drawn {
  const left = 50, top = 10, below = 44;
  const side = Math.min(width - left - 10, 420);
  const most = Math.max(1, ...options.topics.flatMap((topic) => [topic.a, topic.b]));
  const x = { low: 0, high: most, first: left, last: left + side };
  const y = { low: 0, high: most, first: top + side, last: top };
  return { height: top + side + below, content: [
    drawGrid(x, y), line(x.first, y.first, x.last, y.last, "axis"), dots.map((dot) => drawDot(dot, options, x, y)),
    text((x.first + x.last) / 2, top + side + 38, `${options.measure} in ${options.a}`, "middle", "faint"),
    uprightText(12, (y.first + y.last) / 2, `${options.measure} in ${options.b}`)] };
}

function drawGrid(x: Scale, y: Scale): Child {
  const values = ticks(x.low, x.high, 5);
  const texts = tickTexts(values);
  return values.map((value, i) => [
    line(at(x, value), y.first, at(x, value), y.last, "grid"), line(x.first, at(y, value), x.last, at(y, value), "grid"),
    text(at(x, value), y.first + 17, texts[i]!, "middle", "faint"), text(x.first - 7, at(y, value) + 4, texts[i]!, "end", "faint")]);
}

function drawDot({ a, b, topics }: Dot, options: TopicPlotOptions, x: Scale, y: Scale): Child {
  const radius = Math.min(14, 2.6 + 1.1 * Math.sqrt(topics.length));
  const others = topics.length > 1 ? ` and ${counted(topics.length - 1, "other topic")} nearby` : "";
  return svg("circle", { class: `point ${toneOf(topics[0]!.difference)}`, cx: place(at(x, a)), cy: place(at(y, b)), r: place(radius),
    "data-explain": options.words(topics[0]!) + others });
}
