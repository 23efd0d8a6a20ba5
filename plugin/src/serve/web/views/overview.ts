import "../styles/overview.css";
import type { Summary } from "../data/documents.ts";
import { element, fill, setText } from "../dom.ts";
import { counted, count, dateAndTime } from "../format.ts";
import type { Place } from "../place.ts";
import { selectionBar } from "../selection.ts";
import type { Context, Now, ShownView } from "../view.ts";
import { epochReason } from "../words.ts";
import { armsPart } from "./overview/arms_part.ts";
import { differencePart } from "./overview/difference_part.ts";
import { healthPart } from "./overview/health_part.ts";
import { latencyPart } from "./overview/latency_part.ts";
import type { Part } from "./overview/part.ts";
import { robustnessPart } from "./overview/robustness_part.ts";
import { tradeOffPart } from "./overview/trade_off_part.ts";
import { verdictPart } from "./overview/verdict_part.ts";

/** The running experiment at a glance. */
export function overviewView(context: Context): ShownView {
  const bar = selectionBar(context, "pairs");
  const sub = element("p", { class: "sub" });
  const parts: Part[] = [verdictPart(), armsPart(context), differencePart(), tradeOffPart(), latencyPart(), robustnessPart(context), healthPart("Health", true)];
  const [verdict, arms, difference, tradeOff, latency, robustness, health] = parts.map((part) => part.element);
  const body = element("div", { class: "view" }, verdict, arms,
    element("div", { class: "columns wide-first" }, difference, tradeOff), latency, robustness, health);
  const empty = element("p", { class: "empty", text: "No summary yet." });
  const view = element("div", { class: "view" },
    element("div", { class: "view-head" }, element("div", {}, element("h1", { text: "Overview" }), sub), bar.element), body, empty);

  let place = context.place;
  const show = (now: Now) => {
    const summary = now.document.summary;
    body.hidden = summary === null;
    empty.hidden = summary !== null;
    if (!summary) return;
    bar.set(place, summary);
    setText(sub, described(summary, now));
    for (const part of parts) part.set({ place, now, summary });
  };
  return {
    element: view,
    update: show,
    parameters(changed: Place) {
      place = changed;
      show(context.now);
    },
    close() {
      for (const part of parts) part.close?.();
      fill(view);
    },
  };
}

const modes: Record<Summary["mode"], string> = {
  observe: "Observing: each query is served by the arm that the host chose",
  paired: "Paired: each judged query is run under every arm",
  split: "Split: each topic is served by one arm",
};

function described(summary: Summary, now: Now): string {
  const since = now.document.started ? ` · since ${dateAndTime(now.document.started)}` : "";
  return `${modes[summary.mode]}${since} · ${counted(summary.topics, "topic")} with ${counted(summary.judgements, "judgement")} · ` +
    `epoch ${count(summary.epoch.number)} (${epochReason(summary.epoch.reason)}), ${counted(summary.epoch.observations, "observation")}`;
}
