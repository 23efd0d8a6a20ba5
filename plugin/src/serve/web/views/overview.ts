import { armName } from "../arms.ts";
import type { Arm, Difference, LiveEvidence, Pair, Series, Summary } from "../data/documents.ts";
import { type Child, chooser, fill, html, setText, svg, whenChanged } from "../dom.ts";
import { explainedMean, meanName, measureExplanation } from "../explain.ts";
import {
  count, counted, dateAndTime, difference, interval, nameInText, none, percent, score, size,
  visibleText,
} from "../format.ts";
import { nameColumn, numberColumn, type Table, table, textColumn } from "../table.ts";
import {
  type Context, here, selectedPair, selection, selectionBar, type ShownView, viewHead,
} from "../view.ts";
import { healthPart } from "./health.ts";
import { differencePart, latencyPart, tradeOffPart } from "./overview_charts.ts";
import { robustnessPart } from "./robustness.ts";

/** A part of the overview; keeps its element. */
export interface Part {
  element: HTMLElement;
  set(summary: Summary, series: Series | null): void;
  close?(): void;
}

export function overviewView(context: Context): ShownView {
  const bar = selectionBar(context, "pairs");
  const sub = html("p.sub");
  const beside = [differencePart(), tradeOffPart()];
  const above = [verdictPart(), armsPart(context)];
  const below = [latencyPart(), robustnessPart(context), healthPart("Health", true)];
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
  const close = () => { for (const part of parts) part.close?.(); };
  return { element: html("div.view", viewHead("Overview", sub, bar.element), body, empty),
    update, parameters: update, close };
}

const modes: Record<Summary["mode"], string> = {
  observe: "Observing: each query is served by the arm that the host chose",
  paired: "Paired: each judged query is run under every arm",
  split: "Split: each topic is served by one arm",
};

function described({ mode, topics, judgements, epoch }: Summary, started: string | null): string {
  const since = started ? ` · since ${dateAndTime(started)}` : "";
  return `${modes[mode]}${since} · ${counted(topics, "topic")} with ${
    counted(judgements, "judgement")} · epoch ${count(epoch.number)} (${
    epochReason(epoch.reason)}), ${counted(epoch.observations, "observation")}`;
}

interface Row {
  measure: string;
  of: Difference;
  /** Topics are of one arm each: none is won or lost. */
  split: boolean;
  /** The largest value that the pictures of all rows must show. */
  reach: number;
}

/** The verdict of the selected pair and measure in words, and those of all measures in a table. */
function verdictPart(): Part {
  const state = html("span");
  const sentence = html("p.sentence");
  const grounds = html("p.grounds");
  const alarm = html("p.problem", { hidden: true });
  const title = html("h2");
  const rows = verdictTable();
  const element = html("section.card.verdict", { "aria-label": "Verdict" },
    html("div.verdict-lead", state, html("div", sentence, grounds)), alarm, title, rows.element);
  return { element, set(summary) {
    const pair = selectedPair(summary);
    const of = pair?.differences[selection(summary).measure];
    element.hidden = pair === null;
    if (!pair || !of) return;
    state.className = stateTag(of);
    setText(state, visibleText(of.words.state));
    setText(sentence, visibleText(of.words.live));
    setText(grounds, visibleText(of.words.grounds));
    setText(title, `${nameInText(pair.b)} minus ${nameInText(pair.a)}, ${summary.mode === "split"
      ? "less what was expected of their topics" : "topic by topic"}`);
    alarm.hidden = !pair.sample_ratio?.alarm;
    setText(alarm, `${visibleText(pair.words.sample_ratio)}. The arms are not comparable.`);
    rows.set(rowsOf(pair, summary));
  } };
}

function verdictTable(): Table<Row> {
  const attributes = (key: string) =>
    ({ attributes: ({ measure }: Row) => ({ "data-number": `difference/${measure}/${key}` }) });
  return table<Row>({ caption: "The difference in each measure", class: "verdicts" }, [
    nameColumn("Measure", ({ measure }) => explainedMean(measure)),
    numberColumn("Difference", ({ of }) => html("strong", difference(of.mean)),
      { about: "difference", ...attributes("mean") }),
    textColumn("Interval", ({ of, reach }) => intervalPicture(of, reach),
      { about: "confidence sequence", attributes: { class: "picture" } }),
    numberColumn("[low, high]", ({ of: { live } }) => interval(live.low, live.high),
      { ...attributes("interval"), explain: ({ of: { live } }) =>
        `Holds at all times but for a chance of ${percent(live.alpha)}.` }),
    numberColumn("Topics", ({ of }) => count(of.topics),
      { about: "topics", ...attributes("topics") }),
    numberColumn("Detectable", ({ of }) => size(of.live.detectable), { about: "detectable" }),
    numberColumn("Wins / ties / losses", ({ of, split }) => split ? none
      : [of.wins, of.ties, of.losses].map(count).join(" / "), { about: "wins" }),
    textColumn("State",
      ({ of }) => html("span", { class: stateTag(of) }, visibleText(of.words.state)),
      { about: "state", ...attributes("state") }),
  ]);
}

