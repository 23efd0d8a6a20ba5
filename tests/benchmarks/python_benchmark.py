"""Time of the Python package beside a reference in pure Python, for PRES@100, R@100 and AP.

    PYTHONPATH=plugin/python PRESCOPE_LIBRARY=build/release/lib/libprescope.so \
        python3 tests/benchmarks/python_benchmark.py [TOPICS]

A run of TOPICS topics (1,000) with 1,000 documents each is read from a file, passed as NumPy columns
and as dicts. The answers are compared before a time is printed. Each time is the median of three;
the reference runs once, because it takes a minute for 10,000 topics.
"""

import gc
import os
import random
import statistics
import sys
import tempfile
import time

import prescope

MEASURES = "PRES@100,R@100,AP"
DEPTH, JUDGED, CUTOFF = 1000, 10, 100


def reference(qrels, run):
    """Scores a dict by the textbook's formulas: a list of PRES@100, R@100, AP for each topic."""
    scores = {}
    for topic, judged in qrels.items():
        relevant = {docno for docno, grade in judged.items() if grade >= 1}
        ranked = sorted(run.get(topic, {}).items(), key=lambda item: item[0], reverse=True)
        ranked.sort(key=lambda item: item[1], reverse=True)
        found, credits, precisions, recall = 0, 0, 0.0, 0
        for rank, (docno, _) in enumerate(ranked, 1):
            if docno not in relevant:
                continue
            found += 1
            precisions += found / rank
            if rank <= CUTOFF:
                recall += 1
                credits += CUTOFF + found - rank
        n = len(relevant)
        scores[topic] = [credits / (n * CUTOFF), recall / n, precisions / n]
    return scores


def reference_of_file(qrels, path):
    run = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            topic, _, docno, _, score, _ = line.split()
            run.setdefault(topic, {})[docno] = float(score)
    return reference(qrels, run)


def seconds(call):
    gc.collect()
    began = time.perf_counter()
    answer = call()
    return time.perf_counter() - began, answer


def median_of(call, times=3):
    measured = [seconds(call) for _ in range(times)]
    return statistics.median(time_ for time_, _ in measured), measured[0][1]


def compare_answers(wanted, result):
    names = list(result.means)
    for topic, scores in wanted.items():
        for name, score in zip(names, scores):
            found = result.topics[topic][name]
            if abs(found - score) > 1e-12:
                sys.exit("%s of %s: %r, the reference has %r" % (name, topic, found, score))


def main():
    topics = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng = random.Random(20100719)
    qrels, rows = {}, []
    for t in range(topics):
        docnos = rng.sample(range(10_000_000), DEPTH)
        names = ["US%07dB2" % docno for docno in docnos]
        topic = "EP%07dA1" % t
        qrels[topic] = {name: 1 for name in rng.sample(names, JUDGED)}
        rows.extend((topic, name, 1000.0 - 0.5 * rank) for rank, name in enumerate(names))
    judged = prescope.Qrels(qrels)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run")
        with open(path, "w", encoding="utf-8") as file:
            for rank, (topic, docno, score) in enumerate(rows):
                file.write("%s Q0 %s %d %r x\n" % (topic, docno, rank, score))
        run = {}
        for topic, docno, score in rows:
            run.setdefault(topic, {})[docno] = score
        columns = None
        try:
            import numpy
        except ImportError:
            print("NumPy is missing: columns are not timed")
        else:
            columns = tuple(
                numpy.array([row[i] for row in rows], dtype=kind)
                for i, kind in enumerate(("U11", "U11", "f8"))
            )
        del rows

        def evaluated(source):
            return lambda: prescope.evaluate(judged, source, MEASURES)

        file_reference, wanted = seconds(lambda: reference_of_file(qrels, path))
        dict_reference, _ = seconds(lambda: reference(qrels, run))
        print("%d topics of %d documents" % (topics, DEPTH))
        for what, source, reference_time in (
            ("file", path, file_reference),
            ("columns", columns, file_reference),
            ("dicts", run, dict_reference),
        ):
            if source is None:
                continue
            compare_answers(wanted, evaluated(source)())
            time_, _ = median_of(evaluated(source))
            print(
                "%-8s %8.3f s, pure Python %8.3f s: %5.1f times"
                % (what, time_, reference_time, reference_time / time_)
            )
    small_qrels = dict(list(qrels.items())[:10])
    small = {t: dict(list(run[t].items())[:10]) for t in small_qrels}
    judged = prescope.Qrels(small_qrels)

    def small_calls():
        for _ in range(1000):
            prescope.evaluate(judged, small, MEASURES)

    time_, _ = median_of(small_calls)
    print("a call of 10 topics with 10 documents each: %.3f ms" % time_)


if __name__ == "__main__":
    main()
