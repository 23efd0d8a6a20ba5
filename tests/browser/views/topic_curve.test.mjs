// Figure 3 of Magdy & Jones: the area that a ranking earns is its PRES.
import assert from "node:assert/strict";
import test from "node:test";
import {
  actualCase, area, areaPath, arithmetic, bestCase, blocksAhead, credits, creditSum, foundAt, lastRank, pres, rankAt,
  shares, stepPath, worstCase,
} from "../../../plugin/src/serve/web/views/pres.ts";
import { textbookPres } from "../support/collection.mjs";
import { random, randomRanks } from "../support/rankings.mjs";

const close = (actual, expected, about) => assert.ok(Math.abs(actual - expected) < 1e-12, `${about}: ${actual} is not ${expected}`);

/** The area between the ranking and the worst case over that between best and worst. */
function shareOfArea(topic) {
  const last = lastRank(topic);
  const worst = area(worstCase(topic), last);
  return (area(actualCase(topic), last) - worst) / (area(bestCase(topic), last) - worst);
}

/** PRES as the sum over the documents found, from the text of docs/measures.md. */
function sumFormula(n, cutoff, ranks) {
  let sum = 0, j = 0;
  for (const rank of ranks) if (rank <= cutoff) sum += cutoff + ++j - rank;
  return sum / (n * cutoff);
}

function* randomTopics(seed, count) {
  const next = random(seed);
  for (let i = 0; i < count; ++i) {
    const cutoff = 1 + Math.floor(next() * (i % 3 === 0 ? 8 : 300));
    const numRel = 1 + Math.floor(next() * (i % 2 === 0 ? 6 : 2 * cutoff));
    const ranks = randomRanks(next, numRel, 2 * cutoff, next()).filter((rank) => rank !== null);
    yield { numRel, cutoff, ranks: ranks.sort((a, b) => a - b) };
  }
}

test("the area between ranking and worst case over that between best and worst is PRES", () => {
  let crowded = 0;
  for (const topic of randomTopics(20101, 3000)) {
    const about = JSON.stringify(topic);
    const { numRel, cutoff, ranks } = topic;
    crowded += numRel > cutoff ? 1 : 0;
    close(shareOfArea(topic), textbookPres(numRel, cutoff, ranks), about);
    close(shareOfArea(topic), sumFormula(numRel, cutoff, ranks), about);
    close(pres(topic), textbookPres(numRel, cutoff, ranks), about);
  }
  assert.ok(crowded > 200, `only ${crowded} cases with more relevant documents than ranks read`);
});

test("the area between best and worst case is n N blocks, that earned is the sum of credits", () => {
  for (const topic of randomTopics(7, 500)) {
    const last = lastRank(topic);
    const worst = area(worstCase(topic), last);
    assert.equal(area(bestCase(topic), last) - worst, topic.numRel * topic.cutoff);
    assert.equal(area(actualCase(topic), last) - worst, creditSum(topic));
  }
});

test("the ranking never leaves the band between best and worst case, and all end at n", () => {
  for (const topic of randomTopics(8, 60)) {
    for (let rank = 1; rank <= lastRank(topic); ++rank) {
      const found = foundAt(actualCase(topic), rank);
      assert.ok(found <= foundAt(bestCase(topic), rank));
      assert.ok(found >= foundAt(worstCase(topic), rank));
    }
    assert.equal(foundAt(actualCase(topic), lastRank(topic)), topic.numRel);
  }
});

test("where one ranking is ahead less where the other is, is the difference in PRES", () => {
  const next = random(5);
  for (let i = 0; i < 500; ++i) {
    const numRel = 1 + Math.floor(next() * 12), cutoff = 1 + Math.floor(next() * 80);
    const [a, b] = [0, 1].map(() => ({ numRel, cutoff,
      ranks: randomRanks(next, numRel, 2 * cutoff + 12, 0.8).filter((rank) => rank !== null).sort((x, y) => x - y) }));
    const last = lastRank(a);
    const ahead = blocksAhead(actualCase(b), actualCase(a), last), behind = blocksAhead(actualCase(a), actualCase(b), last);
    assert.ok(ahead >= 0 && behind >= 0);
    close((ahead - behind) / (numRel * cutoff), textbookPres(numRel, cutoff, b.ranks) - textbookPres(numRel, cutoff, a.ranks), `case ${i}`);
  }
});

