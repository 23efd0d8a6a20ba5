import "../styles/topics.css";
import type { TopicSort, TopicsPage } from "../data/documents.ts";
import { element, fill, setText } from "../dom.ts";
import { count, counted, nameInText } from "../format.ts";
import { type Place, selection, type SelectionBar, selectionBar } from "../place.ts";
import type { Table } from "../table.ts";
import type { Context, ShownView } from "../view.ts";
import { keepingFocus, LoadingView } from "./refresh.ts";
import { defaults, type ListQuery, pageSizes, queryOf } from "./topic_list.ts";
import { outcomeStrip, type ShownRow, shownRows, type TopicColumns, topicTable } from "./topic_table.ts";

const refreshMs = 2000;

/** All topics: wins and losses, then a table that can be sorted, searched and paged. */
export function topicsView(context: Context): ShownView {
  return new TopicsView(context);
}

class TopicsView extends LoadingView<TopicsPage> {
  readonly element = element("div", { class: "view topics" });
  private readonly lead = element("p", { class: "sub" });
  private readonly chosen: SelectionBar;
  private readonly strip = outcomeStrip();
  private readonly controls: ListControls;
  private readonly status = element("p", { class: "list-status", role: "status" });
  private readonly holder = element("div");
  private readonly pages = pager((page) => this.go(page));
  private query: ListQuery;
  private table: { key: string; table: Table<ShownRow> } | null = null;

  constructor(private readonly context: Context) {
    super(refreshMs);
    this.chosen = selectionBar(context, "any");
    this.controls = listControls((changes) => context.setParameters(changes));
    this.query = queryOf(context.place.parameters);
    this.element.append(
      element("div", { class: "view-head" }, element("div", {}, element("h1", { text: "Topics" }), this.lead), this.chosen.element),
      element("section", { class: "card", "aria-label": "Wins and losses" }, this.strip.element),
      element("section", { class: "card", "aria-label": "List of topics" }, this.controls.element, this.status, this.problem, this.holder, this.pages.element));
    this.parameters(context.place);
  }

  parameters(place: Place): void {
    this.query = queryOf(place.parameters);
    this.showChoosers(place);
    this.loadNow();
  }

  override close(): void {
    super.close();
    this.controls.close();
  }

  private showChoosers(place: Place): void {
    const summary = this.context.now.document?.summary;
    this.chosen.element.hidden = !summary;
    if (summary) this.chosen.set(place, summary);
  }

  protected fetch(): Promise<TopicsPage> {
    const summary = this.context.now.document?.summary;
    const { measure, a, b } = summary ? selection(this.place(), summary) : { measure: undefined, a: undefined, b: undefined };
    return this.context.source.topics({ ...this.query, ...(measure ? { measure } : {}), ...(a ? { a } : {}), ...(b ? { b } : {}) });
  }

  private place(): Place {
    return { path: [], parameters: new URLSearchParams(
      (["measure", "a", "b"] as const).flatMap((name) => this.query[name] === undefined ? [] : [[name, this.query[name]]])) };
  }

  protected show(page: TopicsPage): void {
    const lastPage = Math.max(0, Math.ceil(page.matching / page.size) - 1);
    if (page.page > lastPage) return this.go(lastPage);
    const looks = this.looks(page);
    setText(this.lead, `${counted(page.total, "topic")} served so far. Each is one information need with judged documents; scores are means over its visits.`);
    this.controls.set(this.query, page.a, page.b);
    setText(this.status, this.statusWords(page));
    keepingFocus(this.element, () => {
      this.strip.set(page, looks);
      this.tableFor({ measure: page.measure, a: page.a, b: page.b, looks })
        .set(shownRows(page, this.query), { key: page.sort, order: page.order });
    });
    this.pages.set(page);
    this.holder.hidden = page.topics.length === 0;
  }

  private statusWords(page: TopicsPage): string {
    const { matching, total, size } = page;
    if (total === 0) return "No topic has been served yet.";
    const searched = this.query.search ? ` with “${this.query.search}” in the name` : "";
    if (matching === 0) return `None of ${counted(total, "topic")} is${searched}. Esc in the search field clears it.`;
    const first = page.page * size;
    return `${count(first + 1)} to ${count(first + page.topics.length)} of ${counted(matching, "topic")}${searched}, ${
      orderWords(page, page.a, page.b)}.`;
  }

  private tableFor(columns: TopicColumns): Table<ShownRow> {
    const key = JSON.stringify(columns);
    if (this.table?.key !== key) {
      const made = topicTable(columns, (sort, order) =>
        this.context.setParameters({ ...orderParameters({ sort, order } as ListQuery), page: null }));
      this.table = { key, table: made };
      fill(this.holder, made.element);
    }
    return this.table.table;
  }

  private looks({ a, b, topics }: TopicsPage): { a: number; b: number } {
    const names = this.context.now.document?.summary?.arms ?? topics[0]?.arms ?? [];
    const index = (name: string | null) => Math.max(0, names.findIndex((arm) => arm.name === name));
    return { a: index(a), b: index(b) };
  }

  private go(page: number): void {
    this.context.setParameters({ page: page <= 0 ? null : String(page + 1) });
  }
}

/** Search, order and size of the list. */
export interface ListControls {
  element: HTMLElement;
  set(query: ListQuery, a: string, b: string | null): void;
  close(): void;
}

const debounceMs = 200;

