import "../styles/topics.css";
import { armLook, armName } from "../arms.ts";
import type { TopicDetail } from "../data/documents.ts";
import { element, fill, setText } from "../dom.ts";
import { explained } from "../explain.ts";
import { counted, difference, nameInText } from "../format.ts";
import { href, type Place, selection, type SelectionBar, selectionBar } from "../place.ts";
import type { Context, ShownView } from "../view.ts";
import {
  type CitationRow, citationRows, type CitationsShown, citationTable, creditShares, fates, placePhrase, scoreTable, servedTable,
  valueMissing,
} from "./citation_table.ts";
import { arithmetic, presCutoff, shares } from "./pres.ts";
import { keepingFocus, LoadingView } from "./refresh.ts";
import { type CurveArm, topicCurve } from "./topic_curve.ts";
import { type ListQuery, type Neighbour, type Neighbours, neighboursOf, parametersOf, queryOf } from "./topic_list.ts";

const refreshMs = 2000;

/** One topic: its curve, each citation, what is missing, the arithmetic, all its scores. */
export function topicView(context: Context): ShownView {
  return new TopicView(context);
}

class TopicView extends LoadingView<TopicDetail> {
  readonly element = element("div", { class: "view topic" });
  private readonly id: string;
  private readonly around = element("nav", { class: "around", "aria-label": "Topics beside this one" });
  private readonly lead = element("p", { class: "sub" });
  private readonly words = element("div", { class: "topic-words" });
  private readonly drawing = topicCurve();
  private readonly calculation = element("div", { class: "calculation" });
  private readonly citations = element("div");
  private readonly scores = element("div");
  private readonly served = element("div");
  private readonly cards: HTMLElement[];
  private readonly chosen: SelectionBar;
  private query: ListQuery;
  private shown = "";

  constructor(private readonly context: Context) {
    super(refreshMs);
    this.id = context.place.path[1] ?? "";
    this.query = queryOf(context.place.parameters);
    this.chosen = selectionBar(context, "any");
    this.cards = this.makeCards();
    this.element.append(this.around,
      element("div", { class: "view-head" },
        element("div", {}, element("h1", {}, "Topic ", element("bdi", { text: this.id })), this.lead), this.chosen.element),
      this.problem, this.words, ...this.cards);
    for (const card of this.cards) card.hidden = true;
    this.parameters(context.place);
  }

  parameters(place: Place): void {
    this.query = queryOf(place.parameters);
    this.shown = "";
    const summary = this.context.now.document?.summary;
    this.chosen.element.hidden = !summary;
    if (summary) this.chosen.set(place, summary);
    this.showAround(null);
    void this.loadAround();
    this.loadNow();
  }

  override close(): void {
    super.close();
    this.drawing.close();
  }

  private makeCards(): HTMLElement[] {
    const card = (title: string, sub: string, ...content: HTMLElement[]) => element("section", { class: "card" },
      element("h2", { text: title }), element("p", { class: "sub", text: sub }), ...content);
    return [
      card("How early the citations arrive", "Each step up is a relevant citation found. PRES is the part of the area between best and worst case that lies under the arm's line.",
        this.drawing.element, this.calculation),
      card("Citations", "Every relevant citation, the one that makes most difference first.", this.citations),
      element("div", { class: "columns" },
        card("Scores", "Of the ranking served last; with several visits, the mean over them below.", this.scores),
        card("How it was served", "By each arm, at its last visit.", this.served)),
    ];
  }

  protected fetch(): Promise<TopicDetail> {
    return this.context.source.topic(this.id);
  }

  private async loadAround(): Promise<void> {
    try {
      this.showAround(await neighboursOf(this.id, this.query, this.context.source));
    } catch {
      // The way back to the list is there all the same.
    }
  }

  private showAround(around: Neighbours | null): void {
    const back = Object.fromEntries(parametersOf(this.query));
    const step = (to: Neighbour | null | undefined, key: string, before: string, behind: string) => to
      ? element("a", { href: href("topic", to.topic, { ...back, page: to.page > 0 ? String(to.page + 1) : null }), "data-key": key, class: key },
        before, element("bdi", { text: to.topic }), behind)
      : null;
    keepingFocus(this.around, () => fill(this.around,
      element("a", { href: href("topics", back), "data-key": "back" }, "↑ All topics"),
      step(around?.previous, "previous", "← ", ""), step(around?.next, "next", "", " →"),
      element("span", { class: "quiet", text: around?.position ? `${around.position} of ${around.matching} in the list` : "" })));
  }

