import "../styles/reports.css";
import type { HistoryDocument, NewestNight, Night, Pin } from "../data/report_documents.ts";
import { type Child, element, fill } from "../dom.ts";
import { explained } from "../explain.ts";
import { count, counted, dateAndTime, difference, interval, milliseconds, none, pValue, score } from "../format.ts";
import { meanName, measureExplanation } from "../measures.ts";
import { type NightPoint, nightsPlot, verdicts, verdictSign, verdictText } from "../plots/nights.ts";
import { filledTable } from "../table.ts";
import type { Context, ShownView } from "../view.ts";
import { chosenNights, nightTable, parseNights, toggled } from "./nights.ts";
import { about, heading, name, section, sentences, shown, subject, unfoldForPrinting } from "./parts.ts";

/** The nights of a store: a report of `prescope history`, or of a server that has a store. */
export function historyView(context: Context): ShownView {
  if (context.data.kind === "history") return shownHistory(context, context.data.document as HistoryDocument);
  const view = element("div", { class: "view report" }, heading("History", "Reading the nights …"));
  let inner: ShownView | null = null;
  let place = context.place;
  context.source.history().then((document) => {
    inner = shownHistory(context, document as HistoryDocument);
    fill(view, ...inner.element.childNodes);
    inner.parameters?.(place);
  }, (problem: Error) => fill(view, heading("History"), element("p", { class: "problem", text: problem.message })));
  return {
    element: view, close: () => inner?.close?.(),
    parameters: (now) => {
      place = now;
      inner?.parameters?.(now);
    },
  };
}

/** With all measures where the address asks for them, else with the main ones. */
function shownHistory(context: Context, whole: HistoryDocument): ShownView {
  const view = element("div", { class: "view report" });
  let inner: ShownView | null = null, shownMeasures = "";
  const parameters = (place: Context["place"]) => {
    const wanted = place.parameters.get("measures") === "all" ? "all" : "main";
    if (wanted === shownMeasures) return inner?.parameters?.(place);
    shownMeasures = wanted;
    inner?.close?.();
    inner = historyOf({ ...context, place, setParameters: context.setParameters }, whole, wanted === "all" ? whole.measures : whole.main_measures);
    fill(view, ...inner.element.childNodes);
  };
  parameters(context.place);
  return { element: view, parameters, close: () => inner?.close?.() };
}

function measureChooser(context: Context, whole: HistoryDocument, shownNow: string[]): Child {
  const main = whole.main_measures;
  if (main.length === whole.measures.length) return null;
  const select = element("select", { onchange: () => context.setParameters({ measures: select.value === "all" ? "all" : null }) },
    element("option", { value: "main", text: main.map(meanName).join(", ") }), element("option", { value: "all", text: `all ${whole.measures.length}` }));
  select.value = shownNow.length === main.length ? "main" : "all";
  return element("div", { class: "bar" }, element("label", { class: "choice" }, "Measures", select));
}

function historyOf(context: Context, whole: HistoryDocument, measures: string[]): ShownView {
  const document = { ...whole, measures };
  const isServed = context.data.kind === "live";
  let chosen = parseNights(context.place.parameters.get("nights"));
  const choose = (nights: number[]) => context.setParameters({ nights: nights.length ? nights.join(",") : null });
  const toggle = (night: number) => choose(toggled(chosen, night));
  const plots = seriesOf(document).map((series) => ({ series, plot: nightsPlot({ what: seriesWords(series), points: series.points, choose: toggle }) }));
  const nights = nightTable(document, toggle, isServed);
  const two = chosenNights(document, () => choose([]), isServed);
  const set = () => {
    for (const { plot } of plots) plot.setChosen(chosen);
    nights.setChosen(chosen);
    two.set(chosen);
  };
  const title = context.data.title ?? `History of ${document.store.split("/").pop()}`;
  const view = element("div", { class: "view report" },
    heading(title, shown(document.words.verdict)), element("section", { class: "card" }, subject(document.words.subject)),
    document.nights.length === 0 ? null : [
      measureChooser(context, whole, measures),
      charts(document, plots.map(({ series, plot }) => element("figure", {}, element("figcaption", {}, chartTitle(document, series)), plot.element))),
      section("Nights", two.element, nights.element, about(...document.words.nights)), notPassed(document), newest(document)],
    pins(document.pins));
  set();
  return { element: view, close: unfoldForPrinting(), parameters: (place) => {
    chosen = parseNights(place.parameters.get("nights"));
    set();
  } };
}

