import { type Chart, type ChartMark, chart } from "../../chart.ts";
import type { Series, SeriesDifference } from "../../data/documents.ts";
import { element, setText } from "../../dom.ts";
import { explained } from "../../explain.ts";
import { counted, difference, meanName, nameInText } from "../../format.ts";
import { selectedPair, selection } from "../../selection.ts";
import { epochReason } from "../../words.ts";
import type { Part } from "./part.ts";

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
