import type { HistoryDocument, HistorySlice, Night, Pin } from "../data/documents.ts";
import { type Child, chooser, fill, html } from "../dom.ts";
import { explained, explainedMean, meanName, terms } from "../explain.ts";
import {
  count, counted, dateAndTime, difference, interval, milliseconds, none, pValue, score, visibleText,
} from "../format.ts";
import {
  type NightPoint, nightsPlot, verdicts, verdictText, verdictWord,
} from "../plots/nights.ts";
import { filledTable, nameColumn, numberColumn, textColumn } from "../table.ts";
import { type Context, here, type ShownView } from "../view.ts";
import { armsOf, byTime, chosenNights, nightTable, parseNights, toggled } from "./nights.ts";
import {
  about, loadedReport, name, report, section, sentences, sliceTitle, valueColumn,
} from "./parts.ts";

/** The nights of a store: a report of `prescope history`, or of a server that has a store. */
export function historyView(context: Context): ShownView {
  if (context.data.kind === "history")
    return shownHistory(context, context.data.document as HistoryDocument);
  let { document } = context.now;
  const { reload, ...view } = loadedReport("History", "Reading the nights …",
    () => context.source.history(), (nights) => shownHistory(context, nights));
  const update = () => {
    if (document === context.now.document) return;
    ({ document } = context.now);
    reload();
  };
  return { ...view, update };
}

/** Shows all measures if the address asks for them, else the main ones. */
function shownHistory(context: Context, whole: HistoryDocument): ShownView {
  const view = html("div");
  let inner: ShownView | null = null, shownMeasures = "";
  const parameters = () => {
    const wanted = here().parameters.get("measures") === "all" ? "all" : "main";
    if (wanted === shownMeasures) return inner?.parameters?.();
    shownMeasures = wanted;
    inner = historyOf(context, whole, wanted === "all");
    fill(view, inner.element);
  };
  parameters();
  return { element: view, parameters };
}

function measureChooser(context: Context, whole: HistoryDocument, showsAll: boolean): Child {
  const { main_measures: main, measures } = whole;
  if (main.length === measures.length) return null;
  const choice = chooser("Measures", (value) =>
    context.setParameters({ measures: value === "all" ? "all" : null }));
  choice.set([{ value: "main", text: main.map(meanName).join(", ") },
    { value: "all", text: `all ${measures.length}` }], showsAll ? "all" : "main");
  return html("div.bar", choice.element);
}

function historyOf(context: Context, whole: HistoryDocument, showsAll: boolean): ShownView {
  const document = { ...whole, measures: showsAll ? whole.measures : whole.main_measures };
  const { store, words } = document;
  const isServed = context.data.kind === "live";
  const chosen = () => parseNights(here().parameters.get("nights"));
  const choose = (nights: number[]) =>
    context.setParameters({ nights: nights.length ? nights.join(",") : null });
  const toggle = (night: number) => choose(toggled(chosen(), night));
  const plots = seriesOf(document).map((series) =>
    ({ series, ...nightsPlot(seriesWords(series), series.points, toggle) }));
  const nights = nightTable(document, toggle, isServed);
  const two = chosenNights(document, () => choose([]), isServed);
  const parameters = () => {
    for (const each of [...plots, nights]) each.setChosen(chosen());
    two.set(chosen());
  };
  const figures = plots.map(({ series, element }) =>
    html("figure", html("figcaption", chartTitle(document, series)), element));
  const made = report(context.data.title ?? `History of ${store.split("/").pop()}`,
    visibleText(words.verdict), words.subject,
    document.nights.length > 0 && [
      measureChooser(context, whole, showsAll), charts(document, figures),
      section("Nights", two.element, nights.element, about(...words.nights)), slices(document),
      notPassed(document), newest(document)],
    pins(document.pins));
  parameters();
  return { ...made, parameters };
}

function charts({ nights }: HistoryDocument, figures: HTMLElement[]): HTMLElement {
  const used = verdicts.filter((verdict) => nights.some((night) => night.verdict === verdict));
  return section("Charts",
    html("ul.legend", { "aria-label": "Meaning of the marks" },
      used.map((verdict) => html("li.verdict-word", verdictWord(verdict)))),
    html("div.night-charts", figures),
    about("The dashed line is the baseline that each night is compared with, dotted lines are " +
      "nights that were pinned. The value axis need not begin at 0. Bad input has a mark on the " +
      "axis and no value: what it gave says nothing about the ranking. Of more than 150 nights " +
      "only those that did not pass are marked."));
}

function chartTitle(document: HistoryDocument, { arm, measure }: NightSeries): Child {
  const title = measure === null ? explained("p95 latency, ms", terms.p95) : explainedMean(measure);
  return armsOf(document).length > 1 ? [title, ", ", name(arm)] : title;
}

const hasFailed = ({ verdict }: { verdict: string | null }) =>
  verdict !== null && verdict !== "PASS";

function notPassed({ nights }: HistoryDocument): Child {
  const failed = nights.filter(hasFailed).reverse();
  return sentences("Not passed", failed.map(({ night, verdict, reason }) => {
    const words = html("strong", `night ${night}, ${verdictText(verdict)}`);
    return [html("span.verdict-word", verdictWord(verdict, words)), ": ", name(reason)];
  }));
}