export function listControls(change: (changes: Record<string, string | null>) => void): ListControls {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const search = element("input", { type: "search", autocomplete: "off", spellcheck: "false", placeholder: "part of a topic's name", maxlength: 200 });
  const apply = () => {
    clearTimeout(timer);
    change({ search: search.value || null, page: null });
  };
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, debounceMs);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") apply();
    if (event.key !== "Escape" || search.value === "") return;
    event.preventDefault();
    search.value = "";
    apply();
  });
  const order = element("select", { onchange: () => change({ ...orderParameters(JSON.parse(order.value)), page: null }) });
  const size = element("select", { onchange: () => change({ size: size.value === String(defaults.size) ? null : size.value, page: null }) });
  const bar = element("div", { class: "bar list-controls", role: "search", "aria-label": "Topics" },
    element("label", { class: "choice search" }, element("span", { text: "Search" }), search),
    element("label", { class: "choice" }, element("span", { text: "Order" }), order),
    element("label", { class: "choice" }, element("span", { text: "A page" }), size));
  return { element: bar, close: () => clearTimeout(timer), set: (query, a, b) => {
    if (document.activeElement !== search) search.value = query.search;
    choices(order, ordersFor(query, b).map((each) => ({ value: key(each), text: orderWords(each, a, b) })), key(query));
    choices(size, sizesFor(query).map((each) => ({ value: String(each), text: `${each} topics` })), String(query.size));
  } };
}

/** As parameters of the address, defaults left out. */
export function orderParameters({ sort, order }: Order): Record<string, string | null> {
  return { sort: sort === defaults.sort ? null : sort, order: order === defaults.order ? null : order };
}

function key({ sort, order }: Order): string {
  return JSON.stringify({ sort, order });
}

function ordersFor(query: ListQuery, b: string | null): Order[] {
  const orders = offered.filter((each) => b !== null || ofOneArm(each));
  return orders.some((each) => key(each) === key(query)) ? orders : [...orders, { sort: query.sort, order: query.order }];
}

function sizesFor({ size }: ListQuery): number[] {
  return pageSizes.includes(size) ? [...pageSizes] : [...pageSizes, size].sort((x, y) => x - y);
}

const shown = new WeakMap<HTMLSelectElement, string>();

function choices(select: HTMLSelectElement, options: { value: string; text: string }[], value: string): void {
  const now = JSON.stringify(options);
  if (shown.get(select) !== now) fill(select, options.map((each) => element("option", { value: each.value, text: each.text })));
  shown.set(select, now);
  if (select.value !== value) select.value = value;
}

export /** Buttons to the first, previous, next and last page, and which topics are shown. */
function pager(go: (page: number) => void) {
  const words = element("span", { class: "pager-words" });
  let at = 0, last = 0;
  const button = (key: string, text: string, name: string, target: () => number) => element("button", {
    type: "button", "data-key": `page-${key}`, "aria-label": name, onclick: () => go(target()), text });
  const buttons = {
    first: button("first", "«", "First page", () => 0),
    previous: button("previous", "‹ Previous", "Previous page", () => at - 1),
    next: button("next", "Next ›", "Next page", () => at + 1),
    last: button("last", "»", "Last page", () => last),
  };
  const bar = element("nav", { class: "pager", "aria-label": "Pages of topics" });
  fill(bar, buttons.first, buttons.previous, words, buttons.next, buttons.last);
  return { element: bar, set: ({ page, size, matching }: { page: number; size: number; matching: number }) => {
    at = page;
    last = Math.max(0, Math.ceil(matching / size) - 1);
    bar.hidden = last === 0;
    setText(words, `page ${count(page + 1)} of ${count(last + 1)}`);
    enable([buttons.first, buttons.previous], page > 0);
    enable([buttons.next, buttons.last], page < last);
  } };
}

// A button that goes on having focus cannot be disabled without losing it.
function enable(buttons: HTMLButtonElement[], enabled: boolean): void {
  for (const button of buttons) {
    button.setAttribute("aria-disabled", String(!enabled));
    button.toggleAttribute("data-off", !enabled);
  }
}

// The orders in which topics can stand, in words.

export interface Order {
  sort: TopicSort;
  order: "asc" | "desc";
}

/** Those that are offered; a heading can ask for the others too. */
export const offered: readonly Order[] = [
  { sort: "abs_difference", order: "desc" },
  { sort: "difference", order: "desc" },
  { sort: "difference", order: "asc" },
  { sort: "topic", order: "asc" },
  { sort: "num_rel", order: "desc" },
  { sort: "score_a", order: "desc" },
  { sort: "score_a", order: "asc" },
  { sort: "score_b", order: "desc" },
  { sort: "score_b", order: "asc" },
  { sort: "latency_a", order: "desc" },
  { sort: "latency_b", order: "desc" },
  { sort: "visits", order: "desc" },
];

/** Whether an order makes sense with one arm. */
export function ofOneArm({ sort }: Order): boolean {
  return !sort.endsWith("difference") && !sort.endsWith("_b");
}

export function orderWords({ sort, order }: Order, a: string, b: string | null): string {
  const down = order === "desc";
  switch (sort) {
    case "abs_difference": return down ? "largest difference first" : "smallest difference first";
    case "difference": return down ? `most for ${nameInText(b ?? "")} first` : `most for ${nameInText(a)} first`;
    case "topic": return down ? "topic, from Z to A" : "topic, from A to Z";
    case "num_rel": return down ? "most relevant documents first" : "fewest relevant documents first";
    case "visits": return down ? "most visits first" : "fewest visits first";
    case "score_a": return `${down ? "highest" : "lowest"} score of ${nameInText(a)} first`;
    case "score_b": return `${down ? "highest" : "lowest"} score of ${nameInText(b ?? "")} first`;
    case "latency_a": return `${down ? "slowest" : "fastest"} with ${nameInText(a)} first`;
    case "latency_b": return `${down ? "slowest" : "fastest"} with ${nameInText(b ?? "")} first`;
  }
}
