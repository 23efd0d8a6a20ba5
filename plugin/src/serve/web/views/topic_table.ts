import { armName } from "../arms.ts";
import type { TopicRow, TopicRowArm, TopicsPage } from "../data/documents.ts";
import { type Child, element, fill, setText, svg } from "../dom.ts";
import { explained, explainOnHover } from "../explain.ts";
import { count, counted, difference, milliseconds, nameInText, score, significant } from "../format.ts";
import { measureExplanation } from "../measures.ts";
import { href } from "../place.ts";
import { type Table, table, type TableColumn } from "../table.ts";
import { type ListQuery, parametersOf } from "./topic_list.ts";

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
  const shown: TableColumn<ShownRow>[] = [topicColumn(columns), relevantColumn(), scoreColumn(columns, a, looks.a, "score_a")];
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
    return arm?.seen ? `${nameInText(name)} ${score(arm.mean)}, ${arm.found} of ${row.num_rel} found, ${counted(arm.visits, "visit")}, ${milliseconds(arm.latency_ms)}` : `${nameInText(name)} not served`;
  });
  return `${measure}: ${arms.join("; ")}. Open it to see each citation.`;
}

/** On a narrow page, what the columns left out would say. */
function narrowWords(row: TopicRow, a: string, b: string | null): string {
  const latencies = [a, b].filter((name) => name !== null).map((name) => significant(armOf(row, name)?.latency_ms));
  return `n ${row.num_rel} · ${latencies.join(" / ")} ms`;
}

const relevantColumn = (): TableColumn<ShownRow> => ({
  head: element("span", { class: "wide" }, "relevant, n"), about: "n, relevant documents that the judgements name for the topic.", sort: { key: "num_rel", first: "desc" },
  cell: ({ row }) => row.num_rel,
  explain: ({ row }) => `The judgements name ${counted(row.num_rel, "relevant document")} for this topic.`,
  attributes: () => ({ class: "wide", "data-cell": "num_rel" }),
});

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
  if (!arm?.seen) return `${arm ? nameInText(arm.name) : "This arm"} has not served this topic yet.`;
  const value = arm.mean === null
    ? `No value: ${arm.num_ret} served is not deep enough, or the judgements have changed since.`
    : `${measure}, 0 to 1: mean over ${counted(arm.visits, "visit")}; the last gave ${score(arm.last)}.`;
  return `${value} ${arm.found} of ${row.num_rel} relevant found, ${arm.num_ret} documents served.`;
}

function differenceColumn({ a, looks, measure }: TopicColumns, b: string): TableColumn<ShownRow> {
  return {
    head: ["difference", element("span", { class: "under", text: `${nameInText(b)} − ${nameInText(a)}` })],
    about: `Score of ${nameInText(b)} less that of ${nameInText(a)}. Bars go to the right where ${nameInText(b)} is ahead, to the left where ${nameInText(a)} is.`,
    sort: { key: "difference", first: "desc" },
    cell: ({ row, reach }) => row.difference === null ? element("span", { class: "quiet", text: "–" }) : element("span", { class: "difference" },
      differenceBar(row.difference, reach, looks), element("span", { text: difference(row.difference) })),
    explain: ({ row }) => row.difference === null ? "Both arms must have a value."
      : row.difference === 0 ? `Level: the same ${measure}.`
        : `${nameInText(row.difference > 0 ? b : a)} is ahead by ${Math.abs(row.difference).toFixed(4)} of ${measure}, which goes from 0 to 1.`,
    attributes: () => ({ "data-cell": "difference" }),
  };
}

function latencyColumn(name: string, look: number, key: string): TableColumn<ShownRow> {
  return {
    head: [element("span", { class: "wide" }, armName(look, name)), element("span", { class: "under", text: "latency" })],
    about: `How long ${nameInText(name)} took at the last visit that was timed, in milliseconds.`,
    sort: { key, first: "desc" },
    cell: ({ row }) => milliseconds(armOf(row, name)?.latency_ms),
    explain: () => `How long ${nameInText(name)} took in the last visit that was timed, in milliseconds.`,
    attributes: () => ({ class: "wide", "data-cell": key }),
  };
}

export function armOf(row: TopicRow, name: string): TopicRowArm | undefined {
  return row.arms.find((arm) => arm.name === name);
}

type Bin = TopicsPage["strip"][number];

const leastReach = 0.25;

/** Wins, ties and losses in words, and how far apart the arms are in how many topics. */
export function outcomeStrip() {
  const words = element("p", { class: "outcome-words" });
  const readout = element("p", { class: "readout", "aria-live": "polite" });
  const plot = element("div", { class: "plot strip", tabindex: 0, role: "img", "data-key": "strip" });
  const legend = element("div", { class: "strip-legend" });
  const figure = element("figure", { class: "outcomes" }, words, legend, plot, readout);
  let bins: Bin[] = [], at: number | null = null, page: TopicsPage | null = null;
  const read = (index: number | null) => {
    at = index;
    plot.querySelectorAll("[data-bin]").forEach((bar) =>
      bar.classList.toggle("chosen", bar.getAttribute("data-bin") === String(index)));
    setText(readout, page === null ? "" : index === null ? hint(page) : binWords(bins[index]!, page));
  };
  plot.addEventListener("keydown", (event) => {
    const to = moved(event.key, at, bins.length);
    if (to === undefined) return;
    event.preventDefault();
    read(to);
  });
  plot.addEventListener("pointermove", (event) => {
    const { left, width } = plot.getBoundingClientRect();
    read(Math.min(bins.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * bins.length))));
  });
  plot.addEventListener("pointerleave", () => read(null));
  return { element: figure, set: (shown: TopicsPage, looks: { a: number; b: number }) => {
    figure.hidden = shown.b === null || shown.wins + shown.ties + shown.losses === 0;
    if (figure.hidden || shown.b === null) return;
    page = shown;
    bins = inReach(shown.strip);
    fill(words, ...outcomeWords(shown));
    fill(legend, element("span", {}, "← ", armName(looks.a, shown.a), " ahead"),
      element("span", {}, armName(looks.b, shown.b), " ahead →"));
    plot.setAttribute("aria-label", stripWords(shown, bins));
    fill(plot, ...drawing(bins, looks));
    read(at === null || at >= bins.length ? null : at);
  } };
}

