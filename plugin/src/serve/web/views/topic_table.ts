import { armName } from "../arms.ts";
import type { TopicRow, TopicRowArm, TopicsPage } from "../data/documents.ts";
import { type Child, element } from "../dom.ts";
import { explainOnHover, measureExplanation } from "../explain.ts";
import { counted, difference, milliseconds, score, significant } from "../format.ts";
import { href } from "../place.ts";
import { type Table, type TableColumn, table } from "../table.ts";
import { differenceBar } from "./difference_bar.ts";
import { named } from "./names.ts";
import { reachOf } from "./outcome_strip.ts";
import { type ListQuery, parametersOf } from "./topic_hash.ts";

/** What the columns of a list depend on: made anew where one of these differs. */
export interface TopicColumns {
  measure: string;
  a: string;
  b: string | null;
  looks: { a: number; b: number };
}

/** A row and what it is shown with. */
export interface ShownRow {
  row: TopicRow;
  reach: number;
  query: ListQuery;
}

export function shownRows(page: TopicsPage, query: ListQuery): ShownRow[] {
  const reach = reachOf(page.strip);
  return page.topics.map((row) => ({ row, reach, query }));
}

export function topicTable(
  columns: TopicColumns, onSort: (key: string, order: "asc" | "desc") => void,
): Table<ShownRow> {
  const { a, b, looks } = columns;
  const shown: TableColumn<ShownRow>[] = [topicColumn(columns), relevantColumn, scoreColumn(columns, a, looks.a, "score_a")];
  if (b !== null) shown.push(scoreColumn(columns, b, looks.b, "score_b"), differenceColumn(columns, b));
  shown.push(latencyColumn(a, looks.a, "latency_a"));
  if (b !== null) shown.push(latencyColumn(b, looks.b, "latency_b"));
  return table({ caption: "Topics", class: "topic-table", columns: shown, onSort });
}

function topicColumn(columns: TopicColumns): TableColumn<ShownRow> {
  const { a, b } = columns;
  return {
    head: "topic", about: "The information need; opens to its curve and each of its citations.", heads: true, align: "start", sort: { key: "topic", first: "asc" },
    cell: ({ row, query }) => [
      explainOnHover(element("a", { class: "topic-link", href: href("topic", row.topic, Object.fromEntries(parametersOf(query))), "data-key": row.topic },
        element("bdi", { text: row.topic })), rowWords(row, columns)),
      element("small", { class: "narrow" }, narrowWords(row, a, b)),
    ],
    attributes: ({ row }) => ({ "data-topic": row.topic }),
  };
}

/** What shows when a topic has focus. */
function rowWords(row: TopicRow, { measure, a, b }: TopicColumns): string {
  const arms = [a, b].filter((name) => name !== null).map((name) => {
    const arm = armOf(row, name);
    return arm?.seen ? `${named(name)} ${score(arm.mean)}, ${arm.found} of ${row.num_rel} found, ${counted(arm.visits, "visit")}, ${milliseconds(arm.latency_ms)}` : `${named(name)} not served`;
  });
  return `${measure}: ${arms.join("; ")}. Open it to see each citation.`;
}

/** On a narrow page, what the columns left out would say. */
function narrowWords(row: TopicRow, a: string, b: string | null): string {
  const latencies = [a, b].filter((name) => name !== null).map((name) => significant(armOf(row, name)?.latency_ms));
  return `n ${row.num_rel} · ${latencies.join(" / ")} ms`;
}

const relevantColumn: TableColumn<ShownRow> = {
  head: element("span", { class: "wide" }, "relevant, n"), about: "n, relevant documents that the judgements name for the topic.", sort: { key: "num_rel", first: "desc" },
  cell: ({ row }) => row.num_rel,
  explain: ({ row }) => `The judgements name ${counted(row.num_rel, "relevant document")} for this topic.`,
  attributes: () => ({ class: "wide", "data-cell": "num_rel" }),
};

function scoreColumn({ measure }: TopicColumns, name: string, look: number, key: string): TableColumn<ShownRow> {
  return {
    head: [armName(look, name), element("span", { class: "under", text: measure })],
    about: `${measureExplanation(measure)} Mean over the visits of the topic, ×3 being three.`,
    sort: { key, first: "desc" },
    cell: ({ row }) => scoreCell(armOf(row, name)),
    explain: ({ row }) => scoreWords(armOf(row, name), row, measure),
    attributes: () => ({ "data-cell": key }),
  };
}

function scoreCell(arm: TopicRowArm | undefined): Child {
  if (!arm?.seen) return element("span", { class: "quiet", text: "not served" });
  return [score(arm.mean), element("small", { class: "visits", text: `×${arm.visits}` })];
}

function scoreWords(arm: TopicRowArm | undefined, row: TopicRow, measure: string): string {
  if (!arm?.seen) return `${arm ? named(arm.name) : "This arm"} has not served this topic yet.`;
  const value = arm.mean === null
    ? `No value: ${arm.num_ret} served is not deep enough, or the judgements have changed since.`
    : `${measure}, 0 to 1: mean over ${counted(arm.visits, "visit")}; the last gave ${score(arm.last)}.`;
  return `${value} ${arm.found} of ${row.num_rel} relevant found, ${arm.num_ret} documents served.`;
}

function differenceColumn({ a, looks, measure }: TopicColumns, b: string): TableColumn<ShownRow> {
  return {
    head: ["difference", element("span", { class: "under", text: `${named(b)} − ${named(a)}` })],
    about: `Score of ${named(b)} less that of ${named(a)}. Bars go to the right where ${named(b)} is ahead, to the left where ${named(a)} is.`,
    sort: { key: "difference", first: "desc" },
    cell: ({ row, reach }) => row.difference === null ? element("span", { class: "quiet", text: "–" }) : element("span", { class: "difference" },
      differenceBar(row.difference, reach, looks), element("span", { text: difference(row.difference) })),
    explain: ({ row }) => row.difference === null ? "Both arms must have a value."
      : row.difference === 0 ? `Level: the same ${measure}.`
        : `${named(row.difference > 0 ? b : a)} is ahead by ${Math.abs(row.difference).toFixed(4)} of ${measure}, which goes from 0 to 1.`,
    attributes: () => ({ "data-cell": "difference" }),
  };
}

function latencyColumn(name: string, look: number, key: string): TableColumn<ShownRow> {
  return {
    head: [element("span", { class: "wide" }, armName(look, name)), element("span", { class: "under", text: "latency" })],
    about: `How long ${named(name)} took at the last visit that was timed, in milliseconds.`,
    sort: { key, first: "desc" },
    cell: ({ row }) => milliseconds(armOf(row, name)?.latency_ms),
    explain: () => `How long ${named(name)} took in the last visit that was timed, in milliseconds.`,
    attributes: () => ({ class: "wide", "data-cell": key }),
  };
}

export function armOf(row: TopicRow, name: string): TopicRowArm | undefined {
  return row.arms.find((arm) => arm.name === name);
}
