"""Every kind of input gives the same result, and bad input gives a sentence."""

import array
import random
import tempfile
import os
import unittest

import support
import prescope
from prescope import Error

QRELS = {"T1": {"A": 1, "B": 0, "D\u00fcse": 2}, "T2": {"C": 1}}
RUN = {"T1": {"X": 4.5, "D\u00fcse": 3.25, "A": -1.0}, "T2": {"X": 1e30, "C": 0.5}}
ROWS = [(topic, docno, score) for topic, docs in RUN.items() for docno, score in docs.items()]
QREL_ROWS = [(t, d, g) for t, docs in QRELS.items() for d, g in docs.items()]
MEASURES = "PRES@5,R@2,AP,nDCG"
EXPECTED = {
    # T1: A and Duese are relevant, at ranks 3 and 2: credits 5+1-2 and 5+2-3, of 2*5.
    "T1": 0.8,
    # T2: C is at rank 2: 5+1-2 of 5.
    "T2": 0.8,
}


def columns_of(rows):
    return tuple(list(column) for column in zip(*rows))


NAN = float("nan")


class Buffer:
    """Memory of a fake Arrow array, as pyarrow.Buffer has it."""

    def __init__(self, data):
        self.owner = array.array("B", data or b"\0")
        self.size = len(data)

    @property
    def address(self):
        return self.owner.buffer_info()[0]


class NumberBuffer(bytearray):
    """The same for numbers, which are read by the buffer protocol; pyarrow.Buffer has both."""

    @property
    def address(self):
        return array.array("B").buffer_info()[0] if not self else _address(self)


def _address(data):
    import ctypes

    return ctypes.addressof((ctypes.c_char * len(data)).from_buffer(data))


