import "../styles/reports.css";
import type { GateDocument, GateMeasure, GateOutcome, GateRule, GateTopic, RuleStatus } from "../data/report_documents.ts";
import { type Child, element, fill } from "../dom.ts";
import { explained } from "../explain.ts";
import { count, counted, difference, interval, milliseconds, none, outcomes as outcomesText, pValue, ratio, score } from "../format.ts";
import { meanName, measureExplanation } from "../measures.ts";
import { href } from "../place.ts";
import { forestPlot } from "../plots/forest.ts";
import type { Tone } from "../plots/plot.ts";
import { filledTable } from "../table.ts";
import type { Context, ShownView } from "../view.ts";
import { about, changedTopic, cutoffOf, heading, name, section, sentences, shown, subject, unfoldForPrinting } from "./parts.ts";

/** A verdict of the gate: a report of `prescope gate`, or two nights of a store, #/compare/3/5. */
export function gateView(context: Context): ShownView {
  if (context.data.kind === "gate") return gateReport(context);
  return twoNights(context);
}

function gateReport({ data }: Context): ShownView {
  const document = data.document as GateDocument;
  const view = element("div", { class: "view report" });
  fill(view, heading(data.title ?? "Gate", verdict(document)), gateContent(document, false));
  return { element: view, close: unfoldForPrinting() };
}

function twoNights({ place, source }: Context): ShownView {
  const [, a = "", b = ""] = place.path;
  const view = element("div", { class: "view report" });
  const title = `Night ${a} and night ${b}`;
  fill(view, heading(title, "Comparing …"));
  source.compare(Number(a), Number(b)).then((got) => {
    const document = got as GateDocument;
    fill(view, heading(title, "Comparing two nights under the default rules: ", verdict(document)), backToHistory(a, b), gateContent(document, true));
  }, (problem: Error) => fill(view, heading(title), element("p", { class: "problem", text: problem.message }), backToHistory(a, b)));
  return { element: view, close: unfoldForPrinting() };
}

function backToHistory(a: string, b: string): HTMLElement {
  return element("p", { class: "bar" }, element("a", { href: href("history", { nights: `${a},${b}` }) }, "All nights"),
    element("a", { href: href("compare", b, a) }, "The other way round"));
}

/** How outcomes and rules are told from each other beside their words: a shape and a colour. */
const outcomes: Record<GateOutcome, { sign: string; tag: string }> = {
  PASS: { sign: "●", tag: "good" },
  REGRESSION: { sign: "▼", tag: "bad" },
  INCONCLUSIVE: { sign: "◇", tag: "warn" },
  "BAD INPUT": { sign: "✕", tag: "bad" },
};

/** In the order in which they are listed. */
const statuses: Record<RuleStatus, { sign: string; tag: string }> = {
  bad_input: { sign: "✕", tag: "bad" },
  fail: { sign: "▼", tag: "bad" },
  inconclusive: { sign: "◇", tag: "warn" },
  warning: { sign: "!", tag: "warn" },
  pass: { sign: "●", tag: "good" },
  skipped: { sign: "–", tag: "" },
};

function toneOf(status: RuleStatus): Tone {
  return status === "pass" ? "good" : status === "fail" || status === "bad_input" ? "bad" : "same";
}

function verdict({ outcome, words }: GateDocument): Child {
  const { sign, tag } = outcomes[outcome];
  return [
    element("span", { class: `tag outcome ${tag}`, "data-outcome": outcome }, element("span", { "aria-hidden": "true", text: `${sign} ` }), outcome),
    ` ${shown(words.outcome)}. `, element("span", { class: "quiet-text", text: `${words.rules}.` })];
}

function gateContent(document: GateDocument, areNights: boolean): Child {
  return [
    broken(document, areNights), element("section", { class: "card" }, subject(document.words.subject)),
    measures(document), latency(document), topics(document), mustFind(document), heldRules(document)];
}

const isQuiet = ({ status }: GateRule) => status === "pass" || status === "skipped";

