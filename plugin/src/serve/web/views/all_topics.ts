import { toneOf } from "../plots/plot.ts";
import { element, fill } from "../dom.ts";
import { count, counted, difference, score } from "../format.ts";
import type { TopicDifference } from "../data/documents.ts";
import { table } from "../table.ts";
import { name } from "./parts.ts";

type Order = "asc" | "desc";
const topicsOnAPage = 25;

/** Every topic that was compared: sorted by any column, searched by name, a page at a time. */
export function allTopics(a: string, b: string) {
  let topics: TopicDifference[] = [], sorted = { key: "abs", order: "desc" as Order }, search = "", page = 0;
  const frame = element("div", { class: "all-topics" });
  const status = element("p", { class: "sub", role: "status" });
  const input = element("input", { type: "search", placeholder: "Part of a topic's id", "aria-label": "Search topics",
    oninput: () => { search = input.value.toLowerCase(); page = 0; show(); } });
  const earlier = element("button", { type: "button", text: "Previous", onclick: () => { --page; show(); } });
  const later = element("button", { type: "button", text: "Next", onclick: () => { ++page; show(); } });
  const made = (caption: string) => table<TopicDifference>({
    caption, class: "compact", onSort: (key, order) => { sorted = { key, order }; page = 0; show(); },
    columns: [
      { head: "topic", heads: true, align: "start", cell: (each) => name(each.topic), sort: { key: "topic", first: "asc" } },
      { head: a, cell: (each) => score(each.a), sort: { key: "a", first: "desc" } },
      { head: b, cell: (each) => score(each.b), sort: { key: "b", first: "desc" } },
      { head: "difference", cell: (each) => difference(each.difference), sort: { key: "difference", first: "asc" },
        attributes: (each) => ({ class: toneOf(each.difference) }) },
      { head: "size", cell: (each) => difference(Math.abs(each.difference)).replace("+", ""), sort: { key: "abs", first: "desc" } },
    ] });
  let shownTable = made("");
  const show = () => {
    const matching = topics.filter((each) => each.topic.toLowerCase().includes(search)).sort(by(sorted.key, sorted.order));
    const pages = Math.max(1, Math.ceil(matching.length / topicsOnAPage));
    page = Math.min(page, pages - 1);
    shownTable.set(matching.slice(page * topicsOnAPage, (page + 1) * topicsOnAPage), sorted);
    status.textContent = search
      ? `${count(matching.length)} of ${counted(topics.length, "topic")}, page ${page + 1} of ${pages}`
      : `${counted(topics.length, "topic")}, page ${page + 1} of ${pages}`;
    earlier.disabled = page === 0;
    later.disabled = page + 1 >= pages;
  };
  const set = (now: TopicDifference[], caption: string) => {
    topics = now;
    page = 0;
    shownTable = made(caption);
    fill(frame, element("div", { class: "bar" }, input, status, earlier, later), shownTable.element);
    show();
  };
  return { element: frame, set };
}

function by(key: string, order: Order): (one: TopicDifference, other: TopicDifference) => number {
  const sign = order === "asc" ? 1 : -1;
  const value = (each: TopicDifference) => key === "a" ? each.a : key === "b" ? each.b : key === "abs" ? Math.abs(each.difference) : each.difference;
  const names = (one: TopicDifference, other: TopicDifference) => one.topic < other.topic ? -1 : one.topic > other.topic ? 1 : 0;
  return (one, other) => key === "topic" ? sign * names(one, other) : sign * (value(one) - value(other)) || names(one, other);
}
