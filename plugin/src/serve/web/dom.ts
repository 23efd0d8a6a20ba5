// Elements are made here and nowhere else: text is only ever set as text, so that no name from the
// data can become markup.

export type Child = Node | string | number | null | undefined | false | Child[];

type Value = string | number | boolean | null | undefined | ((event: any) => void);

/** Attributes: null, undefined and false leave one out, true sets it empty; `on...` listen. */
export type Properties = Record<string, Value>;

type Tag<Map> = (keyof Map & string) | `${keyof Map & string}.${string}`;
type Made<Map, T> = T extends `${infer Name extends keyof Map & string}.${string}` ? Map[Name]
  : T extends keyof Map ? Map[T] : never;

type Content = [Properties | Child, ...Child[]] | [];

/**
 * Makes an element of a tag with classes, perhaps properties, and children:
 *
 *   html("button.quiet", { type: "button", onclick: close }, "Close")
 */
export function html<T extends Tag<HTMLElementTagNameMap>>(
  tag: T, ...content: Content): Made<HTMLElementTagNameMap, T> {
  return made("http://www.w3.org/1999/xhtml", tag, content) as never;
}

export function svg<T extends Tag<SVGElementTagNameMap>>(
  tag: T, ...content: Content): Made<SVGElementTagNameMap, T> {
  return made("http://www.w3.org/2000/svg", tag, content) as never;
}

/** A small drawing of fixed size, beside a text that says the same. */
export function picture(tag: `svg.${string}`,
  box: { width: number; height: number; class?: string }, ...content: Child[]): SVGSVGElement {
  const viewBox = `0 0 ${box.width} ${box.height}`;
  return svg(tag, { viewBox, ...box, "aria-hidden": "true" }, ...content);
}

function made(namespace: string, tag: string, [first, ...others]: Content): Element {
  const [name, ...classes] = tag.split(".");
  const element = document.createElementNS(namespace, name!);
  const given = isProperties(first) ? first : {};
  const all = [...classes, given.class].filter(Boolean).join(" ");
  for (const [key, value] of Object.entries({ ...given, class: all || null }))
    set(element, key, value);
  append(element, isProperties(first) ? others : [first, ...others]);
  return element;
}

function isProperties(part: Properties | Child): part is Properties {
  const isObject = typeof part === "object" && part !== null;
  return isObject && !Array.isArray(part) && !(part instanceof Node);
}

function set(target: Element, name: string, value: Value): void {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === "function") target.addEventListener(name.slice(2), value);
  else if (/^(style$|on)/.test(name)) throw new Error(`${name} is not an attribute here`);
  else target.setAttribute(name, value === true ? "" : String(value));
}

/** Appends texts and nodes; ignores null, undefined and false. */
function append(target: Element, children: Child): void {
  if (children === null || children === undefined || children === false) return;
  if (Array.isArray(children)) for (const child of children) append(target, child);
  else target.append(typeof children === "number" ? String(children) : children);
}

export function fill(target: Element, ...children: Child[]): void {
  target.replaceChildren();
  append(target, children);
}

/**
 * Like fill, but children that look the same stay, and with them the reader's focus and selection.
 * The behaviour of a child must follow from its content.
 */
export function refill(target: Element, children: Element[]): void {
  children.forEach((child, place) => {
    const old = target.children[place];
    if (!old?.isEqualNode(child)) old ? old.replaceWith(child) : target.append(child);
  });
  while (target.childElementCount > children.length) target.lastElementChild!.remove();
}

/** Sets a text only if it differs, so that selections and focus stay. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

const focusable = "a[href], button, input, select, summary, [tabindex]";

/**
 * Rebuilds the content of `container`; focus stays with the element of the same data-key, or place.
 */
export function keepingFocus(container: HTMLElement, rebuild: () => void): void {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || !container.contains(focused)) return rebuild();
  const all = () => Array.from(container.querySelectorAll<HTMLElement>(focusable));
  const place = all().indexOf(focused);
  const { key } = focused.dataset;
  rebuild();
  if (container.contains(document.activeElement)) return;
  const found = key === undefined ? all()[place]
    : all().find((each) => each.dataset.key === key) ?? all()[0];
  found?.focus({ preventScroll: true });
}

export interface Choice {
  value: string;
  text: string;
  title?: string;
}

/** A select with its label; `set` gives it its options, and the one that is chosen. */
export function chooser(label: string, onChoice: (value: string) => void, name?: string) {
  const select = html("select", { "aria-label": name, onchange: () => onChoice(select.value) });
  const option = ({ value, text, title }: Choice) => html("option", { value, title }, text);
  const set = (choices: Choice[], value: string) => {
    refill(select, choices.map(option));
    if (select.value !== value) select.value = value;
  };
  return { element: html("label.choice", html("span", label), select), set };
}

let lastId = 0;

/** An id that no other element of this page has. */
export function uniqueId(prefix: string): string {
  return `${prefix}-${++lastId}`;
}
