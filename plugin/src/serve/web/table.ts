import { type Child, element, fill } from "./dom.ts";
import { type Line, explain, explainOnHover, explained } from "./explain.ts";

export interface TableColumn<Row> {
  /** The heading. */
  head: Child;
  /** What the heading means, shown on hover and focus. */
  about?: Line;
  /** What the cell shows. */
  cell: (row: Row, index: number) => Child;
  /** Numbers stand right, in tabular figures. */
  align?: "start" | "end";
  /** The cell that names its row. */
  heads?: boolean;
  /** One line about this number, on hover. */
  explain?: (row: Row) => string | null;
  /** Attributes of the cell: data-... for what the tests look for, class. */
  attributes?: (row: Row) => Record<string, string>;
  sort?: { key: string; first: "asc" | "desc" };
}

export interface TableOptions<Row> {
  /** What the table is, for assistive technology; shown where `captionShown`. */
  caption: string;
  captionShown?: boolean;
  columns: TableColumn<Row>[];
  class?: string;
  /** Where given, headings with `sort` are buttons that call it. */
  onSort?: (key: string, order: "asc" | "desc") => void;
}

export interface Table<Row> {
  /** Scrolls by itself where it is wider than the page; focusable then. */
  element: HTMLElement;
  set(rows: readonly Row[], sorted?: { key: string; order: "asc" | "desc" }): void;
}

/**
 * A table whose rows can be set again and again; the element stays the same, and so do cells that
 * would look the same: what a cell does has to follow from what it shows.
 */
export function table<Row>(options: TableOptions<Row>): Table<Row> {
  const head = element("tr");
  const body = element("tbody");
  const frame = scrolling(options.caption, element("table", { class: options.class ?? null },
    element("caption", { class: options.captionShown ? null : "visually-hidden", text: options.caption }),
    element("thead", {}, head), body));
  const show = (rows: readonly Row[], sorted?: { key: string; order: "asc" | "desc" }) => {
    showHeads(head, options, sorted);
    rows.forEach((row, index) => showRow(body, index, options.columns.map((column) => cellOf(column, row, index))));
    while (body.childElementCount > rows.length) body.lastElementChild!.remove();
  };
  showHeads(head, options, undefined);
  return { element: frame, set: show };
}

/** A table of `rows` that stay as they are. */
export function filledTable<Row>(rows: readonly Row[], options: TableOptions<Row>): HTMLElement {
  const made = table(options);
  made.set(rows);
  return made.element;
}

/**
 * A frame that scrolls by itself where `content` is larger, so that the page never does; it can be
 * reached with the keyboard as long as there is something to scroll.
 */
export function scrolling(label: string, content: HTMLElement, classes = "scroll"): HTMLElement {
  const frame = element("div", { class: classes, role: "region", "aria-label": label }, content);
  const watch = new ResizeObserver(() => {
    const scrolls = frame.scrollWidth > frame.clientWidth || frame.scrollHeight > frame.clientHeight;
    if (scrolls) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
  });
  watch.observe(frame);
  watch.observe(content);
  return frame;
}

// Cells that look the same stay, and with them the reader's focus and selection.
function showRow(body: HTMLElement, index: number, cells: HTMLElement[]): void {
  const line = body.children[index];
  if (!line) return body.append(element("tr", {}, cells));
  cells.forEach((cell, place) => {
    const old = line.children[place];
    if (!old?.isEqualNode(cell)) old ? old.replaceWith(cell) : line.append(cell);
  });
}

function cellOf<Row>(column: TableColumn<Row>, row: Row, index: number): HTMLElement {
  const cell = element(column.heads ? "th" : "td", {
    scope: column.heads ? "row" : null, ...column.attributes?.(row) }, column.cell(row, index));
  if ((column.align ?? "end") === "end" && !column.heads) cell.classList.add("number");
  const line = column.explain?.(row);
  return line ? explainOnHover(cell, line) : cell;
}

type Sorted = { key: string; order: "asc" | "desc" } | undefined;

function showHeads<Row>(line: HTMLElement, options: TableOptions<Row>, sorted: Sorted): void {
  const focused = line.contains(document.activeElement) ? document.activeElement?.getAttribute("data-sort") : null;
  if (line.childElementCount && !options.onSort) return;
  fill(line, options.columns.map((column) => headOf(column, options, sorted)));
  if (focused) line.querySelector<HTMLElement>(`[data-sort="${CSS.escape(focused)}"]`)?.focus();
}

function headOf<Row>(column: TableColumn<Row>, options: TableOptions<Row>, sorted: Sorted): HTMLElement {
  const classes = (column.align ?? "end") === "end" && !column.heads ? "number" : null;
  const sort = column.sort;
  if (!sort || !options.onSort)
    return element("th", { scope: "col", class: classes }, column.about ? explained(column.head, column.about) : column.head);
  const order = sorted?.key === sort.key ? sorted.order : null;
  const next = order === null ? sort.first : order === "asc" ? "desc" : "asc";
  const button = element("button", { type: "button", class: "sort", "data-sort": sort.key, onclick: () => options.onSort!(sort.key, next) },
    column.head, element("span", { class: "order", "aria-hidden": "true", text: order === null ? "" : order === "asc" ? "▲" : "▼" }));
  return element("th", { scope: "col", class: classes, "aria-sort": order === null ? "none" : `${order}ending` },
    column.about ? explain(button, column.about) : button);
}
