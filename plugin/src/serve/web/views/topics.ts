import type { TopicOrder, TopicRow, TopicsPage } from "../data/documents.ts";
import { chooser, html, keepingFocus, setText } from "../dom.ts";
import { count, counted, nameInText } from "../format.ts";
import { table } from "../table.ts";
import {
  type Context, here, loading, selection, selectionBar, type ShownView, viewHead,
} from "../view.ts";
import { changesOf, type ListQuery, pageSizes, queryOf } from "./topic_list.ts";
import { type Looks, outcomeStrip, topicColumns } from "./topic_table.ts";

const refreshMs = 2000;

/** All topics: wins and losses, then a table that can be sorted, searched and paged. */
export function topicsView(context: Context): ShownView {
  const bar = selectionBar(context, "any");
  const lead = html("p.sub");
  const strip = outcomeStrip();
  const query = () => queryOf(here().parameters);
  const change: Change = (part) =>
    context.setParameters(changesOf({ ...query(), page: 0, ...part }));
  const controls = listControls(change);
  const status = html("p.list-status", { role: "status" });
  const pages = pager((page) => change({ page }));
  const listed = () => (context.now.document.summary?.mode === "paired"
    ? "ranked for comparison" : "served");
  const rows = table<TopicRow>({ caption: "Topics", class: "topic-table",
    onSort: (sorting) => change(sorting as TopicOrder) });
  const fetch = () => {
    const { summary } = context.now.document;
    const { measure, a, b } = summary ? selection(summary) : query();
    return context.source.topics({ ...query(), measure, a, b: b ?? undefined });
  };
  const show = (answer: TopicsPage) => {
    const page = { ...answer, ...orderOf(answer) };
    const lastPage = Math.max(0, Math.ceil(page.matching / page.size) - 1);
    if (page.page > lastPage) return change({ page: lastPage });
    const { a, b, sort, order } = page, looks = looksOf(page, context);
    setText(lead, `${counted(page.total, "topic")} ${listed()} so far. Each is one information ` +
      "need with judged documents; scores are means over its visits.");
    controls.set({ ...query(), sort, order }, a, b);
    setText(status, page.total === 0 ? `No topic has been ${listed()} yet.`
      : statusWords(page, query().search));
    keepingFocus(element, () => {
      strip.set(page, looks);
      const columns = topicColumns(page, query(), looks);
      rows.set(page.topics, { columns, sorted: { sort, order } });
    });
    pages.set(page);
    rows.element.hidden = page.topics.length === 0;
  };
  const loader = loading(context, refreshMs, fetch, show);
  const parameters = () => {
    bar.set(context.now.document.summary);
    void loader.load();
  };
  const element = html("div.view.topics", viewHead("Topics", lead, bar.element), strip.element,
    html("section.card", { "aria-label": "List of topics" },
      controls.element, status, loader.problem, rows.element, pages.element));
  parameters();
  return { element, parameters, update: loader.update, close() {
    loader.close();
    controls.close();
  } };
}

function looksOf({ a, b, topics }: TopicsPage, context: Context): Looks {
  const arms = context.now.document.summary?.arms ?? topics[0]?.arms ?? [];
  const index = (name: string | null) => Math.max(0, arms.findIndex((arm) => arm.name === name));
  return { a: index(a), b: index(b) };
}

function statusWords(page: TopicsPage, search: string): string {
  const { matching, total, size, topics } = page;
  const searched = search ? ` with “${search}” in the name` : "";
  if (matching === 0)
    return `None of ${counted(total, "topic")} is${searched}. Esc in the search field clears it.`;
  const before = page.page * size;
  return `${count(before + 1)} to ${count(before + topics.length)} of ${
    counted(matching, "topic")}${searched}, ${orderWords(page, page.a, page.b)}.`;
}

/** Asks for another list: its first page if `part` names none. */
type Change = (part: Partial<ListQuery>) => void;

const debounceMs = 200;

