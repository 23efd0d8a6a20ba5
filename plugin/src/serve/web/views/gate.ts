import type {
  GateDocument, GateMeasure, GateOutcome, GateRule, GateSlice, GateTopic, RuleStatus,
} from "../data/documents.ts";
import { type Child, html } from "../dom.ts";
import { meanName } from "../explain.ts";
import {
  count, counted, difference, interval, milliseconds, none, outcomes, pValue, ratio, score,
  visibleText,
} from "../format.ts";
import { forestPlot } from "../plots/forest.ts";
import type { Tone } from "../plots/plot.ts";
import { filledTable, nameColumn, numberColumn, textColumn } from "../table.ts";
import { type Context, here, href, type ShownView } from "../view.ts";
import {
  about, changedTopic, type ChangedTopicWords, cutoffOf, loadedReport, measureColumn, name,
  report, section, sentences, valueColumn, verdictColumn,
} from "./parts.ts";

/** A verdict of the gate: a report of `prescope gate`, or two nights of a store, #/compare/3/5. */
export function gateView(context: Context): ShownView {
  if (context.data.kind !== "gate") return twoNights(context);
  const document = context.data.document as GateDocument;
  return gateReport(context.data.title ?? "Gate", document, null);
}

/** If two nights are compared, `before` begins the sentence with the result. */
function gateReport(title: string, document: GateDocument, before: Child): ShownView {
  const { words } = document;
  const made = report(title, [before, verdict(document)], words.subject, measures(document),
    slices(document), latency(document), topics(document), mustFind(document),
    heldRules(document));
  const worth = broken(document, before !== null);
  if (worth) made.element.firstElementChild!.after(worth);
  return made;
}

function twoNights({ source }: Context): ShownView {
  const [, a = "", b = ""] = here().path;
  const title = `Night ${a} and night ${b}`;
  const all = href("history", { nights: `${a},${b}` });
  const back = html("p.bar", html("a", { href: all }, "All nights"),
    html("a", { href: href("compare", b, a) }, "The other way round"));
  return loadedReport(title, "Comparing …", () => source.compare(a, b), (document) =>
    gateReport(title, document, "Comparing two nights under the default rules: "), back);
}

type Sign = [sign: string, tag: string];
const fine: Sign = ["●", "good"], worse: Sign = ["▼", "bad"], unsure: Sign = ["◇", "warn"];
const unusable: Sign = ["✕", "bad"];

/** Shapes and colours that distinguish outcomes and rules, beside their words. */
const outcomeSigns: Record<GateOutcome, Sign> =
  { PASS: fine, REGRESSION: worse, INCONCLUSIVE: unsure, "BAD INPUT": unusable };

/** In the order in which they are listed. */
const statusSigns: Record<RuleStatus, Sign> = { bad_input: unusable, fail: worse,
  inconclusive: unsure, warning: ["!", "warn"], pass: fine, skipped: ["–", ""] };

function tag([sign, style]: Sign, words: string, outcome?: GateOutcome): HTMLElement {
  return html("span.tag", { class: style, "data-outcome": outcome },
    html("span", { "aria-hidden": "true" }, `${sign} `), words);
}

function toneOf(status: RuleStatus): Tone {
  return status === "pass" ? "good" : status === "fail" || status === "bad_input" ? "bad" : "same";
}

function verdict({ outcome, words }: GateDocument): Child {
  return [tag(outcomeSigns[outcome], outcome, outcome),
    ` ${visibleText(words.outcome)}. `, html("span.quiet", `${words.rules}.`)];
}

const isQuiet = ({ status }: GateRule) => status === "pass" || status === "skipped";

const ruleTag = ({ status }: GateRule, { words }: GateDocument) =>
  tag(statusSigns[status], words.statuses[status]);

