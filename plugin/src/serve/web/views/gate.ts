import "../styles/reports.css";
import type { GateDocument, GateMeasure, GateRule, GateTopic } from "../data/gate_document.ts";
import { type Child, element, fill } from "../dom.ts";
import { explained, measureExplanation } from "../explain.ts";
import { count, counted, difference, interval, meanName, milliseconds, none, score } from "../format.ts";
import { href } from "../place.ts";
import { forestPlot } from "../plots/forest.ts";
import { outcomes as outcomesText, pValue, ratio } from "../statistics_format.ts";
import { table } from "../table.ts";
import type { Context, ShownView } from "../view.ts";
import { changedTopic } from "./changed_topic.ts";
import { cutoffOf } from "./citation_changes.ts";
import {
  type GateNames, aboutMeasures, gateNames, measureLine, nightNames, outcomeSentence, outcomes, statuses, subjectLines, tally, toneOf,
} from "./gate_words.ts";
import { about, heading, name, section, sentences, shown, subject, unfoldForPrinting } from "./parts.ts";

/** A verdict of the gate: a report of `prescope gate`, or two nights of a store, #/compare/3/5. */
export function gateView(context: Context): ShownView {
  if (context.data.kind === "gate") return gateReport(context);
  return twoNights(context);
}

function gateReport({ data }: Context): ShownView {
  const document = data.document as GateDocument;
  const view = element("div", { class: "view report" });
  fill(view, heading(data.title ?? "Gate", verdict(document, gateNames)), gateContent(document, gateNames));
  return { element: view, close: unfoldForPrinting() };
}

function twoNights({ place, source }: Context): ShownView {
  const [, a = "", b = ""] = place.path;
  const view = element("div", { class: "view report" });
  const names = nightNames(shown(a), shown(b));
  const title = `Night ${a} and night ${b}`;
  fill(view, heading(title, "Comparing …"));
  source.compare(Number(a), Number(b)).then((got) => {
    const document = got as GateDocument;
    fill(view, heading(title, verdict(document, names)), backToHistory(a, b), gateContent(document, names));
  }, (problem: Error) => fill(view, heading(title), element("p", { class: "problem", text: problem.message }), backToHistory(a, b)));
  return { element: view, close: unfoldForPrinting() };
}

function backToHistory(a: string, b: string): HTMLElement {
  return element("p", { class: "bar" }, element("a", { href: href("history", { nights: `${a},${b}` }) }, "All nights"),
    element("a", { href: href("compare", b, a) }, "The other way round"));
}

function verdict(document: GateDocument, names: GateNames): Child {
  const { sign, tag } = outcomes[document.outcome];
  return [
    names.isComparison ? "Comparing two nights under the default rules: " : null,
    element("span", { class: `tag outcome ${tag}`, "data-outcome": document.outcome },
      element("span", { "aria-hidden": "true", text: `${sign} ` }), document.outcome),
    ` ${outcomeSentence(document, names)} `, element("span", { class: "quiet-text", text: tally(document) })];
}

function gateContent(document: GateDocument, names: GateNames): Child {
  return [
    broken(document.rules, names), element("section", { class: "card" }, subject(subjectLines(document, names))),
    measures(document, names), latency(document, names), topics(document, names), mustFind(document), heldRules(document)];
}

/** What did not hold, with its reasons: first of all, and in full. */
function broken(rules: GateRule[], names: GateNames): Child {
  const worth = rules.filter((rule) => rule.status !== "pass" && rule.status !== "skipped").sort(byStatus);
  if (worth.length === 0) return null;
  return section("What did not hold", element("ul", { class: "rules" }, worth.map((rule) => element("li", { "data-rule": rule.id },
    ruleTag(rule), element("div", {}, element("strong", {}, name(rule.id)), element("p", {}, name(rule.reason)))))),
    names.isComparison ? about(`“The baseline” is ${names.before} here, “tonight” ${names.after}.`) : null);
}

function ruleTag({ status }: GateRule): HTMLElement {
  const { sign, words, tag } = statuses[status];
  return element("span", { class: `tag ${tag}` }, element("span", { "aria-hidden": "true", text: `${sign} ` }), words);
}

function byStatus(one: GateRule, other: GateRule): number {
  return statuses[one.status].rank - statuses[other.status].rank;
}

/** Those that stand above are not told again. */
function heldRules({ rules }: GateDocument): Child {
  const held = rules.filter((rule) => rule.status === "pass" || rule.status === "skipped");
  if (held.length === 0) return null;
  const caption = held.length === rules.length ? "All rules, in the order in which they are checked" : "The other rules, in the order in which they are checked";
  const made = table<GateRule>({ caption, captionShown: true, class: "compact all-rules", columns: [
    { head: "rule", heads: true, align: "start", cell: (rule) => name(rule.id), attributes: (rule) => ({ "data-rule": rule.id }) },
    { head: "verdict", align: "start", cell: ruleTag },
    { head: "why", align: "start", cell: (rule) => name(rule.reason) },
  ] });
  made.set(held);
  return section("Rules that hold", made.element);
}

