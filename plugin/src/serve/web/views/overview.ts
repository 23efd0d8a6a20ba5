import { armName } from "../arms.ts";
import type {
  Arm, Check, CheckState, Mean, MeasureDifference, Pair, Series, Summary,
} from "../data/documents.ts";
import { type Child, chooser, html, refill, setText } from "../dom.ts";
import { explainedMean, meanName, terms } from "../explain.ts";
import {
  count, counted, dateAndTime, difference, interval, nameInText, none, percent, score, size,
  visibleText,
} from "../format.ts";
import { type Column, nameColumn, numberColumn, table, textColumn } from "../table.ts";
import {
  type Context, here, selectedPair, selection, selectionBar, type ShownView, viewHead,
} from "../view.ts";
import { healthPart } from "./health.ts";
import { differencePart, latencyPart, tradeOffPart } from "./overview_charts.ts";
import { overlapPart } from "./overview_overlap.ts";
import { slicesPart } from "./overview_slices.ts";
import { card } from "./parts.ts";
import { intervalPicture, isBounded, reachOf, shownMean, stateTag } from "./verdict_cells.ts";

/** A part of the overview; keeps its element. */
export interface Part {
  element: HTMLElement;
  set(summary: Summary, series: Series | null): void;
}

export function overviewView(context: Context): ShownView {
  const bar = selectionBar(context, "pairs");
  const sub = html("p.sub");
  const beside = [differencePart(), tradeOffPart()];
  const above = [verdictPart(), slicesPart(), armsPart(context), servedPart()];
  const below = [latencyPart(), overlapPart(), healthPart("Health", true)];
  const parts: Part[] = [...above, ...beside, ...below];
  const elements = (of: Part[]) => of.map((part) => part.element);
  const body = html("div.view",
    elements(above), html("div.columns.wide-first", elements(beside)), elements(below));
  const empty = html("p.empty", "No summary yet.");
  const update = () => {
    const { document, series } = context.now;
    const { summary } = document;
    body.hidden = !summary;
    empty.hidden = Boolean(summary);
    bar.set(summary);
    if (!summary) return;
    setText(sub, described(summary, document.started));
    for (const part of parts) part.set(summary, series);
  };
  return { element: html("div.view", viewHead("Overview", sub, bar.element), body, empty),
    update, parameters: update };
}

const modes: Record<Summary["mode"], string> = {
  observe: "Observing: each query is served by the arm that the host chose",
  paired: "Paired: each judged query is run under every arm",
  split: "Split: each topic is served by one arm",
};

function described(summary: Summary, started: string | null): string {
  const { mode, topics, judgements, epoch } = summary;
  const since = started ? ` · since ${dateAndTime(started)}` : "";
  const salt = summary.salt === null ? "" : ` · salt ${visibleText(summary.salt)}`;
  return `${modes[mode]}${since}${salt} · ${counted(topics, "topic")} with ${
    counted(judgements, "judgement")} · epoch ${count(epoch.number)} (${
    epochReason(epoch.reason)}), ${counted(epoch.observations, "observation")}`;
}

type Row = [measure: string, of: MeasureDifference];

/** The verdict of the selected pair and measure in words, and those of all measures in a table. */
function verdictPart(): Part {
  const lead = html("div.verdict-lead"), title = html("h2");
  const checks = checksPart(), guardrails = guardrailsPart();
  const rows = table<Row>({ caption: "The difference in each measure", class: "verdicts" });
  const leftOut = leftOutPart();
  const element = html("section.card.verdict", { "aria-label": "Verdict" },
    lead, guardrails.element, checks.element, leftOut.element, title, rows.element);
  return { element, set(summary) {
    const pair = selectedPair(summary);
    const of = pair?.differences[selection(summary).measure];
    element.hidden = pair === null;
    if (!pair || !of) return;
    const said = html("div", html("p.sentence", visibleText(of.words.live)),
      html("p.grounds", visibleText(of.words.grounds)));
    const isPrimary = selection(summary).measure === summary.primary;
    if (isPrimary && pair.words.outlook !== "") {
      said.append(html("p.outlook", visibleText(pair.words.outlook)));
    }
    const isPlanned = isPrimary ? pair.planned : null;
    refill(lead, [stateTag(of, of.words.state, isPlanned?.state), said]);
    setText(title, `${nameInText(pair.b)} minus ${nameInText(pair.a)}, ${summary.mode === "split"
      ? "less what was expected of their topics" : "topic by topic"}`);
    guardrails.set(pair);
    checks.set(pair.checks);
    leftOut.set(summary.words.left_out);
    const shown = summary.measures.flatMap((measure): Row[] => {
      const difference = pair.differences[measure];
      return difference ? [[measure, difference]] : [];
    });
    rows.set(shown, { columns: verdictColumns(reachOf(shown.map(([, of]) => of)), summary.mode) });
  } };
}

