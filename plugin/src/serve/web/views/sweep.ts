import "../styles/topics.css";
import { armLook, armName } from "../arms.ts";
import { type Chart, armLine, chart } from "../chart.ts";
import type { Sweep } from "../data/documents.ts";
import { element, fill, setText } from "../dom.ts";
import { measureExplanation } from "../explain.ts";
import { counted, count, score } from "../format.ts";
import type { Place } from "../place.ts";
import type { Context, Now, ShownView } from "../view.ts";
import { named } from "./names.ts";
import { Pace, Seen, keepingFocus } from "./refresh.ts";
import { type SweepMeasure, disagreement, measureWords, sentence, sentences, sweepMeasures } from "./sweep_words.ts";

const refreshMs = 5000, cutoffsAsked = 40;

/** PRES, Recall and MAP against the cutoff, as figure 8 of Magdy & Jones, SIGIR 2010. */
export function sweepView(context: Context): ShownView {
  return new SweepView(context);
}

class SweepView implements ShownView {
  readonly element = element("div", { class: "view sweep" });
  private readonly lead = element("p", { class: "sub" });
  private readonly words = element("ul", { class: "sweep-words" });
  private readonly legend = element("ul", { class: "legend" });
  private readonly limits = element("p", { class: "sub" });
  private readonly problem = element("p", { class: "problem", role: "alert", hidden: true });
  private readonly figures = element("div", { class: "columns sweep-charts" });
  private readonly scale: HTMLSelectElement;
  private readonly pace = new Pace(refreshMs, () => void this.load());
  private charts: Chart[] = [];
  private key = "";
  private sweep: Sweep | null = null;
  private logarithmic = true;
  private asked = 0;
  private readonly seen = new Seen();

  constructor(private readonly context: Context) {
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
    else this.pace.now();
  }

  update(now: Now): void {
    if (this.seen.changed(now)) this.pace.wanted();
  }

  close(): void {
    ++this.asked;
    this.pace.stop();
    for (const each of this.charts) each.close();
  }

  private async load(): Promise<void> {
    const asked = ++this.asked;
    try {
      const sweep = await this.context.source.sweep(cutoffsAsked);
      if (asked === this.asked) this.show(sweep);
    } catch (error) {
      if (asked === this.asked) this.fail(error);
    }
  }

  private show(sweep: Sweep): void {
    this.sweep = sweep;
    this.problem.hidden = true;
    const last = sweep.cutoffs.at(-1) ?? 0;
    setText(this.lead, `Means over topics if a searcher read N documents, for N from ${count(sweep.cutoffs[0])} to ${count(last)}; ${
      sweep.arms.map((arm) => `${counted(arm.topics, "topic")} of ${named(arm.name)}`).join(", ")}.`);
    keepingFocus(this.words, () => fill(this.words, allSentences(sweep).map((each) => element("li", { text: each }))));
    setText(this.limits, depthWords(sweep));
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
      label: `${measureWords[measure]} against the cutoff N`, describe: () => this.sweep ? wordsOf(this.sweep, measure).join(" ") : "",
      x: this.logarithmic ? "log" : "number", xLabel: "cutoff N, documents read", yLabel: measureWords[measure],
      lines: sweep.arms.map((arm, i) => ({ ...armLine(i, arm.name), dash: armLook(i).dash })),
      height: 260, include: [0], formatX: (x) => `N = ${count(x)}`, formatY: score, tickY: (y) => String(Number(y.toPrecision(3))),
    }));
    fill(this.figures, sweepMeasures.map((measure, i) => element("section", { class: "card" },
      element("h2", { text: measureWords[measure] }), element("p", { class: "sub", text: measureExplanation(measure) }), this.charts[i]!.element)));
  }

  private fail(error: unknown): void {
    setText(this.problem, error instanceof Error ? error.message : String(error));
    this.problem.hidden = false;
  }
}

/** Of the first arm against each other, measure by measure, and where measures disagree. */
function allSentences(sweep: Sweep): string[] {
  const [first, ...others] = sweep.arms;
  if (!first || sweep.cutoffs.length === 0) return ["No topic has been served yet."];
  if (others.length === 0) return [`${named(first.name)} alone: nothing to compare it with.`];
  return others.flatMap((other) => {
    const about = others.length > 1 ? `${named(other.name)} against ${named(first.name)}. ` : "";
    const said = [...sentences(sweep, first, other), disagreement(sweep, first, other)];
    return said.filter((words) => words !== null).map((words) => about + words);
  });
}

function wordsOf(sweep: Sweep, measure: SweepMeasure): string[] {
  const [first, ...others] = sweep.arms;
  return first ? others.map((other) => sentence(sweep, measure, first, other)) : [];
}

/** Up to where rankings are known. */
export function depthWords(sweep: Sweep): string {
  const last = sweep.cutoffs.at(-1) ?? 0;
  const limited = sweep.arms.filter((arm) => arm.depth !== null && arm.depth < last);
  const parts = limited.map((arm) => `${named(arm.name)} was served ${count(arm.depth)} deep at the least`);
  const level = "Means closer than 0.0005 count as level; whether a lead is more than chance is what the overview's verdicts say.";
  return parts.length === 0 ? level : `${parts.join(", ")}: there its means end. ${level}`;
}

function depthMarks(sweep: Sweep): { x: number; label: string }[] {
  const last = sweep.cutoffs.at(-1) ?? 0;
  return sweep.arms.filter((arm) => arm.depth !== null && arm.depth < last).map((arm) => ({ x: arm.depth!, label: `depth of ${named(arm.name)}` }));
}