function measures(document: GateDocument, names: GateNames): Child {
  if (document.measures.length === 0) return null;
  const of = `${names.after} minus ${names.before}`;
  const plot = forestPlot({
    what: `Mean differences of the measures that decide: for each the mean difference, ${of}, with its bounds; what is worse than the margin is shaded.`,
    axis: `mean difference, ${of}, with bounds; shaded: worse than the margin`,
    rows: document.measures.map((it) => ({ label: meanName(it.measure), mean: it.difference, low: it.low, high: it.high, tone: toneOf(it.status),
      words: statuses[it.status].words, margin: it.margin, hint: measureLine(it, document) })) });
  return section("Measures", element("div", { class: "plot-and-table" }, plot.element, measureTable(document.measures, names)), about(...aboutMeasures(document, names)));
}

function measureTable(all: GateMeasure[], names: GateNames): HTMLElement {
  const made = table<GateMeasure>({ caption: `Measures, ${names.after} minus ${names.before}`, captionShown: true, class: "compact measures", columns: [
    { head: "measure", heads: true, align: "start", cell: (it) => explained(meanName(it.measure), measureExplanation(it.measure)),
      attributes: (it) => ({ "data-measure": it.measure }) },
    { head: "verdict", align: "start", cell: (it) => statuses[it.status].words, attributes: (it) => ({ class: `verdict ${toneOf(it.status)}` }) },
    { head: "topics", cell: (it) => count(it.topics) },
    { head: names.before, cell: (it) => score(it.baseline), attributes: () => ({ "data-value": "baseline" }) },
    { head: names.after, cell: (it) => score(it.tonight), attributes: () => ({ "data-value": "tonight" }) },
    { head: "difference", cell: (it) => difference(it.difference), attributes: () => ({ "data-value": "difference" }) },
    { head: "bounds", cell: (it) => it.low === null || it.high === null ? none : interval(it.low, it.high, difference), attributes: () => ({ "data-value": "bounds" }) },
    { head: explained("margin", "Largest mean loss that is accepted."), cell: (it) => String(it.margin) },
    { head: explained("p worse", "Of a loss of the margin or more: small where it is ruled out."), cell: (it) => pValue(it.p_non_inferior) },
    { head: explained("p differs", "Paired t test, two-sided: small where the means differ."), cell: (it) => pValue(it.p_different) },
    { head: explained("wins/ties/losses", "Topics higher, the same, lower in the later one."), cell: outcomesText },
  ] });
  made.set(all);
  return made.element;
}

function latency({ latency: it, applied }: GateDocument, names: GateNames): Child {
  if (it.baseline_p95_ms === null && it.tonight_p95_ms === null) return null;
  const made = table<GateDocument["latency"]>({ caption: "Latency of the topics' queries, 95 % quantile", captionShown: true, class: "compact latency", columns: [
    { head: names.before, cell: (each) => milliseconds(each.baseline_p95_ms) },
    { head: names.after, cell: (each) => milliseconds(each.tonight_p95_ms) },
    { head: explained("ratio", "Of the quantiles, the later over the earlier."), cell: (each) => ratio(each.ratio), attributes: () => ({ "data-value": "ratio" }) },
    { head: "interval", cell: (each) => each.ratio_low === null && each.ratio_high === null ? none : `[${ratio(each.ratio_low)}, ${ratio(each.ratio_high)}]` },
    { head: explained("at most", "Largest ratio that the rules accept; a dash where latency is not judged."), cell: () => ratio(applied.latency.p95_ratio) },
  ] });
  made.set([it]);
  return section("Latency", made.element);
}

const topicsAtFirst = 20;

/** Failing topics first, as the verdict has them; some at first, the others when asked for. */
function topics(document: GateDocument, names: GateNames): Child {
  const all = document.topics;
  if (all.length === 0) return null;
  const failing = all.filter((topic) => topic.fails.length > 0).length;
  const words = { before: `rank, ${names.before}`, after: `rank, ${names.after}`, cutoff: cutoffOf(document.moving_measure) };
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
    `${document.moving_measure ?? "found"}, ${names.before} → ${names.after}, and each citation's share`;
  return section("Topics", element("p", { class: "sub", text: title }), list, all.length > topicsAtFirst ? rest : null);
}

function topicOf(topic: GateTopic, words: Parameters<typeof changedTopic>[1], isOpen: boolean): HTMLElement {
  return changedTopic({
    topic: topic.topic, before: topic.baseline, after: topic.tonight, difference: topic.tonight - topic.baseline, numRel: topic.num_rel, fails: topic.fails,
    citations: topic.citations.map((each) => ({ docno: each.docno, before: each.rank_baseline, after: each.rank_tonight, share: each.share, mustFind: each.must_find })),
  }, words, isOpen);
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
