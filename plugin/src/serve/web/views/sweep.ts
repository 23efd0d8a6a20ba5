import "../styles/topics.css";
import { armLook, armName } from "../arms.ts";
import { armLine, type Chart, chart } from "../chart.ts";
import type { Sweep } from "../data/documents.ts";
import { element, fill, setText } from "../dom.ts";
import { count, counted, nameInText, score } from "../format.ts";
import { measureExplanation } from "../measures.ts";
import type { Place } from "../place.ts";
import type { Context, ShownView } from "../view.ts";
import { keepingFocus, LoadingView } from "./refresh.ts";

const refreshMs = 5000, cutoffsAsked = 40;

/** PRES, Recall and MAP against the cutoff, as figure 8 of Magdy & Jones, SIGIR 2010. */
export function sweepView(context: Context): ShownView {
  return new SweepView(context);
}

class SweepView extends LoadingView<Sweep> {
  readonly element = element("div", { class: "view sweep" });
  private readonly lead = element("p", { class: "sub" });
  private readonly words = element("ul", { class: "sweep-words" });
  private readonly legend = element("ul", { class: "legend" });
  private readonly limits = element("p", { class: "sub" });
  private readonly figures = element("div", { class: "columns sweep-charts" });
  private readonly scale: HTMLSelectElement;
  private charts: Chart[] = [];
  private key = "";
  private sweep: Sweep | null = null;
  private logarithmic = true;

  constructor(private readonly context: Context) {
    super(refreshMs);
    this.scale = element("select", { onchange: () => context.setParameters({ x: this.scale.value === "log" ? null : this.scale.value }) },
      element("option", { value: "log", text: "logarithmic" }), element("option", { value: "linear", text: "linear" }));
    this.element.append(
      element("div", { class: "view-head" }, element("div", {}, element("h1", { text: "Cutoff sweep" }), this.lead),
        element("div", { class: "bar" }, element("label", { class: "choice" }, element("span", { text: "Cutoff axis" }), this.scale))),
      this.problem,
      element("section", { class: "card" }, element("h2", { text: "In words" }), this.words, this.limits),
      this.legend, this.figures);
    this.parameters(context.place);
  }

  parameters(place: Place): void {
    this.logarithmic = place.parameters.get("x") !== "linear";
    this.scale.value = this.logarithmic ? "log" : "linear";
    if (this.sweep) this.show(this.sweep);
    else this.loadNow();
  }

  override close(): void {
    super.close();
    for (const each of this.charts) each.close();
  }

  protected fetch(): Promise<Sweep> {
    return this.context.source.sweep(cutoffsAsked);
  }

  protected show(sweep: Sweep): void {
    this.sweep = sweep;
    const last = sweep.cutoffs.at(-1) ?? 0;
    setText(this.lead, `Means over topics if a searcher read N documents, for N from ${count(sweep.cutoffs[0])} to ${count(last)}; ${
      sweep.arms.map((arm) => `${counted(arm.topics, "topic")} of ${nameInText(arm.name)}`).join(", ")}.`);
    keepingFocus(this.words, () => fill(this.words, sweep.words.sentences.map((each) => element("li", { text: each }))));
    setText(this.limits, sweep.words.depth);
    fill(this.legend, sweep.arms.map((arm, i) => element("li", {}, armName(i, arm.name))));
    this.showCharts(sweep);
  }

  private showCharts(sweep: Sweep): void {
    const key = JSON.stringify([sweep.arms.map((arm) => arm.name), this.logarithmic]);
    if (key !== this.key) this.makeCharts(sweep);
    this.key = key;
    sweepMeasures.forEach((measure, i) => this.charts[i]!.set({
      x: sweep.cutoffs, lines: sweep.arms.map((arm) => arm[measure]), marks: depthMarks(sweep) }));
  }

  private makeCharts(sweep: Sweep): void {
    for (const each of this.charts) each.close();
    this.charts = sweepMeasures.map((measure) => chart({
      label: `${measureWords[measure]} against the cutoff N`, describe: () => this.sweep?.words.sentences.join(" ") ?? "",
      x: this.logarithmic ? "log" : "number", xLabel: "cutoff N, documents read", yLabel: measureWords[measure],
      lines: sweep.arms.map((arm, i) => ({ ...armLine(i, arm.name), dash: armLook(i).dash })),
      height: 260, include: [0], formatX: (x) => `N = ${count(x)}`, formatY: score, tickY: (y) => String(Number(y.toPrecision(3))),
    }));
    fill(this.figures, sweepMeasures.map((measure, i) => element("section", { class: "card" },
      element("h2", { text: measureWords[measure] }), element("p", { class: "sub", text: measureExplanation(measure) }), this.charts[i]!.element)));
  }
}

function depthMarks(sweep: Sweep): { x: number; label: string }[] {
  const last = sweep.cutoffs.at(-1) ?? 0;
  return sweep.arms.filter((arm) => arm.depth !== null && arm.depth < last).map((arm) => ({ x: arm.depth!, label: `depth of ${nameInText(arm.name)}` }));
}


const sweepMeasures = ["PRES", "R", "AP"] as const;
type SweepMeasure = (typeof sweepMeasures)[number];

const measureWords: Record<SweepMeasure, string> = { PRES: "PRES", R: "Recall", AP: "MAP" };
