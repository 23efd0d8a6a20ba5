import { armName } from "../../arms.ts";
import type { Arm, Mean, Summary } from "../../data/documents.ts";
import { element } from "../../dom.ts";
import { type Line, measureExplanation } from "../../explain.ts";
import { count, meanName, microseconds, score } from "../../format.ts";
import { href } from "../../place.ts";
import { type Table, type TableColumn, table } from "../../table.ts";

const heading: TableColumn<Arm> = { head: "Arm", heads: true, cell: (arm, index) => armName(index, arm.name) };

/** What each arm was asked, and what of it is missing. */
export function trafficTable(): Table<Arm> {
  return table<Arm>({
    caption: "Traffic of each arm",
    columns: [heading,
      number("Judged", "Queries with judgements observed.", (arm) => arm.judged_queries, "judged_queries"),
      number("Unjudged", "Queries without judgements: latency counts, there is no score.", (arm) => arm.unjudged_queries, "unjudged_queries"),
      number("Retried", "Queries that the engine answered only when asked again; their latency is in no figure.", (arm) => arm.retried_queries, "retried_queries"),
      number("Failed", "Searches that threw.", (arm) => arm.failed_queries, "failed_queries"),
      number("Timed out", "Searches that gave up without a ranking.", (arm) => arm.timed_out_queries, "timed_out_queries"),
      number("Topics", "Distinct topics observed.", (arm) => arm.topics_seen, "topics_seen"),
      number("Awaiting", "Topics without a value since their judgements changed.", (arm) => arm.topics_awaiting, "topics_awaiting"),
      number("Unresolved", "Relevant judgements whose document is not in the index; they count as not found.", (arm) => arm.relevant_missing, "relevant_missing"),
      number("Duplicates", "Judged documents served again at a worse rank; the first counts.", (arm) => arm.duplicate_hits, "duplicate_hits"),
    ],
  });
}

/** The plugin's own time. */
export function selfTimeTable(): Table<Arm> {
  const column = (head: string, line: Line, value: (arm: Arm) => number | null, key: string): TableColumn<Arm> => (
    { head, about: line, cell: (arm) => microseconds(value(arm)), attributes: (arm) => ({ "data-number": `self/${arm.name}/${key}` }) });
  return table<Arm>({
    caption: "The plugin's own time on the query thread",
    columns: [heading,
      column("Judged, p50", "Half of the judged queries cost the plugin less.", (arm) => arm.self_time_us.p50, "p50"),
      column("Judged, p99", "99 of 100 judged queries cost the plugin less.", (arm) => arm.self_time_us.p99, "p99"),
      column("Unjudged, p50", "Half of the queries without judgements cost the plugin less.", (arm) => arm.unjudged_self_time_us.p50, "unjudged_p50"),
      column("Unjudged, p99", "99 of 100 queries without judgements cost the plugin less.", (arm) => arm.unjudged_self_time_us.p99, "unjudged_p99"),
    ],
  });
}

export interface DriftRow {
  arm: Arm;
  index: number;
  measure: string;
  mean: Mean;
}

/** Topics whose score moved since their earlier visits of this epoch. */
export function driftTable(): Table<DriftRow> {
  return table<DriftRow>({
    caption: "Drift",
    columns: [
      { head: "Arm", heads: true, cell: (row) => armName(row.index, row.arm.name) },
      { head: "Measure", align: "start", cell: (row) => meanName(row.measure), explain: (row) => measureExplanation(row.measure) },
      { head: "Revisited", about: "Topics with a value from more than one visit of this epoch.", cell: (row) => count(row.mean.drift.revisited) },
      { head: "Moved", about: "Of these, topics whose last value is not the mean of the earlier ones.", cell: (row) => count(row.mean.drift.changed) },
      { head: "By, on average", about: "Mean absolute change over the revisited topics.", cell: (row) => score(row.mean.drift.mean_change) },
      { head: "Most", about: "The largest absolute change of a topic.", cell: (row) => score(row.mean.drift.largest) },
      { head: "in topic", align: "start", cell: (row) => row.mean.drift.topic !== null && element("a", { href: href("topic", row.mean.drift.topic) }, element("bdi", { text: row.mean.drift.topic })) },
    ],
  });
}

export function driftRows(summary: Summary): DriftRow[] {
  return summary.arms.flatMap((arm, index) => Object.entries(arm.means)
    .filter(([, mean]) => mean.drift.changed > 0).map(([measure, mean]) => ({ arm, index, measure, mean })));
}

function number(head: string, about: Line, value: (arm: Arm) => number | null, key: string): TableColumn<Arm> {
  return { head, about, cell: (arm) => count(value(arm)), attributes: (arm) => ({ "data-number": `traffic/${arm.name}/${key}` }) };
}
