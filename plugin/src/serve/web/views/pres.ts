// PRES of one topic, by hand: what the page's drawings, shares and arithmetic are made from.

/** What PRES at a cutoff is computed from. */
export interface RankedTopic {
  /** n, relevant documents; at least 1. */
  numRel: number;
  /** N_max, at least 1. */
  cutoff: number;
  /** Of relevant documents, ascending, from 1; those behind the cutoff count as not found. */
  ranks: readonly number[];
}

/** What the j-th relevant document found adds: N + j - r of the n N that there are to have. */
export interface Credit {
  rank: number;
  j: number;
  credit: number;
}

export function credits(topic: RankedTopic): Credit[] {
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
 * Of each citation, its part of PRES(b) - PRES(a). `places` has the ranks of one citation in a and
 * in b, null where it was not served; the parts sum to the difference.
 */
export function shares(
  numRel: number, cutoff: number, places: readonly (readonly [number | null, number | null])[],
): number[] {
  const parts = [0, 1].map((arm) => {
    const ranks = places.map((place) => place[arm]).filter((rank) => rank != null);
    const sorted = ranks.sort((x, y) => x - y);
    return new Map(credits({ numRel, cutoff, ranks: sorted }).map((each) => [each.rank, each.credit]));
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
  const terms = credits(topic).map((each) => each.credit);
  const shown = terms.slice(0, termsShown).join(" + ") + (terms.length > termsShown ? " + …" : "");
  const whole = topic.numRel * topic.cutoff;
  return `(${shown || "0"}) / (${topic.numRel} · ${topic.cutoff}) = ${creditSum(topic)} / ${whole} = ${
    pres(topic).toFixed(4)}`;
}

/** The cutoff of "PRES@100"; null of other measures. */
export function presCutoff(measure: string): number | null {
  const match = /^PRES@([1-9]\d*)$/.exec(measure);
  return match ? Number(match[1]) : null;
}