  protected show(topic: TopicDetail): void {
    const text = JSON.stringify(topic);
    if (text === this.shown) return;
    this.shown = text;
    const { a, b } = this.arms(topic);
    const measure = presMeasure(topic, this.query.measure);
    const shown: CitationsShown = { topic, measure: measure ?? "PRES", cutoff: cutoffOf(topic, measure), a, b };
    for (const card of this.cards) card.hidden = false;
    this.cards[0]!.hidden = topic.num_rel === 0 || measure === null;
    this.cards[1]!.hidden = topic.num_rel === 0 || topic.citations.length === 0;
    keepingFocus(this.element, () => {
      this.showWords(shown);
      if (!this.cards[0]!.hidden) this.showCurve(shown);
      this.showTables(shown);
    });
  }

  private arms(topic: TopicDetail): { a: number; b: number | null } {
    const summary = this.context.now.document?.summary;
    const place = (name: string | null | undefined) => topic.arms.findIndex((arm) => arm.name === name);
    const chosen = summary ? selection({ path: [], parameters: parametersOf(this.query) }, summary) : null;
    const a = Math.max(0, place(chosen?.a ?? this.query.a));
    const b = place(chosen ? chosen.b : this.query.b ?? topic.arms[a === 0 ? 1 : 0]?.name);
    return { a, b: b < 0 || b === a ? null : b };
  }

  private partsOf(shown: CitationsShown): (number | null)[] {
    const { topic, measure, cutoff, a, b } = shown;
    if ((topic.arms[a]!.scores[measure] ?? null) === null) return topic.citations.map(() => null);
    if (b === null) return creditShares(shown);
    if ((topic.arms[b]!.scores[measure] ?? null) === null) return topic.citations.map(() => null);
    const rank = (citation: TopicDetail["citations"][number], arm: number) => citation.relevant ? citation.arms[arm]!.rank : null;
    return shares(topic.num_rel, cutoff, topic.citations.map((citation) => [rank(citation, a), rank(citation, b)] as const));
  }

  private showWords(shown: CitationsShown): void {
    const { topic, measure, cutoff, a, b } = shown;
    const judged = topic.citations.length - topic.num_rel;
    setText(this.lead, `${counted(topic.num_rel, "relevant citation")}${judged > 0 ? ` and ${judged} judged not relevant` : ""}. N = ${cutoff}: documents that are read.`);
    fill(this.words, topic.num_rel === 0
      ? element("p", { text: "No document is judged relevant to this topic, so no measure has a value." })
      : [element("p", { class: "topic-verdict", text: this.verdict(shown) }), this.fateWords(topic, [a, b], cutoff)],
    [a, b].map((arm) => arm !== null && topic.num_rel > 0 && measure in topic.arms[arm]!.scores && (topic.arms[arm]!.scores[measure] ?? null) === null
      && element("p", { class: "quiet", text: valueMissing(topic.arms[arm]!, measure) })));
  }

  private verdict(shown: CitationsShown): string {
    const { topic, measure, cutoff, a, b } = shown;
    if (!(measure in topic.arms[a]!.scores)) return "The experiment keeps no PRES, so no citation has a share of a difference.";
    const from = topic.arms[a]!.scores[measure] ?? null;
    const to = b === null ? null : topic.arms[b]!.scores[measure] ?? null;
    if (b === null) return from === null ? "" : `${nameInText(topic.arms[a]!.name)} has ${measure} ${from.toFixed(4)}.`;
    if (from === null || to === null) return "There is no difference to show until both arms have a value.";
    const cause = mainCause(citationRows(shown, this.partsOf(shown)), topic, { a, b }, cutoff);
    return [differenceSentence(topic.arms[a]!.name, topic.arms[b]!.name, from, to, measure), cause].filter(Boolean).join(" ");
  }

  private fateWords(topic: TopicDetail, arms: (number | null)[], cutoff: number): HTMLElement {
    return element("ul", { class: "fates" }, arms.map((arm) => arm !== null && element("li", { "data-fates": topic.arms[arm]!.name },
      armName(arm, topic.arms[arm]!.name), ` ${fates(topic, arm, cutoff)}`)));
  }

