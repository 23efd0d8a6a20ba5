// Elements are made here and nowhere else: text is only ever set as text, so that no name from the
// data can become markup.

export type Child = Node | string | number | null | undefined | false | Child[];

type Handler = (event: any) => void;

export interface Properties {
  class?: string | null;
  text?: string | number | null;
  /** Attributes with a value; null, undefined and false leave one out, true sets it empty. */
  [attribute: string]: string | number | boolean | null | undefined | Handler;
}

const svgNamespace = "http://www.w3.org/2000/svg";

/**
 * Makes an element. `on...` properties are listeners, `text` is its text, all others attributes.
 *
 *   element("button", {type: "button", class: "quiet", onclick: close}, "Close")
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  return filled(document.createElement(name), properties, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  name: K, properties: Properties = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  return filled(document.createElementNS(svgNamespace, name), properties, children);
}

function filled<E extends Element>(made: E, properties: Properties, children: Child[]): E {
  for (const [name, value] of Object.entries(properties)) set(made, name, value);
  append(made, children);
  return made;
}

function set(target: Element, name: string, value: Properties[string]): void {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === "function") target.addEventListener(name.slice(2), value);
  else if (name === "text") target.textContent = String(value);
  else if (name === "style" || name.startsWith("on")) throw new Error(`${name} is not an attribute here`);
  else target.setAttribute(name, value === true ? "" : String(value));
}

/** Appends texts and nodes; null, undefined and false are nothing. */
export function append(target: Element, children: Child): void {
  if (children === null || children === undefined || children === false) return;
  if (Array.isArray(children)) for (const child of children) append(target, child);
  else target.append(typeof children === "number" ? String(children) : children);
}

/** Puts `children` in place of what `target` has. */
export function fill(target: Element, ...children: Child[]): void {
  target.replaceChildren();
  append(target, children);
}

/** Sets a text only where it differs, so that selections and focus stay. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

let lastId = 0;

/** An id that no other element of this page has. */
export function uniqueId(prefix: string): string {
  return `${prefix}-${++lastId}`;
}
