// What the views of reports are put together from.
import type { ChangedTopic, CitationMove } from "../data/documents.ts";
import type { LabelledLine } from "../data/report_documents.ts";
import { type Child, element, fill, svg } from "../dom.ts";
import { counted, difference, score } from "../format.ts";
import { at, place, toneOf } from "../plots/plot.ts";
import { table } from "../table.ts";

/** What was compared: names and what they stand for. */
export function subject(lines: LabelledLine[]): HTMLElement {
  return element("dl", { class: "subject" }, lines.map(({ label, words }) => [element("dt", { text: label }), element("dd", { text: shown(words) })]));
}

/** Sentences of what came out: one as it is, several as a list. */
export function leadOf(lines: string[]): Child {
  return lines.length === 1 ? shown(lines[0]!) : element("ul", { class: "sentences" }, lines.map((text) => element("li", { text: shown(text) })));
}

export function section(title: string, ...content: Child[]): HTMLElement {
  return element("section", { class: "card" }, element("h2", { text: title }), content);
}

/** The heading of a report, and below it in a sentence what came out. */
export function heading(title: string, ...lead: Child[]): HTMLElement {
  return element("div", { class: "report-head" }, element("h1", {}, name(title)), element("p", { class: "lead" }, lead));
}

/** What a table or a plot says, in small print. */
export function about(...sentences: (string | null)[]): HTMLElement {
  return element("p", { class: "about", text: sentences.filter(Boolean).join(" ") });
}

/** Text from a file: its letters cannot change what stands around it. */
export function name(text: string): HTMLElement {
  return element("bdi", { text: shown(text) });
}

/** Control characters have no shape: U+FFFD stands for each. */
export function shown(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd");
}

/** A list of sentences; nothing where there is none. */
export function sentences(title: string, lines: Child[]): Child {
  return lines.length === 0 ? null : section(title, element("ul", { class: "sentences" }, lines.map((each) => element("li", {}, each))));
}

/** Paper has nothing to click: whatever is folded is unfolded while it is printed. */
export function unfoldForPrinting(): () => void {
  let folded: HTMLDetailsElement[] = [];
  const unfold = () => {
    folded = [...document.querySelectorAll<HTMLDetailsElement>("main details:not([open])")];
    for (const each of folded) each.open = true;
  };
  const fold = () => { for (const each of folded) each.open = false; };
  addEventListener("beforeprint", unfold);
  addEventListener("afterprint", fold);
  return () => {
    removeEventListener("beforeprint", unfold);
    removeEventListener("afterprint", fold);
  };
}

export interface ChangedTopicWords {
  /** "rank in A", "rank before" */
  before: string;
  after: string;
  /** Ranks behind it count as not found; null: there is none. */
  cutoff: number | null;
}

const citationsAtFirst = 20;

/** A topic that opens to its citations; `fails` has the ids of the rules that it fails by itself. */
export function changedTopic(topic: ChangedTopic, words: ChangedTopicWords, isOpen: boolean, fails: string[] = []): HTMLElement {
  return element("details", { class: "changed-topic", open: isOpen, "data-topic": topic.topic },
    element("summary", {},
      element("span", { class: "topic-name" }, name(topic.topic)),
      element("span", { class: "scores" }, `${score(topic.a)} → ${score(topic.b)}`),
      element("strong", { class: toneOf(topic.difference), text: difference(topic.difference) }),
      element("span", { class: "quiet-text", text: counted(topic.num_rel, "relevant document") }),
      fails.length ? element("span", { class: "fails", text: `fails ${shown(fails.join(", "))}` }) : null),
    citationTable(topic, words));
}

function citationTable(topic: ChangedTopic, words: ChangedTopicWords): HTMLElement {
  const hasGrades = topic.citations.some((citation) => citation.grade !== undefined);
  const rank = (value: number | null) => value === null ? notFound(words.cutoff) : String(value);
  const cutoff = words.cutoff ?? Math.max(2, ...topic.citations.flatMap((each) => [each.rank_a ?? 1, each.rank_b ?? 1]));
  const shownTable = table<CitationMove>({
    caption: `Citations of ${shown(topic.topic)}`, class: "compact citations",
    columns: [
      { head: "citation", heads: true, align: "start", cell: (each) => name(each.docno) },
      ...(hasGrades ? [{ head: "grade", cell: (each: CitationMove) => each.grade ?? "" }] : []),
      { head: "what", align: "start", cell: (each) => [what(each), each.must_find ? element("strong", { class: "must-find", text: " must find" }) : null] },
      { head: words.before, cell: (each) => rank(each.rank_a) },
      { head: "", align: "start", cell: (each) => rankMove(each.rank_a, each.rank_b, cutoff), attributes: () => ({ class: "rank-strip" }) },
      { head: words.after, cell: (each) => rank(each.rank_b) },
      { head: "share", cell: (each) => difference(each.share),
        attributes: (each) => ({ class: toneOf(each.share) }) },
    ] });
  return withTheRest(shownTable, topic.citations);
}

/** The first citations, and a button that gives the sum of the others' shares and shows them. */
function withTheRest(shownTable: ReturnType<typeof table<CitationMove>>, citations: CitationMove[]): HTMLElement {
  const rest = citations.slice(citationsAtFirst);
  shownTable.set(citations.slice(0, citationsAtFirst));
  if (rest.length === 0) return shownTable.element;
  const share = rest.reduce((sum, citation) => sum + citation.share, 0);
  const frame = element("div", {});
  const button = element("button", { type: "button", class: "quiet", text: `${rest.length} more, together ${difference(share)}`,
    onclick: () => {
      shownTable.set(citations);
      fill(frame, shownTable.element);
    } });
  fill(frame, shownTable.element, button);
  return frame;
}

function notFound(cutoff: number | null): string {
  return cutoff === null ? "not found" : `not in ${cutoff}`;
}

/** What became of a citation. */
export function what({ rank_a: before, rank_b: after }: Pick<CitationMove, "rank_a" | "rank_b">): string {
  if (before === null) return after === null ? "not found" : "gained";
  if (after === null) return "lost";
  return after < before ? "up" : after > before ? "down" : "same rank";
}

/** Of PRES@100 it is 100; null of a measure without. */
export function cutoffOf(measure: string | null): number | null {
  const [, cutoff] = measure?.split("@") ?? [];
  return cutoff ? Number(cutoff) : null;
}

const width = 150, height = 16, behind = 134, behindAll = 1e9;

/**
 * Where a citation stood before, a ring, and where it stands after, a dot: rank 1 at the left, the
 * cutoff at the line, behind it what was not found. The ranks stand beside it as text.
 */
export function rankMove(before: number | null, after: number | null, cutoff: number): SVGSVGElement {
  const scale = { low: 1, high: Math.max(2, cutoff), first: 7, last: 118 };
  const x = (rank: number | null) => place(rank === null ? behind : at(scale, Math.min(rank, cutoff)));
  const rise = (before ?? behindAll) - (after ?? behindAll);
  const middle = height / 2;
  return svg("svg", { class: `rank-move ${toneOf(rise)}`, viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    svg("line", { class: "grid", x1: scale.first, y1: middle, x2: scale.last, y2: middle }),
    svg("line", { class: "limit", x1: 126, y1: 2, x2: 126, y2: height - 2 }),
    svg("line", { class: "move", x1: x(before), y1: middle, x2: x(after), y2: middle }),
    svg("circle", { class: "ring", cx: x(before), cy: middle, r: 4 }),
    svg("circle", { class: "dot", cx: x(after), cy: middle, r: 3.4 }));
}
