import { armName } from "../../arms.ts";
import type { Arm, Mean, Summary } from "../../data/documents.ts";
import { type Child, element, fill, setText } from "../../dom.ts";
import { measureExplanation } from "../../explain.ts";
import { count, counted, difference, interval, meanName, nameInText, score } from "../../format.ts";
import { type Table, type TableColumn, table } from "../../table.ts";
import type { Context } from "../../view.ts";
import type { Part } from "./part.ts";

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
