"""Comparisons and gates, their values and their frames."""

import json
import os
import sys
import tempfile
import unittest
from unittest import mock

import support
import prescope

TOPICS = ["T%02d" % i for i in range(30)]
QRELS = {topic: {"A": 1, "B": 1} for topic in TOPICS}
# R@2 is 1/2 in each topic; of the other it is 2/2 in every second topic, 0 in every tenth.
OLD = {topic: ["A", "X"] for topic in TOPICS}
NEW = {
    topic: ["X", "Y"] if i % 10 == 0 else ["A", "B"] if i % 2 else ["A", "X"]
    for i, topic in enumerate(TOPICS)
}


class Comparisons(unittest.TestCase):
    def test_values(self):
        comparison = prescope.compare(QRELS, OLD, NEW, measures="R@2", names=["old", "new"])
        found = comparison["R@2"]
        # 15 topics rise by 1/2, 3 fall by 1/2, 12 stay: (7.5 - 1.5) / 30.
        self.assertEqual((found.wins, found.ties, found.losses), (15, 12, 3))
        self.assertAlmostEqual(found.difference, 0.2, delta=1e-12)
        self.assertAlmostEqual(found.mean_a, 0.5, delta=1e-12)
        self.assertAlmostEqual(found.mean_b, 0.7, delta=1e-12)
        self.assertEqual(found.topics, 30)
        self.assertLess(found.low, 0.2)
        self.assertGreater(found.high, 0.2)
        self.assertEqual(found.corrected, found.p_value)  # one comparison
        self.assertEqual(found.verdict, "better")
        self.assertEqual(found.per_topic["T00"], -0.5)
        self.assertEqual(comparison.sentence, "new is better in R@2, compared with old.")
        self.assertEqual(len(comparison.moved), 10)
        self.assertEqual({abs(topic["difference"]) for topic in comparison.moved}, {0.5})
        self.assertEqual(comparison.moved[0]["citations"][0]["rank_a"], 1)  # A is lost in T00
        self.assertIsNone(comparison.moved[0]["citations"][0]["rank_b"])
        self.assertEqual(repr(found), "<Difference R@2: +0.2000, better>")
        self.assertEqual(comparison.document["comparison"]["options"]["correction"], "holm")

    def test_options(self):
        runs = {"measures": "R@2,P@1"}
        plain = prescope.compare(QRELS, OLD, NEW, correction="none", **runs)
        holm = prescope.compare(QRELS, OLD, NEW, correction="holm", **runs)
        # Holm multiplies the smaller of two p-values by 2.
        small = min(plain["R@2"].p_value, plain["P@1"].p_value)
        self.assertAlmostEqual(
            min(holm["R@2"].corrected, holm["P@1"].corrected), 2 * small, delta=1e-12
        )
        strict = prescope.compare(QRELS, OLD, NEW, measures="R@2", alpha=1e-9)
        self.assertEqual(strict["R@2"].verdict, "no difference shown")
        self.assertEqual(len(prescope.compare(QRELS, OLD, NEW, measures="R@2", top=3).moved), 3)
        wide = prescope.compare(QRELS, OLD, NEW, measures="R@2", confidence=0.999)["R@2"]
        self.assertLess(wide.low, plain["R@2"].low)

    def test_three_runs(self):
        comparison = prescope.compare(QRELS, OLD, NEW, OLD, measures="R@2")
        names = [(pair.a, pair.b) for pair in comparison.pairs]
        self.assertEqual(names, [("run 1", "run 2"), ("run 1", "run 3")])
        self.assertEqual([p["R@2"].verdict for p in comparison.pairs], ["better", "identical"])
        with self.assertRaisesRegex(prescope.UsageError, "found 2 pairs"):
            comparison["R@2"]
        with self.assertRaisesRegex(prescope.UsageError, "expected one of R@2"):
            comparison.pairs[0]["AP"]

    def test_runs_in_a_list(self):
        one = prescope.compare(QRELS, [OLD, NEW], measures="R@2")
        other = prescope.compare(QRELS, OLD, NEW, measures="R@2")
        self.assertEqual(one.document, other.document)

    @support.needs_pandas
    def test_frame(self):
        frame = prescope.compare(QRELS, OLD, NEW, OLD, measures="R@2,P@1").to_frame()
        self.assertEqual(len(frame), 4)  # two pairs by two measures
        self.assertEqual(list(frame["measure"]), ["R@2", "P@1"] * 2)
        self.assertEqual(frame["verdict"][0], "better")

    def test_frames_without_pandas(self):
        result = prescope.evaluate(QRELS, OLD, "AP")
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, r"to_frame\(\) needs pandas"):
                result.to_frame()


