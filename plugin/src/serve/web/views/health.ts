import "../styles/health.css";
import type { Summary } from "../data/documents.ts";
import { type Child, element, fill, setText } from "../dom.ts";
import { count, counted } from "../format.ts";
import type { Place } from "../place.ts";
import { selection, selectionBar } from "../selection.ts";
import { type Table, table } from "../table.ts";
import type { Context, Now, ShownView } from "../view.ts";
import { driftRows, driftTable, selfTimeTable, trafficTable } from "./health/arm_tables.ts";
import { type Counter, type CounterGroup, groupsOf } from "./health/counters.ts";
import { epochRows, epochTable } from "./health/epoch_table.ts";
import { healthPart } from "./overview/health_part.ts";

/** Whether what is shown elsewhere can be trusted: losses, faults, what is unknown, epochs. */
export function healthView(context: Context): ShownView {
  const bar = selectionBar(context, "none");
  const vitals = healthPart("At a glance", false);
  const [traffic, selfTime, drift, epochs] = [trafficTable(), selfTimeTable(), driftTable(), epochTable()] as const;
  const noDrift = element("p", { class: "empty", text: "No topic scored differently when it was served again." });
  const judgements = element("p", { class: "sub" });
  const counters = countersPart();
  let place = context.place;
  const show = (now: Now) => {
    const summary = now.document.summary;
    if (!summary) return;
    bar.set(place, summary);
    vitals.set({ place, now, summary });
    traffic.set(summary.arms);
    selfTime.set(summary.arms);
    const drifted = driftRows(summary);
    drift.element.hidden = drifted.length === 0;
    noDrift.hidden = drifted.length > 0;
    drift.set(drifted);
    epochs.set(epochRows(summary, selection(place, summary).measure));
    setText(judgements, judgementsLine(summary));
    counters.set(summary);
  };
  return {
    element: element("div", { class: "view" },
      element("div", { class: "view-head" }, element("div", {}, element("h1", { text: "Health" }), judgements), bar.element),
      vitals.element,
      card("Traffic", "Queries, topics and documents of each arm.", traffic.element),
      card("Plugin self-time", "The plugin's own time on the query thread, within each query's latency.", selfTime.element),
      counters.element,
      card("Epochs", "The present epoch and the last 16 that ended, with what was shown of the selected measure when they did.", epochs.element),
      card("Drift", "Within an epoch a topic should score the same each time. Where it does not: an index that changes without a new generation, replicas that differ, timeouts, or a ranking that is not deterministic.", drift.element, noDrift)),
    update: show,
    parameters(changed: Place) {
      place = changed;
      show(context.now);
    },
  };
}

function card(title: string, sub: string, ...children: Child[]): HTMLElement {
  return element("section", { class: "card" }, element("h2", { text: title }), element("p", { class: "sub", text: sub }), children);
}

function judgementsLine(summary: Summary): string {
  const extra = [
    summary.topics_without_relevant && `${counted(summary.topics_without_relevant, "topic")} without a relevant document, in no mean`,
    summary.judgements_repeated && `${count(summary.judgements_repeated)} judgements repeated, counted once`,
    summary.judgements_merged && `${count(summary.judgements_merged)} judgements made one by the docno policy`,
  ].filter(Boolean);
  return [`${counted(summary.topics, "topic")}, ${counted(summary.judgements, "judgement")}`, ...extra].join(" · ");
}

function countersPart() {
  const holder = element("div", { class: "counter-groups" });
  let tables: Table<Counter>[] = [];
  let shape = "";
  let health: Summary["health"] = {};
  return {
    element: card("Counters", "Since the experiment began. Every kind of loss or doubt is counted; nothing is dropped in silence.", holder),
    set(summary: Summary) {
      health = summary.health;
      const groups = groupsOf(health);
      const wanted = groups.map((group) => group.counters.map((counter) => counter.key).join()).join();
      if (wanted !== shape) {
        tables = groups.map((group) => counterTable(group, (key) => health[key] ?? 0));
        fill(holder, tables.map((each, index) => element("div", {}, element("h3", { text: groups[index]!.title }), each.element)));
      }
      shape = wanted;
      groups.forEach((group, index) => tables[index]!.set(group.counters));
    },
  };
}

function counterTable(group: CounterGroup, value: (key: string) => number): Table<Counter> {
  const tone = (counter: Counter) => (group.tone !== "plain" && value(counter.key) > 0 ? `counted ${group.tone}` : "counted");
  return table<Counter>({
    caption: group.title, class: "counters",
    columns: [
      { head: "What is counted", heads: true, cell: (counter) => counter.line, explain: (counter) => counter.key },
      { head: "Count", cell: (counter) => count(value(counter.key)), attributes: (counter) => ({ class: tone(counter), "data-number": `health/${counter.key}` }) },
    ],
  });
}
