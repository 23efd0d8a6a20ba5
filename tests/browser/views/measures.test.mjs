import assert from "node:assert/strict";
import test from "node:test";

// The element that the library writes into the page.
const measures = { AP: { mean: "MAP", meaning: "Average precision." }, RR: { mean: "MRR", meaning: "First." },
  PRES: { mean: "PRES", meaning: "Early." }, RBP: { mean: "RBP", meaning: "Rank-biased precision." } };
globalThis.document = { getElementById: (id) =>
  (id === "prescope-measures" ? { textContent: JSON.stringify(measures) } : null) };
const { meanName, measureExplanation } = await import("../../../plugin/src/serve/web/explain.ts");

test("a cutoff is named, settings and unknown measures are left alone", () => {
  assert.equal(measureExplanation("PRES@100"), "Early. N = 100.");
  assert.equal(measureExplanation("RBP(p=0.8)@50"), "Rank-biased precision. N = 50.");
  assert.equal(measureExplanation("RR"), "First.");
  assert.equal(measureExplanation("new"), "new");
});

test("means have the field's names", () => {
  assert.deepEqual(["AP@100", "R@10", "RR", "AP(rel=2)@5", "Rprec", "PRES@100", "RBP(p=0.8)"].map(meanName),
    ["MAP@100", "R@10", "MRR", "MAP(rel=2)@5", "Rprec", "PRES@100", "RBP(p=0.8)"]);
});
