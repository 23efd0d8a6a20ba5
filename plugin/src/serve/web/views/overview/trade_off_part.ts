import { armLook, armName } from "../../arms.ts";
import type { Arm, Pair, Summary } from "../../data/documents.ts";
import { element, fill, setText } from "../../dom.ts";
import { explained } from "../../explain.ts";
import { counted, meanName, milliseconds, nameInText, score } from "../../format.ts";
import { selection } from "../../selection.ts";
import { comparableLatency } from "../../latency.ts";
import { tradeOff } from "../../words.ts";
import type { Part } from "./part.ts";
import { type Point, scatter } from "./scatter.ts";

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
      const points = summary.arms.flatMap((arm, index) => point(summary, arm, index, measure));
      setText(kind, summary.mode === "paired" ? " Of the searches for comparison, which every arm runs for the same queries." : "");
      fill(holder, points.length ? scatter(points, `${meanName(measure)} against p50 of each arm`, measure, Math.max(280, Math.min(640, holder.clientWidth))) : element("p", { class: "empty", text: "No arm has a value and a latency yet." }));
      const lines = [measure, ...summary.arms.map((arm) => armLine(arm, measure, summary))];
      const wanted = JSON.stringify(lines);
      if (wanted !== shape) fill(words, summary.arms.map((arm, index) => element("li", {}, armName(index, arm.name), element("span", { text: lines[index + 1]! }))));
      shape = wanted;
    },
  };
}

function point(summary: Summary, arm: Arm, index: number, measure: string): Point[] {
  const mean = arm.means[measure]?.mean ?? null;
  const latency = comparableLatency(summary, arm);
  if (mean === null || latency.p50 === null) return [];
  const { low, high } = latency.intervals.p50;
  return [{ x: latency.p50, low: low ?? latency.p50, high: high ?? latency.p50, y: mean, look: armLook(index), index, name: arm.name }];
}

function armLine(arm: Arm, measure: string, summary: Summary): string {
  const at = `${meanName(measure)} ${score(arm.means[measure]?.mean)}, p50 ${milliseconds(comparableLatency(summary, arm).p50)}`;
  const pair: Pair | undefined = summary.pairs.find((each) => each.b === arm.name);
  const of = pair?.differences[measure];
  if (!pair || !of) return at;
  return `${at}. Against ${nameInText(pair.a, 24)}: ${tradeOff(measure, of, pair.latency_ratio)} in ${counted(pair.latency_ratio.topics, "topic")}`;
}
