import type { PastEpoch, Summary } from "../../data/documents.ts";
import { element } from "../../dom.ts";
import { count, counted, difference, interval, meanName } from "../../format.ts";
import { type Table, table } from "../../table.ts";
import { epochReason, stateName } from "../../words.ts";

export interface EpochRow {
  number: number;
  reason: string;
  observations: number;
  /** Lines of what was shown when it ended; null of the present one. */
  ended: string[] | null;
}

/** Epochs, the present one first. */
export function epochTable(): Table<EpochRow> {
  return table<EpochRow>({
    caption: "Epochs",
    columns: [
      { head: "Epoch", heads: true, cell: (row) => count(row.number) },
      { head: "Began because", about: "start: the experiment began. Index changed: a new generation. Arms changed: one was added, paused, resumed, removed or restarted. Judgements changed.",
        align: "start", cell: (row) => epochReason(row.reason) },
      { head: "Observations", about: "In it so far, or until it ended.", cell: (row) => count(row.observations) },
      { head: "Ended with", align: "start", cell: (row) => row.ended === null ? "goes on" : row.ended.map((line) => element("div", { text: line })) },
    ],
  });
}

export function epochRows(summary: Summary, measure: string): EpochRow[] {
  const past = summary.past_epochs.map((epoch) => ({ ...epoch, ended: endedWith(epoch, measure) })).reverse();
  return [{ ...summary.epoch, ended: null }, ...past];
}

function endedWith(epoch: PastEpoch, measure: string): string[] {
  return epoch.ended_with.filter((each) => each.measure === measure).map((each) =>
    `${each.b}: ${meanName(measure)} ${difference(each.mean)} ${interval(each.live.low, each.live.high, difference)} over ${counted(each.topics, "topic")}, ${stateName(each.live.state, each.topics)}`);
}
