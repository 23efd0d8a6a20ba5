import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { meanName, measureExplanation, meanings } from "../../../plugin/src/serve/web/explain.ts";

const folder = join(process.env.PRESCOPE_SOURCE_DIR, "plugin/src/measures");
const strings = (text) => Array.from(text.matchAll(/"((?:[^"\\]|\\.)*)"/g), (match) => match[1]).join("");

test("the page explains each measure in the words of prescope explain, and no other", () => {
  const defined = {};
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".cc"))) {
    const found = /\.name = "(\w+)",\s*\.meaning =\s*((?:"(?:[^"\\]|\\.)*"\s*)+),/.exec(readFileSync(join(folder, file), "utf8"));
    if (found) defined[found[1]] = strings(found[2]);
  }
  assert.ok("PRES" in defined && "nDCG" in defined);
  assert.deepEqual(meanings, defined);
});

test("a cutoff is named, settings and unknown measures are left alone", () => {
  assert.match(measureExplanation("PRES@100"), /within the N documents read\. N = 100\.$/);
  assert.match(measureExplanation("RBP(p=0.8)@50"), /^Rank-biased precision.* N = 50\.$/);
  assert.equal(measureExplanation("R"), meanings.R);
  assert.equal(measureExplanation("new"), "new");
});

test("means have the field's names", () => {
  assert.deepEqual(["AP@100", "R@10", "RR", "AP(rel=2)@5", "Rprec", "PRES@100", "RBP(p=0.8)"].map(meanName),
    ["MAP@100", "R@10", "MRR", "MAP(rel=2)@5", "Rprec", "PRES@100", "RBP(p=0.8)"]);
});