function rowsOf(pair: Pair, { measures, mode }: Summary): Row[] {
  const known = measures.filter((measure) => pair.differences[measure]);
  const reaches = known.map((measure) => pair.differences[measure]!.live)
    .filter(({ state }) => state !== "collecting")
    .flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)]);
  const reach = Math.max(0.01, ...reaches);
  return known.map((measure) =>
    ({ measure, of: pair.differences[measure]!, reach, split: mode === "split" }));
}

const width = 180, height = 18, middle = height / 2;

/** An interval on a line from -reach to reach with its mean and 0; the numbers stand beside it. */
function intervalPicture({ live, mean }: Difference, reach: number): SVGSVGElement {
  const x = (value: number) =>
    (Math.min(1, Math.max(-1, value / reach)) * (width / 2 - 4) + width / 2).toFixed(1);
  const known = live.state !== "collecting" && mean !== null;
  const said = live.state === "leading" || live.state === "confirmed";
  const tone = !said ? "" : (mean ?? 0) > 0 ? "good" : "bad";
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  return svg("svg.interval", { ...size, "aria-hidden": "true", class: tone },
    svg("path.axis", { d: `M0 ${middle}H${width}` }),
    svg("path.zero", { d: `M${width / 2} 1V${height - 1}` }),
    known && svg("path.range", { d: `M${x(live.low)} ${middle}H${x(live.high)}` }),
    known && svg("circle.mean", { cx: x(mean), cy: middle, r: 4 }));
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
  const holder = html("div");
  const whenOthers = whenChanged();
  let shownTable: Table<Arm>;
  const element = html("section.card",
    html("div.card-head", html("h2", "Arms"), choice.element), about, holder);
  return { element, set(summary) {
    const { measures, arms, pairs: [pair], mode } = summary;
    const kind = here().parameters.get("means") === "all" ? "all" : "seen";
    choice.set([{ value: "seen", text: "over topics with a value" },
      { value: "all", text: "over all topics" }], kind);
    const below = kind === "all" || !pair ? ""
      : ` Below it: its topics, and the difference to ${nameInText(pair.a)} with its interval, ${
        mode === "split" ? "less what was expected of each arm's topics"
          : "over topics that both have served"}.`;
    setText(about, explanations[kind] + below);
    whenOthers([kind, measures, arms.map((arm) => arm.name)], () => {
      shownTable = armsTable(measures, kind, () => context.now.document.summary ?? summary);
      fill(holder, shownTable.element);
    });
    shownTable.set(arms);
  } };
}

function armsTable(measures: string[], kind: MeanKind, summary: () => Summary): Table<Arm> {
  return table<Arm>({ caption: "Means of each arm", class: "arms" }, [
    nameColumn("Arm", ({ name, status }, index) =>
      [armName(index, name), status !== "active" && html("span.tag", status)]),
    numberColumn("Judged queries", ({ judged_queries, topics_seen }) =>
      [count(judged_queries), html("small", counted(topics_seen, "topic"))],
    { about: "Queries with judgements observed in this epoch, and the distinct topics among " +
      "them." }),
    ...measures.map((measure) => numberColumn<Arm>(meanName(measure),
      (arm) => meanCell(arm, measure, kind, summary()), {
        about: measureExplanation(measure),
        attributes: ({ name }) => ({ "data-number": `arm/${name}/${measure}` }),
        explain: (arm) => explainMean(arm, measure) })),
  ]);
}

function meanCell({ name, means }: Arm, measure: string, kind: MeanKind, summary: Summary): Child {
  const mean = means[measure];
  if (!mean) return none;
  const small = (text: string) => html("small", text);
  if (kind === "all") return [html("strong.value", score(mean.mean_over_all)),
    small(counted(summary.topics - summary.topics_without_relevant, "topic"))];
  const against = summary.pairs.find((pair) => pair.b === name)?.differences[measure];
  const { low, high, state = "collecting" } = against?.live ?? { low: 0, high: 0 };
  return [html("strong.value", score(mean.mean)), small(counted(mean.topics, "topic")),
    state !== "collecting" && [small(difference(against!.mean)), small(interval(low, high))]];
}

function explainMean({ means }: Arm, measure: string): string | null {
  const of = means[measure];
  if (!of) return null;
  const { mean, topics, mean_over_all: all, too_shallow } = of;
  const shallow = too_shallow
    ? ` ${counted(too_shallow, "topic")} not served deep enough for a value.` : "";
  return `${meanName(measure)}: ${score(mean)} over ${counted(topics, "topic")} with a value, ${
    score(all)} over all topics.${shallow}`;
}

function stateTag({ live, mean }: { live: LiveEvidence; mean: number | null }): string {
  if (live.state === "confirmed") return (mean ?? 0) >= 0 ? "tag good" : "tag bad";
  return live.state === "leading" ? "tag warn" : "tag";
}

export function epochReason(reason: string): string {
  const words: Record<string, string> = { generation: "index changed", arms: "arms changed",
    judgements: "judgements changed" };
  return words[reason] ?? reason;
}