/** What did not hold, with its reasons: first of all, and in full. */
function broken({ rules, words }: GateDocument, areNights: boolean): Child {
  const order = Object.keys(statuses);
  const worth = rules.filter((rule) => !isQuiet(rule)).sort((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
  if (worth.length === 0) return null;
  return section("What did not hold", element("ul", { class: "rules" }, worth.map((rule) => element("li", { "data-rule": rule.id },
    ruleTag(rule, words.statuses), element("div", {}, element("strong", {}, name(rule.id)), element("p", {}, name(rule.reason)))))),
    areNights ? about(`“The baseline” is ${words.before} here, “tonight” ${words.after}.`) : null);
}

function ruleTag({ status }: GateRule, words: Record<RuleStatus, string>): HTMLElement {
  const { sign, tag } = statuses[status];
  return element("span", { class: `tag ${tag}` }, element("span", { "aria-hidden": "true", text: `${sign} ` }), words[status]);
}

/** Those that stand above are not told again. */
function heldRules({ rules, words }: GateDocument): Child {
  const held = rules.filter(isQuiet);
  if (held.length === 0) return null;
  const which = held.length === rules.length ? "All rules" : "The other rules";
  return section("Rules that hold", filledTable(held, { caption: `${which}, in the order in which they are checked`, captionShown: true, class: "compact all-rules", columns: [
    { head: "rule", heads: true, align: "start", cell: (rule) => name(rule.id), attributes: (rule) => ({ "data-rule": rule.id }) },
    { head: "verdict", align: "start", cell: (rule) => ruleTag(rule, words.statuses) },
    { head: "why", align: "start", cell: (rule) => name(rule.reason) },
  ] }));
}

function measures(document: GateDocument): Child {
  if (document.measures.length === 0) return null;
  const { words } = document;
  const of = `${words.after} minus ${words.before}`;
  const plot = forestPlot({
    what: `Mean differences of the measures that decide: for each the mean difference, ${of}, with its bounds; what is worse than the margin is shaded.`,
    axis: `mean difference, ${of}, with bounds; shaded: worse than the margin`,
    rows: document.measures.map((it) => ({ label: meanName(it.measure), mean: it.difference, low: it.low, high: it.high, tone: toneOf(it.status),
      words: words.statuses[it.status], margin: it.margin })) });
  return section("Measures", element("div", { class: "plot-and-table" }, plot.element, measureTable(document)), about(...words.measures));
}

function measureTable({ measures: all, words }: GateDocument): HTMLElement {
  const value = (head: Child, key: string, cell: (it: GateMeasure) => string) => ({ head, cell, attributes: () => ({ "data-value": key }) });
  return filledTable(all, { caption: `Measures, ${words.after} minus ${words.before}`, captionShown: true, class: "compact measures", columns: [
    { head: "measure", heads: true, align: "start", cell: (it) => explained(meanName(it.measure), measureExplanation(it.measure)),
      attributes: (it) => ({ "data-measure": it.measure }) },
    { head: "verdict", align: "start", cell: (it) => words.statuses[it.status], attributes: (it) => ({ class: `verdict ${toneOf(it.status)}` }) },
    { head: "topics", cell: (it) => count(it.topics) },
    value(words.before, "baseline", (it) => score(it.baseline)),
    value(words.after, "tonight", (it) => score(it.tonight)),
    value("difference", "difference", (it) => difference(it.difference)),
    value("bounds", "bounds", (it) => it.low === null || it.high === null ? none : interval(it.low, it.high, difference)),
    { head: explained("margin", "Largest mean loss that is accepted."), cell: (it) => String(it.margin) },
    { head: explained("p worse", "Of a loss of the margin or more: small where it is ruled out."), cell: (it) => pValue(it.p_non_inferior) },
    { head: explained("p differs", "Paired t test, two-sided: small where the means differ."), cell: (it) => pValue(it.p_different) },
    { head: explained("wins/ties/losses", "Topics higher, the same, lower in the later one."), cell: outcomesText },
  ] });
}

function latency({ latency: it, applied, words }: GateDocument): Child {
  if (it.baseline_p95_ms === null && it.tonight_p95_ms === null) return null;
  return section("Latency", filledTable([it], { caption: "Latency of the topics' queries, 95 % quantile", captionShown: true, class: "compact latency", columns: [
    { head: words.before, cell: (each) => milliseconds(each.baseline_p95_ms) },
    { head: words.after, cell: (each) => milliseconds(each.tonight_p95_ms) },
    { head: explained("ratio", "Of the quantiles, the later over the earlier."), cell: (each) => ratio(each.ratio), attributes: () => ({ "data-value": "ratio" }) },
    { head: "interval", cell: (each) => each.ratio_low === null && each.ratio_high === null ? none : `[${ratio(each.ratio_low)}, ${ratio(each.ratio_high)}]` },
    { head: explained("at most", "Largest ratio that the rules accept; a dash where latency is not judged."), cell: () => ratio(applied.latency.p95_ratio) },
  ] }));
}

const topicsAtFirst = 20;

/** Failing topics first, as the verdict has them; some at first, the others when asked for. */
function topics(document: GateDocument): Child {
  const all = document.topics;
  if (all.length === 0) return null;
  const failing = all.filter((topic) => topic.fails.length > 0).length;
  const words = { before: `rank, ${document.words.before}`, after: `rank, ${document.words.after}`, cutoff: cutoffOf(document.moving_measure) };
  const list = element("div", { class: "changed-topics" });
  const shownOf = (from: number, to: number) => all.slice(from, to).map((topic, index) => topicOf(topic, words, from + index < 5));
  const others = `the other ${counted(all.length - topicsAtFirst, "topic")}`;
  const rest = element("div", {}, element("p", { class: "print-only", text: `Not printed: ${others}.` }),
    element("button", { type: "button", onclick: () => {
      list.append(...shownOf(topicsAtFirst, all.length));
      rest.remove();
    } }, `Show ${others}`));
  fill(list, shownOf(0, topicsAtFirst));
  const title = `${counted(all.length, "topic")} changed${failing ? `, ${failing} of them ${failing === 1 ? "fails" : "fail"} a rule by itself` : ""}: ` +
    document.words.topics;
  return section("Topics", element("p", { class: "sub", text: title }), list, all.length > topicsAtFirst ? rest : null);
}

function topicOf({ topic, baseline, tonight, num_rel, fails, citations }: GateTopic, words: Parameters<typeof changedTopic>[1], isOpen: boolean): HTMLElement {
  return changedTopic({ topic, a: baseline, b: tonight, difference: tonight - baseline, num_rel,
    citations: citations.map((each) => ({ ...each, rank_a: each.rank_baseline, rank_b: each.rank_tonight })) }, words, isOpen, fails);
}

/** Citations that must not be lost, and what became of them, where the rankings were looked at. */
function mustFind(document: GateDocument): Child {
  const isCompared = document.outcome !== "BAD INPUT";
  const lines = document.baseline.must_find.map(({ topic, docno }) => {
    const moved = document.topics.find((each) => each.topic === topic)?.citations.find((each) => each.docno === docno);
    const became = moved ? `: ${moved.what}, rank ${moved.rank_baseline ?? none} → ${moved.rank_tonight ?? none}` : ": unchanged";
    return [name(docno), " of ", name(topic), isCompared ? became : ""];
  });
  return sentences("Must be found", lines);
}
