import "../styles/overview.css";
import { armName } from "../arms.ts";
import type { Arm, Difference, LiveEvidence, Mean, Pair, Summary } from "../data/documents.ts";
import { type Child, element, fill, setText, svg } from "../dom.ts";
import { explained } from "../explain.ts";
import { count, counted, dateAndTime, difference, interval, nameInText, none, percent, score } from "../format.ts";
import { meanName, measureExplanation } from "../measures.ts";
import { type Place, selectedPair, selection, selectionBar } from "../place.ts";
import { table, type Table, type TableColumn } from "../table.ts";
import type { Context, Now, ShownView } from "../view.ts";
import { healthPart } from "./health.ts";
import { differencePart, latencyPart, tradeOffPart } from "./overview_charts.ts";
import { robustnessPart } from "./robustness.ts";

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

/** What a part of the overview is shown of. */
export interface Shown {
  place: Place;
  now: Now;
  summary: Summary;
}

/** A part of the overview; keeps its element. */
export interface Part {
  element: HTMLElement;
  set(shown: Shown): void;
  close?(): void;
}

interface Row {
  measure: string;
  of: Difference;
  /** Topics are of one arm each: none is won or lost. */
  split: boolean;
  /** What the pictures of all rows reach to. */
  reach: number;
}

/** The verdict of the selected pair and measure in words, and those of all measures in a table. */
export function verdictPart(): Part {
  const state = element("span");
  const sentence = element("p", { class: "sentence" });
  const grounds = element("p", { class: "grounds" });
  const alarm = element("p", { class: "problem", hidden: true });
  const title = element("h2");
  const rows = verdictTable();
  const part = element("section", { class: "card verdict", "aria-label": "Verdict" },
    element("div", { class: "verdict-lead" }, state, element("div", {}, sentence, grounds)), alarm, title, rows.element);
  return {
    element: part,
    set({ place, summary }) {
      const chosen = selection(place, summary);
      const pair = selectedPair(chosen, summary);
      part.hidden = pair === null;
      const of = pair?.differences[chosen.measure];
      if (!pair || !of) return;
      state.className = stateTag(of.live, of.mean);
      setText(state, of.words.state);
      setText(sentence, of.words.live);
      setText(grounds, of.words.grounds);
      setText(title, `${nameInText(pair.b)} minus ${nameInText(pair.a)}, ${summary.mode === "split" ? "less what was expected of their topics" : "topic by topic"}`);
      alarm.hidden = !pair.sample_ratio?.alarm;
      setText(alarm, `${pair.words.sample_ratio}. The arms are not comparable.`);
      rows.set(rowsOf(pair, summary));
    },
  };
}

function verdictTable() {
  return table<Row>({
    caption: "The difference in each measure",
    class: "verdicts",
    columns: [
      { head: "Measure", heads: true, cell: (row) => explained(meanName(row.measure), measureExplanation(row.measure)) },
      { head: "Difference", about: "difference", cell: (row) => element("strong", { text: difference(row.of.mean) }), attributes: (row) => named(row, "mean") },
      { head: "Interval", about: "confidence sequence", align: "start", attributes: () => ({ class: "picture" }),
        cell: (row) => intervalPicture(row.of, row.reach) },
      { head: "[low, high]", cell: (row) => interval(row.of.live.low, row.of.live.high, difference), attributes: (row) => named(row, "interval"),
        explain: (row) => `Holds at all times but for a chance of ${percent(row.of.live.alpha)}.` },
      { head: "Topics", about: "topics", cell: (row) => count(row.of.topics), attributes: (row) => named(row, "topics") },
      { head: "Detectable", about: "detectable", cell: (row) => (row.of.live.detectable === null ? "–" : difference(row.of.live.detectable).replace("+", "")) },
      { head: "Wins / ties / losses", about: "wins", cell: outcomes },
      { head: "State", about: "state", align: "start", cell: (row) => element("span", { class: stateTag(row.of.live, row.of.mean), text: row.of.words.state }), attributes: (row) => named(row, "state") },
    ],
  });
}

const outcomes = ({ of, split }: Row) => (split ? none : `${count(of.wins)} / ${count(of.ties)} / ${count(of.losses)}`);

const named = (row: Row, what: string) => ({ "data-number": `difference/${row.measure}/${what}` });

function rowsOf(pair: Pair, summary: Summary): Row[] {
  const shown = summary.measures.flatMap((measure) => {
    const of = pair.differences[measure];
    return of ? [{ measure, of }] : [];
  });
  const reach = Math.max(0.01, ...shown.filter(({ of }) => of.live.state !== "collecting").map(({ of }) => Math.max(Math.abs(of.live.low), Math.abs(of.live.high))));
  return shown.map((row) => ({ ...row, reach, split: summary.mode === "split" }));
}

const width = 180;
const height = 18;