const frame = { x: { low: 1, high: 14, first: 0, last: 130 }, y: { low: 0, high: 3, first: 30, last: 0 } };

/** The area of a path of rectangles "Mx y V y H x V y Z". */
function pathArea(path) {
  let sum = 0;
  for (const [, x, low, high, right] of path.matchAll(/M([\d.-]+) ([\d.-]+)V([\d.-]+)H([\d.-]+)V[\d.-]+Z/g)) {
    sum += (Number(right === undefined ? 0 : high) - Number(low)) * (Number(right) - Number(x));
  }
  return Math.abs(sum);
}

test("what is drawn has the area that the numbers have", () => {
  const topic = { numRel: 3, cutoff: 10, ranks: [2, 5] };
  // Credits 10 + 1 - 2 = 9 and 10 + 2 - 5 = 7: 16 of 30 blocks, each of 10 x 10.
  const drawn = pathArea(areaPath(actualCase(topic), worstCase(topic), frame));
  assert.equal(drawn, 16 * 100);
  assert.equal(pathArea(areaPath(bestCase(topic), worstCase(topic), frame)), 30 * 100);
});

test("a step stands at the rank at which the document was served", () => {
  assert.equal(stepPath([2, 5], frame), "M0 30H10V20H40V10H130");
  assert.equal(stepPath([2, 5], frame, 4), "M0 30H10V20H40");
  assert.equal(rankAt(frame, 10), 2);
  assert.equal(rankAt(frame, -5), 1);
  assert.equal(rankAt(frame, 500), 13);
});

test("shares of citations are differences of credits and sum to the difference", () => {
  // docs/measures.md's definition: j-th found at rank r is worth N + j - r of n N.
  // a: ranks 4, 27, 43: 97, 75, 60; b: 13, 60, 89: 88, 42, 14; n = 3, N = 100.
  const found = shares(3, 100, [[43, 89], [27, 60], [4, 13]]);
  [-46 / 300, -33 / 300, -9 / 300].forEach((expected, i) => close(found[i], expected, `share ${i}`));
  // Behind the cutoff or not served counts 0. a: 90 -> 11; b: 101 -> 0 and 50 -> 51.
  assert.deepEqual(shares(2, 100, [[90, 101], [null, 50]]), [-11 / 200, 51 / 200]);
  const next = random(99);
  for (let i = 0; i < 300; ++i) {
    const numRel = 1 + Math.floor(next() * 20), cutoff = 1 + Math.floor(next() * 100);
    const a = randomRanks(next, numRel, 2 * cutoff + 20, 0.7), b = randomRanks(next, numRel, 2 * cutoff + 20, 0.7);
    const served = (ranks) => ranks.filter((rank) => rank !== null).sort((x, y) => x - y);
    const sum = shares(numRel, cutoff, a.map((rank, j) => [rank, b[j]])).reduce((total, part) => total + part, 0);
    close(sum, textbookPres(numRel, cutoff, served(b)) - textbookPres(numRel, cutoff, served(a)), `case ${i}`);
  }
});

test("the arithmetic is one line that can be checked by hand", () => {
  assert.equal(arithmetic({ numRel: 3, cutoff: 100, ranks: [4, 27, 43] }),
    "(97 + 75 + 60) / (3 · 100) = 232 / 300 = 0.7733");
  assert.equal(arithmetic({ numRel: 2, cutoff: 10, ranks: [11] }), "(0) / (2 · 10) = 0 / 20 = 0.0000");
  const many = Array.from({ length: 12 }, (_, i) => i + 1);
  assert.match(arithmetic({ numRel: 12, cutoff: 100, ranks: many }), /^\(100( \+ 100){7} \+ …\) /);
  assert.deepEqual(credits({ numRel: 3, cutoff: 10, ranks: [2, 5, 11] }),
    [{ rank: 2, j: 1, credit: 9 }, { rank: 5, j: 2, credit: 7 }]);
});
