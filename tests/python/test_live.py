"""Live experiments from begin to store, and everything that may go wrong around them."""

import gc
import glob
import logging
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import urllib.request

import support
import prescope
from prescope import Error, Experiment, Ranking, Store

QRELS = {"T%d" % i: {"A": 1, "B": 1} for i in range(40)}
# By arm. n = 2, R@2 of the first is 1/2, of the second 2/2.
ANSWERS = {"old": ["A", "X"], "new": ["A", "B"]}


def search(arm):
    return ANSWERS[arm]


class Observing(unittest.TestCase):
    def test_means_of_served_rankings(self):
        with Experiment(QRELS, ["old", "new"], "R@2,PRES@2") as experiment:
            for i, arm in ((0, "old"), (1, "old"), (2, "new")):
                visit = experiment.begin("T%d" % i)
                outcome = experiment.observe(visit, Ranking(search(arm), depth=2), arm=arm)
                self.assertEqual(outcome, "recorded")
            summary = experiment.summary()
            means = {arm["name"]: arm["means"]["R@2"]["mean"] for arm in summary["arms"]}
            self.assertEqual(means, {"old": 0.5, "new": 1.0})
            self.assertEqual([arm["topics_seen"] for arm in summary["arms"]], [2, 1])
            self.assertEqual(summary["health"]["recorded"], 3)
            self.assertIn("R@2", experiment.table())
            self.assertEqual(experiment.arms, ["old", "new"])
            self.assertEqual(experiment.url, "")

    def test_outcomes(self):
        with Experiment(QRELS, ["old"], "R@2") as experiment:
            begin, observe = experiment.begin, experiment.observe
            self.assertEqual(observe(begin("unknown topic"), ["A"]), "unjudged")
            self.assertEqual(observe(begin("T1"), ["A"]), "recorded")
            self.assertEqual(observe(begin("T1", session="s"), []), "recorded")
            failed = experiment.observe_failure(begin("T2"))
            self.assertEqual(failed, "recorded")
            experiment.observe_failure(begin("T2"), timed_out=True)
            (arm,) = experiment.summary()["arms"]
            self.assertEqual((arm["failed_queries"], arm["timed_out_queries"]), (1, 1))
            self.assertEqual(arm["unjudged_queries"], 1)

    def test_facts_of_a_ranking(self):
        with Experiment(QRELS, ["old"], "R@2") as experiment:
            flags = ("sorted", "partial", "filtered", "collapsed", "retried", "deepened")
            for flag in flags:
                experiment.observe(experiment.begin("T1"), Ranking(["A", "B"], flags=flag))
            (arm,) = experiment.summary()["arms"]
            for name in ("sorted", "partial", "filtered", "collapsed", "retried"):
                self.assertEqual(arm[name + "_queries"], 1, name)
            experiment.observe(
                experiment.begin("T3"), Ranking(["A"], latency_ms=12.5, total_hits=9, depth=2)
            )
            latency = experiment.summary()["arms"][0]["latency_ms"]
            self.assertEqual((latency["count"], latency["max"]), (1, 12.5))

    def test_columns_as_rankings(self):
        with Experiment(QRELS, ["old"], "R@2") as experiment:
            for i, hits in enumerate((("A", "B"), iter_free_sequence(["A", "B"]))):
                experiment.observe(experiment.begin("T%d" % i), hits)
            if support.numpy:
                array = support.numpy.array(["A", "B"])
                experiment.observe(experiment.begin("T2"), array)
            self.assertEqual(experiment.summary()["arms"][0]["means"]["R@2"]["mean"], 1.0)

    def test_pages_of_one_visit(self):
        with Experiment(QRELS, ["old"], "R@4") as experiment:
            visit = experiment.begin("T1", session="one")
            experiment.observe(visit, Ranking(["X", "A"], depth=2))
            visit = experiment.begin("T1", session="one")
            experiment.observe(visit, Ranking(["B", "Y"], depth=2, first_rank=3))
            # A at rank 2 and B at rank 3 are within 4: 2 of 2.
            self.assertEqual(experiment.summary()["arms"][0]["means"]["R@4"]["mean"], 1.0)

    def test_slices(self):
        slices = {"T%d" % i: "even" if i % 2 == 0 else "odd" for i in range(40)}
        qrels = {topic: {"A": 1} for topic in slices}
        with Experiment(qrels, ["old", "new"], "R@1", mode="paired", slices=slices) as experiment:
            for topic in qrels:
                visit = experiment.begin(topic)
                better = "new" if slices[topic] == "even" else "old"
                rankings = {arm: ["A"] if arm == better else ["X"] for arm in ("old", "new")}
                experiment.observe_comparison(visit, rankings)
            found = experiment.summary()["pairs"][0]["slices"]
            self.assertEqual([of["slice"] for of in found], ["even", "odd"])
            self.assertEqual([of["difference"]["mean"] for of in found], [1.0, -1.0])
            self.assertEqual([of["words"]["state"] for of in found], ["too few", "too few"])
        with self.assertRaisesRegex(prescope.UsageError, "slices: found int 7, expected a dict"):
            Experiment(qrels, ["old"], "R@1", slices=7)

    def test_actions(self):
        qrels = {"T%d" % i: {"A": 1} for i in range(200)}
        with tempfile.TemporaryDirectory() as folder:
            said = os.path.join(folder, "said")
            with Experiment(
                qrels,
                ["old", "new"],
                "PRES@2",
                mode="paired",
                actions_command="echo $PRESCOPE_EVENT $PRESCOPE_ARM > '%s'" % said,
                actions_journal=os.path.join(folder, "acts"),
            ) as experiment:
                for topic in qrels:
                    visit = experiment.begin(topic)
                    rankings = {"old": ["A", "X"], "new": ["X", "A"]}
                    experiment.observe_comparison(visit, rankings)
            while not glob.glob(os.path.join(folder, "acts", "*", "command.ended")):
                time.sleep(0.01)  # the command goes on by itself
            with open(said) as text:
                self.assertEqual(text.read(), "worse new\n")
            with self.assertRaisesRegex(prescope.UsageError, "'worst'; did you mean 'worse'"):
                Experiment(qrels, ["old"], actions_command="true", actions_on="worst")
            with self.assertRaisesRegex(
                prescope.UsageError, "actions_command or actions_url is missing"
            ):
                Experiment(qrels, ["old"], actions_journal=folder)

    def test_tests_that_end(self):
        qrels = {"T%d" % i: {"A": 1, "B": 1} for i in range(40)}
        options = {"mode": "paired", "test_topics": 20, "looks": [0.5, 1.0]}
        options.update({"guardrails": {"R@2": 0.1}, "same_within": 0.05})
        with Experiment(qrels, ["old", "new"], "R@2", **options) as experiment:
            for i, topic in enumerate(qrels):
                # An arm that finds nothing at all would void the verdict.
                new = ["A", "B"] if i % 5 else ["A", "X"]
                rankings = {"old": ["A", "X"], "new": new}
                experiment.observe_comparison(experiment.begin(topic), rankings)
            (pair,) = experiment.summary()["pairs"]
            # 8 of the first 10 topics gain 0.5: t = 0.4 / (0.2108 / sqrt(10)) = 6.
            self.assertEqual(pair["planned"]["state"], "better")
            self.assertAlmostEqual(pair["planned"]["looks"][0]["mean"], 0.4)
            self.assertEqual([look["topics"] for look in pair["planned"]["looks"]], [10, 20])
            self.assertEqual(pair["guardrails"][0]["name"], "R@2")
            self.assertEqual(pair["equivalence"]["is_shown"], False)
        with self.assertRaisesRegex(
            prescope.UsageError, "guardrails: found int 7, expected a dict"
        ):
            Experiment(qrels, ["old", "new"], "R@1", mode="paired", guardrails=7)
        with self.assertRaisesRegex(prescope.UsageError, "did you mean 'R@1'"):
            Experiment(qrels, ["old", "new"], "R@1", mode="paired", guardrails={"R@2": 0.1})

    def test_dashboard(self):
        with Experiment(QRELS, ["old"], "R@2", dashboard=0) as experiment:
            self.assertRegex(experiment.url, r"^http://127\.0\.0\.1:\d+")
            with urllib.request.urlopen(experiment.url, timeout=30) as page:
                self.assertEqual(page.status, 200)

    def test_split(self):
        with Experiment(QRELS, ["old", "new"], "R@2", mode="split", salt="s") as experiment:
            assigned = {topic: experiment.arm_for(topic) for topic in QRELS}
            self.assertEqual(set(assigned.values()), {"old", "new"})
            for topic in QRELS:
                self.assertEqual(experiment.serve(topic, search), ANSWERS[assigned[topic]])
            served = {arm["name"]: arm["topics_seen"] for arm in experiment.summary()["arms"]}
            for arm in served:
                self.assertEqual(served[arm], list(assigned.values()).count(arm))
            with self.assertRaisesRegex(Error, "arm: found None"):
                experiment.observe(experiment.begin("T1"), ["A"])

    def test_shares(self):
        units = [str(i) for i in range(2000)]
        with Experiment(QRELS, ["old", "new"], "R@2", mode="split", shares={"old": 19}) as live:
            served = sum(live.arm_for(unit) == "new" for unit in units)
        self.assertTrue(50 < served < 150, served)  # 100, five standard deviations of 9.7
        with self.assertRaisesRegex(Error, "shares: found int 3, expected a dict"):
            Experiment(QRELS, ["old"], "R@2", mode="split", shares=3)

    def test_arms_that_change(self):
        with Experiment(QRELS, ["old"], "R@2", mode="paired") as experiment:
            experiment.change_arm("new", "add")
            self.assertEqual(experiment.arms, ["old", "new"])
            experiment.change_arm("new", "pause")
            visit = experiment.begin("T1")
            self.assertEqual(experiment.observe(visit, ["A"], arm="new"), "inactive arm")
            experiment.change_arm("new", "resume")
            self.assertEqual(experiment.observe(visit, ["A"], arm="new"), "recorded")
            with self.assertRaisesRegex(Error, "rename"):
                experiment.change_arm("new", "rename")


