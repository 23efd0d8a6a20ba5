import { armClass, armName } from "../arms.ts";
import type { TopicRow, TopicRowArm, TopicsPage } from "../data/documents.ts";
import { type Child, fill, html, picture, setText, svg } from "../dom.ts";
import { explained, explainOnHover, measureExplanation } from "../explain.ts";
import {
  count, counted, difference, milliseconds, nameInText, none, score, significant, size, visibleText,
} from "../format.ts";
import { at, type Drawn, line, place, plot, text } from "../plots/plot.ts";
import { type Column, nameColumn, numberColumn } from "../table.ts";
import { href } from "../view.ts";
import { changesOf, type ListQuery } from "./topic_list.ts";

/** The places of two arms in SUMMARY.arms. */
export interface Looks {
  a: number;
  b: number;
}

export function topicColumns(
  page: TopicsPage, query: ListQuery, looks: Looks): (Column<TopicRow> | false)[] {
  const { measure, a, b } = page;
  return [
    topicColumn(page, query), relevantColumn(), scoreColumn(measure, a, looks.a, "score_a"),
    b !== null && scoreColumn(measure, b, looks.b, "score_b"),
    b !== null && differenceColumn(page, b, looks), latencyColumn(a, looks.a, "latency_a"),
    b !== null && latencyColumn(b, looks.b, "latency_b")];
}

function topicColumn({ measure, a, b }: TopicsPage, query: ListQuery): Column<TopicRow> {
  const names = [a, b].filter((name) => name !== null);
  const list = changesOf(query);
  // On a narrow page, the values of the columns that are left out.
  const narrow = (row: TopicRow) => `n ${row.num_rel} · ${
    names.map((name) => significant(armOf(row, name)?.latency_ms)).join(" / ")} ms`;
  return nameColumn("topic", (row) => [
    explainOnHover(
      html("a.topic-link", { href: href("topic", row.topic, list), "data-key": row.topic },
        html("bdi", visibleText(row.topic))), rowWords(row, names, measure)),
    html("small.narrow", narrow(row))], {
    about: "The information need; opens to its curve and each of its citations.",
    sorting: { sort: "topic", order: "asc" },
    attributes: ({ topic }) => ({ "data-topic": topic }) });
}

/** Describes a row for the topic that has focus. */
function rowWords(row: TopicRow, names: string[], measure: string): string {
  const arms = names.map((name) => {
    const arm = armOf(row, name);
    if (!arm?.seen) return `${nameInText(name)} not served`;
    return [`${nameInText(name)} ${score(arm.mean)}`, `${arm.found} of ${row.num_rel} found`,
      counted(arm.visits, "visit"), milliseconds(arm.latency_ms)].join(", ");
  });
  return `${measure}: ${arms.join("; ")}. Open it to see each citation.`;
}

const relevantColumn = () => numberColumn<TopicRow>(html("span.wide", "relevant, n"),
  ({ num_rel }) => num_rel, {
    about: "n, relevant documents that the judgements name for the topic.",
    sorting: { sort: "num_rel", order: "desc" },
    attributes: { class: "wide", "data-cell": "num_rel" }, explain: ({ num_rel }) =>
      `The judgements name ${counted(num_rel, "relevant document")} for this topic.` });

function scoreColumn(
  measure: string, name: string, look: number, key: string): Column<TopicRow> {
  const cell = (arm: TopicRowArm | undefined): Child => arm?.seen
    ? [score(arm.mean), html("small.visits", `×${arm.visits}`)] : html("span.quiet", "not served");
  return numberColumn([armName(look, name), html("span.under", measure)],
    (row) => cell(armOf(row, name)), {
      about: `${measureExplanation(measure)} Mean over the visits of the topic, ×3 being three.`,
      sorting: { sort: key, order: "desc" }, attributes: { "data-cell": key },
      explain: (row) => scoreWords(armOf(row, name), row, measure) });
}

function scoreWords(arm: TopicRowArm | undefined, row: TopicRow, measure: string): string {
  if (!arm?.seen) return "This arm has not served this topic.";
  const { mean, num_ret, visits, last, found } = arm;
  const value = mean === null
    ? `No value: ${num_ret} served is not deep enough, or the judgements have changed since.`
    : `${measure}, 0 to 1: mean over ${counted(visits, "visit")}; the last gave ${score(last)}.`;
  return `${value} ${found} of ${row.num_rel} relevant found, ${num_ret} documents served.`;
}

