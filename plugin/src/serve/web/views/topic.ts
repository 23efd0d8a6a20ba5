import { armName } from "../arms.ts";
import type { Citation, TopicDetail } from "../data/documents.ts";
import { type Child, fill, html, keepingFocus, setText } from "../dom.ts";
import { explained } from "../explain.ts";
import { counted, difference, nameInText, score, size } from "../format.ts";
import {
  type Context, here, href, loading, selection, selectionBar, type ShownView, viewHead,
} from "../view.ts";
import {
  type CitationRow, citationRows, type CitationsShown, citationTable, fates, placeWords,
  scoreTable, servedTable, valueMissing,
} from "./citation_table.ts";
import { card, cutoffOf, name } from "./parts.ts";
import { arithmetic, shares } from "./pres.ts";
import { type CurveArm, topicCurve } from "./topic_curve.ts";
import { changesOf, type ListQuery, type Neighbours, neighboursOf, queryOf } from "./topic_list.ts";

const refreshMs = 2000;

/** One topic: its curve, each citation, what is missing, the arithmetic, all its scores. */
export function topicView(context: Context): ShownView {
  const id = here().path[1] ?? "";
  const bar = selectionBar(context, "any");
  const around = html("nav.around", { "aria-label": "Topics beside this one" });
  const lead = html("p.sub");
  const parts = topicParts();
  const query = () => queryOf(here().parameters);
  let shown = "";
  const show = (topic: TopicDetail) => {
    const text = JSON.stringify(topic);
    if (text === shown) return;
    shown = text;
    const of = shownOf(topic, query(), context);
    setText(lead, leadOf(of));
    keepingFocus(element, () => parts.set(of));
  };
  const loader = loading(context, refreshMs, () => context.source.topic(id), show);
  const parameters = () => {
    shown = "";
    bar.set(context.now.document?.summary);
    showAround(around, query(), null);
    neighboursOf(id, query(), context.source)
      .then((found) => showAround(around, query(), found))
      // The way back to the list is there all the same.
      .catch(() => {});
    void loader.load();
  };
  const head = viewHead(["Topic ", name(id)], lead, bar.element);
  const element = html("div.view.topic", around, head, loader.problem, parts.elements);
  parameters();
  return { element, parameters, update: loader.update, close: loader.close };
}

/** The topic's place in the list, with links to the topics beside it. */
function showAround(around: HTMLElement, query: ListQuery, found: Neighbours | null): void {
  const step = (key: "previous" | "next", before: string, behind: string) => {
    const to = found?.[key];
    if (!to) return null;
    const list = changesOf({ ...query, page: to.page });
    return html("a", { href: href("topic", to.topic, list), "data-key": key, class: key },
      before, name(to.topic), behind);
  };
  const place = found?.position ? `${found.position} of ${found.matching} in the list` : "";
  keepingFocus(around, () => fill(around,
    html("a", { href: href("topics", changesOf(query)), "data-key": "back" }, "↑ All topics"),
    step("previous", "← ", ""), step("next", "", " →"),
    html("span.quiet", place)));
}

function shownOf(topic: TopicDetail, query: ListQuery, context: Context): CitationsShown {
  const summary = context.now.document?.summary;
  const place = (name: string | null | undefined) =>
    topic.arms.findIndex((arm) => arm.name === name);
  const chosen = summary ? selection(summary) : query;
  const a = Math.max(0, place(chosen.a));
  const b = place(chosen.b === undefined ? topic.arms[a === 0 ? 1 : 0]?.name : chosen.b);
  // The PRES at the cutoff of the measure if it is kept, else the document's own, if any.
  const wanted = `PRES@${query.measure?.split("@")[1] ?? ""}`;
  const measure = wanted in (topic.arms[0]?.scores ?? {}) ? wanted : topic.measure;
  const cutoff = cutoffOf(measure) ?? topic.cutoff
    ?? Math.max(1, ...topic.arms.map((arm) => arm.num_ret));
  return { topic, measure: measure ?? "PRES", cutoff, a, b: b < 0 || b === a ? null : b };
}

const keepsPres = ({ topic, measure, a }: CitationsShown) => measure in topic.arms[a]!.scores;

const scoreOf = ({ topic, measure }: CitationsShown, arm: number) =>
  topic.arms[arm]!.scores[measure] ?? null;

/**
 * Returns each citation's part of the difference, or of PRES with one arm; null without a value.
 */
function partsOf(shown: CitationsShown): (number | null)[] {
  const { topic, cutoff, a, b } = shown;
  if (scoreOf(shown, a) === null || (b !== null && scoreOf(shown, b) === null))
    return topic.citations.map(() => null);
  const [from, to] = b === null ? [null, a] : [a, b];
  const rank = ({ relevant, arms }: Citation, arm: number | null) =>
    relevant && arm !== null ? arms[arm]!.rank : null;
  return shares(topic.num_rel, cutoff,
    topic.citations.map((each) => [rank(each, from), rank(each, to)] as const));
}

