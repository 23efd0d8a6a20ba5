// What a history says in words.
import type { HistoryDocument, NewestNight, Night, Pin } from "../data/history_document.ts";
import { count, counted, dateAndTime, milliseconds, score } from "../format.ts";
import { verdictText } from "../plots/night_marks.ts";
import type { NightPoint } from "../plots/nights.ts";
import { shown } from "./parts.ts";

/** The arms of the nights, in the order in which they come. */
export function armsOf(document: HistoryDocument): string[] {
  return [...new Set(document.nights.map((night) => night.arm))];
}

/** The number of topics that all nights have; null where they differ. */
export function commonTopics({ nights }: HistoryDocument): number | null {
  const first = nights[0]?.topics ?? null;
  return nights.every((night) => night.topics === first) ? first : null;
}

/** Those that tell most in little room: the first PRES and the R at its cutoff, else the first two. */
export function mainMeasures(measures: string[]): string[] {
  const pres = measures.find((measure) => measure.startsWith("PRES"));
  const recall = pres && measures.find((measure) => measure === pres.replace("PRES", "R"));
  return pres ? [pres, ...(recall ? [recall] : [])] : measures.slice(0, 2);
}

export function subjectLines(document: HistoryDocument): [string, string][] {
  const arms = armsOf(document);
  const lines: [string, string][] = [["store", document.store], ["nights", nightsWords(document)]];
  if (document.nights.length === 0) return lines;
  const topics = commonTopics(document);
  lines.push([arms.length > 1 ? "arms" : "arm", arms.join(", ") + (topics === null ? "" : `; ${counted(topics, "topic")}`)]);
  for (const pin of currentPins(document.pins)) lines.push(["baseline", pinWords(pin)]);
  return lines.map(([label, words]) => [label, shown(words)]);
}

function nightsWords({ nights, nights_stored }: HistoryDocument): string {
  if (nights.length === 0) {
    return nights_stored === 0 ? "none yet; “prescope pin” and “prescope gate” store them" : `none of the ${counted(nights_stored, "night")} that are stored`;
  }
  const times = nights.map((night) => Date.parse(night.time));
  const listed = nights.length === nights_stored ? counted(nights_stored, "night") : `${count(nights.length)} of ${counted(nights_stored, "night")}`;
  return `${listed}, ${dateAndTime(least(times))} to ${dateAndTime(-least(times.map((time) => -time)))}`;
}

function least(values: number[]): number {
  return values.reduce((one, other) => Math.min(one, other), Infinity);
}

/** What each name stands for now. */
function currentPins(pins: Pin[]): Pin[] {
  return [...new Map(pins.map((pin) => [pin.name, pin])).values()];
}

function pinWords(pin: Pin): string {
  const instead = pin.replaced === null ? "" : `, instead of night ${pin.replaced}`;
  return `${pin.name}: night ${pin.night}, pinned ${dateAndTime(pin.time)} by ${pin.by}${instead}: ${pin.why}`;
}

/** What came out, in a sentence: how many nights passed, and the newest. */
export function leadSentence({ nights }: HistoryDocument): string {
  const newest = nights.at(-1);
  if (!newest) return "No night to show.";
  const gated = nights.filter((night) => night.verdict !== null);
  const passed = gated.filter((night) => night.verdict === "PASS").length;
  const last = `The newest, night ${newest.night}, ${newest.verdict ? `is a ${newest.verdict}` : "was not gated"}`;
  const reason = newest.verdict && newest.verdict !== "PASS" && newest.reason ? `: ${shown(newest.reason)}` : ".";
  return `${count(passed)} of ${counted(gated.length, "gated night")} passed. ${last}${reason}`;
}

/** A number of the nights of one arm: a measure's mean or the latency. */
export interface NightSeries {
  arm: string;
  measure: string | null;
  points: NightPoint[];
}

/** For each arm its measures, then its latency where any night was timed. */
export function seriesOf(document: HistoryDocument): NightSeries[] {
  return armsOf(document).flatMap((arm) => {
    const nights = document.nights.filter((night) => night.arm === arm).sort((one, other) => Date.parse(one.time) - Date.parse(other.time));
    const all: NightSeries[] = document.measures.map((measure) => ({ arm, measure, points: nights.map((night) => pointOf(document, night, measure)) }));
    const latency = nights.map((night) => pointOf(document, night, null));
    return latency.some((point) => point.value !== null) ? [...all, { arm, measure: null, points: latency }] : all;
  });
}

/** What bad input gave says nothing about a ranking: those nights have a mark and no value. */
function pointOf(document: HistoryDocument, night: Night, measure: string | null): NightPoint {
  const value = measure === null ? null : night.measures[measure] ?? null;
  const number = measure === null ? night.p95_ms : value?.mean ?? null;
  const text = measure === null ? milliseconds(number) : score(number);
  const level = value?.mean != null && value.from_baseline !== null ? value.mean - value.from_baseline : null;
  return {
    night: night.night, time: Date.parse(night.time), value: night.verdict === "BAD INPUT" ? null : number, level, verdict: night.verdict,
    pins: document.pins.filter((pin) => pin.night === night.night).map((pin) => shown(pin.name)),
    words: `night ${night.night}, ${dateAndTime(night.time)}: ${text}${night.verdict ? `, ${night.verdict}` : ""}`,
    reason: shown(night.reason),
  };
}

/** What a chart shows, for those who do not see it. */
export function seriesWords({ arm, measure, points }: NightSeries): string {
  const values = points.map((point) => point.value).filter((value): value is number => value !== null);
  const text = (value: number | undefined) => value === undefined ? "none" : measure === null ? milliseconds(value) : score(value);
  const low = values.length ? least(values) : undefined, high = values.length ? -least(values.map((value) => -value)) : undefined;
  const not = points.filter((point) => point.verdict && point.verdict !== "PASS").map((point) => `night ${point.night} ${verdictText(point.verdict)}`);
  return `${measure ?? "95 % quantile of the latency"} of ${shown(arm)} over ${counted(points.length, "night")}, from ${text(low)} to ${text(high)}, ` +
    `newest ${text(values.at(-1))}${not.length ? `; ${not.slice(-5).join(", ")}` : ""}; the numbers are in the table.`;
}

export function againstWords({ against, which }: NewestNight): string {
  return `night ${against} (${which === "baseline" ? "pinned" : "accepted last"})`;
}


export const aboutCharts = "The dashed line is the baseline that each night is compared with, dotted lines are nights that were pinned. The value " +
  "axis does not begin at 0. Bad input has a mark on the axis and no value: what it gave says nothing about the ranking. " +
  "Of more than 150 nights only those that did not pass are marked.";

export const aboutNights = [
  "pinned: change against the baseline that the night was gated against, or, ungated, the one pinned last by then.",
  "before: against the last night of the arm that was no bad input.",
  "Neither is given across a change of the judgements.",
  "A slow leak shows under pinned long before it shows under before.",
];

export const aboutNewest = "Paired t over the topics that have a value in both nights, for information: looked at every night, it calls nearly every " +
  "history without a change significant once. The gate decides.";