def iter_free_sequence(values):
    import collections

    return collections.UserList(values)


class Paired(unittest.TestCase):
    def test_shadow_searches(self):
        with Experiment(QRELS, ["old", "new"], "R@2", mode="paired") as experiment:
            threads = set()

            def shadow_search(arm):
                threads.add(threading.get_ident())
                return Ranking(search(arm), depth=2)

            for topic in QRELS:
                visit = experiment.begin(topic)
                experiment.observe(visit, Ranking(search("old"), depth=2), arm="old")
                self.assertTrue(experiment.wants_shadow(visit))
                while not experiment.shadow(visit, shadow_search, served="old"):
                    visit = experiment.begin(topic)  # the queue was full
                experiment.drain_shadow()
            (pair,) = experiment.summary()["pairs"]
            self.assertEqual(pair["differences"]["R@2"]["topics"], 40)
            self.assertEqual(pair["differences"]["R@2"]["mean"], 0.5)  # 1 - 1/2 in every topic
            self.assertNotIn(threading.get_ident(), threads)

    def test_serve(self):
        with Experiment(QRELS, ["old", "new"], "R@2", mode="paired", shadow_queue=64) as experiment:
            for topic in QRELS:
                self.assertEqual(experiment.serve(topic, search, depth=2), ["A", "X"])
                experiment.drain_shadow()
            (pair,) = experiment.summary()["pairs"]
            self.assertEqual(pair["differences"]["R@2"]["topics"], 40)

    def test_a_search_that_fails_counts_as_failed(self):
        kinds = (RuntimeError("broken"), SystemExit(3), KeyboardInterrupt())
        results = (None, 5, "A B", ["A", 5], ["A\0"], {"A": 1.0}, b"A")
        with Experiment(QRELS, ["old", "new"], "R@2", mode="paired") as experiment:

            def failing(failure):
                def shadow_search(arm):
                    if arm == "old":
                        return Ranking(search(arm), depth=2)
                    if isinstance(failure, BaseException):
                        raise failure
                    return failure

                return shadow_search

            with logged() as records:
                for i, failure in enumerate(kinds + results):
                    visit = experiment.begin("T%d" % i)
                    experiment.observe(visit, Ranking(search("old"), depth=2))
                    self.assertTrue(experiment.shadow(visit, failing(failure)))
                    experiment.drain_shadow()
            arms = {arm["name"]: arm for arm in experiment.summary()["arms"]}
            self.assertEqual(arms["new"]["failed_queries"], len(kinds + results))
            self.assertEqual(arms["old"]["failed_queries"], 0)
            self.assertEqual(len(records), len(kinds + results))
            self.assertIs(records[0].exc_info[1], kinds[0])

    def test_a_served_search_that_fails(self):
        def broken(arm):
            raise RuntimeError("broken")

        with Experiment(QRELS, ["old"], "R@2") as experiment:
            with self.assertRaisesRegex(RuntimeError, "broken"):
                experiment.serve("T1", broken)
            self.assertEqual(experiment.summary()["arms"][0]["failed_queries"], 1)

    def test_an_answer_that_cannot_be_recorded_reaches_the_user(self):
        with Experiment(QRELS, ["old"], "R@2") as experiment:
            for answer in (["A", 5], "A B", None):
                with logged() as records:
                    self.assertIs(experiment.serve("T1", lambda arm: answer), answer)
                self.assertIn("'T1' is not recorded", records[0].getMessage())
            with self.assertRaisesRegex(Error, "old"):
                experiment.serve("T1", lambda arm: self.fail("searched"), arm="odl")

    def test_comparisons_that_the_host_made(self):
        with Experiment(QRELS, ["old", "new"], "R@2", mode="paired") as experiment:
            for topic in QRELS:
                visit = experiment.begin(topic)
                experiment.observe(visit, Ranking(search("old"), depth=2), arm="old")
                self.assertTrue(experiment.wants_shadow(visit))
                rankings = {arm: Ranking(docnos, depth=2) for arm, docnos in ANSWERS.items()}
                if topic == "T0":
                    rankings["new"] = None
                outcome = experiment.observe_comparison(visit, rankings, served="old")
                self.assertEqual(outcome, "recorded")
            summary = experiment.summary()
            (difference,) = (pair["differences"]["R@2"] for pair in summary["pairs"])
            # In T0 the failed search is an empty ranking: (39 * 0.5 - 0.5) / 40.
            self.assertAlmostEqual(difference["mean"], 0.475, delta=1e-12)
            self.assertEqual(summary["arms"][1]["failed_queries"], 1)

    def test_callbacks_outlive_collections(self):
        with Experiment(QRELS, ["old", "new"], "R@2", mode="paired") as experiment:
            searched = []
            for topic in list(QRELS)[:20]:
                visit = experiment.begin(topic)
                experiment.observe(visit, Ranking(search("old"), depth=2))
                experiment.shadow(visit, lambda arm: searched.append(arm) or search(arm))
                del visit
                gc.collect()
                experiment.drain_shadow()
            self.assertEqual(len(searched), 40)  # two arms for each of 20 topics

        from prescope import _live

        self.assertEqual(_live._pending, {})

    def test_visits_on_other_threads(self):
        with Experiment(QRELS, ["old"], "R@2") as experiment:

            def work(first):
                for i in range(200):
                    experiment.serve("T%d" % ((first + i) % 40), search)

            threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(experiment.summary()["arms"][0]["judged_queries"], 800)


