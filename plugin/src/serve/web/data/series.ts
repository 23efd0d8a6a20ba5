import type { Series } from "./documents.ts";

/** As many points as a server keeps. */
const most = 2048;

/** Gives `series` with `point` at its end, or null where it does not continue it: fetch it anew then. */
export function extended(series: Series, point: Series): Series | null {
  const time = point.time_ms[0];
  if (time === undefined) return series;
  if (time <= (series.time_ms.at(-1) ?? -Infinity)) return series;
  if (!sameShape(series, point)) return null;
  const longer = joined(series, point);
  return longer.time_ms.length <= most ? longer : mapColumns(longer, (column) => column.filter((_value, index) => index % 2 === 0));
}

function sameShape(series: Series, point: Series): boolean {
  const shape = (each: Series) => JSON.stringify([
    each.arms.map((arm) => [arm.name, Object.keys(arm.means)]),
    each.pairs.map((pair) => [pair.a, pair.b, Object.keys(pair.differences)])]);
  return shape(series) === shape(point);
}

function joined(series: Series, point: Series): Series {
  const next = columnsOf(point);
  let place = 0;
  const made = mapColumns(series, (column) => [...column, ...((next[place++] ?? []) as typeof column)]);
  const known = new Set(series.epochs.map((epoch) => epoch.number));
  return { ...made, epochs: [...series.epochs, ...point.epochs.filter((epoch) => !known.has(epoch.number))] };
}

function columnsOf(series: Series): unknown[][] {
  const columns: unknown[][] = [];
  mapColumns(series, (column) => (columns.push(column), column));
  return columns;
}

// Every column in one fixed order.
function mapColumns(series: Series, change: <Value>(column: Value[]) => Value[]): Series {
  const changed = <Value>(columns: Record<string, Value[]>) =>
    Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, change(column)]));
  return {
    time_ms: change(series.time_ms),
    epoch: change(series.epoch),
    epochs: series.epochs,
    arms: series.arms.map((arm) => ({ name: arm.name, queries: change(arm.queries), p50_ms: change(arm.p50_ms),
      p95_ms: change(arm.p95_ms), p99_ms: change(arm.p99_ms), means: changed(arm.means) })),
    pairs: series.pairs.map((pair) => ({ a: pair.a, b: pair.b, differences: Object.fromEntries(
      Object.entries(pair.differences).map(([measure, each]) => [measure, { topics: change(each.topics),
        mean: change(each.mean), low: change(each.low), high: change(each.high), state: change(each.state) }])) })),
  };
}
