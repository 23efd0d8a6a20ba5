import type { MeasureComparison, TopicDifference } from "../data/documents.ts";
import { type Child, svg } from "../dom.ts";
import { counted } from "../format.ts";
import {
  at, type Drawn, extent, fitting, line, place, plot, rows, type Scale, text, ticks, tickTexts,
  toneOf, uprightText, valueAt, withReadout,
} from "./plot.ts";

export interface TopicPlotOptions {
  measure: string;
  a: string;
  b: string;
  compared: MeasureComparison;
  /** Describes a topic, in one line, when it is pointed at. */
  words: (topic: TopicDifference) => string;
}

const left = 58, top = 12, below = 46;

/** Differences of all topics as bars, from the lowest to the highest. */
export function waterfallPlot(options: TopicPlotOptions): HTMLElement {
  const { measure, a, b, compared: { wins, ties, losses, per_topic } } = options;
  const sorted = per_topic.slice().sort((one, other) => one.difference - other.difference);
  const what = `${measure} of each topic, ${b} minus ${a}, as bars from the lowest difference to ` +
    `the highest: ${counted(losses, "topic")} lower, ${ties} the same, ${wins} higher.`;
  let x: Scale;
  const drawing = plot({ what, class: "waterfall", printed: 410, draw: (width) => {
    x = { low: 0, high: Math.max(1, sorted.length), first: left, last: width - 8 };
    return drawWaterfall(options, sorted, x, width);
  } });
  return withReadout(drawing.element, (at) => {
    const topic = at === null ? undefined : sorted[Math.floor(valueAt(x, at))];
    return topic ? options.words(topic) : "Point at a bar to see its topic.";
  });
}

function drawWaterfall(
  options: TopicPlotOptions, sorted: TopicDifference[], x: Scale, width: number): Drawn {
  const { measure, a, b } = options;
  const height = Math.max(240, Math.min(340, width * 0.62));
  const low = Math.min(0, sorted[0]?.difference ?? 0);
  const high = Math.max(0, sorted.at(-1)?.difference ?? 0);
  const around = high > low ? Math.max((high - low) * 0.04, 1e-4) : 0.01;
  const y = { low: low - around, high: high + around, first: height - below, last: top };
  return { height, content: [
    rows(y, left, x.last, true), drawBars(sorted, x, y),
    line(left, at(y, 0), x.last, at(y, 0), "axis"),
    uprightText(12, y.last, y.first, `${measure}, ${b} minus ${a}`),
    drawCounts(options, x, height, width > 360)] };
}

function drawBars(sorted: TopicDifference[], x: Scale, y: Scale): Child {
  const zero = place(at(y, 0));
  const bars = (tone: string) => {
    const steps = sorted.map(({ difference }, i) => {
      if (toneOf(difference) !== tone) return "";
      const from = at(x, i), to = at(x, i + 1), gap = to - from > 4 ? 0.8 : 0;
      const end = place(at(y, difference));
      return `M${place(from + gap)} ${zero}V${end}H${place(to - gap)}V${zero}Z`;
    }).join("");
    return steps && svg("path.bars", { class: tone, d: steps });
  };
  return [bars("bad"), bars("good")];
}

/** Below the axis: the numbers of topics that are lower, the same (if there is room) and higher. */
function drawCounts(
  { compared: { wins, ties, losses, per_topic } }: TopicPlotOptions, x: Scale, height: number,
  isWide: boolean): Child {
  const y = height - below + 20, middle = (x.first + x.last) / 2;
  const all = `${counted(per_topic.length, "topic")}, by difference`;
  return [
    losses > 0 && text(x.first, y, `▼ ${losses} lower`, "start", "bad"),
    ties > 0 && isWide && text(middle, y, `${ties} the same`, "middle", "faint"),
    wins > 0 && text(x.last, y, `${wins} higher ▲`, "end", "good"),
    text(middle, height - 6, all, "middle", "faint")];
}

/** Scores of B over those of A: above the diagonal B is higher. */
export function scatterPlot(options: TopicPlotOptions): HTMLElement {
  const { measure, a, b } = options;
  const dots = dotsOf(options.compared.per_topic);
  const what = `${measure} of each topic: ${b} upwards over ${a} to the right; a mark for each ` +
    `topic, larger if several coincide. Above the diagonal ${b} is higher.`;
  const draw = (width: number) => drawScatter(options, dots, width);
  return plot({ what, class: "scatter", printed: 265, draw }).element;
}

const grain = 250;

/** Topics by the place in which they lie, the most crowded place first. */
function dotsOf(topics: TopicDifference[]): TopicDifference[][] {
  const dots = new Map<string, TopicDifference[]>();
  for (const topic of topics) {
    const { a, b, difference } = topic;
    const key = `${Math.round(a * grain)} ${Math.round(b * grain)} ${Math.sign(difference)}`;
    const dot = dots.get(key);
    if (dot) dot.push(topic);
    else dots.set(key, [topic]);
  }
  return [...dots.values()].sort((one, other) => other.length - one.length);
}

function drawScatter(
  options: TopicPlotOptions, dots: TopicDifference[][], width: number): Drawn {
  const { measure, a, b, compared: { per_topic } } = options;
  const left = 50, top = 10;
  const side = Math.min(width - left - 10, 420);
  const [, high] = extent([1, ...per_topic.flatMap((topic) => [topic.a, topic.b])]);
  const x = { low: 0, high, first: left, last: left + side };
  const y = { low: 0, high, first: top + side, last: top };
  return { height: top + side + 44, content: [
    drawGrid(x, y), line(x.first, y.first, x.last, y.last, "axis"),
    dots.map((dot) => drawDot(dot, options, x, y)),
    text((x.first + x.last) / 2, top + side + 38, fitting(`${measure} in ${a}`, side), "middle",
      "faint"),
    uprightText(12, y.last, y.first, `${measure} in ${b}`)] };
}

function drawGrid(x: Scale, y: Scale): Child {
  const values = ticks(x.low, x.high, 5);
  const texts = tickTexts(values);
  return [rows(y, x.first, x.last), values.map((value, i) => [
    line(at(x, value), y.first, at(x, value), y.last, "grid"),
    text(at(x, value), y.first + 17, texts[i]!, "middle", "faint")])];
}

function drawDot(
  dot: TopicDifference[], { words }: TopicPlotOptions, x: Scale, y: Scale): Child {
  const first = dot[0]!;
  const others = dot.length > 1 ? ` and ${counted(dot.length - 1, "other topic")} nearby` : "";
  return svg("circle.point", { class: toneOf(first.difference), cx: place(at(x, first.a)),
    cy: place(at(y, first.b)), r: place(Math.min(14, 2.6 + 1.1 * Math.sqrt(dot.length))),
    "data-explain": words(first) + others });
}
