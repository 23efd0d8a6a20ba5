import "../styles/reports.css";
import type { HistoryDocument, NewestNight, Night, Pin } from "../data/history_document.ts";
import { type Child, element, fill } from "../dom.ts";
import { explained, measureExplanation } from "../explain.ts";
import { count, dateAndTime, difference, interval, meanName, none } from "../format.ts";
import { nightsPlot } from "../plots/nights.ts";
import { verdictSign, verdicts, verdictText } from "../plots/night_marks.ts";
import { pValue } from "../statistics_format.ts";
import { table } from "../table.ts";
import type { Context, ShownView } from "../view.ts";
import { chosenNights } from "./chosen_nights.ts";
import {
  aboutCharts, aboutNewest, aboutNights, againstWords, armsOf, leadSentence, mainMeasures, seriesOf, seriesWords, subjectLines,
} from "./history_words.ts";
import { parseNights, toggled } from "./night_choice.ts";
import { nightTable } from "./night_table.ts";
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
    inner = historyOf({ ...context, place, setParameters: context.setParameters }, whole, wanted === "all" ? whole.measures : mainMeasures(whole.measures));
    fill(view, ...inner.element.childNodes);
  };
  parameters(context.place);
  return { element: view, parameters, close: () => inner?.close?.() };
}

function measureChooser(context: Context, whole: HistoryDocument, shownNow: string[]): Child {
  const main = mainMeasures(whole.measures);
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
    heading(title, shown(leadSentence(document))), element("section", { class: "card" }, subject(subjectLines(document))),
    document.nights.length === 0 ? null : [
      measureChooser(context, whole, measures),
      charts(document, plots.map(({ series, plot }) => element("figure", {}, element("figcaption", {}, chartTitle(document, series)), plot.element))),
      section("Nights", two.element, nights.element, about(...aboutNights)), notPassed(document), newest(document)],
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
  const made = table<NewestTest>({ caption: "Newest night, topic by topic", class: "compact", columns: [
    { head: "measure", heads: true, align: "start", cell: (each) => meanName(each.measure) },
    ...(several ? [{ head: "arm", align: "start" as const, cell: (each: NewestTest) => name(each.newest.arm) }] : []),
    { head: "night", cell: (each) => String(each.newest.night) },
    { head: "against", align: "start", cell: (each) => againstWords(each.newest) },
    { head: "topics", cell: (each) => count(test(each)?.topics) },
    { head: "difference", cell: (each) => difference(test(each)?.difference), attributes: () => ({ "data-value": "difference" }) },
    { head: "95 % interval", cell: (each) => test(each) ? interval(test(each)!.ci_low, test(each)!.ci_high, difference) : none },
    { head: explained("p t", "Paired t test, two-sided."), cell: (each) => pValue(test(each)?.p_value) },
  ] });
  made.set(document.measures.flatMap((measure) => document.newest.map((each) => ({ measure, newest: each }))));
  return section("Newest night", made.element, about(aboutNewest));
}

function pins(all: Pin[]): Child {
  if (all.length === 0) return null;
  const made = table<Pin>({ caption: "Pinned, newest first", class: "compact pins", columns: [
    { head: "time", heads: true, align: "start", cell: (pin) => dateAndTime(pin.time) },
    { head: "baseline", align: "start", cell: (pin) => name(pin.name) },
    { head: "night", cell: (pin) => String(pin.night) },
    { head: "instead of", cell: (pin) => pin.replaced === null ? none : String(pin.replaced) },
    { head: "by", align: "start", cell: (pin) => name(pin.by) },
    { head: "why", align: "start", cell: (pin) => name(pin.why) },
  ] });
  made.set(all.slice().reverse());
  return section("Baselines", made.element);
}
