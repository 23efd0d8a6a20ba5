import { armName } from "../arms.ts";
import { chart } from "../chart.ts";
import type { Sweep } from "../data/documents.ts";
import { chooser, fill, html, setText } from "../dom.ts";
import { measureExplanation } from "../explain.ts";
import { count, counted, nameInText, score, visibleText } from "../format.ts";
import { type Context, here, loading, type ShownView, viewHead } from "../view.ts";
import { card } from "./parts.ts";

const refreshMs = 5000, cutoffsAsked = 40;

const measures = [["PRES", "PRES"], ["R", "Recall"], ["AP", "MAP"]] as const;

/** PRES, Recall and MAP against the cutoff, as figure 8 of Magdy & Jones, SIGIR 2010. */
export function sweepView(context: Context): ShownView {
  const lead = html("p.sub"), limits = html("p.sub");
  const words = html("ul.sweep-words");
  const legend = html("ul.legend");
  const charts = measures.map(([measure, name]) => ({ measure, name, ...sweepChart(name) }));
  const figures = html("div.columns.sweep-charts", { hidden: true },
    charts.map(({ measure, name, element }) => card(name, measureExplanation(measure), element)));
  const scale = chooser("Cutoff axis", (value) =>
    context.setParameters({ x: value === "log" ? null : value }));
  const isLog = () => here().parameters.get("x") !== "linear";
  let sweep: Sweep | null = null;
  const show = (shown: Sweep) => {
    sweep = shown;
    const { arms, cutoffs } = shown, { depth } = shown.words;
    const sentences = shown.words.sentences.map(visibleText);
    const last = cutoffs.at(-1) ?? 0;
    const reach = last ? `, for N from ${count(cutoffs[0])} to ${count(last)}` : "";
    setText(lead, `Means over topics if a searcher reads N documents${reach}; ${arms.map((arm) =>
      `${counted(arm.topics, "topic")} of ${nameInText(arm.name)}`).join(", ")}.`);
    fill(words, sentences.map((each) => html("li", each)));
    setText(limits, visibleText(depth));
    fill(legend, arms.map((arm, i) => html("li", armName(i, arm.name))));
    figures.hidden = false;
    const marks = arms.filter(({ depth }) => depth !== null && depth < last)
      .map(({ depth, name }) => ({ x: depth!, label: `depth of ${nameInText(name)}` }));
    for (const { measure, set } of charts)
      set({ x: cutoffs, marks, words: sentences.join(" "), isLog: isLog(),
        lines: arms.map((each, arm) => ({ label: each.name, arm, values: each[measure] })) });
  };
  const loader = loading(context, refreshMs, () => context.source.sweep(cutoffsAsked), show);
  const parameters = () => {
    scale.set([{ value: "log", text: "logarithmic" }, { value: "linear", text: "linear" }],
      isLog() ? "log" : "linear");
    if (sweep) show(sweep);
    else void loader.load();
  };
  parameters();
  const element = html("div.view.sweep",
    viewHead("Cutoff sweep", lead, html("div.bar", scale.element)), loader.problem,
    card("In words", null, words, limits), legend, figures);
  return { element, parameters, update: loader.update, close: loader.close };
}

const sweepChart = (name: string) => chart({
  label: `${name} against the cutoff N`, x: "number", xLabel: "cutoff N, documents read",
  yLabel: name, height: 260, include: [0], formatX: (x) => `N = ${count(x)}`, formatY: score });
