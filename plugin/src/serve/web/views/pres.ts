// PRES of one topic, step by step; the page's drawings, shares and arithmetic use it.
import { score } from "../format.ts";
import { at, type Scale, valueAt } from "../plots/plot.ts";

export interface RankedTopic {
  /** n, relevant documents; at least 1. */
  numRel: number;
  /** N_max, at least 1. */
  cutoff: number;
  /** Ranks of relevant documents, ascending, from 1; those behind the cutoff count as not found. */
  ranks: readonly number[];
}

/** The credit of the j-th relevant document found: N + j - r, of n N in all. */
export function credits(topic: RankedTopic): { rank: number; j: number; credit: number }[] {
  return within(topic).map((rank, i) => ({ rank, j: i + 1, credit: topic.cutoff + i + 1 - rank }));
}

export function creditSum(topic: RankedTopic): number {
  return credits(topic).reduce((sum, each) => sum + each.credit, 0);
}

export function pres(topic: RankedTopic): number {
  return creditSum(topic) / (topic.numRel * topic.cutoff);
}

export function within({ ranks, cutoff }: RankedTopic): number[] {
  return ranks.filter((rank) => rank <= cutoff);
}

/**
 * Returns each citation's part of PRES(b) - PRES(a). `places` has the ranks of one citation in a
 * and in b, null if it was not served; the parts sum to the difference.
 */
export function shares(numRel: number, cutoff: number,
  places: readonly (readonly [number | null, number | null])[]): number[] {
  const parts = [0, 1].map((arm) => {
    const ranks = places.map((place) => place[arm]).filter((rank) => rank != null);
    const earned = credits({ numRel, cutoff, ranks: ranks.sort((x, y) => x - y) });
    return new Map(earned.map(({ rank, credit }) => [rank, credit]));
  });
  const credit = (arm: 0 | 1, rank: number | null) => (rank && parts[arm]!.get(rank)) || 0;
  return places.map(([a, b]) => (credit(1, b) - credit(0, a)) / (numRel * cutoff));
}

const termsShown = 8;

/**
 * The arithmetic in one line:
 * "(97 + 75 + 60) / (3 · 100) = 232 / 300 = 0.7733", each term being N + j - r.
 */
export function arithmetic(topic: RankedTopic): string {
  const { numRel, cutoff } = topic;
  const terms = credits(topic).map((each) => each.credit);
  const shown = terms.slice(0, termsShown).join(" + ") + (terms.length > termsShown ? " + …" : "");
  return `(${shown || "0"}) / (${numRel} · ${cutoff}) = ${creditSum(topic)} / ${
    numRel * cutoff} = ${score(pres(topic))}`;
}

// Figure 3 of Magdy & Jones, SIGIR 2010: relevant documents found against rank, between the best
// case and the worst. Everything counts full blocks: a document at rank r covers the ranks from r.

/** The number of ranks that are read, and of documents that are sought. */
export type Extent = Pick<RankedTopic, "numRel" | "cutoff">;

/** The ranks at which one more relevant document is found, ascending. */
export type Rises = readonly number[];

export const bestCase = ({ numRel }: Extent): Rises => consecutive(1, numRel);

export const worstCase = ({ numRel, cutoff }: Extent): Rises => consecutive(cutoff + 1, numRel);

/** The actual ranking; with k found, the others stand at N + k + 1 to N + n, as PRES defines it. */
export function actualCase(topic: RankedTopic): Rises {
  const found = within(topic);
  return [...found, ...consecutive(topic.cutoff + found.length + 1, topic.numRel - found.length)];
}

function consecutive(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

/** The drawing's last rank, N + n: from there on all cases have found everything. */
export const lastRank = ({ numRel, cutoff }: Extent) => cutoff + numRel;

/** Relevant documents found in the ranks 1 to `rank`. */
export function foundAt(rises: Rises, rank: number): number {
  return rises.filter((rise) => rise <= rank).length;
}

/** Blocks under the curve in the ranks 1 to `last`. */
export function area(rises: Rises, last: number): number {
  return rises.reduce((sum, rank) => sum + Math.max(0, last + 1 - rank), 0);
}

/** Blocks in the ranks 1 to `last` that are under `upper` and not under `lower`. */
export function blocksAhead(upper: Rises, lower: Rises, last: number): number {
  const higher = upper.map((rank, i) => Math.min(rank, lower[i] ?? Infinity));
  return area(higher, last) - area(lower, last);
}

/** The scales of a drawing: ranks, each a block up to the next one, and documents. */
export interface Frame {
  x: Scale;
  y: Scale;
}

/** The rank whose block is at `place`, kept within the drawing. */
export function rankAt({ x }: Frame, place: number): number {
  return Math.min(x.high - 1, Math.max(1, Math.floor(valueAt(x, place))));
}

const hundredths = (value: number) => Math.round(value * 100) / 100;
const xOf = ({ x }: Frame, rank: number) => hundredths(at(x, rank));
const yOf = ({ y }: Frame, found: number) => hundredths(at(y, found));

/** The curve as the `d` of an SVG path, from rank 1 through the block of `until`. */
export function stepPath(rises: Rises, frame: Frame, until = frame.x.high - 1): string {
  const steps = rises.filter((rank) => rank <= until)
    .map((rank, i) => `H${xOf(frame, rank)}V${yOf(frame, i + 1)}`);
  return `M${xOf(frame, 1)} ${yOf(frame, 0)}${steps.join("")}H${xOf(frame, until + 1)}`;
}

/** The area in which `upper` is above `lower`, as the `d` of an SVG path of rectangles. */
export function areaPath(upper: Rises, lower: Rises, frame: Frame): string {
  const edges = [...new Set([1, ...upper, ...lower, frame.x.high])];
  return edges.sort((one, other) => one - other).map((from, i) => {
    const to = edges[i + 1] ?? Infinity;
    const above = foundAt(upper, from), below = foundAt(lower, from);
    if (above <= below || to > frame.x.high) return "";
    const low = yOf(frame, below);
    return `M${xOf(frame, from)} ${low}V${yOf(frame, above)}H${xOf(frame, to)}V${low}Z`;
  }).join("");
}
