import { element, fill, setText } from "../dom.ts";
import { count } from "../format.ts";

/** Buttons to the first, previous, next and last page, and which topics are shown. */
export interface Pager {
  element: HTMLElement;
  set(state: { page: number; size: number; matching: number }): void;
}

export function pager(go: (page: number) => void): Pager {
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
  return { element: bar, set: ({ page, size, matching }) => {
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