class ArrowArray:
    """An array of the same shape as those of pyarrow, sliced at `offset`."""

    def __init__(self, values, type_, offset=0, nulls=()):
        self.type = type_
        self.offset = offset
        self.count = len(values)
        self.null_count = len(nulls)
        self.nulls = nulls
        self.values = values
        # What is before the slice must not be read.
        if type_ in ("string", "large_string"):
            values = ["before-%d" % i for i in range(offset)] + list(values)
            encoded = [v.encode("utf-8") for v in values]
            ends = [0]
            for one in encoded:
                ends.append(ends[-1] + len(one))
            offsets = array.array("i" if type_ == "string" else "q", ends)
            self._rest = [Buffer(offsets.tobytes()), Buffer(b"".join(encoded))]
        else:
            code = {"double": "d", "float": "f", "int64": "q", "int32": "i"}[type_]
            numbers = array.array(code, [99] * offset + list(values))
            self._rest = [NumberBuffer(numbers.tobytes())]

    def __len__(self):
        return self.count

    def to_pylist(self):
        return list(self.values)

    def buffers(self):
        validity = None
        if self.nulls:
            bits = bytearray(b"\xff" * ((self.offset + self.count) // 8 + 1))
            for i in self.nulls:
                bits[(self.offset + i) >> 3] &= ~(1 << ((self.offset + i) & 7)) & 0xFF
            validity = NumberBuffer(bits)
        return [validity] + self._rest


class ChunkedArray:
    def __init__(self, array_):
        self.array = array_

    def combine_chunks(self):
        return self.array


class ArrowTable:
    def __init__(self, **columns):
        self.data = columns
        self.column_names = list(columns)

    @property
    def columns(self):
        return list(self.data.values())

    def __getitem__(self, name):
        return self.data[name]


class Named(tuple):
    """A judgement of ir_measures: a tuple with the iteration behind the grade."""

    _fields = ("query_id", "doc_id", "relevance", "iteration")


def arrow_table(rows, offset, string, number, last):
    topics, docnos, values = columns_of(rows)
    return ArrowTable(
        query_id=ChunkedArray(ArrowArray(topics, string, offset)),
        doc_id=ArrowArray(docnos, string, offset),
        **{last: ArrowArray(values, number, offset)}
    )


class Kinds(unittest.TestCase):
    def setUp(self):
        self.expected = prescope.evaluate(QRELS, RUN, MEASURES)

    def same(self, run, qrels=QRELS):
        result = prescope.evaluate(qrels, run, MEASURES)
        self.assertEqual(result.topics, self.expected.topics)
        self.assertEqual(result.means, self.expected.means)

    def test_expected_values(self):
        found = {topic: scores["PRES@5"] for topic, scores in self.expected.topics.items()}
        self.assertEqual(found, EXPECTED)

    def test_rows_and_columns(self):
        topics, docnos, scores = columns_of(ROWS)
        shuffled = list(ROWS)
        random.Random(3).shuffle(shuffled)
        kinds = {
            "rows": ROWS,
            "rows in another order": shuffled,
            "lists as rows": [list(row) for row in ROWS],
            "columns": (topics, docnos, scores),
            "tuples": (tuple(topics), tuple(docnos), tuple(scores)),
            "array": (topics, docnos, array.array("d", scores)),
            "mapping": {"topic": topics, "docno": docnos, "score": scores},
            "other names": {"qid": topics, "query": "ignored", "did": docnos, "score": scores},
        }
        for name, run in kinds.items():
            with self.subTest(name):
                self.same(run)

    def test_lists_in_order(self):
        lists = {topic: support.ranked(docs) for topic, docs in RUN.items()}
        self.same(lists)
        self.same({topic: tuple(docs) for topic, docs in lists.items()})

    def test_judgements(self):
        topics, docnos, grades = columns_of(QREL_ROWS)
        kinds = {
            "rows": QREL_ROWS,
            "columns": (topics, docnos, grades),
            "mapping": {"qid": topics, "docno": docnos, "label": grades},
            "ir_measures": [Named(row + ("0",)) for row in QREL_ROWS],
            "whole floats": {t: {d: float(g) for d, g in j.items()} for t, j in QRELS.items()},
            "Qrels": prescope.Qrels(QRELS),
        }
        for name, qrels in kinds.items():
            with self.subTest(name):
                self.same(RUN, qrels)

    def test_citation_store(self):
        """US citations: the examiner's is grade 2, the applicant's is left out or kept with 0."""
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "citations.csv")
            store = os.path.join(folder, "citations.store")
            with open(table, "w") as file:
                file.write("citing,cited,source\nUS7000000B2,US6000001A,examiner\n")
                file.write("US7000000B2,US6000002A,applicant\n")
            support.run_program("citations", "import", table, "--store", store)
            run = {"US7000000B2": {"US6000002A": 2.0, "US6000001A": 1.0}}
            for rule, recall in ((None, 1.0), ("examiner,applicant", 1.0), ("clef-ip", 1.0)):
                qrels = prescope.Qrels(store, rule=rule)
                self.assertEqual(qrels.topics, ("US7000000B2",))
                self.assertEqual(prescope.evaluate(qrels, run, "R@2").means["R@2"], recall)
                self.assertEqual(prescope.evaluate(qrels, run, "R@1").means["R@1"], 0.0)
            with self.assertRaisesRegex(Error, "examner.*examiner"):
                prescope.Qrels(store, rule="examner")
            with self.assertRaisesRegex(Error, "has no meaning"):
                prescope.Qrels({"T1": {"A": 1}}, rule="examiner")

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            qrels, run = os.path.join(folder, "q.txt"), os.path.join(folder, "a.run")
            support.write_qrels(qrels, QRELS)
            support.write_run(run, RUN)
            self.same(run, qrels)
            self.same(RUN, qrels)
            self.same(run)
            import pathlib

            self.same(pathlib.Path(run), pathlib.Path(qrels))

    def test_mappings_that_are_no_dict(self):
        import collections
        import types

        ordered = collections.OrderedDict(RUN)
        self.same(ordered)
        self.same(types.MappingProxyType({t: types.MappingProxyType(d) for t, d in RUN.items()}))

    def test_arrow(self):
        for offset in (0, 3):
            for string in ("string", "large_string"):
                for number in ("double", "float"):
                    with self.subTest(offset=offset, string=string, number=number):
                        self.same(arrow_table(ROWS, offset, string, number, "score"))
                with self.subTest(offset=offset, string=string):
                    self.same(RUN, arrow_table(QREL_ROWS, offset, string, "int64", "relevance"))
        columns = arrow_table(ROWS, 1, "string", "double", "score")
        self.same(tuple(columns.columns))

    def test_arrow_with_nulls(self):
        topics, docnos, scores = columns_of(ROWS)
        for nulls, offset in (((0,), 0), ((4,), 0), ((2, 3), 7)):
            column = ArrowArray(docnos, "string", offset, nulls)
            with self.assertRaises(Error) as caught:
                prescope.evaluate(QRELS, (topics, column, scores), MEASURES)
            expected = "row %d of the docno column: found null" % (nulls[0] + 1)
            self.assertIn(expected, str(caught.exception))

    @support.needs_numpy
    def test_numpy(self):
        numpy = support.numpy
        topics, docnos, scores = columns_of(ROWS)
        u_topics, u_docnos = numpy.array(topics), numpy.array(docnos)
        utf8 = numpy.array([d.encode("utf-8") for d in docnos])
        floats = numpy.array(scores)
        every_second = numpy.array([x for d in docnos for x in (d, "no")])[::2]
        swapped = u_docnos.dtype.newbyteorder()
        unaligned = numpy.frombuffer(b"x" + floats.tobytes(), dtype="u1")[1:].view("f8")
        kinds = {
            "U": (u_topics, u_docnos, floats),
            "S": (numpy.array([t.encode() for t in topics]), utf8, floats),
            "object": (u_topics.astype(object), u_docnos.astype(object), floats.astype(object)),
            "lists beside arrays": (topics, u_docnos, scores),
            "not contiguous": (u_topics, every_second, floats),
            "swapped": (u_topics, u_docnos.astype(swapped), floats.astype(">f8")),
            "unaligned": (u_topics, u_docnos, unaligned),
            "mapping": {"q_id": u_topics, "doc_id": u_docnos, "score": floats},
            "reversed": (u_topics[::-1], u_docnos[::-1], floats[::-1]),
        }
        for name, run in kinds.items():
            with self.subTest(name):
                self.same(run)
        self.same({t: numpy.array(support.ranked(d)) for t, d in RUN.items()})
        self.same({t: dict(zip(d, numpy.array(list(d.values())))) for t, d in RUN.items()})

    @support.needs_numpy
    def test_numpy_scores_of_other_types(self):
        numpy = support.numpy
        for type_ in ("i1", "u2", "i4", "i8", "f4", "f2", "?"):
            scores = numpy.array([1, 0], dtype=type_)
            result = prescope.evaluate({"T": {"B": 1}}, (["T", "T"], ["A", "B"], scores), "RR")
            self.assertEqual(result.means["RR"], 0.5, type_)

    @support.needs_numpy
    def test_numpy_strings_stay_in_place(self):
        from prescope import _columns

        strings = support.numpy.array(["A", "BC"])
        found = _columns.strings(strings, "docno")
        self.assertIs(found.owner, strings)
        scores = support.numpy.array([0.5, 1.5])
        self.assertEqual(_columns.doubles(scores, "score").address, scores.ctypes.data)

    @support.needs_pandas
    def test_pandas(self):
        pandas = support.pandas
        topics, docnos, scores = columns_of(ROWS)
        names = (("topic", "docno"), ("query_id", "doc_id"), ("qid", "docid"), ("q_id", "did"))
        for topic, docno in names:
            frame = pandas.DataFrame({topic: topics, docno: docnos, "score": scores})
            self.same(frame)
            self.same(frame.astype({topic: "category"}))
            self.same(frame.astype({docno: "string"}))
            self.same(frame.sample(frac=1, random_state=5))
        topics, docnos, grades = columns_of(QREL_ROWS)
        for grade in ("grade", "relevance", "rel", "label"):
            self.same(RUN, pandas.DataFrame({"query": topics, "docno": docnos, grade: grades}))

    @support.needs_pandas
    def test_pandas_with_missing_values(self):
        pandas = support.pandas
        frame = pandas.DataFrame({"topic": ["T1", None], "docno": ["A", "B"], "score": [1.0, 2.0]})
        with self.assertRaisesRegex(Error, "row 2 of the topic column: found None"):
            prescope.evaluate(QRELS, frame)
        frame = pandas.DataFrame({"topic": [1, 2], "docno": ["A", "B"], "score": [1.0, 2.0]})
        with self.assertRaisesRegex(Error, r"topic column: found an array of type int64.*astype"):
            prescope.evaluate(QRELS, frame)


def nested_lists():
    nest = []
    nest.append(nest)
    return nest


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no repr")


# A run, and what the message must have: the place and what was found.
BAD_RUNS = [
    ("empty dict", {}, "the run: found an empty dict"),
    ("empty rows", [], "the run: found an empty list"),
    ("empty columns", ([], [], []), "the run: found no rows"),
    ("None", None, "the run: found None"),
    ("a number", 7, "the run: found int 7"),
    ("bytes", b"bm25.run", "the run: found bytes"),
    ("generator of rows", (row for row in ROWS), "found generator.*pass list"),
    ("set", {"A"}, "the run: found set"),
    ("unprintable", Unprintable(), "the run: found Unprintable <no repr>"),
    ("topic is a number", {1: {"A": 1.0}}, "topic of the run: found int 1, expected a string"),
    ("topic is None", {None: {"A": 1.0}}, "topic of the run: found None"),
    ("topic is bytes", {b"T1": {"A": 1.0}}, "topic of the run: found bytes.*decode"),
    ("docno is a number", {"T1": {"A": 1.0, 5: 1.0}}, "topic 'T1', docno 2: found int 5"),
    ("docno is bytes", {"T1": {b"A": 1.0}}, "topic 'T1', docno 1: found bytes"),
    ("later topic", {"T1": {"A": 1.0}, "T2": {"C": 1.0, None: 2.0}}, "'T2', docno 2: found None"),
    ("lone surrogate", {"T1": {"\ud800": 1.0}}, "topic 'T1', docno 1: found str.*UTF-8"),
    ("NUL in a docno", {"T1": {"A\0B": 1.0}}, "topic 'T1', docno 1: found str.*NUL"),
    ("NUL in a topic", {"T\0": {"A": 1.0}}, "topic of the run: found str.*NUL"),
    ("blank in a docno", {"T1": {"A": 2.0, "A B": 1.0}}, "topic 'T1', docno 2: found str 'A B'"),
    ("line feed in a docno", {"T1": ["A\n"]}, "topic 'T1', docno 1: found str"),
    ("empty docno", {"T1": {"": 1.0}}, "topic 'T1', docno 1: found an empty string"),
    ("empty topic", {"": {"A": 1.0}}, "topic of the run: found an empty string"),
    ("blank topic", {"T 1": {"A": 1.0}}, "topic of the run: found str 'T 1'"),
    ("NaN", {"T1": {"A": float("nan")}}, "topic 'T1', docno 'A': found NaN"),
    ("score is a string", {"T1": {"A": "0.5"}}, "topic 'T1', docno 'A': found str '0.5'"),
    ("score is None", {"T1": {"A": 1.0, "B": None}}, "topic 'T1', docno 'B': found None"),
    ("score is a list", {"T1": {"A": [1.0]}}, "topic 'T1', docno 'A': found list"),
    ("score is complex", {"T1": {"A": 1j}}, "topic 'T1', docno 'A': found complex"),
    ("score is too large", {"T1": {"A": 10**400}}, "topic 'T1', docno 'A': found int"),
    ("wrong nesting", {"T1": 5}, "topic 'T1': found int 5"),
    ("topic is a string", {"T1": "A"}, "topic 'T1': found str 'A'"),
    ("dict then list", {"T1": {"A": 1.0}, "T2": ["C"]}, "topic 'T2': found list"),
    ("list then dict", {"T1": ["A"], "T2": {"C": 1.0}}, "topic 'T2': found dict"),
    ("dict then None", {"T1": {"A": 1.0}, "T2": None}, "topic 'T2': found None"),
    ("generator of docnos", {"T1": (d for d in ("A",))}, "topic 'T1': found generator"),
    ("set of docnos", {"T1": {"A"}}, "topic 'T1': found set"),
    ("pairs", {"T1": [("A", 1.0)]}, "topic 'T1', docno 1: found tuple"),
    ("nested lists", {"T1": nested_lists()}, "topic 'T1', docno 1: found list"),
    ("row too short", [("T1", "A", 1.0), ("T1", "B")], "row 2: found tuple"),
    ("row too long", [("T1", "A", 1.0, 2)], "row 1: found tuple"),
    ("row is a string", ["T1A"], "row 1: found str"),
    ("row is a dict", [{"topic": "T1"}], "row 1: found dict"),
    ("number in a row", [("T1", "A", 1.0), (2, "A", 1.0)], "row 2 of the topic column: found int"),
    ("row with a text score", [("T1", "A", "high")], "row 1 of the score column: found str 'high'"),
    ("two columns", (["T1"], ["A"]), "found a tuple of 2"),
    ("unequal columns", (["T1", "T1"], ["A"], [1.0]), "found 2 topics, 1 docnos and 1 scores"),
    ("column is a string", ("T1", ["A"], [1.0]), "the topic column: found str 'T1'"),
    ("generator", (["T1"], (x for x in "A"), [1.0]), "the docno column: found generator"),
    ("scores are missing", {"topic": ["T1"], "docno": ["A"]}, "expected a column of scores"),
    ("scores are a string", (["T1"], ["A"], "1"), "the score column: found str"),
    ("no judged topic", {"T9": {"A": 1.0}}, "topic"),
    ("NaN in a column", (["T1"], ["A"], [float("nan")]), "T1.*A|A.*T1"),
    ("NaN in row 2", (["T1", "T2"], ["A", "C"], array.array("d", [0, NAN])), "T2.*C|C.*T2"),
]

BAD_QRELS = [
    ("empty dict", {}, "the judgements: found an empty dict"),
    ("None", None, "the judgements: found None"),
    ("empty judgement", {"T1": {"A": 1}, "T2": {}}, "topic 'T2': found no judgement"),
    ("list", {"T1": ["A"]}, "topic 'T1': found list"),
    ("number", {"T1": 1}, "topic 'T1': found int 1"),
    ("grade is a fraction", {"T1": {"A": 1.5}}, "topic 'T1', docno 'A': found float 1.5"),
    ("grade is NaN", {"T1": {"A": float("nan")}}, "topic 'T1', docno 'A': found float nan"),
    ("grade is a string", {"T1": {"A": "1"}}, "topic 'T1', docno 'A': found str '1'"),
    ("grade is None", {"T1": {"A": None}}, "topic 'T1', docno 'A': found None"),
    ("grade is too large", {"T1": {"A": 2**31}}, "topic 'T1', docno 'A': found int 2147483648"),
    ("topic is a number", {1: {"A": 1}}, "a topic of the judgements: found int 1"),
    ("docno is a number", {"T1": {2: 1}}, "topic 'T1', a docno: found int 2"),
    ("blank in a docno", {"T1": {"A B": 1}}, "topic 'T1', a docno: found str 'A B'"),
    ("empty docno", {"T1": {"": 1}}, "topic 'T1', a docno: found an empty string"),
    ("empty topic", {"": {"A": 1}}, "a topic of the judgements: found an empty string"),
    ("tab in a column", (["T1", "T1"], ["A", "B\tC"], [1, 1]), "row 2 of the docno column: found"),
    ("NUL", {"T1": {"A\0": 1}}, "topic 'T1', a docno: found str.*NUL"),
    ("lone surrogate", {"\udcff": {"A": 1}}, "a topic of the judgements: found str.*UTF-8"),
    ("row too short", [("T1", "A")], "row 1: found tuple"),
    ("grade in a row", [("T1", "A", 1), ("T1", "B", "x")], "row 2 of the grade column: found str"),
    ("generator", iter(QREL_ROWS), "the judgements: found list_iterator"),
    ("missing file", "no/such/file", "no/such/file"),
]


class BadInput(unittest.TestCase):
    def refused(self, expected, call, *arguments, **keywords):
        with self.assertRaises(Error) as caught:
            call(*arguments, **keywords)
        message = str(caught.exception)
        self.assertRegex(message, "(?s)" + expected)
        self.assertIsInstance(caught.exception, ValueError)
        self.assertIn(caught.exception.code, ("usage", "bad_input", "io"))
        message.encode("utf-8")  # a message can be printed
        return caught.exception

    def test_runs(self):
        qrels = prescope.Qrels(QRELS)
        for name, run, expected in BAD_RUNS:
            with self.subTest(name):
                self.refused(expected, prescope.evaluate, qrels, run)

    def test_judgements(self):
        for name, qrels, expected in BAD_QRELS:
            with self.subTest(name):
                self.refused(expected, prescope.evaluate, qrels, RUN)

    @support.needs_numpy
    def test_numpy(self):
        numpy = support.numpy
        masked = numpy.ma.masked_array(["A", "C"], mask=[True, False])
        two = numpy.array([["A", "C"]])
        cases = (
            (numpy.array([1, 2]), "docno column: found an array of type int64"),
            (masked, "docno column: found a masked array"),
            (two, "docno column: found an array of shape"),
            (numpy.array(["A", 5], dtype=object), "row 2 of the docno column: found int 5"),
            (numpy.array(["A", "\ud800"]), "docno"),
            (numpy.array(["A", "x\0y"]), "docno.*NUL|NUL"),
            (numpy.array(["A", ""]), "line 2, topic 'T2': the docno is empty"),
            (numpy.array(["A", "x y"]), "x y"),
            (numpy.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"), "datetime64"),
        )
        for docnos, expected in cases:
            self.refused(expected, prescope.evaluate, QRELS, (["T1", "T2"], docnos, [1.0, 2.0]))
        scores = numpy.array(["1", "2"])
        self.refused(
            "row 1 of the score column: found str '1'",
            prescope.evaluate,
            QRELS,
            (["T1", "T2"], ["A", "C"], scores),
        )

    def test_options(self):
        cases = (
            ({"measures": "PRES@ten"}, "PRES@ten"),
            ({"measures": ""}, "measure"),
            ({"measures": []}, "measures: found none"),
            ({"measures": None}, "measures: found None"),
            ({"measures": 5}, "measures: found int 5"),
            ({"measures": b"AP"}, "measures: found bytes"),
            ({"measures": "AP\0"}, "measures: found 'AP"),
            ({"order": "up"}, "up"),
            ({"order": None}, "order"),
            ({"depth": 0}, "depth: found 0"),
            ({"depth": "5"}, "depth: found str '5'"),
            ({"depth": 2**40}, "depth: found"),
            ({"topics": "some"}, "topics: found str 'some'"),
            ({"docno": "isbn"}, "isbn"),
            ({"min_grade": 1.5}, "min_grade: found float 1.5"),
            ({"family_map": "no/such/map", "docno": "family"}, "no/such/map"),
            ({"name": 5}, "name: found int 5"),
        )
        for keywords, expected in cases:
            with self.subTest(str(keywords)):
                self.refused(expected, prescope.evaluate, QRELS, RUN, **keywords)

    def test_classes_of_errors(self):
        found = self.refused("", prescope.evaluate, QRELS, RUN, "PRES@ten")
        self.assertIsInstance(found, prescope.UsageError)
        found = self.refused("", prescope.evaluate, QRELS, {"T1": {"A": float("nan")}})
        self.assertIsInstance(found, prescope.InputError)
        found = self.refused("", prescope.evaluate, QRELS, "no/such/run")
        self.assertIsInstance(found, prescope.FileError)
        self.refused("NUL", prescope.evaluate, QRELS, "no\0such")

    def test_judgements_of_another_call(self):
        one, other = prescope.Qrels(QRELS), prescope.Qrels(QRELS)
        run = prescope.Run(one, RUN)
        self.refused("other Qrels", prescope.evaluate, other, run)
        self.refused("found dict", prescope.Run, QRELS, RUN)
        self.refused("options to Qrels", prescope.evaluate, one, RUN, docno="patent")
        self.refused("found Qrels", prescope.Qrels, one)
        self.refused("found a Run", prescope.Run, one, run)

    def test_comparisons_and_gates(self):
        self.refused("found 1, expected two", prescope.compare, QRELS, RUN)
        self.refused("no_test", prescope.compare, QRELS, RUN, RUN, test="no_test")
        self.refused("alpha", prescope.compare, QRELS, RUN, RUN, alpha=2)
        self.refused("alpha: found list", prescope.compare, QRELS, RUN, RUN, alpha=[])
        self.refused("names: found", prescope.compare, QRELS, RUN, RUN, names=["a"])
        self.refused("margn", prescope.gate, QRELS, RUN, RUN, "margn = 0.5")
        self.refused("rules: found int", prescope.gate, QRELS, RUN, RUN, 5)


class Fuzz(unittest.TestCase):
    """Random inputs, most of them damaged: a right result or a sentence, nothing else."""

    JUNK = (None, 5, 2.5, b"A", "", "A B", "A\0", "\ud800", NAN, object(), True, {"A"})
    NO_SCORES = (None, "x", b"1", float("nan"), [], {}, object(), 1j)
    NO_NAMES = (None, 5, b"A", "", "A B", "A\0", "\ud800", "a\tb", (), 2.5)

    def damaged(self, chance, run):
        """Returns a run with one fault."""
        run = {topic: dict(docs) for topic, docs in run.items()}
        topic = chance.choice(sorted(run))
        what = chance.randrange(6)
        if what == 0:
            docno = chance.choice(sorted(run[topic]))
            run[topic][docno] = chance.choice(self.NO_SCORES)
        elif what == 1:
            run[topic][chance.choice(self.NO_NAMES)] = 1.0
        elif what == 2:
            run[chance.choice(self.NO_NAMES)] = {"A": 1.0}
        elif what == 3:
            run[topic] = chance.choice(self.JUNK)
        elif what == 4:
            rows = [(t, d, s) for t, docs in run.items() for d, s in docs.items()]
            row = list(rows[-1])
            fault = chance.randrange(3)
            row[fault] = chance.choice(self.NO_SCORES if fault == 2 else self.NO_NAMES)
            rows[chance.randrange(len(rows))] = tuple(row)
            return rows
        else:
            rows = [(t, d, s) for t, docs in run.items() for d, s in docs.items()]
            columns = list(columns_of(rows))
            which = chance.randrange(3)
            columns[which] = chance.choice((columns[which][:-1], None, 5, "x", columns[which] * 2))
            return tuple(columns)
        return run

    def test_two_thousand_inputs(self):
        chance = random.Random(20100720)
        refused = scored = 0
        for case in range(2000):
            qrels, run = support.random_case(chance, topics=3, documents=12, ties=case % 4 == 0)
            is_damaged = case % 5 != 0
            given = self.damaged(chance, run) if is_damaged else run
            try:
                result = prescope.evaluate(qrels, given, "PRES@10,R@10,AP")
            except Error as error:
                self.assertTrue(is_damaged, "case %d: %s" % (case, error))
                self.assertGreater(len(str(error)), 10)
                refused += 1
                continue
            self.assertFalse(is_damaged, "case %d is accepted: %r" % (case, given))
            for topic, scores in support.textbook(qrels, run, 10).items():
                for found, expected in zip(result.topics[topic].values(), scores):
                    if expected is None:
                        self.assertIsNone(found)
                    else:
                        self.assertAlmostEqual(found, expected, delta=1e-12, msg="case %d" % case)
            scored += 1
        self.assertEqual((refused, scored), (1600, 400))  # four of five cases are damaged


if __name__ == "__main__":
    unittest.main()
