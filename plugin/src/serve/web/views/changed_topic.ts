import { element, fill } from "../dom.ts";
import { counted, difference, score } from "../format.ts";
import { rankMove } from "../plots/rank_move.ts";
import { table } from "../table.ts";
import { what } from "./citation_changes.ts";
import { name, shown } from "./parts.ts";

export interface ChangedCitation {
  docno: string;
  /** As judged; nothing where it is not known. */
  grade?: number;
  before: number | null;
  after: number | null;
  share: number;
  mustFind?: boolean;
}

/** A topic whose score changed, and the citations that changed it. */
export interface ChangedTopic {
  topic: string;
  before: number;
  after: number;
  difference: number;
  numRel: number;
  /** Ids of rules that it fails by itself. */
  fails: string[];
  citations: ChangedCitation[];
}

export interface ChangedTopicWords {
  /** "rank in A", "rank before" */
  before: string;
  after: string;
  /** Ranks behind it count as not found; null: there is none. */
  cutoff: number | null;
}

const citationsAtFirst = 20;

/** A topic that opens to its citations, largest share of the difference first. */
export function changedTopic(topic: ChangedTopic, words: ChangedTopicWords, isOpen: boolean): HTMLElement {
  const tone = topic.difference > 0 ? "good" : topic.difference < 0 ? "bad" : "same";
  return element("details", { class: "changed-topic", open: isOpen, "data-topic": topic.topic },
    element("summary", {},
      element("span", { class: "topic-name" }, name(topic.topic)),
      element("span", { class: "scores" }, `${score(topic.before)} → ${score(topic.after)}`),
      element("strong", { class: tone, text: difference(topic.difference) }),
      element("span", { class: "quiet-text", text: counted(topic.numRel, "relevant document") }),
      topic.fails.length ? element("span", { class: "fails", text: `fails ${shown(topic.fails.join(", "))}` }) : null),
    citationTable(topic, words));
}

function citationTable(topic: ChangedTopic, words: ChangedTopicWords): HTMLElement {
  const hasGrades = topic.citations.some((citation) => citation.grade !== undefined);
  const rank = (value: number | null) => value === null ? notFound(words.cutoff) : String(value);
  const cutoff = words.cutoff ?? Math.max(2, ...topic.citations.flatMap((each) => [each.before ?? 1, each.after ?? 1]));
  const shownTable = table<ChangedCitation>({
    caption: `Citations of ${shown(topic.topic)}`, class: "compact citations",
    columns: [
      { head: "citation", heads: true, align: "start", cell: (each) => name(each.docno) },
      ...(hasGrades ? [{ head: "grade", cell: (each: ChangedCitation) => each.grade ?? "" }] : []),
      { head: "what", align: "start", cell: (each) => [what(each), each.mustFind ? element("strong", { class: "must-find", text: " must find" }) : null] },
      { head: words.before, cell: (each) => rank(each.before) },
      { head: "", align: "start", cell: (each) => rankMove(each.before, each.after, cutoff), attributes: () => ({ class: "rank-strip" }) },
      { head: words.after, cell: (each) => rank(each.after) },
      { head: "share", cell: (each) => difference(each.share),
        attributes: (each) => ({ class: each.share > 0 ? "good" : each.share < 0 ? "bad" : "same" }) },
    ] });
  return withTheRest(shownTable, topic.citations);
}

/** The first citations, and a button that gives the sum of the others' shares and shows them. */
function withTheRest(shownTable: ReturnType<typeof table<ChangedCitation>>, citations: ChangedCitation[]): HTMLElement {
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
