import { armClass, armMarker, armName } from "../arms.ts";
import { chart, type ChartData } from "../chart.ts";
import type {
  Arm, Latency, Quantile, Series, SeriesDifference, Summary,
} from "../data/documents.ts";
import { type Child, fill, html, refill, setText, svg } from "../dom.ts";
import { explained, meanName, terms } from "../explain.ts";
import {
  count, counted, difference, interval, milliseconds, nameInText, none, score, significant,
  visibleText,
} from "../format.ts";
import { at, extent, line, rows, type Scale, text, ticks, tickTexts } from "../plots/plot.ts";
import { nameColumn, numberColumn, type Table, table } from "../table.ts";
import { selectedPair, selection } from "../view.ts";
import { epochReason, type Part } from "./overview.ts";
import { card } from "./parts.ts";

/** The paired difference over time, its confidence sequence narrowing around it. */
export function differencePart(): Part {
  const title = html("h2", "Difference over time");
  const about = html("p.sub", "The line is the mean difference, the area its ",
    explained("confidence sequence", terms.sequence),
    " if there is one; it narrows as topics come. Each ", explained("epoch", terms.epoch),
    " begins anew.");
  const empty = html("p.empty");
  const plot = chart({ label: "Mean difference and its confidence sequence over time", x: "time",
    xLabel: "Time", yLabel: "Difference", height: 300, hasBand: true, formatY: difference });
  const element = html("section.card", title, about, plot.element, empty);
  return { element, set(summary, series) {
    const { measure } = selection(summary);
    const pair = selectedPair(summary);
    const column = series?.pairs.find(({ a, b }) => a === pair?.a && b === pair?.b)
      ?.differences[measure];
    plot.element.hidden = !column;
    empty.hidden = Boolean(column);
    setText(empty, pair ? "No values over time here." : "One arm has no difference to another.");
    if (!series || !column || !pair) return;
    setText(title,
      `${nameInText(pair.b)} minus ${nameInText(pair.a)} over time, ${meanName(measure)}`);
    plot.set({ ...apart(series, column), limits: limitsOf(column), words: described(column) });
  } };
}

// Between epochs the lines are interrupted: evidence is never pooled over epochs.
function apart(series: Series, { high, mean, low }: SeriesDifference): ChartData {
  const points = series.time_ms.flatMap((time, index) => {
    const point = [time, high[index] ?? null, mean[index] ?? null, low[index] ?? null] as const;
    const isNew = index > 0 && series.epoch[index] !== series.epoch[index - 1];
    return isNew ? [[time - 1, null, null, null] as const, point] : [point];
  });
  const values = (place: 1 | 2 | 3) => points.map((point) => point[place]);
  return { x: points.map(([x]) => x), marks: epochMarks(series),
    lines: [{ label: "upper end", class: "bound", values: values(1) },
      { label: "difference", values: values(2) },
      { label: "lower end", class: "bound", values: values(3) }] };
}

/** The epochs of a series after the first, as marks: "epoch 3: index changed". */
function epochMarks({ epochs, time_ms: times }: Series) {
  const [first = Infinity] = times;
  return epochs.filter(({ time_ms, reason }) => time_ms > first && reason !== "start")
    .map(({ time_ms, number, reason }) =>
      ({ x: time_ms, label: `epoch ${number}: ${epochReason(reason)}` }));
}

// The first intervals reach from -1 to 1; the axis shows the range of the later ones.
function limitsOf({ mean, low, high, state }: SeriesDifference): [number, number] {
  const reaches = mean.map((value, index) =>
    Math.max(...[value, low[index], high[index]].map((end) => Math.abs(end ?? 0))))
    .filter((_reach, index) => state[index] !== "collecting").sort((one, other) => one - other);
  const usual = reaches[Math.floor(reaches.length * 0.8)] ?? 1;
  const reach = Math.min(1, 1.15 * Math.max(0.01, usual));
  return [-reach, reach];
}

function described({ mean, low, high, topics, state }: SeriesDifference): string {
  if (mean.length === 0) return "No values yet";
  const interval = low.at(-1) === null ? ""
    : `, between ${difference(low.at(-1))} and ${difference(high.at(-1))}`;
  return `Now ${difference(mean.at(-1))}${interval}, over ${
    counted(topics.at(-1) ?? 0, "topic")}: ${state.at(-1) ?? "observed"}`;
}

