"""What the tests share: the package's place, and the textbook's definitions of measures.

Environment: PRESCOPE_LIBRARY names libprescope.so, PRESCOPE_PROGRAM the program, PRESCOPE_TEST_DATA
the folder of the real collections.
"""

import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE_FOLDER = os.path.join(ROOT, "plugin", "python")
sys.path.insert(0, PACKAGE_FOLDER)

import prescope  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None

needs_numpy = unittest.skipUnless(numpy, "numpy is not installed for this interpreter")
needs_pandas = unittest.skipUnless(pandas, "pandas is not installed for this interpreter")


def program():
    """Returns the path of the program, or skips the test."""
    try:
        return prescope.program()
    except prescope.FileError as error:
        raise unittest.SkipTest(str(error))


def run_program(*arguments):
    """Returns the standard output of the program; its exit code must be 0."""
    done = subprocess.run(
        [program()] + list(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    if done.returncode:
        raise AssertionError("%s: %s" % (arguments, done.stderr.decode("utf-8", "replace")))
    return done.stdout.decode("utf-8")


def data(*names):
    """Returns the path of a file of the real collections, or skips the test."""
    folder = os.environ.get("PRESCOPE_TEST_DATA")
    if not folder:
        raise unittest.SkipTest("PRESCOPE_TEST_DATA does not name the real collections")
    path = os.path.join(folder, *names)
    if not os.path.exists(path):
        raise unittest.SkipTest("%s is not there" % path)
    return path


def write_qrels(path, qrels):
    """Writes judgements as a file, a line for each."""
    with open(path, "w", encoding="utf-8") as file:
        for topic, judged in qrels.items():
            for docno, grade in judged.items():
                file.write("%s 0 %s %d\n" % (topic, docno, grade))


def write_run(path, run):
    """Writes a run with scores as a file, a line for each document."""
    with open(path, "w", encoding="utf-8") as file:
        for topic, documents in run.items():
            for docno, score in documents.items():
                file.write("%s Q0 %s 0 %r tag\n" % (topic, docno, score))


# ---- The textbook -------------------------------------------------------------------------------


def ranked(documents):
    """Returns the docnos by score, then docno, both descending, as trec_eval ranks them."""
    order = sorted(documents, key=lambda docno: docno.encode("utf-8"), reverse=True)
    return sorted(order, key=lambda docno: documents[docno], reverse=True)


def relevant_ranks(judged, docnos, min_grade=1):
    """Returns the ranks of relevant documents, and how many are relevant in all."""
    relevant = {docno for docno, grade in judged.items() if grade >= min_grade}
    return [i for i, docno in enumerate(docnos, 1) if docno in relevant], len(relevant)


def pres(ranks, n, cutoff):
    """The j-th relevant document, found at rank r <= N, adds N + j - r; of n N at most."""
    found = [r for r in ranks if r <= cutoff]
    return sum(cutoff + j - r for j, r in enumerate(found, 1)) / (n * cutoff)


def recall(ranks, n, cutoff):
    return sum(r <= cutoff for r in ranks) / n


def average_precision(ranks, n):
    return sum(j / r for j, r in enumerate(ranks, 1)) / n


def textbook(qrels, run, cutoff):
    """Returns PRES, R and AP of each topic, None if it has no relevant document."""
    scores = {}
    for topic, judged in qrels.items():
        documents = run.get(topic, {})
        docnos = ranked(documents) if isinstance(documents, dict) else documents
        ranks, n = relevant_ranks(judged, docnos)
        scores[topic] = (
            (pres(ranks, n, cutoff), recall(ranks, n, cutoff), average_precision(ranks, n))
            if n
            else (None, None, None)
        )
    return scores


def random_case(random, topics=8, documents=30, ties=False):
    """Returns judgements and a run that share documents; some topics have nothing relevant."""
    names = ["EP-%d-A1" % i for i in range(documents)] + ["D\u00fcse-%d" % i for i in range(3)]
    qrels = {
        "T%d" % t: {
            d: random.choice((0, 0, 1, 2)) for d in random.sample(names, random.randint(1, 9))
        }
        for t in range(topics)
    }
    run = {}
    for topic in random.sample(sorted(qrels), random.randint(1, topics)):
        found = random.sample(names, random.randint(1, len(names)))
        run[topic] = {
            d: float(random.randint(0, 4)) if ties else random.random() for d in found
        }
    return qrels, run