class logged:
    """Collects what the package logs, which is not printed meanwhile."""

    def __enter__(self):
        records = []

        class Handler(logging.Handler):
            def emit(self, record):
                records.append(record)

        self.log = logging.getLogger("prescope")
        self.handler = Handler()
        self.log.addHandler(self.handler)
        self.log.propagate = False
        return records

    def __exit__(self, *exception):
        self.log.removeHandler(self.handler)
        self.log.propagate = True


class Overlap(unittest.TestCase):
    def test_rankings_without_judgements_are_compared(self):
        found = {"old": ["A", "B"], "new": ["A", "C"]}
        with Experiment(
            QRELS,
            ["old", "new"],
            "R@2",
            mode="paired",
            shadow_overlap_sampling=1.0,
            shadow_overlap_depth=2,
        ) as experiment:
            experiment.serve("nobody judged this", found.get)
            visit = experiment.begin("nor this", query="a valve")
            experiment.observe_comparison(visit, found)
            experiment.drain_shadow()
            overlap = experiment.summary()["pairs"][0]["overlap"]
        self.assertEqual(overlap["visits"], 2)
        self.assertAlmostEqual(overlap["jaccard"]["mean"], 1 / 3)
        queries = sorted(each["query"] for each in overlap["most_changed"])
        self.assertEqual(queries, ["a valve", "nobody judged this"])


