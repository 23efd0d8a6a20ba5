import { element, fill } from "../dom.ts";
import { type ListQuery, defaults, pageSizes } from "./topic_hash.ts";
import { type Order, offered, ofOneArm, orderWords } from "./topic_orders.ts";

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
