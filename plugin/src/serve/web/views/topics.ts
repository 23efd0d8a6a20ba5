import "../styles/topics.css";
import type { TopicsPage } from "../data/documents.ts";
import { element, fill, setText } from "../dom.ts";
import { count, counted } from "../format.ts";
import type { Place } from "../place.ts";
import { type SelectionBar, selection, selectionBar } from "../selection.ts";
import type { Table } from "../table.ts";
import type { Context, Now, ShownView } from "../view.ts";
import { type ListControls, listControls, orderParameters } from "./list_controls.ts";
import { outcomeStrip } from "./outcome_strip.ts";
import { pager } from "./pager.ts";
import { Pace, Seen, keepingFocus } from "./refresh.ts";
import { type ListQuery, queryOf } from "./topic_hash.ts";
import { orderWords } from "./topic_orders.ts";
import { type ShownRow, type TopicColumns, shownRows, topicTable } from "./topic_table.ts";

const refreshMs = 2000;

/** All topics: wins and losses, then a table that can be sorted, searched and paged. */
export function topicsView(context: Context): ShownView {
  return new TopicsView(context);
}

class TopicsView implements ShownView {
  readonly element = element("div", { class: "view topics" });
  private readonly lead = element("p", { class: "sub" });
  private readonly chosen: SelectionBar;
  private readonly strip = outcomeStrip();
  private readonly controls: ListControls;
  private readonly status = element("p", { class: "list-status", role: "status" });
  private readonly problem = element("p", { class: "problem", role: "alert", hidden: true });
  private readonly holder = element("div");
  private readonly pages = pager((page) => this.go(page));
  private readonly pace = new Pace(refreshMs, () => void this.load());
  private query: ListQuery;
  private table: { key: string; table: Table<ShownRow> } | null = null;
  private asked = 0;
  private readonly seen = new Seen();

  constructor(private readonly context: Context) {
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
    this.pace.now();
  }

  update(now: Now): void {
    if (this.seen.changed(now)) this.pace.wanted();
  }

  close(): void {
    ++this.asked;
    this.pace.stop();
    this.controls.close();
  }

  private showChoosers(place: Place): void {
    const summary = this.context.now.document?.summary;
    this.chosen.element.hidden = !summary;
    if (summary) this.chosen.set(place, summary);
  }

  private async load(): Promise<void> {
    const asked = ++this.asked;
    const summary = this.context.now.document?.summary;
    const { measure, a, b } = summary ? selection(this.place(), summary) : { measure: undefined, a: undefined, b: undefined };
    try {
      const page = await this.context.source.topics({
        ...this.query, ...(measure ? { measure } : {}), ...(a ? { a } : {}), ...(b ? { b } : {}) });
      if (asked === this.asked) this.show(page);
    } catch (error) {
      if (asked === this.asked) this.fail(error);
    }
  }

  private place(): Place {
    return { path: [], parameters: new URLSearchParams(
      (["measure", "a", "b"] as const).flatMap((name) => this.query[name] === undefined ? [] : [[name, this.query[name]]])) };
  }

  private show(page: TopicsPage): void {
    const lastPage = Math.max(0, Math.ceil(page.matching / page.size) - 1);
    if (page.page > lastPage) return this.go(lastPage);
    const looks = this.looks(page);
    this.problem.hidden = true;
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

  private fail(error: unknown): void {
    setText(this.problem, error instanceof Error ? error.message : String(error));
    this.problem.hidden = false;
  }
}