  private showCurve({ topic, measure, cutoff, a, b }: CitationsShown): void {
    const arms = [a, b].filter((index) => index !== null).filter((index) => topic.arms[index]!.seen).map((index): CurveArm => {
      const arm = topic.arms[index]!;
      return { name: arm.name, look: index, dash: armLook(index).dash, ranks: arm.relevant_ranks,
        score: arm.scores[measure] ?? null, known: arm.exhausted || arm.num_ret >= cutoff ? null : arm.num_ret };
    });
    this.drawing.set({ measure, numRel: topic.num_rel, cutoff, arms });
    fill(this.calculation, explained(`How ${measure} is computed`, "The j-th relevant document found, at rank r, is worth N + j − r. PRES is their sum over n N, n being the relevant documents and N the documents read."),
      arms.filter((arm) => arm.score !== null).map((arm) => element("p", { "data-arithmetic": arm.name }, armName(arm.look, arm.name), " ",
        arithmetic({ numRel: topic.num_rel, cutoff, ranks: arm.ranks }))));
  }

  private showTables(shown: CitationsShown): void {
    const { topic, measure, a, b } = shown;
    const parts = this.partsOf(shown);
    const table = citationTable(shown);
    table.set(citationRows(shown, parts));
    fill(this.citations, table.element, b === null || parts[0] === null ? null : element("p", { class: "sum", "data-sum": true },
      "Sum of the shares: ", element("strong", { text: difference(parts.reduce<number>((sum, part) => sum + (part ?? 0), 0)) }),
      `, the difference in ${measure} (${nameInText(topic.arms[b]!.name)} less ${nameInText(topic.arms[a]!.name)}).`), this.notRelevant(topic));
    const scores = scoreTable(topic);
    scores.set(Object.keys(topic.arms[0]?.scores ?? {}));
    fill(this.scores, scores.element);
    const served = servedTable(topic);
    served.set(topic.arms);
    fill(this.served, served.element);
  }

  private notRelevant(topic: TopicDetail): HTMLElement | null {
    const others = topic.citations.filter((citation) => !citation.relevant);
    if (others.length === 0) return null;
    return element("details", {}, element("summary", { text: `${others.length} judged not relevant, which count nothing` }),
      element("ul", {}, others.map((citation) => element("li", {}, element("bdi", { text: citation.docno }), ` (grade ${citation.grade})`))));
  }
}

// A topic's difference in a sentence.

/** The PRES that a topic is drawn by: at the cutoff of `measure` if it is kept, else the document's own, if any. */
export function presMeasure(topic: TopicDetail, measure: string | undefined): string | null {
  const wanted = `PRES@${measure?.split("@")[1] ?? ""}`;
  return wanted in (topic.arms[0]?.scores ?? {}) ? wanted : topic.measure;
}

/** Of `measure`; without PRES, all that was served. */
export function cutoffOf(topic: TopicDetail, measure: string | null): number {
  return (measure === null ? null : presCutoff(measure)) ?? topic.cutoff ?? Math.max(1, ...topic.arms.map((arm) => arm.num_ret));
}

/** "bm25 is behind tfidf by 0.2933: 0.4800 against 0.7733." */
export function differenceSentence(a: string, b: string, from: number, to: number, measure: string): string {
  const size = Math.abs(to - from).toFixed(4);
  const scores = `${to.toFixed(4)} against ${from.toFixed(4)}`;
  if (to === from) return `${nameInText(b)} and ${nameInText(a)} are level in ${measure}: both ${from.toFixed(4)}.`;
  return `${nameInText(b)} is ${to > from ? "ahead of" : "behind"} ${nameInText(a)} by ${size} in ${measure}: ${scores}.`;
}

/** "Most of it: EP1019981A1, at rank 43 with tfidf, at rank 89 with bm25." Null where nothing makes a difference. */
export function mainCause(
  rows: readonly CitationRow[], topic: TopicDetail, places: { a: number; b: number }, cutoff: number,
): string | null {
  const first = rows[0];
  if (!first?.share) return null;
  const total = rows.reduce((sum, row) => sum + (row.share ?? 0), 0);
  const part = first.share / total;
  const lead = part >= 1 ? "More than all of it" : part > 0.5 ? "Most of it" : "The largest part";
  const where = [places.a, places.b].map((place) => placePhrase(first.citation.arms[place]!, topic.arms[place]!, cutoff));
  return `${lead}: ${nameInText(first.citation.docno)}, ${where.join(", ")}.`;
}