class Gates(unittest.TestCase):
    RULES = '[[decisions]]\nmeasure = "R@2"\nmargin = 0.05\n'

    def test_outcomes(self):
        cases = ((OLD, OLD, "PASS", 0), (NEW, OLD, "REGRESSION", 1))
        for before, after, outcome, exit_code in cases:
            gate = prescope.gate(QRELS, before, after, self.RULES)
            self.assertEqual((gate.outcome, gate.exit_code), (outcome, exit_code))
            self.assertEqual(gate.passed, exit_code == 0)
        self.assertEqual(gate.measures[0]["measure"], "R@2")
        self.assertAlmostEqual(gate.measures[0]["difference"], -0.2, delta=1e-12)
        self.assertTrue(any("R@2 went from 0.7000 to 0.5000" in r for r in gate.reasons))
        self.assertTrue(repr(gate).startswith("<Gate REGRESSION: margin.R@2"), repr(gate))
        shallow = {topic: docs[:1] for topic, docs in OLD.items()}
        gate = prescope.gate(QRELS, OLD, shallow, self.RULES)
        self.assertEqual((gate.outcome, gate.exit_code), ("BAD INPUT", 2))

    def test_slices(self):
        self.assertEqual(prescope.gate(QRELS, OLD, OLD, self.RULES).slices, [])
        # Each of 60 topics loses its only document.
        qrels = {"T%02d" % i: {"D": 1} for i in range(60)}
        found, lost = ({topic: [docno] for topic in qrels} for docno in ("D", "X"))
        rules = '[slices]\nby = ["relevant"]\nmargin = 0.5\n'
        gate = prescope.gate(qrels, found, lost, rules)
        (only,) = gate.slices
        self.assertEqual((only["dimension"], only["slice"], only["topics"]), ("relevant", "1", 60))
        self.assertEqual((only["difference"], only["status"]), (-1, "fail"))
        self.assertIn("slice.relevant.1", [rule["id"] for rule in gate.rules])

    def test_in_memory_and_from_files(self):
        # Ids that are not ASCII; docnos in another case; kind codes that the judgements lack. What
        # the checks of input find, and so the outcome, does not depend on where the lines are.
        plain = {t: {"EP%07dA1" % (9 * i + j): 1 for j in range(3)} for i, t in enumerate(TOPICS)}
        unusual = {t: {"\u7279%s" % d: 1 for d in docnos} for t, docnos in plain.items()}
        cases = {
            "plain": (plain, lambda docno: docno),
            "not ASCII": (unusual, lambda docno: docno),
            "lower case": (unusual, str.lower),
            "kind codes": (plain, lambda docno: docno[:-2] + "B2"),
        }
        seen = set()
        for name, (judged, spelled) in cases.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                good = [(t, d, 3.0 - i) for t in judged for i, d in enumerate(judged[t])]
                tonight = [
                    (t, spelled(d) if i % 2 else d, score)
                    for i, (t, d, score) in enumerate(good)
                ]
                paths = [os.path.join(folder, file) for file in ("qrels", "good", "tonight")]
                support.write_qrels(paths[0], judged)
                for path, rows in zip(paths[1:], (good, tonight)):
                    with open(path, "w", encoding="utf-8") as file:
                        file.writelines("%s Q0 %s 0 %r x\n" % row for row in rows)
                memory = prescope.gate(judged, good, tonight)
                files = prescope.gate(*paths)
                self.assertEqual(memory.outcome, files.outcome)
                self.assertEqual(
                    [(rule["id"], rule["status"]) for rule in memory.document["rules"]],
                    [(rule["id"], rule["status"]) for rule in files.document["rules"]],
                )
                notes = [
                    prescope.evaluate(paths[0], run, "R@2", name="tonight").notes
                    for run in (tonight, paths[2])
                ]
                self.assertEqual(notes[0], notes[1])
                seen.add((files.outcome, any("--docno" in note for note in notes[0])))
        self.assertGreater(len(seen), 2, seen)

    def test_rules_that_are_not_toml(self):
        with self.assertRaises(prescope.Error) as caught:
            prescope.gate(QRELS, OLD, OLD, "margin = ")
        self.assertIn("the rules:1: not TOML", str(caught.exception))

    def test_the_program_decides_the_same(self):
        support.program()
        with tempfile.TemporaryDirectory() as folder:
            names = ("q.txt", "a.run", "b.run", "n.db", "rules.toml", "gate.json")
            paths = {name: os.path.join(folder, name) for name in names}
            support.write_qrels(paths["q.txt"], QRELS)
            for name, run in (("a.run", NEW), ("b.run", OLD)):
                scored = {
                    topic: {docno: 1.0 / i for i, docno in enumerate(docs, 1)}
                    for topic, docs in run.items()
                }
                support.write_run(paths[name], scored)
            with open(paths["rules.toml"], "w") as file:
                file.write(self.RULES)
            common = [paths["n.db"], "--qrels", paths["q.txt"]]
            support.run_program("pin", "--from", paths["a.run"], "-m", "R@2", "--why", "x", *common)
            arguments = ["gate", "--from", paths["b.run"], "--rules", paths["rules.toml"]]
            arguments += ["--json", paths["gate.json"]]
            with self.assertRaises(AssertionError):  # it ends with 1: a regression
                support.run_program(*(arguments + common))
            with open(paths["gate.json"], encoding="utf-8") as file:
                expected = json.load(file)
            found = prescope.gate(paths["q.txt"], paths["a.run"], paths["b.run"], self.RULES)
            self.assertEqual(found.outcome, expected["outcome"])
            self.assertEqual(found.exit_code, expected["exit_code"])
            self.assertEqual(found.measures, expected["measures"])
            rules = {rule["id"]: rule for rule in expected["rules"]}
            for rule in found.rules:
                if rule["id"].split(".")[0] in ("margin", "catastrophe"):
                    self.assertEqual(rule, rules[rule["id"]])


if __name__ == "__main__":
    unittest.main()