class Refused(unittest.TestCase):
    def test_closed(self):
        experiment = Experiment(QRELS, ["old"], "R@2")
        visit = experiment.begin("T1")
        experiment.close()
        experiment.close()
        calls = (
            lambda: experiment.begin("T1"),
            lambda: experiment.observe(visit, ["A"]),
            lambda: experiment.observe_failure(visit),
            lambda: experiment.wants_shadow(visit),
            lambda: experiment.shadow(visit, search),
            lambda: experiment.observe_comparison(visit, {}),
            lambda: experiment.arm_for("T1"),
            lambda: experiment.change_arm("old", "pause"),
            lambda: experiment.drain_shadow(),
            lambda: experiment.flush(),
            lambda: experiment.summary(),
            lambda: experiment.table(),
            lambda: experiment.url,
            lambda: experiment.serve("T1", search),
            lambda: experiment.__enter__(),
        )
        for call in calls:
            with self.assertRaisesRegex(Error, "experiment 'experiment': it is closed"):
                call()
        self.assertIn("closed", repr(experiment))

    def test_visit_of_another_experiment(self):
        with Experiment(QRELS, ["old"], name="a") as a, Experiment(QRELS, ["old"], name="b") as b:
            visit = a.begin("T1")
            expected = "found one of experiment 'a', expected one of experiment 'b'"
            with self.assertRaisesRegex(Error, expected):
                b.observe(visit, ["A"])
            with self.assertRaisesRegex(Error, "visit: found str"):
                a.observe("T1", ["A"])

    def test_options(self):
        cases = (
            ({"arms": "old"}, "arms: found str 'old'"),
            ({"arms": []}, "arm"),
            ({"arms": [5]}, r"arms\[0\]: found int 5"),
            ({"arms": ["old", "old"]}, "old"),
            ({"mode": "both"}, "both"),
            ({"mode": None}, "mode"),
            ({"measures": "PRES@ten"}, "PRES@ten"),
            ({"primary": "P@7", "measures": "R@2"}, "P@7"),
            ({"alpha": 0.9}, "alpha"),
            ({"alpha": "x"}, "alpha"),
            ({"alpha": None}, "alpha: found None"),
            ({"shadow_threads": 0}, "threads"),
            ({"shadow_queue": -1}, "shadow_queue: found -1"),
            ({"shadow_sampling": 2.0}, "sampling"),
            ({"shadow_latency": "never"}, "never"),
            ({"shadow_overlap_sampling": 0.5}, "shadow.overlap.sampling is above 0"),
            ({"shadow_overlap_depth": 0}, "shadow.overlap.depth is 0"),
            ({"shadow_overlap_persistence": 1.0}, "shadow.overlap.persistence is 1"),
            ({"capture_depth": 1.5}, "capture_depth: found float"),
            ({"store": "no/such/folder/x.db"}, "no/such/folder"),
            ({"store": 5.5}, "path: found float 5.5"),
            ({"dashboard": 70000}, "dashboard: found 70000"),
            ({"dashboard": 0, "dashboard_address": "no address"}, "no address"),
            ({"on_warning": 5}, "on_warning: found int 5"),
            ({"qrels": {}}, "the judgements: found an empty dict"),
        )
        for keywords, expected in cases:
            given = dict({"qrels": QRELS, "arms": ["old"]}, **keywords)
            with self.subTest(str(keywords)):
                with self.assertRaisesRegex(Error, expected):
                    Experiment(given.pop("qrels"), given.pop("arms"), **given)

    def test_arguments(self):
        with Experiment(QRELS, ["old", "new"], "R@2", mode="paired") as experiment:
            visit = experiment.begin("T1")
            cases = (
                (lambda: experiment.begin(5), "topic: found int 5"),
                (lambda: experiment.begin(None), "topic: found None"),
                (lambda: experiment.begin("T\0"), "NUL"),
                (lambda: experiment.begin("\ud800"), "UTF-8"),
                (lambda: experiment.begin("T1", arm="none"), "none"),
                (lambda: experiment.begin("T1", served="now"), "served"),
                (lambda: experiment.begin("T1", served=-5), "served"),
                (lambda: experiment.begin("T1", request_id=-5), "request_id: found -5"),
                (lambda: experiment.observe(visit, "A"), "the ranking: found str 'A'"),
                (lambda: experiment.observe(visit, {"A": 1.0}), "the ranking: found dict"),
                (lambda: experiment.observe(visit, ["A", 5]), "rank 2 of the ranking: found int 5"),
                (lambda: experiment.observe(visit, None), "found None"),
                (lambda: experiment.observe(visit, Ranking(["A"], flags="lucky")), "'lucky'"),
                (lambda: experiment.observe(visit, Ranking(["A"], depth=-1)), "depth: found -1"),
                (lambda: experiment.observe(visit, Ranking(["A"], first_rank=0)), "first_rank"),
                (lambda: experiment.observe(visit, Ranking(["A"], latency_ms=-1)), "latency_ms"),
                (lambda: experiment.observe(visit, Ranking(["A"], latency_ms="x")), "latency_ms"),
                (lambda: experiment.observe(visit, ["A"], arm="odl"), "old"),
                (lambda: experiment.shadow(visit, "search"), "search: found str"),
                (lambda: experiment.observe_comparison(visit, ["A"]), "rankings: found list"),
            )
            for i, (call, expected) in enumerate(cases):
                with self.subTest(i), self.assertRaisesRegex(Error, expected):
                    call()

    def test_pickles(self):
        import copy

        qrels = prescope.Qrels(QRELS)
        with Experiment(qrels, ["old"]) as experiment:
            for one in (qrels, qrels.run({"T1": ["A"]}), experiment):
                with self.assertRaises(TypeError):
                    copy.copy(one)

    def test_close_inside_a_search(self):
        with Experiment(QRELS, ["old", "new"], "R@2", mode="paired") as experiment:
            visit = experiment.begin("T1")
            experiment.observe(visit, ["A"])
            with logged() as records:
                self.assertTrue(experiment.shadow(visit, lambda arm: experiment.close()))
                experiment.drain_shadow()
            self.assertEqual(len(records), 2)  # one for each arm
            self.assertIn("close() inside", str(records[0].exc_info[1]))
            self.assertIn("open", repr(experiment))

    def test_calls_inside_a_warning(self):
        refused = []

        def warned(_sentence):
            for call in (experiment.flush, experiment.close, experiment.summary):
                with self.assertRaises(prescope.UsageError) as error:
                    call()
                refused.append(str(error.exception))

        with Experiment(QRELS, ["a"], "R@2", on_warning=warned) as experiment:
            experiment._warn(None, b"the store is full")  # as the library calls it
        self.assertEqual(len(refused), 3)
        self.assertIn("inside on_warning", refused[0])

    def test_drain_inside_a_search(self):
        with Experiment(QRELS, ["old", "new"], "R@2", mode="paired") as experiment:
            visit = experiment.begin("T1")
            experiment.observe(visit, ["A"])
            with logged() as records:
                self.assertTrue(experiment.shadow(visit, lambda arm: experiment.drain_shadow()))
                experiment.drain_shadow()
            self.assertEqual([r.exc_info[1].code for r in records], ["usage"] * 2)


