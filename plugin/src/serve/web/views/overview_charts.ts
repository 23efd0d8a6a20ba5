import { armLook, type ArmLook, armMarker, armName } from "../arms.ts";
import { armLine, type Chart, chart, type ChartMark } from "../chart.ts";
import type { Arm, Latency, Pair, Quantile, Series, SeriesDifference, Summary } from "../data/documents.ts";
import { type Child, element, fill, setText, svg } from "../dom.ts";
import { explained } from "../explain.ts";
import { count, counted, difference, interval, milliseconds, nameInText, score, significant } from "../format.ts";
import { meanName } from "../measures.ts";
import { selectedPair, selection } from "../place.ts";
import { at, line, type Scale, text, ticks } from "../plots/plot.ts";
import { type Table, table, type TableColumn } from "../table.ts";
import { epochReason, type Part } from "./overview.ts";

/** The paired difference over time, its confidence sequence narrowing around it. */
export function differencePart(): Part {
  const title = element("h2", { text: "Difference over time" });
  const about = element("p", { class: "sub" }, "The line is the mean difference, the area its ",
    explained("confidence sequence", "confidence sequence"), "; it narrows as topics come and begins anew with each ",
    explained("epoch", "epoch"), ".");
  const empty = element("p", { class: "empty", text: "No course of time here." });
  let limits: [number, number] = [-1, 1];
  let words = "";
  const plot = chart({
    label: "Mean difference and its confidence sequence over time", describe: () => words,
    x: "time", xLabel: "Time", yLabel: "Difference", height: 300, zero: 0,
    lines: [
      { label: "upper end", colour: "--band", width: 1 },
      { label: "difference", colour: "--text", width: 2 },
      { label: "lower end", colour: "--band", width: 1 },
    ],
    bands: [{ high: 0, low: 2, colour: "--band" }],
    limits: () => limits, formatY: difference, tickY: (value) => difference(value).replace(/0+$/, "").replace(/\.$/, ""),
  });
  return {
    element: element("section", { class: "card" }, title, about, plot.element, empty),
    close: () => plot.close(),
    set({ place, now, summary }) {
      const chosen = selection(place, summary);
      const pair = selectedPair(chosen, summary);
      const column = now.series?.pairs.find((each) => each.a === pair?.a && each.b === pair?.b)?.differences[chosen.measure];
      plot.element.hidden = !column;
      empty.hidden = Boolean(column);
      if (!now.series || !column || !pair) return;
      setText(title, `${nameInText(pair.b)} minus ${nameInText(pair.a)} over time, ${meanName(chosen.measure)}`);
      limits = limitsOf(column);
      words = described(column);
      plot.set(apart(now.series, column));
    },
  };
}

type Data = Parameters<Chart["set"]>[0];

// Between epochs the lines are interrupted: evidence is never pooled over epochs.
function apart(series: Series, column: SeriesDifference): Data {
  const x: number[] = [];
  const lines: (number | null)[][] = [[], [], []];
  series.time_ms.forEach((time, index) => {
    if (index > 0 && series.epoch[index] !== series.epoch[index - 1]) {
      x.push(time - 1);
      for (const line of lines) line.push(null);
    }
    x.push(time);
    [column.high, column.mean, column.low].forEach((values, place) => lines[place]!.push(values[index] ?? null));
  });
  return { x, lines, marks: epochMarks(series) };
}

/** The epochs of a series after the first, as marks: "epoch 3: index changed". */
export function epochMarks(series: Series): ChartMark[] {
  return series.epochs.filter((epoch) => epoch.time_ms > (series.time_ms[0] ?? Infinity) && epoch.reason !== "start")
    .map((epoch) => ({ x: epoch.time_ms, label: `epoch ${epoch.number}: ${epochReason(epoch.reason)}` }));
}

// The first intervals reach from -1 to 1; what matters is how far the later ones reach.
function limitsOf(column: SeriesDifference): [number, number] {
  const reaches = column.low.map((low, index) => Math.max(Math.abs(low ?? 0), Math.abs(column.high[index] ?? 0)))
    .filter((_reach, index) => column.state[index] !== "collecting").sort((one, other) => one - other);
  const reach = Math.min(1, 1.15 * Math.max(0.01, reaches[Math.floor(reaches.length * 0.8)] ?? 1));
  return [-reach, reach];
}

function described(column: SeriesDifference): string {
  const last = column.mean.length - 1;
  if (last < 0) return "No values yet";
  return `Now ${difference(column.mean[last])}, between ${difference(column.low[last])} and ${difference(column.high[last])}, ` +
    `over ${counted(column.topics[last] ?? 0, "topic")}: ${column.state[last]}`;
}

