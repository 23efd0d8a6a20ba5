import { armName } from "../arms.ts";
import { type Chart, chart } from "../chart.ts";
import type { Sweep } from "../data/documents.ts";
import { chooser, fill, html, setText, whenChanged } from "../dom.ts";
import { measureExplanation } from "../explain.ts";
import { count, counted, nameInText, score } from "../format.ts";
import { type Context, here, loading, type ShownView, viewHead } from "../view.ts";
import { card } from "./parts.ts";

const refreshMs = 5000, cutoffsAsked = 40;

const measures = [["PRES", "PRES"], ["R", "Recall"], ["AP", "MAP"]] as const;

/** PRES, Recall and MAP against the cutoff, as figure 8 of Magdy & Jones, SIGIR 2010. */
export function sweepView(context: Context): ShownView {
  const lead = html("p.sub"), limits = html("p.sub");
  const words = html("ul.sweep-words");
  const legend = html("ul.legend");
  const figures = html("div.columns.sweep-charts");
  const scale = chooser("Cutoff axis", (value) =>
    context.setParameters({ x: value === "log" ? null : value }));
  const whenOthers = whenChanged();
  let charts: Chart[] = [], sweep: Sweep | null = null;
  const show = (shown: Sweep) => {
    sweep = shown;
    const { arms, cutoffs } = shown;
    const x = here().parameters.get("x") === "linear" ? "number" : "log";
    const last = cutoffs.at(-1) ?? 0;
    setText(lead, `Means over topics if a searcher read N documents, for N from ${
      count(cutoffs[0])} to ${count(last)}; ${arms.map((arm) =>
      `${counted(arm.topics, "topic")} of ${nameInText(arm.name)}`).join(", ")}.`);
    fill(words, shown.words.sentences.map((each) => html("li", each)));
    setText(limits, shown.words.depth);
    fill(legend, arms.map((arm, i) => html("li", armName(i, arm.name))));
    whenOthers([arms.map((arm) => arm.name), x], () => {
      charts = measures.map(([, name]) => sweepChart(name, x, shown, () => sweep!));
      fill(figures, measures.map(([measure, name], i) =>
        card(name, measureExplanation(measure), charts[i]!.element)));
    });
    const marks = arms.filter(({ depth }) => depth !== null && depth < last)
      .map(({ depth, name }) => ({ x: depth!, label: `depth of ${nameInText(name)}` }));
    measures.forEach(([measure], i) =>
      charts[i]!.set({ x: cutoffs, lines: arms.map((arm) => arm[measure]), marks }));
  };
  const loader = loading(context, refreshMs, () => context.source.sweep(cutoffsAsked), show);
  const parameters = () => {
    scale.set([{ value: "log", text: "logarithmic" }, { value: "linear", text: "linear" }],
      here().parameters.get("x") === "linear" ? "linear" : "log");
    if (sweep) show(sweep);
    else void loader.load();
  };
  parameters();
  const element = html("div.view.sweep",
    viewHead("Cutoff sweep", lead, html("div.bar", scale.element)), loader.problem,
    html("section.card", html("h2", "In words"), words, limits), legend, figures);
  return { element, parameters, update: loader.update, close: loader.close };
}

function sweepChart(name: string, x: "log" | "number", { arms }: Sweep, sweep: () => Sweep): Chart {
  return chart({
    label: `${name} against the cutoff N`, describe: () => sweep().words.sentences.join(" "),
    x, xLabel: "cutoff N, documents read", yLabel: name, height: 260, include: [0],
    lines: arms.map((each, arm) => ({ label: each.name, arm })),
    formatX: (x) => `N = ${count(x)}`, formatY: score });
}
