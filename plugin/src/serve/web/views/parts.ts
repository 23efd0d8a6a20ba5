// Parts that views are composed of.
import type { ChangedTopic, CitationMove, LabelledLine } from "../data/documents.ts";
import { type Child, fill, html, keepingFocus, picture, svg } from "../dom.ts";
import { explainedMean } from "../explain.ts";
import { counted, difference, score, visibleText } from "../format.ts";
import { at, line, place, type Tone, toneOf } from "../plots/plot.ts";
import { type Column, nameColumn, numberColumn, type Table, table, textColumn } from "../table.ts";
import type { ShownView } from "../view.ts";

/** A card of a view: its heading, an optional line below it, and its content. */
export function card(title: Child, sub: string | null, ...content: Child[]): HTMLElement {
  return html("section.card", html("h2", title), sub !== null && html("p.sub", sub), content);
}

/** A card of a report; its content keeps a distance of its own. */
export const section = (title: string, ...content: Child[]) => card(title, null, content);

/** A report: heading, result in one or more sentences, subject, and cards. */
export function report(
  title: string, lead: Child, subject: LabelledLine[], ...content: Child[]): ShownView {
  const lines = subject.map(
    ({ label, words }) => [html("dt", label), html("dd", visibleText(words))]);
  const element = html("div.view.report", heading(title, lead),
    html("section.card", html("dl.subject", lines)), content);
  return { element };
}

/**
 * A report of a document that is loaded first, and again by `reload`; `below` stands below its
 * heading, also if there is a problem instead.
 */
export function loadedReport<Document>(title: string, waiting: string,
  load: () => Promise<Document>, make: (document: Document) => ShownView, below?: HTMLElement) {
  const element = html("div.view.report", heading(title, waiting));
  let inner: ShownView | null = null;
  const reload = () => void load().then((document) => keepingFocus(element, () => {
    inner = make(document);
    if (below) inner.element.firstElementChild!.after(below);
    fill(element, inner.element);
  }), ({ message }: Error) =>
    fill(element, heading(title), html("p.problem", visibleText(message)), below));
  reload();
  return { element, parameters: () => inner?.parameters?.(), reload };
}

/** The heading of a report, and below it the result in a sentence. */
export function heading(title: string, ...lead: Child[]): HTMLElement {
  return html("div.report-head", html("h1", name(title)), html("p.lead", lead));
}

/** The sentences of a result: a single one as it is, several as a list. */
export function leadOf(lines: string[]): Child {
  return lines.length === 1 ? visibleText(lines[0]!) : listed(lines.map(visibleText));
}

const listed = (lines: Child[]) => html("ul.sentences", lines.map((each) => html("li", each)));

/** A card with a list of sentences; null if there are none. */
export function sentences(title: string, lines: Child[]): Child {
  return lines.length > 0 && section(title, listed(lines));
}

export function about(...sentences: string[]): HTMLElement {
  return html("p.about", visibleText(sentences.join(" ")));
}

/** Text from a file: its letters cannot change what stands around it. */
export const name = (text: string) => html("bdi", visibleText(text));

/** Names a slice in a table of its dimension; several small slices together by their number. */
export const sliceTitle = ({ slice, slices }: { slice: string; slices: number }) =>
  slices > 1 ? counted(slices, "small slice") : visibleText(slice);

// Unfolds the parts of a report while it is printed, because paper has nothing to click.
let folded: HTMLDetailsElement[] = [];
globalThis.addEventListener?.("beforeprint", () => {
  folded = [...document.querySelectorAll<HTMLDetailsElement>(".report details:not([open])")];
  for (const each of folded) each.open = true;
});
globalThis.addEventListener?.("afterprint", () => {
  for (const each of folded) each.open = false;
});

/** The first `most` rows of a table, and a button that shows all; `others` names them. */
export function firstRows<Row>(
  made: Table<Row>, rows: Row[], most: number, others: (rest: Row[]) => string, style = "") {
  made.set(rows.slice(0, most));
  const rest = rows.slice(most);
  if (rest.length === 0) return made.element;
  const button = html("button", { type: "button", class: style || null, onclick: () => {
    made.set(rows);
    button.remove();
  } }, others(rest));
  return html("div", made.element, button);
}

export interface ChangedTopicWords {
  /** "rank in A", "rank before" */
  before: string;
  after: string;
  /** Ranks behind it count as not found; null: there is none. */
  cutoff: number | null;
}

const citationsAtFirst = 20;