/** What an arm's scores cost in time: a picture of score against latency, and words. */
export function tradeOffPart(): Part {
  const title = element("h2");
  const kind = element("span");
  const holder = element("div", { class: "scatter" });
  const words = element("ul", { class: "trade-offs" });
  let shape = "";
  return {
    element: element("section", { class: "card" }, title,
      element("p", { class: "sub" }, "Up is better, left is faster; the line across is the 95 % interval of the ", explained("p50", "p50"), ".", kind), holder, words),
    set({ place, summary }) {
      const { measure } = selection(place, summary);
      setText(title, `${meanName(measure)} against latency`);
      const points = summary.arms.flatMap((arm, index) => armPoint(summary, arm, index, measure));
      setText(kind, summary.mode === "paired" ? " Of the searches for comparison, which every arm runs for the same queries." : "");
      fill(holder, points.length ? armScatter(points, `${meanName(measure)} against p50 of each arm`, measure, Math.max(280, Math.min(640, holder.clientWidth))) : element("p", { class: "empty", text: "No arm has a value and a latency yet." }));
      const lines = [measure, ...summary.arms.map((arm) => tradeOffLine(arm, measure, summary))];
      const wanted = JSON.stringify(lines);
      if (wanted !== shape) fill(words, summary.arms.map((arm, index) => element("li", {}, armName(index, arm.name), element("span", { text: lines[index + 1]! }))));
      shape = wanted;
    },
  };
}

function armPoint(summary: Summary, arm: Arm, index: number, measure: string): ArmPoint[] {
  const mean = arm.means[measure]?.mean ?? null;
  const latency = comparableLatency(summary, arm);
  if (mean === null || latency.p50 === null) return [];
  const { low, high } = latency.intervals.p50;
  return [{ x: latency.p50, low: low ?? latency.p50, high: high ?? latency.p50, y: mean, look: armLook(index), index, name: arm.name }];
}

function tradeOffLine(arm: Arm, measure: string, summary: Summary): string {
  const at = `${meanName(measure)} ${score(arm.means[measure]?.mean)}, p50 ${milliseconds(comparableLatency(summary, arm).p50)}`;
  const pair: Pair | undefined = summary.pairs.find((each) => each.b === arm.name);
  const of = pair?.differences[measure];
  if (!pair || !of) return at;
  return `${at}. Against ${nameInText(pair.a, 24)}: ${difference(of.mean)} ${meanName(measure)}, ${of.words.state}. ${pair.words.latency || "Latency not compared"}`;
}

export interface ArmPoint {
  /** Latency in ms, with the ends of its interval. */
  x: number;
  low: number;
  high: number;
  y: number;
  look: ArmLook;
  index: number;
  name: string;
}

const margin = { left: 52, right: 16, top: 16, bottom: 36 }, scatterHeight = 230;

/** Scores against latency, an arm a marker. The numbers stand beside it as text too. */
export function armScatter(points: ArmPoint[], label: string, measure: string, width: number): SVGSVGElement {
  const right = width - margin.right, bottom = scatterHeight - margin.bottom;
  const x = roomyScale(points.flatMap((point) => [point.low, point.high]), margin.left, right);
  const y = roomyScale(points.map((point) => point.y), bottom, margin.top);
  const look = (point: ArmPoint) => `arm-${point.look.colour.slice(-1)}`;
  return svg("svg", { viewBox: `0 0 ${width} ${scatterHeight}`, width, height: scatterHeight, role: "img", "aria-label": label },
    ticks(y.low, y.high, 4).map((tick) => [
      line(margin.left, at(y, tick), right, at(y, tick), "grid"), text(margin.left - 6, at(y, tick) + 4, score(tick).replace(/0$/, ""), "end", "tick")]),
    ticks(x.low, x.high, 4).map((tick) => text(at(x, tick), bottom + 15, significant(tick).replace(/\.0+$/, ""), "middle", "tick")),
    line(margin.left, bottom, right, bottom, "axis"),
    text(right, scatterHeight - 5, "p50 latency, ms", "end", "tick"), text(margin.left, 10, meanName(measure), "start", "tick"),
    points.map((point) => svg("g", { class: look(point) },
      line(at(x, point.low), at(y, point.y), at(x, point.high), at(y, point.y), "spread"), armMarker(point.look, at(x, point.x), at(y, point.y)))),
    placedNames(points, (point) => [at(x, point.x), at(y, point.y)], width).map((name) =>
      text(name.x, name.y, name.text, "middle", `name ${look(name.point)}`)));
}

interface PlacedName {
  point: ArmPoint;
  text: string;
  x: number;
  y: number;
  wide: number;
}

// Above its marker, or the next place above or below that no other name takes.
function placedNames(points: ArmPoint[], placeOf: (point: ArmPoint) => [number, number], width: number): PlacedName[] {
  const placed: PlacedName[] = [];
  for (const point of points) {
    const text = nameInText(point.name, 18);
    const wide = Array.from(text).length * 7.2;
    const [x, y] = placeOf(point);
    const middle = Math.min(width - wide / 2, Math.max(wide / 2, x));
    const free = (line: number) => placed.every((other) => Math.abs(other.y - line) > 13 || Math.abs(other.x - middle) > (other.wide + wide) / 2);
    const offset = [-10, 20, -24, 34, -38, 48].find((each) => free(y + each)) ?? -10;
    placed.push({ point, text, x: middle, y: y + offset, wide });
  }
  return placed;
}

