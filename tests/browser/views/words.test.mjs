import assert from "node:assert/strict";
import test from "node:test";

import { fateOf, fates, placeSentence } from "../../../plugin/src/serve/web/views/citation_words.ts";
import { named } from "../../../plugin/src/serve/web/views/names.ts";
import { disagreement, flips, sentence, sentences, stretches } from "../../../plugin/src/serve/web/views/sweep_words.ts";

const cutoffs = [10, 50, 100, 250, 500, 1000];
const arm = (name, values) => ({ name, topics: 9, depth: 1000, PRES: values, R: values, AP: values });

test("a sentence says who is ahead and where that turns", () => {
  const a = arm("tfidf", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
  const sweep = (b) => ({ cutoffs, arms: [a, b] });
  const says = (values) => { const b = arm("bm25", values); return sentence(sweep(b), "R", a, b); };
  assert.equal(says([0.2, 0.3, 0.4, 0.5, 0.6, 0.7]), "Recall: bm25 is ahead at every cutoff.");
  assert.equal(says([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), "Recall: level at every cutoff.");
  assert.equal(says([0.2, 0.3, 0.4, 0.3, 0.4, 0.5]),
    "Recall: bm25 is ahead up to N = 100, tfidf is ahead from N = 250 on.");
  assert.equal(says([0.2, 0.2001, 0.3, 0.3, 0.4, 0.7]),
    "Recall: bm25 is ahead at N = 10, level from N = 50 to 100, tfidf is ahead from N = 250 to 500, bm25 is ahead at N = 1000.");
  assert.equal(says([null, null, null, null, null, null]), "Recall: no cutoff at which both have a value.");
});

test("measures of which the same can be said share a sentence", () => {
  const a = arm("a", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
  const b = { ...arm("b", [0.2, 0.3, 0.4, 0.5, 0.6, 0.7]), AP: [0, 0, 0, 0, 0, 0] };
  assert.deepEqual(sentences({ cutoffs, arms: [a, b] }, a, b),
    ["PRES and Recall: b is ahead at every cutoff.", "MAP: a is ahead at every cutoff."]);
  assert.deepEqual(sentences({ cutoffs, arms: [a, a] }, a, a), ["PRES, Recall and MAP: level at every cutoff."]);
});

test("a level stretch is no turn", () => {
  const a = arm("a", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
  const b = arm("b", [0.2, 0.2, 0.4, 0.3, 0.5, 0.7]);
  const parts = stretches({ cutoffs, arms: [a, b] }, "AP", a, b);
  assert.deepEqual(parts.map((part) => part.ahead), ["b", null, "b", "a", null, "b"]);
  assert.equal(flips(parts), 2);
});

test("measures that name different arms are said to disagree, and where", () => {
  const a = { ...arm("tfidf", []), PRES: [0.1, 0.1, 0.1, 0.3, 0.3, 0.3], R: [0.3, 0.3, 0.3, 0.3, 0.3, 0.3], AP: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1] };
  const b = { ...arm("bm25", []), PRES: [0.2, 0.2, 0.2, 0.2, 0.2, 0.2], R: [0.4, 0.4, 0.4, 0.2, 0.2, 0.2], AP: [0.2, 0.2, 0.2, 0.2, 0.2, 0.2] };
  assert.equal(disagreement({ cutoffs, arms: [a, b] }, a, b),
    "The measures disagree: from N = 250 to 1000 PRES and Recall say tfidf, MAP says bm25.");
  assert.equal(disagreement({ cutoffs, arms: [a, a] }, a, a), null);
});

const served = { name: "bm25", seen: true, num_ret: 1000, exhausted: false };
const place = (rank, in_index = true) => ({ rank, in_index });

test("what became of a citation", () => {
  const cases = [
    [place(100), served, "found"],
    [place(101), served, "beyond cutoff"],
    [place(null), served, "not served"],
    [place(null, false), served, "not in the index"],
    [place(null, null), served, "not served"],
    [place(null), { ...served, num_ret: 50 }, "not known"],
    [place(null), { ...served, num_ret: 50, exhausted: true }, "not served"],
    [place(null, false), { ...served, seen: false }, "no ranking"],
  ];
  for (const [where, by, expected] of cases) assert.equal(fateOf(where, by, 100), expected);
  assert.match(placeSentence(place(146), served, 100), /rank 146, behind the 100 documents/);
});

test("what is missing, counted", () => {
  const citation = (rank, in_index, relevant = true) => ({ docno: "d", grade: 1, relevant, arms: [place(rank, in_index)] });
  const topic = { arms: [served], citations: [
    citation(3, true), citation(120, true), citation(null, true), citation(null, false), citation(null, false), citation(7, true, false)] };
  assert.equal(fates(topic, 0, 100),
    "1 of 5 found; 1 behind rank 100; 1 not among the 1000 served; 2 not in the index");
});

test("a name in a sentence is not too long and turns nothing around it", () => {
  assert.equal(named("bm25"), "bm25");
  assert.equal(named("日本の特許"), "日本の特許");
  assert.equal(named("x".repeat(33)), `${"x".repeat(31)}…`);
  assert.equal(named("\u202eEP"), "\u2068\u202eEP\u2069");
  assert.equal(named("\u05d0"), "\u2068\u05d0\u2069");
  // Cut between characters, not within one.
  assert.equal(named("𝄞".repeat(40)), `${"𝄞".repeat(31)}…`);
});
