"""The language-neutral cases of docs/cases.md, through the Python package."""

import json
import os
import unittest

from support import ROOT, prescope

with open(os.path.join(ROOT, "tests", "cases", "cases.json"), encoding="utf-8") as cases:
    CASES = json.load(cases)


class Cases(unittest.TestCase):
    def members(self, found, wanted, what):
        """Every member of `wanted` is in `found`; numbers are equal up to rounding."""
        for name, value in wanted.items():
            place = "%s %s" % (what, name)
            if isinstance(value, dict):
                self.members(found[name], value, place)
            elif isinstance(value, (int, float)):
                self.assertAlmostEqual(found[name], value, delta=1e-12, msg=place)
            else:
                self.assertEqual(found[name], value, place)

    def each(self, section):
        self.assertTrue(CASES[section])
        for case in CASES[section]:
            with self.subTest(case["name"], why=case["why"]):
                yield case

    def qrels(self, case):
        options = case.get("options", {})
        return prescope.Qrels(
            [tuple(line) for line in case["qrels"]],
            docno=options.get("docno", "raw"),
            min_grade=options.get("min_grade", 1),
        )

    def test_evaluate(self):
        for case in self.each("evaluate"):
            options = {
                name: value
                for name, value in case.get("options", {}).items()
                if name not in ("docno", "min_grade")
            }

            def evaluated():
                run = [tuple(line) for line in case["run"]]
                return prescope.evaluate(self.qrels(case), run, case["measures"], **options)

            if "error" in case:
                with self.assertRaises(prescope.Error) as refused:
                    evaluated()
                self.assertEqual(refused.exception.code, case["error"])
                continue
            result = evaluated()
            self.assertEqual(sorted(result.topics), sorted(case["scores"]))
            self.members(result.topics, case["scores"], "scores")
            self.members(result.means, case["means"], "means")
            self.assertEqual(result.missing, case.get("missing", []))

    def test_compare(self):
        for case in self.each("compare"):
            qrels = self.qrels(case)
            runs = [
                qrels.run([tuple(line) for line in case["runs"][name]], name=name)
                for name in ("old", "new")
            ]
            comparison = prescope.compare(qrels, *runs, measures=case["measures"])
            differences = comparison.document["comparison"]["pairs"][0]["measures"]
            self.members(differences, case["differences"], "differences")
            self.assertEqual(comparison.sentence, case["sentence"])

    def test_live(self):
        for case in self.each("live"):
            with prescope.Experiment(
                self.qrels(case),
                case["arms"],
                case["measures"],
                mode=case["mode"],
                shadow_latency="not compared",
            ) as experiment:
                self.serve(experiment, case)
                summary = experiment.summary()
            arms = {}
            for arm in summary["arms"]:
                arms[arm["name"]] = arm
                arm["means"] = {name: mean["mean"] for name, mean in arm["means"].items()}
            self.members(arms, case["arms_after"], "arms")
            if "pair" in case:
                differences = summary["pairs"][0]["differences"]
                self.members(differences, case["pair"], "pair")
                words = differences[case["measures"][0]]["words"]
                self.assertEqual(words["live"], case["sentence"])

    def serve(self, experiment, case):
        """Observes the rankings; the first of a visit is what the user was served."""
        visits = {}
        for line in case["rankings"]:
            visits.setdefault(line.get("visit", line["id"]), []).append(line)
        for lines in visits.values():
            visit = experiment.begin(lines[0]["topic"])
            served = lines[0]["arm"]
            if "failed" in lines[0].get("flags", ()):
                experiment.observe_failure(visit, arm=served)
            else:
                experiment.observe(visit, self.ranking(lines[0]), arm=served)
            if case["mode"] == "paired" and experiment.wants_shadow(visit):
                others = {line["arm"]: self.ranking(line) for line in lines[1:]}
                experiment.observe_comparison(visit, others, served=served)

    def ranking(self, line):
        return prescope.Ranking(
            line["docnos"],
            depth=line["depth"],
            latency_ms=line["latency_ms"],
            flags=line.get("flags", ()),
        )


if __name__ == "__main__":
    unittest.main()