function roomyScale(values: number[], first: number, last: number): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = (most - least || Math.abs(most) || 1) * 0.25;
  return { low: Math.max(0, least - room), high: most + room, first, last };
}

const quantiles = ["p50", "p95", "p99"] as const;

/** Latency of each arm: its quantiles now, and over time. */
export function latencyPart(): Part {
  const rows = latencyTable("Latency of queries that users waited for", "latency", (arm) => arm.latency_ms);
  const shadow = latencyTable("Latency of searches for comparison", "shadow", (arm) => arm.shadow_latency_ms);
  const shadowPart = element("div", { class: "shadow" }, element("h3", { text: "Searches for comparison" }),
    element("p", { class: "sub", text: "Run in the shadow of the answer, few at a time on warm caches; nobody waited for them." }), shadow.element);
  const holder = element("div", { class: "multiples" });
  let charts: Chart[] = [];
  let shape = "";
  const remade = (series: Series) => {
    for (const each of charts) each.close();
    charts = quantiles.map((quantile) => quantileChart(quantile, series));
    fill(holder, charts.map((each, index) => element("div", {}, element("h3", { text: `${quantiles[index]} over time` }), each.element)));
  };
  return {
    element: element("section", { class: "card" }, element("h2", { text: "Latency" }),
      element("p", { class: "sub", text: "Counts requests, not topics. Each point of a curve is of the queries since the point before." }), rows.element, shadowPart, holder),
    close: () => { for (const each of charts) each.close(); },
    set({ now, summary }) {
      rows.set(summary.arms);
      shadowPart.hidden = !hasShadow(summary);
      shadow.set(summary.arms);
      const series = now.series;
      holder.hidden = !series;
      if (!series) return;
      const wanted = JSON.stringify(series.arms.map((arm) => arm.name));
      if (wanted !== shape) remade(series);
      shape = wanted;
      quantiles.forEach((quantile, index) => charts[index]!.set({ x: series.time_ms, marks: epochMarks(series).map((mark) => ({ x: mark.x, label: "" })),
        lines: series.arms.map((arm) => arm[`${quantile}_ms`]) }));
    },
  };
}

function quantileChart(quantile: (typeof quantiles)[number], series: Series): Chart {
  return chart({
    label: `${quantile} of each arm over time`, x: "time", xLabel: "Time", yLabel: "ms", height: 170, include: [0],
    lines: series.arms.map((arm, index) => armLine(index, arm.name)),
    formatY: milliseconds, tickY: (value) => significant(value).replace(/\.0+$/, ""),
  });
}

type LatencyOf = (arm: Arm) => Latency;

function latencyTable(caption: string, key: string, of: LatencyOf): Table<Arm> {
  return table<Arm>({
    caption,
    columns: [
      { head: "Arm", heads: true, cell: (arm, index) => armName(index, arm.name) },
      { head: "Queries", about: "Queries whose latency is known, judged or not, and those that failed.", cell: (arm) => count(of(arm).count),
        attributes: (arm) => ({ "data-number": `${key}/${arm.name}/count` }) },
      ...(["p50", "p90", "p95", "p99"] as const).map((quantile) => quantileColumn(quantile, key, of)),
      { head: "Longest", about: "The longest query that did not fail.", cell: (arm) => milliseconds(of(arm).max) },
      ...(key === "latency" ? [failedColumn] : []),
    ],
  });
}

const failedColumn: TableColumn<Arm> = {
  head: "Failed", about: "Searches that threw or timed out: queries without end in the quantiles.",
  cell: (arm) => count(arm.failed_queries + arm.timed_out_queries),
};

function quantileColumn(quantile: Quantile, key: string, of: LatencyOf): TableColumn<Arm> {
  return {
    head: quantile, about: quantile,
    cell: (arm) => quantileCell(of(arm), quantile),
    attributes: (arm) => ({ "data-number": `${key}/${arm.name}/${quantile}` }),
    explain: (arm) => `${quantile} with its 95 % interval, of ${counted(of(arm).count, "query", "queries")}; holds however often one looks.`,
  };
}

function quantileCell(latency: Latency, quantile: Quantile): Child {
  const value = latency[quantile];
  if (value === null) return latency.count > 0 ? "failed" : "–";
  const { low, high } = latency.intervals[quantile];
  return [element("strong", { class: "value", text: milliseconds(value) }), element("small", { text: interval(low, high, significant) })];
}

/**
 * The latency in which arms can be compared: in paired mode that of the searches for comparison,
 * which every arm has; else that of the queries that users waited for.
 */
export function comparableLatency(summary: Summary, arm: Arm): Latency {
  return summary.mode === "paired" ? arm.shadow_latency_ms : arm.latency_ms;
}

/** Whether searches for comparison were run. */
export function hasShadow(summary: Summary): boolean {
  return summary.arms.some((arm) => arm.shadow_latency_ms.count > 0);
}