/** Search, order and size of the list. */
function listControls(change: Change) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const close = () => clearTimeout(timer);
  const apply = () => {
    close();
    change({ search: search.value });
  };
  const oninput = () => {
    close();
    timer = setTimeout(apply, debounceMs);
  };
  const onkeydown = (event: KeyboardEvent) => {
    if (event.key === "Enter") apply();
    if (event.key !== "Escape" || search.value === "") return;
    event.preventDefault();
    search.value = "";
    apply();
  };
  const search = html("input", { type: "search", autocomplete: "off", spellcheck: "false",
    placeholder: "part of a topic's name", maxlength: 200, oninput, onkeydown });
  const order = chooser("Order", (value) => change(JSON.parse(value)));
  const size = chooser("A page", (value) => change({ size: Number(value) }));
  const element = html("div.bar.list-controls", { role: "search", "aria-label": "Topics" },
    html("label.choice.search", html("span", "Search"), search), order.element, size.element);
  return { element, close, set: (query: ListQuery, a: string, b: string | null) => {
    if (document.activeElement !== search) search.value = query.search;
    const offer = (each: TopicOrder) => ({ value: key(each), text: orderWords(each, a, b) });
    order.set(ordersFor(query, b).map(offer), key(query));
    const sizes = [...new Set([...pageSizes, query.size])].sort((x, y) => x - y);
    size.set(sizes.map((each) => ({ value: String(each), text: `${each} topics` })),
      String(query.size));
  } };
}

/** The order of the topics on `page`: without a second arm, orders by it are orders by name. */
const orderOf = ({ sort, order, b }: TopicsPage): TopicOrder =>
  b === null && ofTwo.test(sort) ? { sort: "topic", order: "asc" } : { sort, order };

const ofTwo = /difference$|_b$/;

const key = ({ sort, order }: TopicOrder) => JSON.stringify({ sort, order });

/** Buttons to the first, previous, next and last page, and which one is shown. */
function pager(go: (page: number) => void) {
  const words = html("span.pager-words");
  let at = 0, last = 0;
  const button = (key: string, text: string, target: () => number) => html("button", {
    type: "button", "data-key": `page-${key}`, onclick: () => go(target()),
    "aria-label": `${key[0]!.toUpperCase()}${key.slice(1)} page` }, text);
  const back = [button("first", "«", () => 0), button("previous", "‹ Previous", () => at - 1)];
  const on = [button("next", "Next ›", () => at + 1), button("last", "»", () => last)];
  const element = html("nav.pager", { "aria-label": "Pages of topics" }, back, words, on);
  return { element, set: ({ page, size, matching }: TopicsPage) => {
    at = page;
    last = Math.max(0, Math.ceil(matching / size) - 1);
    element.hidden = last === 0;
    setText(words, `page ${count(page + 1)} of ${count(last + 1)}`);
    enable(back, page > 0);
    enable(on, page < last);
  } };
}

// Disables a button without taking its focus away, which the attribute would do.
function enable(buttons: HTMLButtonElement[], enabled: boolean): void {
  for (const button of buttons) button.setAttribute("aria-disabled", String(!enabled));
}

/** The orders that are offered; a heading can ask for the others too. */
const offered = ["abs_difference desc", "difference desc", "difference asc", "topic asc",
  "num_rel desc", "score_a desc", "score_a asc", "score_b desc", "score_b asc", "latency_a desc",
  "latency_b desc", "visits desc"].map((text) => {
  const [sort, order] = text.split(" ");
  return { sort, order } as TopicOrder;
});

function ordersFor(query: ListQuery, b: string | null): TopicOrder[] {
  const orders = offered.filter(({ sort }) => b !== null || !ofTwo.test(sort));
  return orders.some((each) => key(each) === key(query)) ? orders : [...orders, query];
}

function orderWords({ sort, order }: TopicOrder, a: string, b: string | null): string {
  const down = order === "desc";
  const [one, other] = [nameInText(a), nameInText(b ?? "")];
  switch (sort) {
    case "abs_difference": return `${down ? "largest" : "smallest"} difference first`;
    case "difference": return `most for ${down ? other : one} first`;
    case "topic": return down ? "topic, from Z to A" : "topic, from A to Z";
    case "num_rel": return `${down ? "most" : "fewest"} relevant documents first`;
    case "visits": return `${down ? "most" : "fewest"} visits first`;
    case "score_a": return `${down ? "highest" : "lowest"} score of ${one} first`;
    case "score_b": return `${down ? "highest" : "lowest"} score of ${other} first`;
    case "latency_a": return `${down ? "slowest" : "fastest"} with ${one} first`;
    case "latency_b": return `${down ? "slowest" : "fastest"} with ${other} first`;
  }
}