/** What no arm may be worse in, and whether the arms are the same. */
function guardrailsPart() {
  const list = html("ul.sentences");
  const element = html("details.guardrails", { open: true }, html("summary", "Guardrails"), list);
  return { element, set({ guardrails, words }: Pair) {
    const same = words.equivalence === "" ? [] : [html("li", visibleText(words.equivalence))];
    element.hidden = guardrails.length + same.length === 0;
    refill(list, [...guardrails.map(({ state, words: said }) =>
      html("li", { class: state },
        state === "broken" && html("strong", "broken: "), visibleText(said))), ...same]);
  } };
}

/** What can void the verdict: what voids it first, then alarms, then the rest. */
function checksPart() {
  const list = html("ul.sentences.checks");
  const element = html("details.left-out", html("summary", "What can void the verdict"), list);
  const order: CheckState[] = ["veto", "alarm", "fine"];
  return { element, set(checks: Check[]) {
    const said = checks.filter(({ words }) => words !== "");
    const sorted = order.flatMap((state) => said.filter((check) => check.state === state));
    element.hidden = sorted.length === 0;
    if (sorted.some(({ state }) => state !== "fine")) element.open = true;
    refill(list, sorted.map(({ state, words }) =>
      html("li", { class: state }, state !== "fine" && html("strong", `${state}: `),
        visibleText(words))));
  } };
}

/** The sentences about what is in no score, folded if there are many. */
function leftOutPart() {
  const list = html("ul.sentences");
  const element = html("details.left-out", html("summary", "Left out"), list);
  return { element, set(lines: string[]) {
    element.hidden = lines.length === 0;
    if (lines.length !== list.childElementCount) element.open = lines.length <= 4;
    refill(list, lines.map((line) => html("li", visibleText(line))));
  } };
}

/** In split mode topics are of one arm each: none is won or lost. */
function verdictColumns(reach: number, mode: Summary["mode"]): Column<Row>[] {
  const attributes = (key: string) =>
    ({ attributes: ([measure]: Row) => ({ "data-number": `difference/${measure}/${key}` }) });
  return [
    nameColumn("Measure", ([measure]) => explainedMean(measure)),
    numberColumn("Difference", ([, of]) => html("strong", difference(shownMean(of))),
      { about: terms.difference, ...attributes("mean") }),
    textColumn("Interval", ([, of]) => intervalPicture(of, reach),
      { about: terms.sequence, attributes: { class: "picture" } }),
    numberColumn("[low, high]", ([, of]) => {
      const ends = of.live;
      return ends ? interval(ends.low, ends.high) : none;
    }, { ...attributes("interval"), explain: ([, { live, words }]) =>
      live ? `Holds at all times but for a chance of ${percent(live.alpha)}.`
        : visibleText(words.grounds) }),
    numberColumn("Topics", ([, of]) => count(of.live?.topics ?? of.topics),
      { about: terms.topics, ...attributes("topics") }),
    numberColumn("Detectable", ([, of]) => size(of.live?.detectable), { about: terms.detectable }),
    numberColumn("All visits", ([, of]) => difference(of.mean),
      { about: terms.allVisits, ...attributes("all-visits") }),
    numberColumn("Wins / ties / losses", ([, of]) => mode === "split" ? none
      : [of.wins, of.ties, of.losses].map(count).join(" / "), { about: terms.wins }),
    textColumn("State", ([, of]) => stateTag(of, of.words.state),
      { explain: ([, { words }]) => visibleText(words.live) }),
  ];
}

/** The topics that a mean is over: those with a value, or all. */
type MeanKind = "seen" | "all";

const explanations: Record<MeanKind, string> = {
  seen: "Mean over the topics that have a value: how good an arm is.",
  all: "Mean over all topics with relevant documents, 0 if there is no value yet: what an " +
    "offline run of all topics gives.",
};