/** Score against latency for each arm: a picture and words. */
export function tradeOffPart(): Part {
  const title = html("h2"), kind = html("span");
  const holder = html("div.scatter");
  const said = html("p.trade-off"), words = html("ul.trade-offs");
  const element = html("section.card", title,
    html("p.sub", "Up is better, left is faster. The 95 % interval of the ",
      explained("p50", terms.p50), " is a line across, if there is one.", kind),
    said, holder, words);
  return { element, set(summary) {
    const { measure } = selection(summary);
    const name = meanName(measure);
    setText(title, `${name} against latency`);
    setText(kind, summary.mode === "paired"
      ? " Of the searches for comparison, which every arm runs for the same queries." : "");
    const tradeOff = measure === summary.primary
      ? selectedPair(summary)?.words.trade_off ?? "" : "";
    setText(said, visibleText(tradeOff));
    said.hidden = tradeOff === "";
    const points = summary.arms.flatMap((arm, index) => armPoint(summary, arm, index, measure));
    const width = Math.max(280, Math.min(640, holder.clientWidth));
    fill(holder, points.length ? armScatter(points, name, width)
      : html("p.empty", "No arm has a value and a latency yet."));
    refill(words, summary.arms.map((arm, index) => html("li", armName(index, arm.name),
      html("span", tradeOffLine(arm, measure, summary)))));
  } };
}

/** An arm's score and its latency in ms, with the ends of the interval. */
function armPoint(summary: Summary, arm: Arm, index: number, measure: string) {
  const y = arm.means[measure]?.mean ?? null;
  const { p50: x, intervals } = comparableLatency(summary, arm);
  if (y === null || x === null) return [];
  const { low, high } = intervals.p50;
  return [{ x, low: low ?? x, high: high ?? x, y, index, name: nameInText(arm.name, 18) }];
}

function tradeOffLine(arm: Arm, measure: string, summary: Summary): string {
  const name = meanName(measure);
  const at = `${name} ${score(arm.means[measure]?.mean)}, p50 ${
    milliseconds(comparableLatency(summary, arm).p50)}`;
  const pair = summary.pairs.find((each) => each.b === arm.name);
  const of = pair?.differences[measure];
  if (!pair || !of) return at;
  return `${at}. Against ${nameInText(pair.a, 24)}: ${difference(of.live?.mean ?? of.mean)} ${
    name}, ${visibleText(`${of.words.state}. ${pair.words.latency}`)}`;
}

type ArmPoint = ReturnType<typeof armPoint>[number];

const left = 52, top = 16, scatterHeight = 230, bottom = scatterHeight - 36;

/** Scores against latency, an arm a marker. The numbers stand beside it as text too. */
function armScatter(points: ArmPoint[], name: string, width: number): SVGSVGElement {
  const right = width - 16;
  const x = roomyScale(points.flatMap((point) => [point.low, point.high]), left, right);
  const y = roomyScale(points.map((point) => point.y), bottom, top);
  return svg("svg", { viewBox: `0 0 ${width} ${scatterHeight}`, width, height: scatterHeight,
    role: "img", "aria-label": `${name} against p50 of each arm` },
  rows(y, left, right),
  ticks(x.low, x.high, 4).map((tick, i, all) =>
    text(at(x, tick), bottom + 15, tickTexts(all)[i]!, "middle", "tick")),
  line(left, bottom, right, bottom, "axis"),
  text(right, scatterHeight - 5, "p50 latency, ms", "end", "tick"),
  text(left, 10, name, "start", "tick"),
  points.map((point) => svg("g", { class: armClass(point.index) },
    line(at(x, point.low), at(y, point.y), at(x, point.high), at(y, point.y), "spread"),
    armMarker(point.index, at(x, point.x), at(y, point.y), 1.25))),
  placedNames(points, x, y, width).map((placed) =>
    text(placed.x, placed.y, placed.name, "middle", `name ${armClass(placed.index)}`)));
}

// Above its marker, or the next place above or below that no other name takes.
function placedNames(points: ArmPoint[], x: Scale, y: Scale, width: number) {
  const placed: { name: string; index: number; x: number; y: number; wide: number }[] = [];
  for (const { name, index, x: value, y: height } of points) {
    const wide = Array.from(name).length * 7.2;
    const middle = Math.min(width - wide / 2, Math.max(wide / 2, at(x, value)));
    const isFree = (place: number) => place > 8 && place < scatterHeight && placed.every((other) =>
      Math.abs(other.y - place) > 13 || Math.abs(other.x - middle) > (other.wide + wide) / 2);
    const places = [-10, 20, -24, 34, -38, 48].map((offset) => at(y, height) + offset);
    placed.push({ name, index, x: middle, y: places.find(isFree) ?? places[0]!, wide });
  }
  return placed;
}

