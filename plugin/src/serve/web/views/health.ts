import { armName } from "../arms.ts";
import type { Arm, Epoch, PastEpoch, Summary } from "../data/documents.ts";
import { html, keepingFocus, refill, setText } from "../dom.ts";
import { counters, explained, meanName, measureExplanation } from "../explain.ts";
import {
  count, counted, difference, interval, microseconds, nameInText, none, percent, score, visibleText,
} from "../format.ts";
import { type Column, nameColumn, numberColumn, type Table, table, textColumn } from "../table.ts";
import { type Context, href, selection, selectionBar, type ShownView, viewHead } from "../view.ts";
import { epochReason, type Part } from "./overview.ts";
import { card } from "./parts.ts";

/** Tells how far the other views can be trusted: losses, faults, unknown counts, epochs. */
export function healthView(context: Context): ShownView {
  const bar = selectionBar(context, "none");
  const vitals = healthPart("At a glance", false);
  const traffic = trafficTable(), selfTime = selfTimeTable();
  const drift = driftTable(), epochs = epochTable(), counts = countersPart();
  const noDrift = html("p.empty", "No topic scored differently when it was served again.");
  const judgements = html("p.sub"), notes = html("ul.sentences");
  const update = () => {
    const { summary } = context.now.document;
    bar.set(summary);
    if (!summary) return;
    vitals.set(summary, null);
    for (const each of [traffic, selfTime]) each.set(summary.arms);
    const drifted = driftRows(summary);
    drift.element.hidden = drifted.length === 0;
    noDrift.hidden = drifted.length > 0;
    drift.set(drifted);
    epochs.set(epochRows(summary));
    setText(judgements,
      `${counted(summary.topics, "topic")}, ${counted(summary.judgements, "judgement")}`);
    const lines = [...summary.words.left_out, ...summary.words.notes];
    refill(notes, lines.map((line) => html("li", visibleText(line))));
    counts.set(summary.health);
  };
  const element = html("div.view", viewHead("Health", judgements, bar.element), vitals.element,
    card("Worth knowing", "What is in no score, comparison or latency, and what went wrong.",
      notes),
    card("Traffic", "Queries, topics and documents of each arm.", traffic.element),
    card("Plugin self-time", "The plugin's own time on the query thread, within each query's " +
      "latency.", selfTime.element),
    counts.element,
    card("Epochs", "The present epoch and the last 16 that ended, with what was shown of the " +
      "selected measure when they did.", epochs.element),
    card("Drift", "Within an epoch a topic should score the same each time. If it does not, " +
      "the index changes without a new generation, replicas differ, searches time out, or the " +
      "ranking is not deterministic.", drift.element, noDrift));
  return { element, update, parameters: update };
}

export function healthPart(title: string, hasLink: boolean): Part {
  const tiles = html("dl.vitals");
  const more = html("a", "All counters");
  const tile = ({ name, explanation, tone, value, of }: Vital) => html("div.vital", { class: tone },
    html("dt", explained(name, explanation)), html("dd.value", value), html("dd.small", of));
  const element = html("section.card",
    html("div.card-head", html("h2", title), hasLink && more), tiles);
  return { element, set(summary) {
    more.setAttribute("href", href("health"));
    keepingFocus(tiles, () => refill(tiles, vitals(summary).map(tile)));
  } };
}

type Tone = "good" | "warn" | "bad" | "plain";

type Vital = ReturnType<typeof vitals>[number];

/**
 * The five numbers that tell at a glance whether the others can be trusted; `of` names the things
 * that a value counts.
 */
