// Made-up rankings of made-up citations: the same for the same seed.

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Different ranks of `count` documents, each served with chance `served`, ascending at random. */
export function randomRanks(next, count, depth, served) {
  const taken = new Set();
  return Array.from({ length: count }, () => {
    if (next() > served || taken.size >= depth) return null;
    let rank;
    do rank = 1 + Math.floor(depth * next() ** 3); while (taken.has(rank));
    taken.add(rank);
    return rank;
  });
}

/**
 * A collection (see collection.mjs) of two arms that mostly agree: each topic has 1 to 12
 * citations, of which some are not in the index; one in twelve topics was not served by the second.
 */
export function madeUpCollection({ seed = 7, topics = 120, depth = 1000, arms = ["tfidf", "bm25"],
  measures = ["PRES@100", "R@100", "AP@100", "PRES@1000", "R@1000", "AP@1000"] } = {}) {
  const next = random(seed);
  return { name: "made up", measures, arms, topics: Array.from({ length: topics }, (_, i) => topicOf(next, i, depth, arms)) };
}

function topicOf(next, number, depth, arms) {
  const count = 1 + Math.floor(12 * next() ** 2);
  const citations = Array.from({ length: count + 1 }, (_, i) => {
    const grade = i === count ? 0 : 1 + Math.floor(3 * next());
    return { docno: `EP${1000000 + number * 100 + i}${next() < 0.5 ? "A1" : "B1"}`, grade, relevant: grade > 0 };
  });
  const held = citations.map(() => next() > 0.06);
  const first = randomRanks(next, citations.length, depth, 0.85);
  return { topic: `EP${1200000 + number}A1`, citations, arms: arms.map((_, i) => {
    const seen = i === 0 || number % 12 !== 11;
    const ranks = i === 0 || number % 9 === 0 ? first : moved(next, first, depth);
    return { seen, visits: seen ? 1 + (number % 3) : 0, num_ret: seen ? depth : 0, exhausted: false,
      latency_ms: seen ? 5 + 60 * next() : null, in_index: held,
      ranks: ranks.map((rank, j) => seen && held[j] ? rank : null) };
  }) };
}

/** The same ranks, each somewhat up or down, all different. */
function moved(next, ranks, depth) {
  const taken = new Set();
  return ranks.map((rank) => {
    if (rank === null) return next() < 0.1 ? claim(taken, 1 + Math.floor(depth * next())) : null;
    return claim(taken, Math.min(depth, Math.max(1, Math.round(rank * (0.4 + 1.1 * next())))));
  });
}

function claim(taken, wanted) {
  let rank = wanted;
  while (taken.has(rank)) ++rank;
  taken.add(rank);
  return rank;
}
