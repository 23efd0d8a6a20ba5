"""Scores against the textbook, and against the program bit for bit."""

import json
import os
import random
import tempfile
import unittest

import support
import prescope

MEASURES = "PRES@10,R@10,AP"


class Textbook(unittest.TestCase):
    def test_worked_example(self):
        # n = 2 relevant, N = 10, found at ranks 2 and 3: credits 10 + 1 - 2 = 9 and 10 + 2 - 3 = 9,
        # PRES = 18 / (2 * 10) = 0.9; R = 2 / 2; AP = (1/2 + 2/3) / 2.
        result = prescope.evaluate(
            {"T1": {"D1": 1, "D2": 2, "D3": 0}}, {"T1": ["D5", "D2", "D1"]}, MEASURES
        )
        scores = result.topics["T1"]
        self.assertEqual(scores["PRES@10"], 0.9)
        self.assertEqual(scores["R@10"], 1.0)
        self.assertAlmostEqual(scores["AP"], (1 / 2 + 2 / 3) / 2, delta=1e-15)

    def test_random_rankings_have_the_scores_of_the_textbook(self):
        chance = random.Random(20100719)
        compared = 0
        for case in range(300):
            qrels, run = support.random_case(chance, ties=case % 2 == 1)
            result = prescope.evaluate(qrels, run, MEASURES)
            expected = support.textbook(qrels, run, 10)
            self.assertEqual(sorted(result.topics), sorted(qrels))
            for topic, scores in expected.items():
                found = list(result.topics[topic].values())
                if scores[0] is None:
                    self.assertEqual(found, [None] * 3)
                    continue
                for a, b in zip(found, scores):
                    self.assertAlmostEqual(a, b, delta=1e-12, msg="case %d, %s" % (case, topic))
                    compared += 1
            with_value = [s for s in expected.values() if s[0] is not None]
            for j, mean in enumerate(result.means.values()):
                if with_value:
                    expected_mean = sum(s[j] for s in with_value) / len(with_value)
                    self.assertAlmostEqual(mean, expected_mean, delta=1e-12)
                else:
                    self.assertIsNone(mean)
            self.assertEqual(result.missing, sorted(set(qrels) - set(run)))
        self.assertGreater(compared, 3000)  # 300 cases with 8 topics, most with relevant documents

    def test_order_of_a_list_counts(self):
        # Recall at 1 tells which of two documents is first, whatever their names.
        for first, second in (("A", "B"), ("B", "A")):
            result = prescope.evaluate({"T": {"A": 1, "B": 0}}, {"T": [first, second]}, "R@1")
            self.assertEqual(result.means["R@1"], 1.0 if first == "A" else 0.0)

    def test_min_grade_and_measures_with_a_grade_of_their_own(self):
        qrels = {"T": {"A": 1, "B": 3}}
        result = prescope.evaluate(qrels, {"T": ["A", "B"]}, "AP(rel=3),R@1", min_grade=1)
        self.assertEqual(result.means, {"AP(rel=3)": 0.5, "R@1": 0.5})  # B is at rank 2; 1 of 2
        result = prescope.evaluate(qrels, {"T": ["A", "B"]}, "AP", min_grade=2)
        self.assertEqual(result.means, {"AP": 0.5})

    def test_docno_policy(self):
        qrels = {"T": {"EP-1234567-A1": 1}}
        run = {"T": ["EP-1234567-B1"]}
        self.assertEqual(prescope.evaluate(qrels, run, "R@1").means["R@1"], 0.0)
        self.assertEqual(prescope.evaluate(qrels, run, "R@1", docno="patent").means["R@1"], 1.0)

    def test_scoring_options(self):
        qrels = {"T1": {"A": 1, "B": 0}, "T2": {"C": 1}}
        run = {"T1": {"U": 3.0, "B": 2.0, "A": 1.0}}

        def recall(measure, **options):
            return prescope.evaluate(qrels, run, measure, **options).means[measure]

        self.assertEqual(recall("R@3"), 0.5)  # T1 finds 1 of 1, T2 is missing and counts 0
        self.assertEqual(recall("R@3", topics="run"), 1.0)
        self.assertEqual(recall("R@3", depth=2), 0.0)  # A is at rank 3
        self.assertEqual(recall("R@2", judged_only=True), 0.5)  # without U, A is at rank 2
        self.assertEqual(recall("R@2"), 0.0)
        rows = [("T1", "A", 1.0), ("T1", "B", 2.0)]
        self.assertEqual(prescope.evaluate(qrels, rows, "R@1").means["R@1"], 0.0)
        self.assertEqual(prescope.evaluate(qrels, rows, "R@1", order="file").means["R@1"], 0.5)

    def test_missing_topics_are_named_and_count_as_zero(self):
        qrels = {"T1": {"A": 1}, "T2": {"A": 1}, "T3": {"A": 1}}
        result = prescope.evaluate(qrels, {"T2": ["A"]}, "AP")
        self.assertEqual(result.missing, ["T1", "T3"])
        self.assertEqual(result.topics, {"T1": {"AP": 0.0}, "T2": {"AP": 1.0}, "T3": {"AP": 0.0}})
        self.assertEqual(result.means["AP"], 1 / 3)
        self.assertTrue(any("T1, T3" in note for note in result.notes), result.notes)
        left_out = prescope.evaluate(qrels, {"T2": ["A"]}, "AP", topics="run")
        self.assertEqual(list(left_out.topics), ["T2"])
        self.assertEqual(left_out.missing, ["T1", "T3"])

    def test_topics_that_are_not_judged_are_noted(self):
        result = prescope.evaluate({"T1": {"A": 1}}, {"T1": ["A"], "T9": ["A"]}, "AP")
        self.assertEqual(list(result.topics), ["T1"])
        self.assertTrue(any("T9" in note for note in result.notes), result.notes)

    def test_duplicates_count_once_and_are_noted(self):
        # The second A keeps its rank, so that B is at rank 3: AP = (1 + 2/3) / 2.
        result = prescope.evaluate({"T": {"A": 1, "B": 1}}, {"T": ["A", "A", "B"]}, "AP")
        self.assertAlmostEqual(result.means["AP"], (1 + 2 / 3) / 2, delta=1e-15)
        self.assertTrue(any("repeat" in note for note in result.notes), result.notes)

    def test_a_run_that_was_cut_off(self):
        qrels = {"T%d" % i: {"A": 1, "Z": 1} for i in range(3)}
        run = {topic: ["A"] + ["D%d" % i for i in range(9)] for topic in qrels}
        result = prescope.evaluate(qrels, run, "R@10,R@100")
        self.assertEqual(result.ends_at, {"R@100": 10})
        self.assertTrue(any("run 10 (R@100)" in note for note in result.notes), result.notes)

    def test_counts(self):
        result = prescope.evaluate({"T": {"A": 1, "B": 1}}, {"T": ["A", "X", "Y"]}, "AP")
        self.assertEqual(result.num_ret, {"T": 3})
        self.assertEqual(result.num_rel_ret, {"T": 1})
        self.assertEqual(result.topics_in_mean, {"AP": 1})

    def test_measures(self):
        class Measure:  # of the same shape as those of ir_measures
            def __init__(self, text):
                self.text = text

            def __str__(self):
                return self.text

        qrels, run = {"T": {"A": 1}}, {"T": ["A"]}
        expected = prescope.evaluate(qrels, run, "nDCG@10,AP(rel=2)@100,P@5").means
        self.assertEqual(list(expected), ["nDCG@10", "AP(rel=2)@100", "P@5"])
        spelled = (
            ["nDCG@10", "AP(rel=2)@100", "P@5"],
            [Measure("nDCG@10"), Measure("AP(rel=2)@100"), "P@5"],
            ("nDCG@10,AP(rel=2)@100", Measure("P@5")),
        )
        for measures in spelled:
            self.assertEqual(prescope.evaluate(qrels, run, measures).means, expected)
        self.assertEqual(prescope.evaluate(qrels, run, Measure("P@5")).means, {"P@5": 0.2})

    def test_many_evaluations_of_one_run(self):
        qrels = prescope.Qrels({"T": {"A": 1}})
        run = qrels.run({"T": ["B", "A"]}, name="bm25")
        self.assertEqual(run.evaluate("AP").means, {"AP": 0.5})
        self.assertEqual(run.evaluate("R@1").means, {"R@1": 0.0})
        self.assertEqual(run.name, "bm25")
        self.assertEqual(prescope.evaluate(qrels, run, "AP").name, "bm25")

    @support.needs_pandas
    def test_frame_of_a_result(self):
        frame = prescope.evaluate({"T1": {"A": 1}, "T2": {"B": 0}}, {"T1": ["A"]}, "AP,R@5")
        frame = frame.to_frame()
        self.assertEqual(list(frame.columns), ["AP", "R@5"])
        self.assertEqual(list(frame.index), ["T1", "T2"])
        self.assertEqual(frame.loc["T1", "AP"], 1.0)
        self.assertTrue(support.numpy.isnan(frame.loc["T2", "AP"]))