class Processes(unittest.TestCase):
    """What happens at the end of a process, and after a fork."""

    def run_python(self, code):
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, PYTHONPATH=support.PACKAGE_FOLDER)
            environment.update(PYTHONDONTWRITEBYTECODE="1", STORE=folder + "/x.db")
            begin = "import os, sys, gc, threading, time, prescope\n"
            begin += "Q = {'T%d' % i: {'A': 1} for i in range(40)}\n"
            done = subprocess.run(
                [sys.executable, "-c", begin + textwrap.dedent(code)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                timeout=120,
            )
            rows = None
            if os.path.exists(folder + "/x.db"):
                rows = Store(folder + "/x.db").observations()
        return done.returncode, done.stdout.decode(), done.stderr.decode(), rows

    def test_open_at_the_end(self):
        support.program()
        code, _, errors, rows = self.run_python(
            """
            experiment = prescope.Experiment(
                Q, ["old", "new"], "R@2", mode="paired", store=os.environ["STORE"], dashboard=0)
            def search(arm):
                time.sleep(0.05)
                return ["A"]
            for topic in list(Q)[:5]:
                experiment.serve(topic, search)
            print("end")
            """
        )
        self.assertEqual((code, errors), (0, ""))
        served = [row for row in rows if "shadow" not in row["flags"]]
        self.assertEqual(len(served), 5)

    def test_interrupted_while_closing(self):
        code, out, errors, _ = self.run_python(
            """
            import signal
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                with prescope.Experiment(Q, ["a", "b"], "R@2", mode="paired") as experiment:
                    visit = experiment.begin("T1")
                    experiment.observe(visit, ["A"])
                    experiment.shadow(visit, lambda arm: (time.sleep(1), ["A"])[1])
                    time.sleep(0.1)
            except KeyboardInterrupt:
                print("interrupted")
            experiment.close()
            print("closed")
            """
        )
        self.assertEqual((code, out), (0, "interrupted\nclosed\n"), errors)

    def test_closed_by_a_signal_handler(self):
        code, out, errors, _ = self.run_python(
            """
            import signal
            experiment = prescope.Experiment(Q, ["a"], "R@2")
            inside = []
            def handler(*_):
                try:
                    experiment.close()
                except prescope.UsageError:
                    inside.append(1)  # the signal came within a call
                    raise SystemExit(0)
            signal.signal(signal.SIGTERM, handler)
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
            while True:
                try:
                    experiment.observe(experiment.begin("T1"), ["A"])
                except prescope.UsageError:
                    break  # closed between two calls
            """
        )
        self.assertEqual(code, 0, errors)

    def test_last_reference_is_dropped(self):
        code, out, errors, _ = self.run_python(
            """
            def make():
                experiment = prescope.Experiment(Q, ["old", "new"], "R@2", mode="paired")
                experiment.serve("T1", lambda arm: time.sleep(0.02) or ["A"])
            make()
            gc.collect()
            time.sleep(0.2)
            print("end")
            """
        )
        self.assertEqual((code, out, errors), (0, "end\n", ""))

    def test_exit_on_another_way(self):
        code, _, errors, _ = self.run_python(
            """
            experiment = prescope.Experiment(Q, ["old", "new"], "R@2", mode="paired")
            experiment.serve("T1", lambda arm: ["A"])
            sys.exit(7)
            """
        )
        self.assertEqual((code, errors), (7, ""))
        code, _, errors, _ = self.run_python(
            """
            experiment = prescope.Experiment(Q, ["old"], "R@2")
            experiment.flush()
            raise RuntimeError("the host's own")
            """
        )
        self.assertEqual(code, 1)
        self.assertTrue(errors.strip().endswith("RuntimeError: the host's own"), errors)

    def test_fork(self):
        code, out, errors, _ = self.run_python(
            """
            experiment = prescope.Experiment(Q, ["old"], "R@2")
            visit = experiment.begin("T1")
            child = os.fork()
            if child == 0:
                try:
                    experiment.observe(visit, ["A"])
                except prescope.Error as error:
                    print(error)
                try:
                    with prescope.Experiment(Q, ["own"], "R@2") as own:
                        own.observe(own.begin("T1"), prescope.Ranking(["A"], depth=2))
                        print(own.summary()["arms"][0]["means"]["R@2"]["mean"])
                finally:
                    experiment.close()
                sys.exit(0)
            status = os.waitpid(child, 0)[1]
            experiment.observe(visit, ["A"])
            print(status, experiment.summary()["arms"][0]["judged_queries"])
            """
        )
        self.assertEqual(code, 0, errors)
        lines = out.splitlines()
        self.assertIn("found a process that was forked", lines[0])
        self.assertEqual(lines[1:], ["1.0", "0 1"])

    def test_taken_port(self):
        with Experiment(QRELS, ["old"], dashboard=0) as first:
            port = int(first.url.rstrip("/").rsplit(":", 1)[1])
            with self.assertRaisesRegex(Error, str(port)):
                Experiment(QRELS, ["old"], dashboard=port)


class Stores(unittest.TestCase):
    def setUp(self):
        support.program()
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "live.store")

    def tearDown(self):
        self.folder.cleanup()

    def test_observations_are_read_back(self):
        for name, count in (("autumn", 3), ("winter", 2)):
            with Experiment(QRELS, ["old", "new"], "R@2", name=name, store=self.path) as live:
                for i in range(count):
                    arm = ("old", "new")[i % 2]
                    visit = live.begin("T%d" % i, request_id=i + 1, session="s%d" % i)
                    live.observe(visit, Ranking(search(arm), depth=2, latency_ms=4), arm=arm)
                live.flush()
                written = Store(self.path).observations(experiment=name)
                self.assertEqual(len(written), count)
        store = Store(self.path)
        rows = store.observations()
        self.assertEqual(len(rows), 5)
        self.assertEqual(rows[0]["experiment"], "autumn")
        self.assertEqual([row["topic"] for row in rows], ["T0", "T1", "T2", "T0", "T1"])
        self.assertEqual([row["R@2"] for row in rows], [0.5, 1.0, 0.5, 0.5, 1.0])
        self.assertEqual(rows[1]["docnos"], ["A", "B"])
        self.assertEqual(rows[0]["latency_ms"], 4)
        self.assertEqual(int(rows[2]["request_id"], 16), 3)
        self.assertEqual(len(store.observations(arm="new")), 2)
        self.assertEqual(len(store.observations(topic="T0", last=1)), 1)
        other = store.observations(measures="P@1,AP", experiment="winter")
        self.assertEqual([(row["P@1"], row["AP"]) for row in other], [(1, 0.5), (1, 1.0)])
        sessions = store.sessions()
        self.assertEqual([one["experiment"] for one in sessions], ["autumn", "winter"])
        self.assertEqual([one["observations"] for one in sessions], [3, 2])
        self.assertEqual(sessions[0]["arms"], ["new", "old"])
        self.assertLessEqual(sessions[0]["first"], sessions[0]["last"])
        found = store.observations(session=sessions[1]["session"])
        self.assertEqual(len(found), 2)

    def test_nights(self):
        qrels = os.path.join(self.folder.name, "q.txt")
        run = os.path.join(self.folder.name, "bm25.run")
        support.write_qrels(qrels, QRELS)
        support.write_run(run, {t: {"A": 2.0, "X": 1.0} for t in QRELS})
        common = [self.path, "--from", run, "--qrels", qrels]
        support.run_program("pin", *(common + ["-m", "PRES@2,R@2", "--why", "a test"]))
        support.run_program("gate", *common)
        nights = Store(self.path).nights()
        self.assertEqual([night["verdict"] for night in nights], [None, "PASS"])
        self.assertEqual(nights[0]["measures"]["R@2"]["mean"], 0.5)
        self.assertEqual(len(Store(self.path).nights(last=1)), 1)
        self.assertEqual(
            Store(self.path).nights(measures=["R@1"])[0]["measures"]["R@1"]["mean"], 0.5
        )
        if support.pandas:
            self.assertEqual(list(nights.to_frame()["night"]), [1, 2])

    def test_warnings(self):
        sentences = []

        def warn(sentence):
            sentences.append(sentence)
            raise RuntimeError("a warning must not end the process")

        with logged() as records:
            with Experiment(QRELS, ["old"], "R@2", store=self.path, on_warning=warn) as live:
                live.observe(live.begin("T1"), ["A", "B"])
                live.flush()
                os.remove(self.path)
                with open(self.path, "w") as file:
                    file.write("this is no store")
                live.observe(live.begin("T2"), ["A", "B"])
                with self.assertRaisesRegex(prescope.FileError, "cannot be written"):
                    live.flush()
        self.assertIn(self.path, sentences[0])
        self.assertEqual(len(records), len(sentences))

    def test_missing_store(self):
        for call in (Store(self.path).nights, Store(self.path).observations):
            with self.assertRaisesRegex(prescope.FileError, "there is no such file"):
                call()

    def test_bad_arguments(self):
        with Experiment(QRELS, ["old"], "R@2", store=self.path):
            pass
        store = Store(self.path)
        with self.assertRaisesRegex(prescope.UsageError, "NoSuch"):
            store.observations(measures="NoSuch@5")
        with self.assertRaisesRegex(prescope.UsageError, "arm: found str '--help'"):
            store.observations(arm="--help")
        with self.assertRaisesRegex(prescope.UsageError, "last: found 0"):
            store.nights(last=0)
        with self.assertRaisesRegex(prescope.UsageError, "soon"):
            store.nights(since="soon")


if __name__ == "__main__":
    unittest.main()