/**
 * Leaves a quarter of the values' span free on both sides. The span counts as at least 0.001 and
 * 1 % of the highest value, so that tiny differences look tiny.
 */
function roomyScale(values: number[], first: number, last: number): Scale {
  const [least, most] = extent(values);
  const room = 0.25 * Math.max(most - least, 0.01 * most, 0.001);
  return { low: Math.max(0, least - room), high: most + room, first, last };
}

const quantiles = ["p50", "p95", "p99"] as const;

/** Latency of each arm: its quantiles now, and over time. */
export function latencyPart(): Part {
  const rows = latencyTable("Latency of queries that users waited for", "latency_ms");
  const shadow = latencyTable("Latency of searches for comparison", "shadow_latency_ms");
  const shadowPart = html("div.shadow", html("h3", "Searches for comparison"),
    html("p.sub", "Run in the shadow of the answer, few at a time on warm caches; nobody waited " +
      "for them."), shadow.element);
  const charts = quantiles.map((quantile) => ({ quantile, ...chart({
    label: `${quantile} of each arm over time`, x: "time", xLabel: "Time", yLabel: "ms",
    height: 170, include: [0], formatY: milliseconds }) }));
  const holder = html("div.multiples", charts.map(({ quantile, element }) =>
    html("div", html("h3", `${quantile} over time`), element)));
  const element = card("Latency", "Counts requests, not topics. Each point of a curve is of the " +
    "queries since the point before.", rows.element, shadowPart, holder);
  return { element, set({ arms }, series) {
    for (const each of [rows, shadow]) each.set(arms);
    shadowPart.hidden = arms.every((arm) => arm.shadow_latency_ms.count === 0);
    holder.hidden = !series;
    if (!series) return;
    const marks = epochMarks(series).map(({ x }) => ({ x, label: "" }));
    for (const { quantile, set } of charts) set({ x: series.time_ms, marks,
      lines: series.arms.map((each, arm) =>
        ({ label: each.name, arm, values: each[`${quantile}_ms`] })) });
  } };
}

type LatencyKey = "latency_ms" | "shadow_latency_ms";

export function latencyTable(caption: string, of: LatencyKey): Table<Arm> {
  const kind = of === "latency_ms" ? "latency" : "shadow";
  const number = (key: string) => ({ name }: Arm) => ({ "data-number": `${kind}/${name}/${key}` });
  return table<Arm>({ caption }, [
    nameColumn("Arm", (arm, index) => armName(index, arm.name)),
    numberColumn("Queries", (arm) => count(arm[of].count), {
      about: "Queries whose latency is known, judged or not, and those that failed.",
      attributes: number("count") }),
    ...(["p50", "p90", "p95", "p99"] as const).map((quantile) =>
      numberColumn<Arm>(quantile, (arm) => quantileCell(arm[of], quantile), {
        about: terms[quantile], attributes: number(quantile),
        explain: (arm) => `${quantile} with its 95 % interval, of ${
          counted(arm[of].count, "query", "queries")}; it holds for one look, and is missing if ` +
          "queries depend on each other too strongly to tell." })),
    numberColumn("Longest", (arm) => milliseconds(arm[of].max),
      { about: "The longest query that did not fail." }),
    of === "latency_ms" && numberColumn("Failed",
      (arm) => count(arm.failed_queries + arm.timed_out_queries),
      { about: "Searches that threw or timed out: queries without end in the quantiles." }),
  ]);
}

function quantileCell(latency: Latency, quantile: Quantile): Child {
  const value = latency[quantile];
  if (value === null) return latency.count > 0 ? "failed" : none;
  const { low, high } = latency.intervals[quantile];
  const bounds = interval(low, high, significant);
  return [html("strong.value", milliseconds(value)), html("small", bounds)];
}

/**
 * The latency in which arms can be compared: in paired mode that of the searches for comparison,
 * which every arm has; else that of the queries that users waited for.
 */
function comparableLatency({ mode }: Summary, arm: Arm): Latency {
  return mode === "paired" ? arm.shadow_latency_ms : arm.latency_ms;
}