class Program(unittest.TestCase):
    """The program and the package must agree to the last bit."""

    def check(self, qrels, run, measures, options=(), **keywords):
        arguments = ["evaluate", qrels, run, "-m", measures, "--per-topic", "--format", "json"]
        expected = json.loads(support.run_program(*(arguments + list(options))))
        result = prescope.evaluate(qrels, run, measures, **keywords)
        (of_run,) = expected["runs"]
        self.assertEqual(result.measures, expected["measures"])
        self.assertEqual(result.means, of_run["means"])
        self.assertEqual(result.name, of_run["name"])
        self.assertEqual(result.topics_in_mean, of_run["topics_in_mean"])
        topics = {
            row["topic"]: row["runs"][0]["scores"]
            for row in expected["per_topic"]
            if row["runs"][0] is not None
        }
        self.assertEqual(result.topics, topics)
        self.assertEqual(len(result.missing), of_run["counts"]["topics_missing"])
        self.assertEqual(result.document["runs"][0]["means"], of_run["means"])
        return result

    def test_small_random_data(self):
        chance = random.Random(7)
        measures = "PRES@10,R@10,AP,nDCG@5,P@3,RR,bpref,Rprec,RBP0.8,ERR@10,GMAP"
        options = (
            ([], {}),
            (["--order", "file"], {"order": "file"}),
            (["--depth", "3"], {"depth": 3}),
            (["--judged-only"], {"judged_only": True}),
            (["--topics", "run"], {"topics": "run"}),
            (["--min-grade", "2"], {"min_grade": 2}),
        )
        with tempfile.TemporaryDirectory() as folder:
            qrels_file = os.path.join(folder, "qrels.txt")
            run_file = os.path.join(folder, "bm25.run")
            for case in range(24):
                qrels, run = support.random_case(chance, ties=case % 2 == 0)
                support.write_qrels(qrels_file, qrels)
                support.write_run(run_file, run)
                flags, keywords = options[case % len(options)]
                with self.subTest(case=case, flags=flags):
                    of_files = self.check(qrels_file, run_file, measures, flags, **keywords)
                    of_dicts = prescope.evaluate(qrels, run, measures, **keywords)
                    self.assertEqual(of_dicts.topics, of_files.topics)
                    self.assertEqual(of_dicts.means, of_files.means)
                    self.assertEqual(of_dicts.missing, of_files.missing)

    def test_real_data(self):
        self.check(
            support.data("clefip2010", "qrels.pac.txt"),
            support.data("clefip2010", "run.HongguLin.trec.gz"),
            "PRES@100,R@100,AP,nDCG@10",
        )
        qrels = support.data("clefip2011", "qrels.reconstructed.txt")
        runs = support.data("clefip2011", "runs")
        for name in sorted(os.listdir(runs))[:3]:
            self.check(qrels, os.path.join(runs, name), "PRES@100,R@100,AP")

    def test_comparison_and_notes(self):
        chance = random.Random(11)
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("q.txt", "a.run", "b.run")]
            qrels, run = support.random_case(chance, topics=40)
            support.write_qrels(paths[0], qrels)
            support.write_run(paths[1], run)
            support.write_run(paths[2], support.random_case(chance, topics=40)[1])
            for test in ("t", "sign-flip", "wilcoxon"):
                arguments = ["compare"] + paths + ["-m", "PRES@10,AP", "--format", "json"]
                expected = json.loads(support.run_program(*(arguments + ["--test", test])))
                found = prescope.compare(*paths, measures="PRES@10,AP", test=test)
                for key in ("pairs", "measures", "baseline_means", "notes"):
                    self.assertEqual(
                        found.document["comparison"][key], expected["comparison"][key], key
                    )


if __name__ == "__main__":
    unittest.main()