function charts(document: HistoryDocument, figures: HTMLElement[]): HTMLElement {
  const used = verdicts.filter((verdict) => document.nights.some((night) => night.verdict === verdict));
  const legend = element("ul", { class: "legend", "aria-label": "What the marks mean" },
    used.map((verdict) => element("li", { class: "verdict-word" }, verdictSign(verdict), verdictText(verdict))));
  return section("Charts", legend, element("div", { class: "night-charts" }, figures), about(aboutCharts));
}

function chartTitle(document: HistoryDocument, { arm, measure }: { arm: string; measure: string | null }): Child {
  const title = measure === null ? explained("p95 latency, ms", "p95") : explained(meanName(measure), measureExplanation(measure));
  return armsOf(document).length > 1 ? [title, ", ", name(arm)] : title;
}

function notPassed({ nights }: HistoryDocument): Child {
  const lines = nights.filter((night) => night.verdict !== null && night.verdict !== "PASS").reverse();
  return sentences("Not passed", lines.map((night: Night) => [
    element("span", { class: "verdict-word" }, verdictSign(night.verdict), element("strong", { text: `night ${night.night}, ${verdictText(night.verdict)}` })),
    ": ", name(night.reason)]));
}

/** A test of the newest night, by measure. */
interface NewestTest {
  measure: string;
  newest: NewestNight;
}

function newest(document: HistoryDocument): Child {
  if (document.newest.length === 0) return null;
  const several = armsOf(document).length > 1;
  const test = ({ measure, newest: of }: NewestTest) => of.tests[measure] ?? null;
  const tests = document.measures.flatMap((measure) => document.newest.map((each) => ({ measure, newest: each })));
  const made = filledTable<NewestTest>(tests, { caption: "Newest night, topic by topic", class: "compact", columns: [
    { head: "measure", heads: true, align: "start", cell: (each) => meanName(each.measure) },
    ...(several ? [{ head: "arm", align: "start" as const, cell: (each: NewestTest) => name(each.newest.arm) }] : []),
    { head: "night", cell: (each) => String(each.newest.night) },
    { head: "against", align: "start", cell: (each) => each.newest.words },
    { head: "topics", cell: (each) => count(test(each)?.topics) },
    { head: "difference", cell: (each) => difference(test(each)?.difference), attributes: () => ({ "data-value": "difference" }) },
    { head: "95 % interval", cell: (each) => test(each) ? interval(test(each)!.ci_low, test(each)!.ci_high, difference) : none },
    { head: explained("p t", "Paired t test, two-sided."), cell: (each) => pValue(test(each)?.p_value) },
  ] });
  return section("Newest night", made, about(...document.words.newest));
}

function pins(all: Pin[]): Child {
  if (all.length === 0) return null;
  return section("Baselines", filledTable<Pin>(all.slice().reverse(), { caption: "Pinned, newest first", class: "compact pins", columns: [
    { head: "time", heads: true, align: "start", cell: (pin) => dateAndTime(pin.time) },
    { head: "baseline", align: "start", cell: (pin) => name(pin.name) },
    { head: "night", cell: (pin) => String(pin.night) },
    { head: "instead of", cell: (pin) => pin.replaced === null ? none : String(pin.replaced) },
    { head: "by", align: "start", cell: (pin) => name(pin.by) },
    { head: "why", align: "start", cell: (pin) => name(pin.why) },
  ] }));
}

// The courses that a history draws.

/** The arms of the nights, in the order in which they come. */
export function armsOf(document: HistoryDocument): string[] {
  return [...new Set(document.nights.map((night) => night.arm))];
}

/** The number of topics that all nights have; null where they differ. */
export function commonTopics({ nights }: HistoryDocument): number | null {
  const first = nights[0]?.topics ?? null;
  return nights.every((night) => night.topics === first) ? first : null;
}

function least(values: number[]): number {
  return values.reduce((one, other) => Math.min(one, other), Infinity);
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

export const aboutCharts = "The dashed line is the baseline that each night is compared with, dotted lines are nights that were pinned. The value " +
  "axis does not begin at 0. Bad input has a mark on the axis and no value: what it gave says nothing about the ranking. " +
  "Of more than 150 nights only those that did not pass are marked.";