function hint({ measure }: TopicsPage): string {
  return `Topics by their difference in ${measure}, in steps of 0.05. Point at a bar, or use the arrow keys, to read it.`;
}

function moved(key: string, at: number | null, length: number): number | undefined {
  switch (key) {
    case "ArrowLeft": return at === null ? (length >> 1) - 1 : Math.max(0, at - 1);
    case "ArrowRight": return at === null ? length >> 1 : Math.min(length - 1, at + 1);
    case "Home": return 0;
    case "End": return length - 1;
    default: return undefined;
  }
}

function outcomeWords({ a, b, measure, wins, ties, losses }: TopicsPage) {
  const line = `Topics in which ${nameInText(b ?? "")} scores higher than, the same as, and lower than ${nameInText(a)} in ${measure} (mean over visits).`;
  return [
    explained([element("strong", { text: count(wins) }), ` ${wins === 1 ? "topic goes" : "topics go"} to `, element("bdi", { text: nameInText(b ?? "") })], line), ", ",
    explained([element("strong", { text: count(losses) }), " to ", element("bdi", { text: nameInText(a) })], line), ", ",
    explained([element("strong", { text: count(ties) }), ties === 1 ? " is level" : " are level"], line),
    element("span", { class: "quiet" }, ` (${measure}, of ${counted(wins + ties + losses, "topic")} that both served)`),
  ];
}

/** The bins around 0 as far as any difference goes, as many on either side. */
export function inReach(strip: readonly Bin[]): Bin[] {
  const reach = strip.filter((bin) => bin.topics > 0)
    .reduce((most, bin) => Math.max(most, Math.abs(bin.low), Math.abs(bin.high)), leastReach) + 1e-9;
  return strip.filter((bin) => Math.abs(bin.low) <= reach && Math.abs(bin.high) <= reach);
}

/** The largest absolute difference that the strip has room for. */
export function reachOf(strip: readonly Bin[]): number {
  return inReach(strip).reduce((most, bin) => Math.max(most, bin.high), 0);
}

function stripWords(page: TopicsPage, bins: readonly Bin[]): string {
  const fullest = bins.reduce((most, bin) => (bin.topics > most.topics ? bin : most));
  return `Topics by how far apart the arms are. ${nameInText(page.b ?? "")} ahead in ${page.wins}, ${nameInText(page.a)} in ${page.losses}, level in ${page.ties}. ` +
    `Fullest: ${binWords(fullest, page)} Arrow keys read each bar.`;
}

function binWords(bin: Bin, page: TopicsPage): string {
  const [near, far] = [Math.abs(bin.low), Math.abs(bin.high)].sort((x, y) => x - y) as [number, number];
  const ahead = nameInText((bin.low >= 0 ? page.b : page.a) ?? "");
  return `${counted(bin.topics, "topic")}: ${ahead} ahead by ${near.toFixed(2)} to ${far.toFixed(2)}.`;
}

function drawing(bins: readonly Bin[], looks: { a: number; b: number }): HTMLElement[] {
  const most = Math.max(1, ...bins.map((bin) => bin.topics));
  const bars = bins.map((bin, i) => {
    const bar = element("div", { class: "strip-bar" });
    bar.style.height = bin.topics === 0 ? "0" : `max(2px, ${((bin.topics / most) * 100).toFixed(2)}%)`;
    return element("div", { class: `strip-bin arm-${(bin.low >= 0 ? looks.b : looks.a) % 6}${i * 2 === bins.length ? " middle" : ""}`, "data-bin": i },
      element("span", { class: "strip-count", text: bin.topics === 0 ? "" : count(bin.topics) }),
      element("div", { class: "strip-column" }, bar));
  });
  return [element("div", { class: "strip-bins" }, bars), axis(bins.at(-1)?.high ?? 1)];
}

function axis(reach: number): HTMLElement {
  return element("div", { class: "strip-axis" }, [-1, -0.5, 0, 0.5, 1].map((part) => {
    const label = element("span", { text: part === 0 ? "0" : difference(part * reach).replace(/(\.\d\d\d?)0+$/, "$1").replace(/(\.\d\d)0$/, "$1") });
    label.style.left = `${(part + 1) * 50}%`;
    return label;
  }));
}

const width = 72, height = 10;

/** A bar from the middle: right where `b` is ahead, left where `a` is; `reach` fills a half. */
export function differenceBar(value: number | null, reach: number, looks: { a: number; b: number }): SVGSVGElement {
  const half = width / 2;
  const long = value === null || reach <= 0 ? 0 : Math.min(1, Math.abs(value) / reach) * half;
  const look = (value ?? 0) > 0 ? looks.b : looks.a;
  return svg("svg", { class: `difference-bar arm-${look % 6}`, viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    svg("line", { class: "zero", x1: half, x2: half, y1: 0, y2: height }),
    long > 0 && svg("rect", { x: (value ?? 0) > 0 ? half : half - long, y: 2, width: Math.max(0.75, long), height: height - 4, fill: "currentColor" }));
}
