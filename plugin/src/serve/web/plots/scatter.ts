import { type Child, svg } from "../dom.ts";
import { counted } from "../format.ts";
import { line, place, plot, text, uprightText, type Drawn } from "./plot.ts";
import { at, tickTexts, ticks, type Scale } from "./scale.ts";
import type { TopicPlotOptions, TopicPoint } from "./waterfall.ts";

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
  topics: TopicPoint[];
}

const grain = 250;

function dotsOf(topics: TopicPoint[]): Dot[] {
  const dots = new Map<string, Dot>();
  for (const topic of topics) {
    const key = `${Math.round(topic.a * grain)} ${Math.round(topic.b * grain)} ${Math.sign(topic.difference)}`;
    const dot = dots.get(key);
    if (dot) dot.topics.push(topic);
    else dots.set(key, { a: topic.a, b: topic.b, topics: [topic] });
  }
  return [...dots.values()].sort((one, other) => other.topics.length - one.topics.length);
}

const left = 50, top = 10, below = 44;

function drawScatter(options: TopicPlotOptions, dots: Dot[], width: number): Drawn {
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
  const change = topics[0]!.difference;
  const tone = change > 0 ? "good" : change < 0 ? "bad" : "same";
  const radius = Math.min(14, 2.6 + 1.1 * Math.sqrt(topics.length));
  const others = topics.length > 1 ? ` and ${counted(topics.length - 1, "other topic")} nearby` : "";
  return svg("circle", { class: `point ${tone}`, cx: place(at(x, a)), cy: place(at(y, b)), r: place(radius),
    "data-explain": options.words(topics[0]!) + others });
}