/** Every arm's means, with their topics and, except for the first arm, the difference from it. */
function armsPart(context: Context): Part {
  const about = html("p.sub");
  const choice = chooser("Mean", (value) =>
    context.setParameters({ means: value === "all" ? "all" : null }));
  const rows = table<Arm>({ caption: "Means of each arm", class: "arms" });
  const element = html("section.card",
    html("div.card-head", html("h2", "Arms"), choice.element), about, rows.element);
  return { element, set(summary) {
    const { arms, pairs: [pair], mode } = summary;
    const kind = here().parameters.get("means") === "all" ? "all" : "seen";
    choice.set([{ value: "seen", text: "over topics with a value" },
      { value: "all", text: "over all topics" }], kind);
    const below = kind === "all" || !pair ? ""
      : ` Below it: its topics, and the difference to ${nameInText(pair.a)} with its interval, ${
        mode === "split" ? "less what was expected of each arm's topics"
          : mode === "paired" ? "over visits that both have ranked"
            : "over topics that both have served"}.`;
    setText(about, explanations[kind] + below);
    rows.set(arms, { columns: armColumns(summary, kind) });
  } };
}

function armColumns(summary: Summary, kind: MeanKind): Column<Arm>[] {
  return [
    nameColumn("Arm", ({ name, status }, index) =>
      [armName(index, name), status !== "active" && html("span.tag", status)]),
    numberColumn("Judged queries", ({ judged_queries, topics_seen }) =>
      [count(judged_queries), html("small", counted(topics_seen, "topic"))],
    { about: "Rankings of queries with judgements since the arm was added, searches for " +
      "comparison included, and the distinct topics of this epoch." }),
    ...summary.measures.map((measure) => meanColumn("arm", measure,
      (arm) => meanCell(arm, measure, kind, summary), (arm) => explainMean(arm, measure))),
  ];
}

function meanColumn(kind: "arm" | "served", measure: string, cell: (arm: Arm) => Child,
  explain?: (arm: Arm) => string | null): Column<Arm> {
  return numberColumn(explainedMean(measure), cell, { explain,
    attributes: ({ name }) => ({ "data-number": `${kind}/${name}/${measure}` }) });
}

function meanCell({ name, means }: Arm, measure: string, kind: MeanKind, summary: Summary): Child {
  const mean = means[measure];
  if (!mean) return none;
  const small = (text: string) => html("small", text);
  if (kind === "all") return [html("strong.value", score(mean.mean_over_all)),
    small(counted(summary.topics - summary.topics_without_relevant, "topic"))];
  const against = summary.pairs.find((pair) => pair.b === name)?.differences[measure];
  return [html("strong.value", score(mean.mean)), small(counted(mean.topics, "topic")),
    against && small(difference(shownMean(against))),
    against?.live && isBounded(against.live)
      && small(interval(against.live.low, against.live.high))];
}

/** In paired mode, the means over all visits that users were served, which decide nothing. */
function servedPart(): Part {
  const rows = table<Arm>({ caption: "Means of what users were served", class: "arms" });
  const element = card("Served to users",
    "Mean over all visits that an arm served to users, compared or not.", rows.element);
  return { element, set(summary) {
    element.hidden = summary.mode !== "paired";
    rows.set(summary.arms, { columns: [
      nameColumn("Arm", ({ name }, index) => armName(index, name)),
      ...summary.measures.map((measure) =>
        meanColumn("served", measure, (arm) => servedCell(arm.served_means[measure])))] });
  } };
}

const servedCell = (mean: Mean | undefined) => mean
  ? [html("strong.value", score(mean.mean)), html("small", counted(mean.visits, "visit"))] : none;

export function explainMean({ means }: Arm, measure: string): string | null {
  const of = means[measure];
  if (!of) return null;
  const { mean, topics, mean_over_all: all, too_shallow } = of;
  const shallow = too_shallow
    ? ` ${counted(too_shallow, "topic")} not served deep enough for a value.` : "";
  return `${meanName(measure)}: ${score(mean)} over ${counted(topics, "topic")} with a value, ${
    score(all)} over all topics.${shallow}`;
}

export function epochReason(reason: string): string {
  const words: Record<string, string> = { generation: "index changed", arms: "arms changed",
    judgements: "judgements changed" };
  return words[reason] ?? reason;
}