function differenceColumn(
  { a, measure, strip }: TopicsPage, b: string, looks: Looks): Column<TopicRow> {
  // The largest absolute difference that the strip has room for.
  const reach = inReach(strip).reduce((most, bin) => Math.max(most, bin.high), 0);
  const [one, other] = [nameInText(a), nameInText(b)];
  const words = (value: number) => value === 0 ? `Level: the same ${measure}.`
    : `${value > 0 ? other : one} is ahead by ${size(value)} of ${measure}, which ` +
      "goes from 0 to 1.";
  return numberColumn(["difference", html("span.under", `${other} − ${one}`)],
    (row) => differenceCell(row.difference, reach, looks), {
      about: `Score of ${other} less that of ${one}. Bars go to the right if ${other} is ` +
        `ahead, to the left if ${one} is.`,
      sorting: { sort: "difference", order: "desc" }, attributes: { "data-cell": "difference" },
      explain: ({ difference }) =>
        difference === null ? "Both arms must have a value." : words(difference) });
}

function latencyColumn(name: string, look: number, key: string): Column<TopicRow> {
  const took = `How long ${nameInText(name)} took`;
  const last = "the last visit that was timed, in milliseconds.";
  return numberColumn([html("span.wide", armName(look, name)), html("span.under", "latency")],
    (row) => milliseconds(armOf(row, name)?.latency_ms), {
      about: `${took} at ${last}`, explain: () => `${took} in ${last}`,
      sorting: { sort: key, order: "desc" }, attributes: { class: "wide", "data-cell": key } });
}

function armOf(row: TopicRow, name: string): TopicRowArm | undefined {
  return row.arms.find((arm) => arm.name === name);
}

type Bin = TopicsPage["strip"][number];

const leastReach = 0.25;

/** Wins, ties and losses in words, and a histogram of the differences. */
export function outcomeStrip() {
  const words = html("p.outcome-words"), legend = html("div.strip-legend");
  const readout = html("p.readout", { "aria-live": "polite" });
  let bins: Bin[] = [], chosen: number | null = null, page: TopicsPage, looks: Looks;
  const within = (bin: number) => Math.min(bins.length - 1, Math.max(0, bin));
  const read = (bin: number | null) => {
    chosen = bin;
    drawing.redraw();
    setText(readout, bin === null ? `Topics by their difference in ${page.measure}, in steps of ` +
      "0.05. Point at a bar, or use the arrow keys, to read it." : binWords(bins[bin]!, page));
  };
  const keys = () => {
    const middle = bins.length / 2;
    return { ArrowLeft: within((chosen ?? middle) - 1),
      ArrowRight: within(chosen === null ? middle : chosen + 1), Home: 0, End: bins.length - 1 };
  };
  let wide = 0;
  const drawing = plot({ class: "strip", what: "",
    draw: (width) => drawStrip(bins, chosen, looks, wide = width),
    reading: { placeAt: (x) => within(Math.floor((x / wide) * bins.length)), keys, read } });
  const element = html("section.card", { "aria-label": "Wins and losses" },
    html("figure.outcomes", words, legend, drawing.element, readout));
  return { element, set: (shown: TopicsPage, now: Looks) => {
    element.hidden = shown.b === null || shown.wins + shown.ties + shown.losses === 0;
    if (element.hidden || shown.b === null) return;
    page = shown;
    looks = now;
    bins = inReach(shown.strip);
    fill(words, outcomeWords(shown));
    fill(legend, html("span", "← ", armName(looks.a, shown.a), " ahead"),
      html("span", armName(looks.b, shown.b), " ahead →"));
    drawing.element.setAttribute("aria-label", stripWords(shown, bins));
    read(chosen === null || chosen >= bins.length ? null : chosen);
  } };
}