function vitals(summary: Summary) {
  const { arms, health, judgements, epoch } = summary;
  const sum = (of: (arm: Arm) => number) => arms.reduce((total, arm) => total + of(arm), 0);
  const most = (values: (number | null)[]) => values.reduce((one, other) =>
    other === null || (one !== null && one > other) ? one : other, null);
  const lost = ["dropped_queue_full", "recorder_failures", "log_queue_full", "log_write_failures",
    "log_lost_with_file"]
    .reduce((total, key) => total + (health[key] ?? 0), 0);
  const unresolved = most(arms.map((arm) => arm.relevant_missing));
  const judged = sum((arm) => arm.judged_queries), unjudged = sum((arm) => arm.unjudged_queries);
  // Searches for comparison are among the judged and the failed ones.
  const queries = judged + unjudged + sum((arm) =>
    arm.failed_queries + arm.timed_out_queries - arm.shadow_latency_ms.count);
  const slowest = most(arms.map((arm) => arm.self_time_us.p99));
  return [
    { name: "Dropped observations", value: count(lost),
      of: `of ${counted(health.pushed ?? 0, "observation")} queued`, tone: lost ? "bad" : "good",
      explanation: "Observations lost because a queue was full, recording failed or a log could " +
        "not be written. Scores are of what was recorded only; above 0, give the recorder more " +
        "room." },
    { name: "Unresolved citations", value: count(unresolved),
      of: `of ${counted(judgements, "judgement")}, worst arm`,
      tone: unresolved === null ? "plain" : unresolved > judgements * 0.2 ? "bad"
        : unresolved ? "warn" : "good",
      explanation: "Relevant judgements whose document is not in the index. They count as not " +
        "found, so no ranking can reach the highest score; many mean a wrong docno policy or an " +
        "incomplete index." },
    { name: "Unjudged share",
      value: queries ? percent(unjudged / queries) : none,
      of: `of ${counted(queries, "recorded query", "recorded queries")}`, tone: "plain",
      explanation: "Users' queries without judgements: their latency counts, they have no score. " +
        "Normal in live traffic. Queries that a store only counted are left out." },
    { name: "Plugin self-time, p99", value: microseconds(slowest),
      of: `of ${counted(judged, "judged query", "judged queries")}, worst arm`,
      tone: slowest === null ? "plain" : slowest > 1000 ? "warn" : "good",
      explanation: "The plugin's own time on the query thread: 99 of 100 judged queries took it " +
        "less than this." },
    { name: "Epoch", value: count(epoch.number),
      of: `${counted(Math.max(0, epoch.number - 1), "change")} since the start`, tone: "plain",
      explanation: "Means and verdicts are of this epoch only. A new one begins when an arm is " +
        "changed or the judgements change, and in observed traffic when the index does." },
  ];
}

/** The groups of counters; a count above 0 is marked with the tone. */
const counterGroups: Record<string, { title: string; tone: Tone }> = {
  lost: { title: "Lost", tone: "bad" },
  fault: { title: "Faults of the host or the adapter", tone: "warn" },
  expected: { title: "Left out, as they should be", tone: "plain" },
  comparison: { title: "Searches for comparison", tone: "plain" },
  flow: { title: "Recorded", tone: "plain" },
};

function countersPart() {
  const tables = Object.entries(counterGroups).map(([group, { title, tone }]) => {
    const names = Object.keys(counters).filter((name) => counters[name]?.group === group);
    return { title, names, rows: counterTable(title, tone) };
  });
  const element = card("Counters", "Since the experiment began. Every kind of loss or doubt is " +
    "counted; nothing is dropped in silence.",
  html("div.counter-groups",
    tables.map(({ title, rows }) => html("div", html("h3", title), rows.element))));
  return { element, set(health: Summary["health"]) {
    for (const { names, rows } of tables) rows.set(names.map((name) => [name, health[name] ?? 0]));
  } };
}

function counterTable(title: string, tone: Tone) {
  return table<[name: string, value: number]>({ caption: title, class: "counters" }, [
    nameColumn("Counted", ([name]) => counters[name]?.line, { explain: ([name]) => name }),
    numberColumn("Count", ([, value]) => count(value), { attributes: ([name, value]) => ({
      class: tone !== "plain" && value > 0 ? `counted ${tone}` : "counted",
      "data-number": `health/${name}` }) }),
  ]);
}

const armColumn = nameColumn<Arm>("Arm", (arm, index) => armName(index, arm.name));

type TrafficKey = { [Key in keyof Arm]: Arm[Key] extends number | null ? Key : never }[keyof Arm];

const trafficColumns: [TrafficKey, string, string][] = [
  ["judged_queries", "Judged",
    "Rankings of queries with judgements, searches for comparison included."],
  ["unjudged_queries", "Unjudged",
    "Queries without judgements: latency counts, there is no score."],
  ["retried_queries", "Retried",
    "Queries that the engine answered only when asked again; their latency is in no figure."],
  ["failed_queries", "Failed", "Searches that threw."],
  ["timed_out_queries", "Timed out", "Searches that gave up without a ranking."],
  ["sorted_queries", "Sorted", "Judged rankings by something else than relevance; not scored."],
  ["filtered_queries", "Filtered", "Judged rankings that a user's filter shortened; not scored."],
  ["collapsed_queries", "Collapsed", "Judged rankings of groups of documents; not scored."],
  ["partial_queries", "Partial", "Judged partial answers; scored as they were served."],
  ["topics_seen", "Topics", "Distinct topics observed."],
  ["topics_awaiting", "Awaiting", "Topics without a value since their judgements changed."],
  ["relevant_missing", "Unresolved",
    "Relevant judgements whose document is not in the index; they count as not found."],
  ["duplicate_hits", "Duplicates",
    "Judged documents served again at a worse rank; the first counts."],
];

