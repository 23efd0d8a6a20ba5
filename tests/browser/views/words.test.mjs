import assert from "node:assert/strict";
import test from "node:test";
import { fateOf, fates, placeWords } from "../../../plugin/src/serve/web/views/citation_table.ts";
import { difference, nameInText, score, visibleText } from "../../../plugin/src/serve/web/format.ts";

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
  assert.match(placeWords(place(146), served, 100).sentence, /rank 146, behind the 100 documents/);
});

test("what is missing, counted", () => {
  const citation = (rank, in_index, relevant = true) => ({ docno: "d", grade: 1, relevant, arms: [place(rank, in_index)] });
  const topic = { arms: [served], citations: [
    citation(3, true), citation(120, true), citation(null, true), citation(null, false), citation(null, false), citation(7, true, false)] };
  assert.equal(fates(topic, 0, 100),
    "1 of 5 found; 1 behind rank 100; 1 not among the 1000 served; 2 not in the index");
});

test("a value between two texts has the even one, as in the program's tables", () => {
  // 0.03125, 0.09375 and 0.15625; the double that is nearest to 0.00005 is above it.
  assert.deepEqual([1 / 32, 3 / 32, 5 / 32, 0.00005].map(score), ["0.0312", "0.0938", "0.1562", "0.0001"]);
  assert.deepEqual([-1 / 32, -3 / 32, 5 / 32].map((value) => difference(value)), ["−0.0312", "−0.0938", "+0.1562"]);
  assert.deepEqual([0.0625, 0.1875].map((value) => difference(value, 3)), ["+0.062", "+0.188"]);
});

test("a name in a sentence is not too long and turns nothing around it", () => {
  assert.equal(nameInText("bm25"), "bm25");
  assert.equal(nameInText("日本の特許"), "日本の特許");
  assert.equal(nameInText("x".repeat(41)), `${"x".repeat(39)}…`);
  assert.equal(nameInText("\u202eEP"), "\\u202EEP");
  assert.equal(nameInText("\u05d0"), "\u2068\u05d0\u2069");
  assert.equal(visibleText("a\u001b[2J\u2066b\u2069\u061c"), "a\\u001B[2J\\u2066b\\u2069\\u061C");
  // Cut between characters, not within one.
  assert.equal(nameInText("𝄞".repeat(50)), `${"𝄞".repeat(39)}…`);
});