/** An interval on a line from -reach to reach with its mean and 0; what it says stands beside it. */
export function intervalPicture(of: Difference, reach: number): SVGSVGElement {
  const x = (value: number) => (Math.min(1, Math.max(-1, value / reach)) * (width / 2 - 4) + width / 2).toFixed(1);
  const middle = height / 2;
  const known = of.live.state !== "collecting" && of.mean !== null;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true", class: `interval ${tone(of)}` },
    svg("path", { class: "axis", d: `M0 ${middle}H${width}` }),
    svg("path", { class: "zero", d: `M${width / 2} 1V${height - 1}` }),
    known && svg("path", { class: "range", d: `M${x(of.live.low)} ${middle}H${x(of.live.high)}` }),
    known && svg("circle", { class: "mean", cx: x(of.mean!), cy: middle, r: 4 }));
}

function tone(of: Difference): string {
  if (of.live.state !== "leading" && of.live.state !== "confirmed") return "";
  return (of.mean ?? 0) > 0 ? "above" : "below";
}

type MeanKind = "seen" | "all";

const explanations: Record<MeanKind, string> = {
  seen: "Mean over the topics that have a value: how good an arm is.",
  all: "Mean over all topics with relevant documents, 0 where there is no value yet: what an offline run of all topics gives.",
};

/** Every arm's means, with their topics and, but for the first arm, what they are above it. */
export function armsPart(context: Context): Part {
  const about = element("p", { class: "sub" });
  const choice = element("select", { onchange: () => context.setParameters({ means: choice.value === "all" ? "all" : null }) },
    element("option", { value: "seen", text: "over topics with a value" }), element("option", { value: "all", text: "over all topics" }));
  const holder = element("div");
  let shape = "";
  let shownTable: Table<Arm> | undefined;
  let kind: MeanKind = "seen";
  return {
    element: element("section", { class: "card" },
      element("div", { class: "card-head" }, element("h2", { text: "Arms" }), element("label", { class: "choice" }, element("span", { text: "Mean" }), choice)), about, holder),
    set({ place, summary }) {
      kind = place.parameters.get("means") === "all" ? "all" : "seen";
      if (choice.value !== kind) choice.value = kind;
      setText(about, explanations[kind] + (kind === "seen" && summary.pairs[0] ? ` Below it: its topics, and the difference to ${nameInText(summary.pairs[0].a)} with its interval, ${summary.mode === "split" ? "less what was expected of each arm's topics" : "over topics that both have served"}.` : ""));
      const wanted = JSON.stringify([kind, summary.measures, summary.arms.map((arm) => arm.name)]);
      if (wanted !== shape) {
        shownTable = armsTable(summary, kind, () => context.now.document.summary ?? summary);
        fill(holder, shownTable.element);
        shape = wanted;
      }
      shownTable?.set(summary.arms);
    },
  };
}

function armsTable(first: Summary, kind: MeanKind, summary: () => Summary): Table<Arm> {
  return table<Arm>({
    caption: "Means of each arm",
    class: "arms",
    columns: [
      { head: "Arm", heads: true, cell: (arm, index) => [armName(index, arm.name), arm.status === "active" ? null : element("span", { class: "tag", text: arm.status })] },
      { head: "Judged queries", about: "Queries with judgements observed in this epoch, and the distinct topics among them.",
        cell: (arm) => withSmall(count(arm.judged_queries), counted(arm.topics_seen, "topic")) },
      ...first.measures.map((measure): TableColumn<Arm> => ({
        head: meanName(measure), about: measureExplanation(measure),
        cell: (arm) => meanCell(arm, measure, kind, summary()),
        attributes: (arm) => ({ "data-number": `arm/${arm.name}/${measure}` }),
        explain: (arm) => explainMean(arm.means[measure], measure) })),
    ],
  });
}

function meanCell(arm: Arm, measure: string, kind: MeanKind, summary: Summary): Child {
  const mean = arm.means[measure];
  if (!mean) return "–";
  const shown = kind === "all" ? mean.mean_over_all : mean.mean;
  const against = summary.pairs.find((pair) => pair.b === arm.name)?.differences[measure];
  return [element("strong", { class: "value", text: score(shown) }),
    element("small", { class: "topics", text: counted(kind === "all" ? summary.topics - summary.topics_without_relevant : mean.topics, "topic") }),
    kind === "seen" && against && against.live.state !== "collecting" &&
      [element("small", { class: "against", text: difference(against.mean) }),
        element("small", { class: "against", text: interval(against.live.low, against.live.high, difference) })]];
}

function explainMean(mean: Mean | undefined, measure: string): string | null {
  if (!mean) return null;
  const shallow = mean.too_shallow ? ` ${counted(mean.too_shallow, "topic")} not served deep enough for a value.` : "";
  return `${meanName(measure)}: ${score(mean.mean)} over ${counted(mean.topics, "topic")} with a value, ${score(mean.mean_over_all)} over all topics.` +
    `${shallow}`;
}

function withSmall(value: string, small: string): Child {
  return [value, element("small", { text: small })];
}

// Labels of the page for what a summary says in one word.

/** How a state is coloured. */
export function stateTag(live: LiveEvidence, mean: number | null): string {
  if (live.state === "confirmed") return (mean ?? 0) >= 0 ? "tag good" : "tag bad";
  return live.state === "leading" ? "tag warn" : "tag";
}

/** Why an epoch began, in words. */
export function epochReason(reason: string): string {
  const words: Record<string, string> = { start: "start", generation: "index changed", arms: "arms changed", judgements: "judgements changed" };
  return words[reason] ?? reason;
}