/** A topic that opens to its citations; `failures` say why it fails by itself. */
export function changedTopic(
  of: ChangedTopic, words: ChangedTopicWords, open: boolean, failures: string[] = []): HTMLElement {
  return html("details.changed-topic", { open, "data-topic": of.topic },
    html("summary",
      html("span.topic-name", name(of.topic)),
      html("span.scores", `${score(of.a)} → ${score(of.b)}`),
      html("strong", { class: toneOf(of.difference) }, difference(of.difference)),
      html("span.quiet", counted(of.num_rel, "relevant document")),
      failures.length > 0 && html("span.fails", visibleText(failures.join(", ")))),
    citationMoves(of, words));
}

function citationMoves({ topic, citations }: ChangedTopic, words: ChangedTopicWords): HTMLElement {
  const { before, after, cutoff } = words;
  const rank = (value: number | null) =>
    value ?? (cutoff === null ? "not found" : `not in ${cutoff}`);
  const ranks = citations.flatMap((each) => [each.rank_a ?? 1, each.rank_b ?? 1]);
  const last = cutoff ?? Math.max(2, ...ranks);
  const made = table<CitationMove>(
    { caption: `Citations of ${visibleText(topic)}`, class: "compact citations" }, [
      nameColumn("citation", (each) => [name(each.docno),
        each.about && html("small.about", visibleText(each.about))]),
      citations.some(({ grade }) => grade !== undefined)
        && numberColumn("grade", ({ grade }) => grade ?? ""),
      textColumn("what", (each) =>
        [what(each), each.must_find && html("strong.must-find", " must find")]),
      numberColumn(visibleText(before), (each) => rank(each.rank_a)),
      textColumn("", (each) => rankMove(each, last), { attributes: { class: "rank-strip" } }),
      numberColumn(visibleText(after), (each) => rank(each.rank_b)),
      numberColumn("share", ({ share }) => difference(share),
        { attributes: ({ share }) => ({ class: toneOf(share) }) }),
    ]);
  return firstRows(made, citations, citationsAtFirst, (rest) =>
    `${rest.length} more, together ${difference(rest.reduce((sum, { share }) => sum + share, 0))}`,
  "quiet");
}

type Ranks = Pick<CitationMove, "rank_a" | "rank_b">;

export function what({ rank_a: before, rank_b: after }: Ranks): string {
  if (before === null) return after === null ? "not found" : "gained";
  if (after === null) return "lost";
  return after < before ? "up" : after > before ? "down" : "same rank";
}

/** Returns 100 for PRES@100; null for a measure without a cutoff. */
export function cutoffOf(measure: string | null): number | null {
  return Number(measure?.split("@")[1] ?? 0) || null;
}

const width = 150, height = 16, middle = height / 2, behind = 134, behindAll = 1e9;

/**
 * A citation's rank before as a ring and after as a dot. Rank 1 is at the left, the cutoff at the
 * line; documents not found stand behind it. The ranks stand beside it as text.
 */
function rankMove({ rank_a: before, rank_b: after }: Ranks, cutoff: number): SVGSVGElement {
  const scale = { low: 1, high: Math.max(2, cutoff), first: 7, last: 118 };
  const x = (rank: number | null) => rank === null ? behind : at(scale, Math.min(rank, cutoff));
  const tone = toneOf((before ?? behindAll) - (after ?? behindAll));
  return picture("svg.rank-move", { width, height, class: tone },
    line(scale.first, middle, scale.last, middle, "grid"),
    line(126, 2, 126, height - 2, "limit"),
    line(x(before), middle, x(after), middle, "move"),
    svg("circle.ring", { cx: place(x(before)), cy: middle, r: 4 }),
    svg("circle.dot", { cx: place(x(after)), cy: middle, r: 3.4 }));
}

/** A column of a value, which tests find by `key`. */
export function valueColumn<Row>(
  head: Child, key: string, cell: Column<Row>["cell"], about?: string): Column<Row> {
  return numberColumn(head, cell, { about, attributes: { "data-value": key } });
}

/** The column of measures that heads the rows of a table. */
export function measureColumn<Row extends { measure: string }>(): Column<Row> {
  return nameColumn("measure", ({ measure }) => explainedMean(measure),
    { attributes: ({ measure }) => ({ "data-measure": measure }) });
}

export function verdictColumn<Row>(
  words: (row: Row) => string, tone: (row: Row) => Tone, about?: string): Column<Row> {
  return textColumn("verdict", words,
    { about, attributes: (row) => ({ class: `verdict ${tone(row)}` }) });
}
