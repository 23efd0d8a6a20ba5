// Verdicts as sentences. The words are those of docs/statistics.md.
import type { Difference, LatencyRatio, LiveEvidence, LiveState } from "./data/documents.ts";
import { counted, difference, interval, meanName, nameInText, percent } from "./format.ts";

/** Topics from which on there is an interval. */
const fewest = 10;

/** What a state is called: "collecting (7 of 10 topics)". */
export function stateName(state: LiveState, topics: number): string {
  if (state === "collecting") return `collecting (${topics} of ${fewest} topics)`;
  return state === "no verdict" ? "no verdict yet" : state;
}

/** How a state is coloured. */
export function stateTag(live: LiveEvidence, mean: number | null): string {
  if (live.state === "confirmed") return (mean ?? 0) >= 0 ? "tag good" : "tag bad";
  return live.state === "leading" ? "tag warn" : "tag";
}

/** "bm25 is better than tfidf by 0.0210 PRES@100" */
export function verdictSentence(armA: string, armB: string, measure: string, of: Difference): string {
  const [a, b, mean] = [nameInText(armA), nameInText(armB), of.mean];
  if (of.live.state === "collecting" || mean === null)
    return `Too few topics to compare ${b} with ${a}: ${counted(of.topics, "topic")} of ${fewest}`;
  if (of.live.state === "no verdict") return `No difference in ${meanName(measure)} between ${a} and ${b} is shown yet`;
  const [better, other] = mean > 0 ? [b, a] : [a, b];
  const verb = of.live.state === "confirmed" ? "is better than" : "leads";
  return `${better} ${verb} ${other} by ${difference(Math.abs(mean)).replace("+", "")} ${meanName(measure)}`;
}

/** What the verdict rests on and what it may be used for. */
export function verdictGrounds(of: Difference): string {
  if (of.live.state === "collecting") return "Nothing yet, whatever the numbers say. Evidence begins with the tenth topic that both arms have served.";
  return `${difference(of.mean)} over ${counted(of.topics, "topic")}, interval ${interval(of.live.low, of.live.high, difference)}. ` +
    `You may look as often as you like: the interval holds at all times but for a chance of ${percent(of.live.alpha)}.`;
}

/** What each state promises. */
export const statePromise: Record<LiveState, string> = {
  collecting: "Fewer than 10 topics: nothing yet.",
  "no verdict": "The interval contains 0: the true difference is within it, so far.",
  leading: "The interval excludes 0: different, unless rare catastrophes hide in topics not seen yet.",
  confirmed: "The bets have won too: different, whatever the scores' distribution.",
};

/** "18 % slower"; null while the ratio is not known or its interval contains 1. */
export function latencyChange(ratio: LatencyRatio): string | null {
  if (ratio.mean === null || ratio.low === null || ratio.high === null) return null;
  if (ratio.low <= 1 && ratio.high >= 1) return null;
  return ratio.mean > 1 ? `${percent(ratio.mean - 1)} slower` : `${percent(1 - ratio.mean)} faster`;
}

/** "same PRES@100, 18 % slower": what an arm's scores cost in time. */
export function tradeOff(measure: string, of: Difference, ratio: LatencyRatio): string {
  return `${scorePart(meanName(measure), of)}; ${latencyPart(ratio)}`;
}

function scorePart(name: string, of: Difference): string {
  if (of.live.state === "collecting") return `${name} not compared yet`;
  if (of.live.state === "no verdict") return `same ${name} as far as is shown (${difference(of.mean)})`;
  return `${(of.mean ?? 0) > 0 ? "higher" : "lower"} ${name} (${difference(of.mean)}, ${of.live.state})`;
}

function latencyPart(ratio: LatencyRatio): string {
  const change = latencyChange(ratio);
  if (change) return change;
  if (ratio.mean === null) return "latency not compared";
  const soFar = ratio.mean >= 1 ? `${percent(ratio.mean - 1)} slower` : `${percent(1 - ratio.mean)} faster`;
  return `${soFar} so far, no verdict yet`;
}

/** Why an epoch began, in words. */
export function epochReason(reason: string): string {
  const words: Record<string, string> = { start: "start", generation: "index changed", arms: "arms changed", judgements: "judgements changed" };
  return words[reason] ?? reason;
}