/** The topic's sentences, curve and tables; hidden until there is a topic. */
function topicParts() {
  const words = html("div.topic-words");
  const curve = topicCurve();
  const calculation = html("div.calculation");
  const [citations, scores, served] = [html("div"), html("div"), html("div")];
  const curveCard = card("How early the citations arrive", "Each step up is a relevant citation " +
    "found. PRES is the part of the area between best and worst case that lies under the arm's " +
    "line.", curve.element, calculation);
  const citationCard = card("Citations",
    "Every relevant citation, the one that makes most difference first.", citations);
  const tables = html("div.columns",
    card("Scores",
      "Scores of the ranking served last; with several visits, the mean over them below.", scores),
    card("How it was served", "By each arm, at its last visit.", served));
  const cards = [curveCard, citationCard, tables];
  for (const each of cards) each.hidden = true;
  const set = (shown: CitationsShown) => {
    const { topic } = shown;
    tables.hidden = false;
    curveCard.hidden = topic.num_rel === 0 || !keepsPres(shown);
    citationCard.hidden = topic.num_rel === 0 || topic.citations.length === 0;
    fill(words, wordsOf(shown));
    if (!curveCard.hidden) fill(calculation, showCurve(curve, shown));
    fill(citations, citationsOf(shown));
    fill(scores, scoreTable(topic));
    fill(served, servedTable(topic));
  };
  return { elements: [words, ...cards], set };
}

const armsOf = ({ a, b }: CitationsShown) => [a, b].filter((arm) => arm !== null);

function leadOf({ topic, cutoff }: CitationsShown): string {
  const judged = topic.citations.length - topic.num_rel;
  const others = judged > 0 ? ` and ${judged} judged not relevant` : "";
  return `${counted(topic.num_rel, "relevant citation")}${others}. N = ${
    cutoff}: documents that are read.`;
}

function wordsOf(shown: CitationsShown): Child {
  const { topic, measure, cutoff } = shown;
  if (topic.num_rel === 0)
    return html("p", "No document is judged relevant to this topic, so no measure has a value.");
  return [
    html("p.topic-verdict", verdict(shown)),
    html("ul.fates", armsOf(shown).map((arm) => {
      const { name } = topic.arms[arm]!;
      const became = fates(topic, arm, cutoff);
      return html("li", { "data-fates": name }, armName(arm, name), ` ${became}`);
    })),
    armsOf(shown).map((arm) => topic.arms[arm]!)
      .filter(({ scores }) => measure in scores && (scores[measure] ?? null) === null)
      .map((arm) => html("p.quiet", valueMissing(arm, measure)))];
}

function verdict(shown: CitationsShown): string {
  const { topic, measure, a, b } = shown;
  if (!keepsPres(shown))
    return "The experiment keeps no PRES, so no citation has a share of a difference.";
  const from = scoreOf(shown, a), first = nameInText(topic.arms[a]!.name);
  if (b === null) return from === null ? "" : `${first} has ${measure} ${score(from)}.`;
  const to = scoreOf(shown, b), second = nameInText(topic.arms[b]!.name);
  if (from === null || to === null)
    return "There is no difference to show: not both arms have a value.";
  if (to === from)
    return `${second} and ${first} are level in ${measure}: both ${score(from)}.`;
  const cause = mainCause(citationRows(shown, partsOf(shown)), shown, to - from);
  return `${second} is ${to > from ? "ahead of" : "behind"} ${first} by ${size(to - from)} in ${
    measure}: ${score(to)} against ${score(from)}.${cause}`;
}

/** "Most of it: EP1019981A1, at rank 43 with tfidf, at rank 89 with bm25." */
function mainCause(rows: CitationRow[], shown: CitationsShown, difference: number): string {
  // A citation that speaks for the other arm is no cause.
  const first = rows.find(({ share }) => share && share > 0 === difference > 0);
  if (!first) return "";
  const part = first.share! / difference;
  const lead = part > 1 + 1e-9 ? "More than all of it" : part > 1 - 1e-9 ? "All of it"
    : part > 0.5 ? "Most of it" : "The largest part";
  const where = armsOf(shown).map((arm) =>
    placeWords(first.citation.arms[arm]!, shown.topic.arms[arm]!, shown.cutoff).phrase);
  return ` ${lead}: ${nameInText(first.citation.docno)}, ${where.join(", ")}.`;
}

/** Draws the curve and returns how its values are computed. */
function showCurve(curve: ReturnType<typeof topicCurve>, shown: CitationsShown): Child {
  const { topic, measure, cutoff } = shown;
  const numRel = topic.num_rel;
  const arms = armsOf(shown).filter((look) => topic.arms[look]!.seen).map((look): CurveArm => {
    const { name, relevant_ranks: ranks, exhausted, num_ret } = topic.arms[look]!;
    const known = exhausted || num_ret >= cutoff ? null : num_ret;
    return { name, look, ranks, score: scoreOf(shown, look), known };
  });
  curve.set({ measure, numRel, cutoff, arms });
  return [
    explained(`How ${measure} is computed`, "The j-th relevant document found, at rank r, is " +
      "worth N + j − r. PRES is their sum over n N, n being the relevant documents and N the " +
      "documents read."),
    arms.filter((arm) => arm.score !== null).map(({ look, name, ranks }) =>
      html("p", { "data-arithmetic": name }, armName(look, name), " ",
        arithmetic({ numRel, cutoff, ranks })))];
}

function citationsOf(shown: CitationsShown): Child {
  const { topic, measure, a, b } = shown;
  const parts = partsOf(shown);
  const sum = parts.reduce<number>((total, part) => total + (part ?? 0), 0);
  const others = topic.citations.filter((citation) => !citation.relevant);
  return [
    citationTable(shown, citationRows(shown, parts)),
    b !== null && parts[0] !== null && html("p.sum", { "data-sum": true }, "Sum of the shares: ",
      html("strong", difference(sum)), `, the difference in ${measure} (${
        nameInText(topic.arms[b]!.name)} less ${nameInText(topic.arms[a]!.name)}).`),
    others.length > 0 && html("details",
      html("summary", `${others.length} judged not relevant, which count nothing`),
      html("ul", others.map(({ docno, grade }) => html("li", name(docno), ` (grade ${grade})`))))];
}
