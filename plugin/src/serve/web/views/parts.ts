// What the views of reports are put together from.
import { type Child, element } from "../dom.ts";

/** What was compared: names and what they stand for. */
export function subject(lines: [string, Child][]): HTMLElement {
  return element("dl", { class: "subject" }, lines.map(([label, words]) => [element("dt", { text: label }), element("dd", {}, words)]));
}

export function section(title: string, ...content: Child[]): HTMLElement {
  return element("section", { class: "card" }, element("h2", { text: title }), content);
}

/** The heading of a report, and below it in a sentence what came out. */
export function heading(title: string, ...lead: Child[]): HTMLElement {
  return element("div", { class: "report-head" }, element("h1", {}, name(title)), element("p", { class: "lead" }, lead));
}

/** What a table or a plot says, in small print. */
export function about(...sentences: (string | null)[]): HTMLElement {
  return element("p", { class: "about", text: sentences.filter(Boolean).join(" ") });
}

/** Text from a file: its letters cannot change what stands around it. */
export function name(text: string): HTMLElement {
  return element("bdi", { text: shown(text) });
}

/** Control characters have no shape: U+FFFD stands for each. */
export function shown(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd");
}

/** A list of sentences; nothing where there is none. */
export function sentences(title: string, lines: Child[]): Child {
  return lines.length === 0 ? null : section(title, element("ul", { class: "sentences" }, lines.map((each) => element("li", {}, each))));
}

/** Paper has nothing to click: whatever is folded is unfolded while it is printed. */
export function unfoldForPrinting(): () => void {
  let folded: HTMLDetailsElement[] = [];
  const unfold = () => {
    folded = [...document.querySelectorAll<HTMLDetailsElement>("main details:not([open])")];
    for (const each of folded) each.open = true;
  };
  const fold = () => { for (const each of folded) each.open = false; };
  addEventListener("beforeprint", unfold);
  addEventListener("afterprint", fold);
  return () => {
    removeEventListener("beforeprint", unfold);
    removeEventListener("afterprint", fold);
  };
}
