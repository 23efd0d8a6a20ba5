import "../styles/health.css";
import { armName } from "../arms.ts";
import type { Arm, Mean, PastEpoch, Summary } from "../data/documents.ts";
import { type Child, element, fill, setText } from "../dom.ts";
import { explained, type Line } from "../explain.ts";
import { count, counted, difference, interval, microseconds, score } from "../format.ts";
import { meanName, measureExplanation } from "../measures.ts";
import { href, type Place, selection, selectionBar } from "../place.ts";
import { type Table, table, type TableColumn } from "../table.ts";
import type { Context, Now, ShownView } from "../view.ts";
import { type Counter, type CounterGroup, groupsOf, vitals } from "./health_counters.ts";
import { epochReason, type Part } from "./overview.ts";

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

/** Whether the numbers above can be trusted, at a glance. */
export function healthPart(title: string, link: boolean): Part {
  const tiles = element("dl", { class: "vitals" });
  const more = element("a", { text: "All counters" });
  let shape = "";
  return {
    element: element("section", { class: "card" }, element("div", { class: "card-head" }, element("h2", { text: title }), link && more), tiles),
    set({ summary }) {
      more.setAttribute("href", href("health"));
      const shown = vitals(summary);
      const wanted = shown.map((vital) => vital.key).join();
      if (wanted !== shape)
        fill(tiles, shown.map((vital) => element("div", { "data-vital": vital.key }, element("dt", {}, explained(vital.name, vital.explanation)),
          element("dd", { class: "value" }), element("dd", { class: "small" }))));
      shape = wanted;
      shown.forEach((vital, index) => {
        const tile = tiles.children[index] as HTMLElement;
        tile.className = `vital ${vital.tone}`;
        tile.children[1]!.textContent = vital.value;
        tile.children[2]!.textContent = vital.of;
      });
    },
  };
}

const heading: TableColumn<Arm> = { head: "Arm", heads: true, cell: (arm, index) => armName(index, arm.name) };

/** What each arm was asked, and what of it is missing. */
export function trafficTable(): Table<Arm> {
  return table<Arm>({
    caption: "Traffic of each arm",
    columns: [heading,
      number("Judged", "Queries with judgements observed.", (arm) => arm.judged_queries, "judged_queries"),
      number("Unjudged", "Queries without judgements: latency counts, there is no score.", (arm) => arm.unjudged_queries, "unjudged_queries"),
      number("Retried", "Queries that the engine answered only when asked again; their latency is in no figure.", (arm) => arm.retried_queries, "retried_queries"),
      number("Failed", "Searches that threw.", (arm) => arm.failed_queries, "failed_queries"),
      number("Timed out", "Searches that gave up without a ranking.", (arm) => arm.timed_out_queries, "timed_out_queries"),
      number("Topics", "Distinct topics observed.", (arm) => arm.topics_seen, "topics_seen"),
      number("Awaiting", "Topics without a value since their judgements changed.", (arm) => arm.topics_awaiting, "topics_awaiting"),
      number("Unresolved", "Relevant judgements whose document is not in the index; they count as not found.", (arm) => arm.relevant_missing, "relevant_missing"),
      number("Duplicates", "Judged documents served again at a worse rank; the first counts.", (arm) => arm.duplicate_hits, "duplicate_hits"),
    ],
  });
}

/** The plugin's own time. */
export function selfTimeTable(): Table<Arm> {
  const column = (head: string, line: Line, value: (arm: Arm) => number | null, key: string): TableColumn<Arm> => (
    { head, about: line, cell: (arm) => microseconds(value(arm)), attributes: (arm) => ({ "data-number": `self/${arm.name}/${key}` }) });
  return table<Arm>({
    caption: "The plugin's own time on the query thread",
    columns: [heading,
      column("Judged, p50", "Half of the judged queries cost the plugin less.", (arm) => arm.self_time_us.p50, "p50"),
      column("Judged, p99", "99 of 100 judged queries cost the plugin less.", (arm) => arm.self_time_us.p99, "p99"),
      column("Unjudged, p50", "Half of the queries without judgements cost the plugin less.", (arm) => arm.unjudged_self_time_us.p50, "unjudged_p50"),
      column("Unjudged, p99", "99 of 100 queries without judgements cost the plugin less.", (arm) => arm.unjudged_self_time_us.p99, "unjudged_p99"),
    ],
  });
}

export interface DriftRow {
  arm: Arm;
  index: number;
  measure: string;
  mean: Mean;
}

/** Topics whose score moved since their earlier visits of this epoch. */
export function driftTable(): Table<DriftRow> {
  return table<DriftRow>({
    caption: "Drift",
    columns: [
      { head: "Arm", heads: true, cell: (row) => armName(row.index, row.arm.name) },
      { head: "Measure", align: "start", cell: (row) => meanName(row.measure), explain: (row) => measureExplanation(row.measure) },
      { head: "Revisited", about: "Topics with a value from more than one visit of this epoch.", cell: (row) => count(row.mean.drift.revisited) },
      { head: "Moved", about: "Of these, topics whose last value is not the mean of the earlier ones.", cell: (row) => count(row.mean.drift.changed) },
      { head: "By, on average", about: "Mean absolute change over the revisited topics.", cell: (row) => score(row.mean.drift.mean_change) },
      { head: "Most", about: "The largest absolute change of a topic.", cell: (row) => score(row.mean.drift.largest) },
      { head: "in topic", align: "start", cell: (row) => row.mean.drift.topic !== null && element("a", { href: href("topic", row.mean.drift.topic) }, element("bdi", { text: row.mean.drift.topic })) },
    ],
  });
}

export function driftRows(summary: Summary): DriftRow[] {
  return summary.arms.flatMap((arm, index) => Object.entries(arm.means)
    .filter(([, mean]) => mean.drift.changed > 0).map(([measure, mean]) => ({ arm, index, measure, mean })));
}

function number(head: string, about: Line, value: (arm: Arm) => number | null, key: string): TableColumn<Arm> {
  return { head, about, cell: (arm) => count(value(arm)), attributes: (arm) => ({ "data-number": `traffic/${arm.name}/${key}` }) };
}

export interface EpochRow {
  number: number;
  reason: string;
  observations: number;
  /** Lines of what was shown when it ended; null of the present one. */
  ended: string[] | null;
}

/** Epochs, the present one first. */
export function epochTable(): Table<EpochRow> {
  return table<EpochRow>({
    caption: "Epochs",
    columns: [
      { head: "Epoch", heads: true, cell: (row) => count(row.number) },
      { head: "Began because", about: "start: the experiment began. Index changed: a new generation. Arms changed: one was added, paused, resumed, removed or restarted. Judgements changed.",
        align: "start", cell: (row) => epochReason(row.reason) },
      { head: "Observations", about: "In it so far, or until it ended.", cell: (row) => count(row.observations) },
      { head: "Ended with", align: "start", cell: (row) => row.ended === null ? "goes on" : row.ended.map((line) => element("div", { text: line })) },
    ],
  });
}

export function epochRows(summary: Summary, measure: string): EpochRow[] {
  const past = summary.past_epochs.map((epoch) => ({ ...epoch, ended: endedWith(epoch, measure) })).reverse();
  return [{ ...summary.epoch, ended: null }, ...past];
}

function endedWith(epoch: PastEpoch, measure: string): string[] {
  return epoch.ended_with.filter((each) => each.measure === measure).map((each) =>
    `${each.b}: ${meanName(measure)} ${difference(each.mean)} ${interval(each.live.low, each.live.high, difference)} over ${counted(each.topics, "topic")}, ${each.words}`);
}
