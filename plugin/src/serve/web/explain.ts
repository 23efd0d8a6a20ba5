// Explanations of the page's words and measures, on hover, on focus and on a tap.
import { type Child, html } from "./dom.ts";

const ofQueries = "queries were answered within this time. Counts requests, not topics.";

/** One line for each word that the page uses; the words are those of docs/. */
export const terms = {
  topics: "Number of topics (judged queries) that the value next to it is of.",
  difference: "Mean over topics of the second arm's score minus the first's; the interval is " +
    "about this difference.",
  sequence: "Range in which the true difference lies, however often one looks, but " +
    "for the chance named beside it.",
  detectable: "Smallest true difference that this many topics would show in 4 of 5 cases.",
  wins: "Topics in which the second arm scores above, equal to, and below the first.",
  allVisits: "The mean difference over all visits of each topic. The interval is about the " +
    "first visits, because evidence must not change later.",
  epoch: "Means and verdicts are of the current epoch only; a new one begins when an arm or the " +
    "judgements change, and in observed traffic when the index does.",
  p50: `Half of the ${ofQueries}`,
  p90: `90 of 100 ${ofQueries}`,
  p95: `95 of 100 ${ofQueries}`,
  p99: "99 of 100 queries were answered within this time. A query that failed counts as one that " +
    "never ended.",
};

/**
 * `content` as something that can be asked: its explanation shows on hover, on focus and on a tap,
 * and is its description for assistive technology.
 */
export function explained(content: Child, line: string): HTMLButtonElement {
  return explain(html("button.term", { type: "button" }, content), line);
}

/** Adds an explanation to an element that can take focus, such as a button or a link. */
export function explain<E extends Element>(target: E, line: string): E {
  target.setAttribute("aria-description", line);
  return explainOnHover(target, line);
}

/** Adds an explanation on hover only, for elements that cannot take focus, such as a cell. */
export function explainOnHover<E extends Element>(target: E, line: string): E {
  target.setAttribute("data-explain", line);
  return target;
}

/** Starts showing explanations; once a page. */
export function watchExplanations(): void {
  const tip = document.body.appendChild(html("div.tip", { role: "tooltip", hidden: true }));
  const hide = () => { tip.hidden = true; };
  const show = ({ target }: Event) => {
    const asked = target instanceof Element ? target.closest("[data-explain]") : null;
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
  const { clientWidth, clientHeight } = document.documentElement;
  const left = Math.min(Math.max(margin, about.left), clientWidth - tip.offsetWidth - margin);
  const below = about.bottom + 6;
  const fits = below + tip.offsetHeight < clientHeight;
  tip.style.left = `${Math.max(margin, left)}px`;
  tip.style.top = `${fits ? below : Math.max(margin, about.top - tip.offsetHeight - 6)}px`;
}

/** Facts that the library writes into the page, by their names. */
function factsOf<Fact>(id: string): Record<string, Fact> {
  return JSON.parse(globalThis.document?.getElementById(`prescope-${id}`)?.textContent ?? "{}");
}

/** Each measure's name as a mean, and its meaning, in the words of `prescope explain`. */
const measures = factsOf<{ mean: string; meaning: string }>("measures");

/** Each counter of `health`: the group that it is listed in, and what it counts. */
export const counters = factsOf<{ group: string; line: string }>("counters");

/** Explains a measure such as PRES@100 or RBP(p=0.8)@50; its cutoff N is named. */
export function measureExplanation(measure: string): string {
  const [, name = "", cutoff] = /^(\w+)[^@]*(?:@(\d+))?$/.exec(measure) ?? [];
  const meaning = measures[name]?.meaning ?? measure;
  return cutoff ? `${meaning} N = ${cutoff}.` : meaning;
}

/** The field's word for the mean of a measure over topics: AP@100 is MAP@100. */
export function meanName(measure: string): string {
  return measure.replace(/^\w+/, (name) => measures[name]?.mean ?? name);
}

export const explainedMean = (measure: string) =>
  explained(meanName(measure), measureExplanation(measure));
