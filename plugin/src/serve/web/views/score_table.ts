import { armName } from "../arms.ts";
import type { TopicDetail, TopicDetailArm } from "../data/documents.ts";
import { element } from "../dom.ts";
import { explained, measureExplanation } from "../explain.ts";
import { count, counted, milliseconds, score } from "../format.ts";
import { type Table, type TableColumn, table } from "../table.ts";
import { named } from "./names.ts";

/** Every measure, of each arm: of the ranking served last, and the mean over visits. */
export function scoreTable(topic: TopicDetail): Table<string> {
  const columns: TableColumn<string>[] = [{
    head: "measure", heads: true, align: "start", cell: (measure) => explained(measure, measureExplanation(measure)),
  }];
  topic.arms.forEach((arm, i) => {
    columns.push({
      head: armName(i, arm.name),
      cell: (measure) => [score(arm.scores[measure]), meanWords(arm, measure)],
      explain: (measure) => scoreSentence(arm, measure),
      attributes: (measure) => ({ "data-score": `${arm.name} ${measure}` }),
    });
  });
  return table({ caption: "Scores by measure", columns, class: "score-table" });
}

function meanWords(arm: TopicDetailArm, measure: string): HTMLElement | null {
  return arm.visits > 1 ? element("small", { class: "mean", text: `mean ${score(arm.means[measure])}` }) : null;
}

function scoreSentence(arm: TopicDetailArm, measure: string): string {
  if (!arm.seen) return `${named(arm.name)} has not served this topic yet.`;
  if ((arm.scores[measure] ?? null) === null) return valueMissing(arm, measure);
  return `${measure} of the ranking served last, 0 to 1; ${arm.visits > 1 ? `its mean over ${counted(arm.visits, "visit")} is ${score(arm.means[measure])}` : "it was the only visit"}.`;
}

/** Why an arm has no value of a measure. */
export function valueMissing(arm: TopicDetailArm, measure: string): string {
  if (!arm.seen) return `${named(arm.name)} has not served this topic yet.`;
  if (arm.awaiting) return `${named(arm.name)} has no value: the judgements have changed since it served this topic.`;
  return `${named(arm.name)} has no ${measure}: it served only ${counted(arm.num_ret, "document")}.`;
}

/** How each arm served the topic. */
export function servedTable(topic: TopicDetail): Table<TopicDetailArm> {
  const index = (arm: TopicDetailArm) => topic.arms.indexOf(arm);
  return table({ caption: "How it was served", class: "served-table", columns: [
    { head: "arm", heads: true, align: "start", cell: (arm) => armName(index(arm), arm.name) },
    { head: explained("visits", "How often the arm has served this topic in this epoch; scores have a mean over them."),
      cell: (arm) => count(arm.visits), attributes: (arm) => ({ "data-visits": arm.name }) },
    { head: explained("served", "Documents served at the last visit."),
      cell: (arm) => [count(arm.num_ret), element("small", { class: "mean", text: arm.exhausted ? "the whole ranking" : "up to its depth" })] },
    { head: explained("latency", "How long the last visit that was timed took, in milliseconds."),
      cell: (arm) => milliseconds(arm.latency_ms), attributes: (arm) => ({ "data-latency": arm.name }) },
  ] });
}