function outcomeWords(page: TopicsPage): Child {
  const { measure, wins, ties, losses } = page;
  const a = nameInText(page.a), b = nameInText(page.b ?? "");
  const line = `Topics in which ${b} scores higher than, the same as, and lower than ${a} in ${
    measure} (mean over visits).`;
  const strong = (value: number) => html("strong", count(value));
  const go = wins === 1 ? " topic goes to " : " topics go to ";
  return [
    explained([strong(wins), go, html("bdi", b)], line),
    ", ", explained([strong(losses), " to ", html("bdi", a)], line),
    ", ", explained([strong(ties), ties === 1 ? " is level" : " are level"], line),
    html("span.quiet",
      ` (${measure}, of ${counted(wins + ties + losses, "topic")} that both served)`)];
}

/** The bins around 0 as far as any difference goes, as many on either side. */
function inReach(strip: readonly Bin[]): Bin[] {
  const size = ({ low, high }: Bin) => Math.max(Math.abs(low), Math.abs(high));
  const reach = Math.max(leastReach, ...strip.filter((bin) => bin.topics > 0).map(size)) + 1e-9;
  return strip.filter((bin) => size(bin) <= reach);
}

function stripWords(page: TopicsPage, bins: readonly Bin[]): string {
  const fullest = bins.reduce((most, bin) => (bin.topics > most.topics ? bin : most));
  return `Topics by how far apart the arms are. ${nameInText(page.b ?? "")} ahead in ${
    page.wins}, ${nameInText(page.a)} in ${page.losses}, level in ${page.ties}. Fullest: ${
    binWords(fullest, page)} Arrow keys read each bar.`;
}

function binWords({ low, high, topics }: Bin, page: TopicsPage): string {
  const [near, far] = [Math.abs(low), Math.abs(high)].sort((x, y) => x - y) as [number, number];
  const ahead = nameInText((low >= 0 ? page.b : page.a) ?? "");
  return `${counted(topics, "topic")}: ${ahead} ahead by ${near.toFixed(2)} to ${far.toFixed(2)}.`;
}

const stripTop = 18, stripBottom = 128;

/** A bar for each bin, its count above, and the ends of the bins below. */
function drawStrip(
  bins: readonly Bin[], chosen: number | null, looks: Looks, width: number): Drawn {
  const x = { low: 0, high: bins.length, first: 0, last: width };
  const most = Math.max(1, ...bins.map((bin) => bin.topics));
  const y = { low: 0, high: most, first: stripBottom, last: stripTop };
  const wide = place(width / bins.length);
  const bars = bins.map(({ topics, low }, i) => {
    const left = at(x, i), top = Math.min(at(y, topics), stripBottom - 2);
    return svg("g", { class: armClass(low >= 0 ? looks.b : looks.a) },
      i === chosen &&
        svg("rect.chosen", { x: place(left), y: 0, width: wide, height: stripBottom }),
      topics > 0 && [svg("rect", { x: place(left + 1), y: place(top), width: place(wide - 2),
        height: place(stripBottom - top), rx: 2, fill: "currentColor" }),
      text(left + wide / 2, 12, count(topics), "middle", "strip-count faint")]);
  });
  const reach = bins.at(-1)?.high ?? 1;
  const labels = ([[0, "start"], [0.25, "middle"], [0.5, "middle"], [0.75, "middle"], [1, "end"]] as
    const).map(([share, anchor]) => text(width * share, stripBottom + 15, share === 0.5 ? "0"
    : difference((2 * share - 1) * reach, 3).replace(/0$/, ""), anchor, "faint"));
  return { height: stripBottom + 20, content: [bars, labels,
    line(0, stripBottom, width, stripBottom, "axis"),
    line(width / 2, stripTop, width / 2, stripBottom, "axis")] };
}

const width = 72, height = 10, half = width / 2;

/** A difference with a bar from the middle: to the right if `b` is ahead; `reach` fills a half. */
export function differenceCell(value: number | null, reach: number, looks: Looks): HTMLElement {
  if (value === null) return html("span.quiet", none);
  const long = reach <= 0 ? 0 : Math.min(1, Math.abs(value) / reach) * half;
  const look = armClass(value > 0 ? looks.b : looks.a);
  return html("span.difference",
    picture("svg.difference-bar", { width, height, class: look },
      svg("line.zero", { x1: half, x2: half, y1: 0, y2: height }),
      long > 0 && svg("rect", { x: value > 0 ? half : half - long, y: 2,
        width: Math.max(0.75, long), height: height - 4, fill: "currentColor" })),
    html("span", difference(value)));
}
