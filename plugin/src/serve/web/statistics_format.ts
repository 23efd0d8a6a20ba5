// What tests say, as text: the same digits as the tables of the command line.
import { none } from "./format.ts";

/** 0.0123; what would be 0.0000 is <0.0001 */
export function pValue(p: number | null | undefined): string {
  if (p === null || p === undefined) return none;
  return p < 0.0001 ? "<0.0001" : p.toFixed(4);
}

/** A ratio, such as of latencies: 1.183 */
export function ratio(value: number | null | undefined): string {
  return value === null || value === undefined ? none : value.toFixed(3);
}

/** A share as it was given: 0.95 is "95 %", 0.999 "99.9 %". */
export function exactPercent(share: number): string {
  return `${Number((share * 100).toPrecision(6))} %`;
}

/** Wins, ties and losses: 126/81/93 */
export function outcomes(counts: { wins: number; ties: number; losses: number }): string {
  return `${counts.wins}/${counts.ties}/${counts.losses}`;
}
