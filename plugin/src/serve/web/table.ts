import { type Child, html, keepingFocus, refill } from "./dom.ts";
import { explain, explained, explainOnHover } from "./explain.ts";

/** The key of the column by which rows are sorted. */
export interface Sorting {
  sort: string;
  order: "asc" | "desc";
}

interface ColumnOptions<Row> {
  /** Explains the heading, on hover and focus. */
  about?: string;
  /** One line about a cell, on hover. */
  explain?: (row: Row) => string | null;
  attributes?: Record<string, string> | ((row: Row) => Record<string, string>);
  /** The key by which a heading sorts, and the order that comes first. */
  sorting?: Sorting;
}

export interface Column<Row> extends ColumnOptions<Row> {
  /** Numbers stand right, in tabular figures; a name heads its row. */
  kind: "number" | "text" | "name";
  head: Child;
  cell: (row: Row, index: number) => Child;
}

type Make = <Row>(head: Child, cell: Column<Row>["cell"], more?: ColumnOptions<Row>) => Column<Row>;

export const numberColumn: Make = (head, cell, more) => ({ kind: "number", head, cell, ...more });
export const textColumn: Make = (head, cell, more) => ({ kind: "text", head, cell, ...more });
export const nameColumn: Make = (head, cell, more) => ({ kind: "name", head, cell, ...more });

type Columns<Row> = (Column<Row> | false | null)[];

export interface TableOptions {
  /** A description of the table for assistive technology, and on the page if `captionShown`. */
  caption: string;
  captionShown?: boolean;
  class?: string;
  /** If given, headings with `sorting` are buttons that call it. */
  onSort?: (sorting: Sorting) => void;
}

export interface Table<Row> {
  /** Scrolls by itself if it is wider than the page; focusable then. */
  element: HTMLElement;
  set(rows: readonly Row[], now?: { columns?: Columns<Row>; sorted?: Sorting }): void;
}

/**
 * A table whose rows can be set again and again, and with them its columns. The element stays the
 * same, and so do cells and headings that look the same, so the behaviour of a cell must follow
 * from its content.
 */
export function table<Row>(options: TableOptions, columns: Columns<Row> = []): Table<Row> {
  const { caption, captionShown, onSort } = options;
  const head = html("tr"), body = html("tbody");
  const frame = scrolling(caption, html("table", { class: options.class },
    html("caption", { class: captionShown ? null : "visually-hidden" }, caption),
    html("thead", head), body));
  return { element: frame, set: (rows, { columns: wanted = columns, sorted } = {}) => {
    const shown = wanted.filter((each) => !!each);
    keepingFocus(head, () => refill(head, shown.map((column) => headOf(column, onSort, sorted))));
    rows.forEach((row, index) => refill(body.children[index] ?? body.appendChild(html("tr")),
      shown.map((column) => cellOf(column, row, index))));
    while (body.childElementCount > rows.length) body.lastElementChild!.remove();
  } };
}

export function filledTable<Row>(
  rows: readonly Row[], options: TableOptions, columns: Columns<Row>): HTMLElement {
  const made = table(options, columns);
  made.set(rows);
  return made.element;
}

/**
 * A frame that scrolls by itself if `content` is larger, so that the page never does; it can be
 * reached with the keyboard as long as there is something to scroll.
 */
function scrolling(label: string, content: HTMLElement): HTMLElement {
  const frame = html("div.scroll", { role: "region", "aria-label": label }, content);
  const watch = new ResizeObserver(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = frame;
    if (scrollWidth > clientWidth || scrollHeight > clientHeight) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
  });
  watch.observe(frame);
  watch.observe(content);
  return frame;
}

function cellOf<Row>(column: Column<Row>, row: Row, index: number): HTMLElement {
  const { kind, attributes } = column;
  const given = typeof attributes === "function" ? attributes(row) : attributes;
  const content = column.cell(row, index);
  const cell = kind === "name" ? html("th", { scope: "row", ...given }, content)
    : html("td", { ...given }, content);
  if (kind === "number") cell.classList.add("number");
  const line = column.explain?.(row);
  return line ? explainOnHover(cell, line) : cell;
}

function headOf<Row>(
  column: Column<Row>, onSort: TableOptions["onSort"], sorted?: Sorting): HTMLElement {
  const { kind, head, about, sorting } = column;
  const properties = { scope: "col", class: kind === "number" ? "number" : null };
  if (!sorting || !onSort) return html("th", properties, about ? explained(head, about) : head);
  const { sort } = sorting;
  const order = sorted?.sort === sort ? sorted.order : null;
  const next = order === null ? sorting.order : order === "asc" ? "desc" : "asc";
  const sign = order === null ? "" : order === "asc" ? "▲" : "▼";
  const onclick = () => onSort({ sort, order: next });
  const button = html("button.sort", { type: "button", "data-sort": sort, onclick },
    head, html("span.order", { "aria-hidden": "true" }, sign));
  return html("th", { ...properties, "aria-sort": order === null ? "none" : `${order}ending` },
    about ? explain(button, about) : button);
}