function trafficTable(): Table<Arm> {
  return table<Arm>({ caption: "Traffic of each arm" }, [armColumn,
    ...trafficColumns.map(([key, head, about]) => numberColumn<Arm>(head, (arm) => count(arm[key]),
      { about, attributes: ({ name }) => ({ "data-number": `traffic/${name}/${key}` }) }))]);
}

export function selfTimeTable(): Table<Arm> {
  const columns = (of: "self_time_us" | "unjudged_self_time_us", head: string, queries: string) =>
    (["p50", "p99"] as const).map((key): Column<Arm> => {
      const share = key === "p50" ? "Half of the" : "99 of 100";
      return numberColumn(`${head}, ${key}`, (arm) => microseconds(arm[of][key]),
        { about: `${share} ${queries} cost the plugin less.` });
    });
  return table<Arm>({ caption: "The plugin's own time on the query thread" }, [armColumn,
    ...columns("self_time_us", "Judged", "judged queries"),
    ...columns("unjudged_self_time_us", "Unjudged", "queries without judgements")]);
}

type DriftRow = ReturnType<typeof driftRows>[number];

/** Topics whose score moved since their earlier visits of this epoch. */
function driftTable(): Table<DriftRow> {
  const topic = (name: string | null) =>
    name !== null && html("a", { href: href("topic", name) }, html("bdi", visibleText(name)));
  return table<DriftRow>({ caption: "Drift" }, [
    nameColumn("Arm", ({ index, arm }) => armName(index, arm)),
    textColumn("Measure", ({ measure }) => meanName(measure),
      { explain: ({ measure }) => measureExplanation(measure) }),
    numberColumn("Revisited", ({ drift }) => count(drift.revisited),
      { about: "Topics with a value from more than one visit of this epoch." }),
    numberColumn("Moved", ({ drift }) => count(drift.changed),
      { about: "Of these, topics whose last value is not the mean of the earlier ones." }),
    numberColumn("By, on average", ({ drift }) => score(drift.mean_change),
      { about: "Mean absolute change over the revisited topics." }),
    numberColumn("Most", ({ drift }) => score(drift.largest),
      { about: "The largest absolute change of a topic." }),
    textColumn("in topic", ({ drift }) => topic(drift.topic)),
  ]);
}

function driftRows({ arms }: Summary) {
  return arms.flatMap(({ name: arm, means }, index) => Object.entries(means)
    .filter(([, mean]) => mean.drift.changed > 0)
    .map(([measure, mean]) => ({ ...mean, arm, index, measure })));
}

/** With the last verdicts of an epoch that has ended; null for the present one. */
type EpochRow = Epoch & { ended: string[] | null };

function epochTable(): Table<EpochRow> {
  return table<EpochRow>({ caption: "Epochs" }, [
    nameColumn("Epoch", ({ number }) => count(number)),
    textColumn("Began because", ({ reason }) => epochReason(reason),
      { about: "start: the experiment began. Index changed: a new generation. Arms changed: one " +
        "was added, paused, resumed, removed or restarted. Judgements changed." }),
    numberColumn("Observations", ({ observations }) => count(observations),
      { about: "In it so far, or until it ended." }),
    numberColumn("Index changes", ({ index_changes }) => count(index_changes),
      { about: "New states of the index that did not end it." }),
    numberColumn("Visits compared", ({ compared_visits: all, incomplete_visits: some }) =>
      some ? `${count(all)}, ${count(some)} incomplete` : count(all),
    { about: "Paired: ranked by all arms; incomplete ones by some only." }),
    textColumn("Ended with", ({ ended }) => ended?.map((line) => html("div", line)) ?? "goes on"),
  ]);
}

function epochRows(summary: Summary): EpochRow[] {
  const { measure } = selection(summary);
  const past = summary.past_epochs.map((epoch) => ({ ...epoch, ended: endedWith(epoch, measure) }));
  return [{ ...summary.epoch, ended: null }, ...past.reverse()];
}

function endedWith({ ended_with }: PastEpoch, measure: string): string[] {
  return ended_with.filter((each) => each.measure === measure).map((each) =>
    `${nameInText(each.b)}: ${meanName(measure)} ${difference(each.live?.mean ?? each.mean)} ${
      each.live ? interval(each.live.low, each.live.high) : ""} over ${
      counted(each.live?.topics ?? each.topics, "topic")}, ${each.words}`);
}
