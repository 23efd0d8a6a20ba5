import { armName } from "../../arms.ts";
import { type Chart, armLine, chart } from "../../chart.ts";
import type { Arm, Latency, Quantile, Series } from "../../data/documents.ts";
import { type Child, element, fill } from "../../dom.ts";
import { count, counted, interval, milliseconds, significant } from "../../format.ts";
import { hasShadow } from "../../latency.ts";
import { type Table, type TableColumn, table } from "../../table.ts";
import { epochMarks } from "./difference_part.ts";
import type { Part } from "./part.ts";

const quantiles = ["p50", "p95", "p99"] as const;

/** Latency of each arm: its quantiles now, and over time. */
export function latencyPart(): Part {
  const rows = latencyTable("Latency of queries that users waited for", "latency", (arm) => arm.latency_ms);
  const shadow = latencyTable("Latency of searches for comparison", "shadow", (arm) => arm.shadow_latency_ms);
  const shadowPart = element("div", { class: "shadow" }, element("h3", { text: "Searches for comparison" }),
    element("p", { class: "sub", text: "Run in the shadow of the answer, few at a time on warm caches; nobody waited for them." }), shadow.element);
  const holder = element("div", { class: "multiples" });
  let charts: Chart[] = [];
  let shape = "";
  const remade = (series: Series) => {
    for (const each of charts) each.close();
    charts = quantiles.map((quantile) => quantileChart(quantile, series));
    fill(holder, charts.map((each, index) => element("div", {}, element("h3", { text: `${quantiles[index]} over time` }), each.element)));
  };
  return {
    element: element("section", { class: "card" }, element("h2", { text: "Latency" }),
      element("p", { class: "sub", text: "Counts requests, not topics. Each point of a curve is of the queries since the point before." }), rows.element, shadowPart, holder),
    close: () => { for (const each of charts) each.close(); },
    set({ now, summary }) {
      rows.set(summary.arms);
      shadowPart.hidden = !hasShadow(summary);
      shadow.set(summary.arms);
      const series = now.series;
      holder.hidden = !series;
      if (!series) return;
      const wanted = JSON.stringify(series.arms.map((arm) => arm.name));
      if (wanted !== shape) remade(series);
      shape = wanted;
      quantiles.forEach((quantile, index) => charts[index]!.set({ x: series.time_ms, marks: epochMarks(series).map((mark) => ({ x: mark.x, label: "" })),
        lines: series.arms.map((arm) => arm[`${quantile}_ms`]) }));
    },
  };
}

function quantileChart(quantile: (typeof quantiles)[number], series: Series): Chart {
  return chart({
    label: `${quantile} of each arm over time`, x: "time", xLabel: "Time", yLabel: "ms", height: 170, include: [0],
    lines: series.arms.map((arm, index) => armLine(index, arm.name)),
    formatY: milliseconds, tickY: (value) => significant(value).replace(/\.0+$/, ""),
  });
}

type LatencyOf = (arm: Arm) => Latency;

function latencyTable(caption: string, key: string, of: LatencyOf): Table<Arm> {
  return table<Arm>({
    caption,
    columns: [
      { head: "Arm", heads: true, cell: (arm, index) => armName(index, arm.name) },
      { head: "Queries", about: "Queries whose latency is known, judged or not, and those that failed.", cell: (arm) => count(of(arm).count),
        attributes: (arm) => ({ "data-number": `${key}/${arm.name}/count` }) },
      ...(["p50", "p90", "p95", "p99"] as const).map((quantile) => quantileColumn(quantile, key, of)),
      { head: "Longest", about: "The longest query that did not fail.", cell: (arm) => milliseconds(of(arm).max) },
      ...(key === "latency" ? [failedColumn] : []),
    ],
  });
}

const failedColumn: TableColumn<Arm> = {
  head: "Failed", about: "Searches that threw or timed out: queries without end in the quantiles.",
  cell: (arm) => count(arm.failed_queries + arm.timed_out_queries),
};

function quantileColumn(quantile: Quantile, key: string, of: LatencyOf): TableColumn<Arm> {
  return {
    head: quantile, about: quantile,
    cell: (arm) => quantileCell(of(arm), quantile),
    attributes: (arm) => ({ "data-number": `${key}/${arm.name}/${quantile}` }),
    explain: (arm) => `${quantile} with its 95 % interval, of ${counted(of(arm).count, "query", "queries")}; holds however often one looks.`,
  };
}

function quantileCell(latency: Latency, quantile: Quantile): Child {
  const value = latency[quantile];
  if (value === null) return latency.count > 0 ? "failed" : "–";
  const { low, high } = latency.intervals[quantile];
  return [element("strong", { class: "value", text: milliseconds(value) }), element("small", { text: interval(low, high, significant) })];
}

