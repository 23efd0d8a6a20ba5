import { type Child, element, uniqueId } from "./dom.ts";

/** One line for each word that the page uses; the words are those of docs/. */
const lines = {
  PRES: "How early the known relevant documents arrive within the N documents read; 0 to recall, 1 is best.",
  Recall: "Share of a topic's relevant documents among the first N served; 0 to 1.",
  MAP: "Mean over topics of average precision within the first N served; 0 to 1.",
  mean: "Mean over the topics that have a value; each topic counts once, however often it was asked.",
  "mean over all": "The same over all topics with relevant documents, 0 where a topic has no value yet; grows as traffic reaches more topics.",
  topics: "Number of topics (judged queries) that the value next to it is of.",
  difference: "Mean over topics that both arms served of the second arm's score minus the first's; above 0 the second is better.",
  "confidence sequence": "Range in which the true difference lies, however often one looks, but for the chance named beside it.",
  detectable: "Smallest true difference that this many topics would show in 4 of 5 cases.",
  state: "collecting: fewer than 10 topics. No verdict: the interval contains 0. Leading: it excludes 0. Confirmed: the bets have won too, whatever the scores' distribution.",
  alpha: "Chance that this verdict is ever wrong: the experiment's alpha, shared evenly by its measures and pairs.",
  wins: "Topics in which the second arm scores above, equal to, and below the first.",
  epoch: "Means and verdicts are of the current epoch only; a new one begins when the index, an arm or the judgements change.",
  p50: "Half of the queries were answered within this time. Counts requests, not topics.",
  p90: "90 of 100 queries were answered within this time. Counts requests, not topics.",
  p95: "95 of 100 queries were answered within this time. Counts requests, not topics.",
  p99: "99 of 100 queries were answered within this time. A query that failed counts as one that never ended.",
  "latency interval": "95 % interval of the quantile; holds however often one looks.",
  "latency ratio": "Latency of the second arm over the first in the same topic, geometric mean over topics, with its confidence sequence.",
  "self-time": "The plugin's own time on the query thread, within the query's latency; for judged queries half and 99 of 100 of them.",
} as const;

export type Term = keyof typeof lines;

/** One of the page's words, or a sentence of one's own. */
export type Line = Term | (string & {});

/** The explanation of one of the page's words. */
export function explanation(term: Term): string {
  return lines[term];
}

/**
 * `content` as something that can be asked: its explanation shows on hover, on focus and on a tap,
 * and is its description for assistive technology. `line` is a sentence or one of the page's words.
 */
export function explained(content: Child, line: Line): HTMLButtonElement {
  return explain(element("button", { type: "button", class: "term" }, content), line);
}

/** Gives an explanation to what can take focus already, such as a button or a link. */
export function explain<E extends Element>(target: E, line: Line): E {
  const text = sentence(line);
  target.setAttribute("aria-describedby", descriptionId(text));
  return explainOnHover(target, text);
}

/** Gives `target` an explanation on hover only, for what cannot take focus, such as a cell. */
export function explainOnHover<E extends Element>(target: E, line: Line): E {
  target.setAttribute("data-explain", sentence(line));
  return target;
}

function sentence(line: Line): string {
  return line in lines ? lines[line as Term] : line;
}

const descriptions = new Map<string, string>();
let shelf: HTMLElement | undefined;

function descriptionId(text: string): string {
  let id = descriptions.get(text);
  if (id) return id;
  shelf ??= document.body.appendChild(element("div", { hidden: true, id: "explanations" }));
  id = uniqueId("explanation");
  descriptions.set(text, id);
  shelf.append(element("p", { id, text }));
  return id;
}

/** Starts showing explanations; once a page. */
export function watchExplanations(): void {
  const tip = document.body.appendChild(element("div", { class: "tip", role: "tooltip", hidden: true }));
  const hide = () => { tip.hidden = true; };
  const show = (event: Event) => {
    const asked = event.target instanceof Element ? event.target.closest("[data-explain]") : null;
    if (!asked) return hide();
    tip.textContent = asked.getAttribute("data-explain");
    tip.hidden = false;
    place(tip, asked.getBoundingClientRect());
  };
  document.addEventListener("pointerover", show);
  document.addEventListener("focusin", show);
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", hide, { capture: true, passive: true });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
}

function place(tip: HTMLElement, about: DOMRect): void {
  const margin = 8;
  const width = tip.offsetWidth;
  const left = Math.min(Math.max(margin, about.left), document.documentElement.clientWidth - width - margin);
  const below = about.bottom + 6;
  const fits = below + tip.offsetHeight < document.documentElement.clientHeight;
  tip.style.left = `${Math.max(margin, left)}px`;
  tip.style.top = `${fits ? below : Math.max(margin, about.top - tip.offsetHeight - 6)}px`;
}