/** The rules that did not hold, with their reasons; shown first and in full. */
function broken(document: GateDocument, areNights: boolean): HTMLElement | null {
  const order = Object.keys(statusSigns);
  const worth = document.rules.filter((rule) => !isQuiet(rule))
    .sort((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
  if (worth.length === 0) return null;
  const { before, after } = document.words;
  return section("Rules that did not hold",
    html("ul.rules", worth.map((rule) => html("li", { "data-rule": rule.id },
      ruleTag(rule, document),
      html("div", html("strong", name(rule.id)), html("p", name(rule.reason)))))),
    areNights && about(`“The baseline” is ${before} here, “tonight” ${after}.`));
}

/** Rules that are shown above are not repeated here. */
function heldRules(document: GateDocument): Child {
  const held = document.rules.filter(isQuiet);
  if (held.length === 0) return null;
  const which = held.length === document.rules.length ? "All rules" : "The other rules";
  const caption = `${which}, in the order in which they are checked`;
  return section("Rules that hold",
    filledTable(held, { caption, captionShown: true, class: "compact all-rules" }, [
      nameColumn("rule", ({ id }) => name(id), { attributes: ({ id }) => ({ "data-rule": id }) }),
      textColumn("verdict", (rule) => ruleTag(rule, document)),
      textColumn("why", ({ reason }) => name(reason)),
    ]));
}

function measures(document: GateDocument): Child {
  if (document.measures.length === 0) return null;
  const { before, after, statuses, measures } = document.words;
  const of = `mean difference, ${after} minus ${before}, with`;
  const plot = forestPlot({
    what: `Mean differences of the measures that decide: for each the ${of} its bounds; what is ` +
      "worse than the margin is shaded.",
    axis: `${of} bounds; shaded: worse than the margin`,
    rows: document.measures.map((it) => ({ ...it, label: meanName(it.measure),
      mean: it.difference, tone: toneOf(it.status), words: statuses[it.status] })) });
  return section("Measures", html("div.plot-and-table", plot, measureTable(document)),
    about(...measures));
}

function measureTable({ measures, words }: GateDocument): HTMLElement {
  const { before, after, statuses } = words;
  return filledTable<GateMeasure>(measures, { caption: `Measures, ${after} minus ${before}`,
    captionShown: true, class: "compact measures" }, [
    measureColumn(),
    verdictColumn(({ status }) => statuses[status], ({ status }) => toneOf(status)),
    numberColumn("topics", ({ topics }) => count(topics)),
    valueColumn(before, "baseline", ({ baseline }) => score(baseline)),
    valueColumn(after, "tonight", ({ tonight }) => score(tonight)),
    valueColumn("difference", "difference", (it) => difference(it.difference)),
    valueColumn("bounds", "bounds", ({ low, high }) =>
      low === null || high === null ? none : interval(low, high)),
    numberColumn("margin", ({ margin }) => String(margin),
      { about: "Largest mean loss that is accepted." }),
    numberColumn("p worse", (it) => pValue(it.p_non_inferior),
      { about: "p of a loss of the margin or more: small if it is ruled out." }),
    numberColumn("p differs", (it) => pValue(it.p_different),
      { about: "Paired t test, two-sided: small if the means differ." }),
    numberColumn("wins/ties/losses", outcomes,
      { about: "Topics higher, the same, lower in the later one." }),
  ]);
}

/** The first measure in each slice of the topics; null without slices. */
function slices({ slices: all, words }: GateDocument): Child {
  if (all.length === 0) return null;
  const dimensions = [...new Set(all.map(({ dimension }) => dimension))];
  const tables = dimensions.map((dimension) => {
    const rows = all.filter((slice) => slice.dimension === dimension);
    const caption = `${meanName(rows[0]!.measure)} by ${visibleText(dimension)}, ${
      words.after} minus ${words.before}`;
    const plot = forestPlot({ what: `${caption}: the mean difference of each slice with its ` +
      "bounds; what is worse than the margin is shaded; the numbers are in the table beside it.",
    axis: "mean difference with bounds; shaded: worse than the margin",
    rows: rows.map((slice) => ({ ...slice, label: visibleText(slice.slice),
      mean: slice.difference, tone: toneOf(slice.status) })) });
    return html("div.plot-and-table", plot, sliceTable(rows, caption, dimension, words));
  });
  return section("Slices", tables, about(...words.slices));
}

function sliceTable(rows: GateSlice[], caption: string, dimension: string,
  { before, after }: GateDocument["words"]): HTMLElement {
  return filledTable(rows, { caption, captionShown: true, class: "compact slices" }, [
    nameColumn(visibleText(dimension), ({ slice }) => name(slice)),
    verdictColumn(({ words }) => words, ({ status }) => toneOf(status)),
    numberColumn("topics", ({ topics }) => count(topics)),
    numberColumn(before, ({ baseline }) => score(baseline)),
    numberColumn(after, ({ tonight }) => score(tonight)),
    numberColumn("difference", (slice) => difference(slice.difference)),
    numberColumn("bounds", ({ low, high }) =>
      low === null || high === null ? none : interval(low, high)),
    numberColumn("p beyond", (slice) => pValue(slice.p_beyond),
      { about: "One-sided, corrected: small if the loss is larger than the margin." }),
    numberColumn("p worse", (slice) => pValue(slice.p_worse),
      { about: "One-sided, corrected: small if there is a loss." }),
  ]);
}

function latency({ latency: it, applied, words }: GateDocument): Child {
  if (it.baseline_p95_ms === null && it.tonight_p95_ms === null) return null;
  return section("Latency", filledTable([it], {
    caption: "Latency of the topics' queries, 95 % quantiles in ms", captionShown: true,
    class: "compact latency" }, [
    numberColumn(words.before, () => milliseconds(it.baseline_p95_ms)),
    numberColumn(words.after, () => milliseconds(it.tonight_p95_ms)),
    numberColumn("their ratio", () => ratio(it.p95_ratio)),
    valueColumn("judged ratio", "ratio", () => ratio(it.ratio),
      it.judged_by === "" ? "None: latency is not judged." : it.judged_by),
    numberColumn("interval", () => interval(it.ratio_low, it.ratio_high, ratio)),
    numberColumn("at most", () => ratio(applied.latency.ratio),
      { about: "Largest ratio that the rules accept; a dash if latency is not judged." }),
  ]));
}

const topicsAtFirst = 20, openAtFirst = 5;

/** Failing topics first, as the verdict has them; some at first, the others when asked for. */
function topics({ topics: all, words, moving_measure }: GateDocument): Child {
  if (all.length === 0) return null;
  const failing = all.filter((topic) => topic.fails.length > 0).length;
  const labels = { before: `rank, ${words.before}`, after: `rank, ${words.after}`,
    cutoff: cutoffOf(moving_measure) };
  const made = (topic: GateTopic, index: number) => topicOf(topic, labels, index < openAtFirst);
  const list = html("div.changed-topics", all.slice(0, topicsAtFirst).map(made));
  const others = `the other ${counted(all.length - topicsAtFirst, "topic")}`;
  const rest = html("div", html("p.print-only", `Not printed: ${others}.`),
    html("button", { type: "button", onclick: () => {
      list.append(...all.slice(topicsAtFirst).map((topic) => made(topic, topicsAtFirst)));
      rest.remove();
    } }, `Show ${others}`));
  const fails = failing === 1 ? "fails" : "fail";
  const which = failing ? `, ${failing} of them ${fails} a rule by itself` : "";
  return section("Topics",
    html("p.sub", `${counted(all.length, "topic")} changed${which}: ${words.topics}`), list,
    all.length > topicsAtFirst && rest);
}

function topicOf(of: GateTopic, words: ChangedTopicWords, isOpen: boolean): HTMLElement {
  const { baseline: a, tonight: b, failures } = of;
  const citations = of.citations.map((each) =>
    ({ ...each, rank_a: each.rank_baseline, rank_b: each.rank_tonight }));
  return changedTopic({ ...of, a, b, difference: b - a, citations }, words, isOpen, failures);
}

/** Citations that must not be lost, and their fate, if the rankings were looked at. */
function mustFind({ baseline, outcome, moving_measure, topics }: GateDocument): Child {
  const became = (topic: string, docno: string) => {
    if (outcome === "BAD INPUT" || moving_measure === null) return "";
    const moved = topics.find((each) => each.topic === topic)?.citations
      .find((each) => each.docno === docno);
    return moved ? `: ${moved.what}, rank ${moved.rank_baseline ?? none} → ${
      moved.rank_tonight ?? none}` : ": still found";
  };
  return sentences("Must be found", baseline.must_find.map(({ topic, docno }) =>
    [name(docno), " of ", name(topic), became(topic, docno)]));
}