/** The mean in each slice, night by night, newest first; null without slices. */
function slices(document: HistoryDocument): Child {
  const { slices: all = [], slice_measure: measure = "", words } = document;
  if (all.length === 0) return null;
  const dimensions = [...new Set(all.map(({ dimension }) => dimension))];
  return section("Slices", dimensions.map((dimension) =>
    sliceTable(document, all.filter((slice) => slice.dimension === dimension),
      `${meanName(measure)} by ${visibleText(dimension)}, newest night first`)),
  about(...words.slices ?? []));
}

function sliceTable(document: HistoryDocument, slices: HistorySlice[], caption: string) {
  const several = armsOf(document).length > 1;
  const at = (slice: HistorySlice, { night }: Night) =>
    slice.nights.find((each) => each.night === night);
  return filledTable(document.nights.slice().sort(byTime).reverse(),
    { caption, captionShown: true, class: "compact" }, [
      nameColumn("night", ({ night }) => night),
      several && textColumn("arm", ({ arm }) => name(arm)),
      ...slices.flatMap((slice) => [
        numberColumn(sliceTitle(slice), (night: Night) => score(at(slice, night)?.mean),
          { explain: (night: Night) => counted(at(slice, night)?.topics ?? 0, "topic") }),
        numberColumn("pinned", (night: Night) => difference(at(slice, night)?.from_baseline),
          { about: "Change of the slice against the baseline of the night." }),
      ]),
    ]);
}

function newest(document: HistoryDocument): Child {
  if (document.newest.length === 0) return null;
  const tests = document.measures.flatMap((measure) => document.newest.map((each) =>
    ({ ...each, measure, test: each.tests[measure] })));
  return section("Newest night",
    filledTable(tests, { caption: "Newest night, topic by topic", class: "compact" }, [
      nameColumn("measure", ({ measure }) => meanName(measure)),
      armsOf(document).length > 1 && textColumn("arm", ({ arm }) => name(arm)),
      numberColumn("night", ({ night }) => night),
      textColumn("against", ({ words }) => words),
      numberColumn("topics", ({ test }) => count(test?.topics)),
      valueColumn("difference", "difference", ({ test }) => difference(test?.difference)),
      numberColumn("95 % interval", ({ test }) =>
        test ? interval(test.ci_low, test.ci_high) : none),
      numberColumn("p t", ({ test }) => pValue(test?.p_value),
        { about: "Paired t test, two-sided." }),
    ]), about(...document.words.newest));
}

function pins(all: Pin[]): Child {
  if (all.length === 0) return null;
  return section("Baselines", filledTable(all.slice().reverse(),
    { caption: "Pinned, newest first", class: "compact pins" }, [
      nameColumn("time", ({ time }) => dateAndTime(time)),
      textColumn("baseline", (pin) => name(pin.name)),
      numberColumn("night", ({ night }) => night),
      numberColumn("instead of", ({ replaced }) => replaced ?? none),
      textColumn("by", ({ by }) => name(by)),
      textColumn("why", ({ why }) => name(why)),
    ]));
}

/** A number of the nights of one arm: a measure's mean, or the latency if `measure` is null. */
type NightSeries = ReturnType<typeof seriesOf>[number];

/** For each arm its measures, then its latency if any night was timed. */
export function seriesOf(document: HistoryDocument) {
  return armsOf(document).flatMap((arm) => {
    const nights = document.nights.filter((night) => night.arm === arm).sort(byTime);
    const series = (measure: string | null) =>
      ({ arm, measure, points: nights.map((night) => pointOf(document, night, measure)) });
    const latency = series(null);
    const isTimed = latency.points.some(({ value }) => value !== null);
    return [...document.measures.map(series), ...(isTimed ? [latency] : [])];
  });
}

const textOf = (measure: string | null) => (measure === null ? milliseconds : score);

/** Nights with bad input say nothing about a ranking: they have a mark and no value. */
function pointOf({ pins }: HistoryDocument, of: Night, measure: string | null): NightPoint {
  const { night, verdict } = of;
  const { mean = null, from_baseline: change = null } =
    measure === null ? { mean: of.p95_ms } : of.measures[measure] ?? {};
  const text = textOf(measure)(mean);
  return {
    night, time: Date.parse(of.time), verdict, value: verdict === "BAD INPUT" ? null : mean,
    level: mean !== null && change !== null ? mean - change : null,
    pins: pins.filter((pin) => pin.night === night).map((pin) => visibleText(pin.name)),
    words: `night ${night}, ${dateAndTime(of.time)}: ${text}${verdict ? `, ${verdict}` : ""}`,
    reason: visibleText(of.reason),
  };
}

/** Describes a chart for those who do not see it. */
function seriesWords({ arm, measure, points }: NightSeries): string {
  const values = points.map(({ value }) => value).filter((value) => value !== null);
  const text = (value: number | undefined) =>
    value === undefined ? "none" : textOf(measure)(value);
  const sorted = values.slice().sort((one, other) => one - other);
  const failed = points.filter(hasFailed).slice(-5)
    .map(({ night, verdict }) => `night ${night} ${verdictText(verdict)}`).join(", ");
  return `${measure ?? "95 % quantile of the latency"} of ${visibleText(arm)} over ${
    counted(points.length, "night")}, from ${text(sorted[0])} to ${text(sorted.at(-1))}, newest ${
    text(values.at(-1))}${failed && `; ${failed}`}; the numbers are in the table.`;
}
