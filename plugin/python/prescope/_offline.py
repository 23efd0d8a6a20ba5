"""Judgements, runs, and their scores."""

from __future__ import annotations

import json
from ctypes import byref, c_void_p, sizeof, string_at
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from . import _columns
from . import _library as lib
from ._errors import UsageError, from_code
from ._options import DEFAULT_MEASURES, integer, is_path, measure_list, pandas, path_bytes

# ---- Judgements ---------------------------------------------------------------------------------


class Qrels:
    """Judgements, read once and used for any number of runs. Immutable; any thread may use them.

    `source` is the path of a qrels file or of a citation store, a dict topic -> {docno: grade},
    rows (topic, docno, grade) in a list, three columns in a tuple or a mapping, or a frame.
    `docno` says which docnos are one document: "raw", "publication", "patent" or "family", the
    last with a file `family_map` of lines `docno family`. Documents are relevant from grade
    `min_grade` on. `categories` are the grades of citation categories in a file, such as
    "X=3,Y=2". `rule` says how a citation store's citations become judgements: "examiner" (the
    usual one) or "clef-ip", with words behind commas. With `finds_topics` a citation store of any
    size is opened at once for an `Experiment`: a topic is judged when a request first names it.

    >>> qrels = Qrels({"T1": {"EP-1-A1": 1, "EP-2-A1": 0}, "T2": {"EP-3-A1": 2}})
    >>> qrels
    <Qrels: 2 topics>
    >>> qrels.topics
    ('T1', 'T2')
    """

    def __init__(
        self,
        source: Any,
        *,
        docno: str = "raw",
        min_grade: int = 1,
        family_map: Any = None,
        categories: Optional[str] = None,
        rule: Optional[str] = None,
        finds_topics: bool = False,
    ) -> None:
        self._handle = c_void_p()
        self._topics: Optional[Tuple[str, ...]] = None
        self._settings = (docno, min_grade, family_map)
        options = lib.QrelsOptions(
            sizeof(lib.QrelsOptions),
            lib.text(docno, "docno") if docno is not None else b"raw",
            None if family_map is None else path_bytes(family_map),
            lib.text(categories, "categories"),
            integer(min_grade, "min_grade", -(2**31), 2**31 - 1),
            lib.text(rule, "rule"),
        )
        if isinstance(source, Qrels):
            raise UsageError("the judgements: found Qrels, expected what Qrels are made from")
        if is_path(source):
            read = lib.qrels_open if finds_topics else lib.qrels_load
            lib.call(read, path_bytes(source), byref(options), byref(self._handle))
            return
        if finds_topics:
            raise UsageError(
                "finds_topics: found %s, expected the path of a citation store"
                % lib.describe(source)
            )
        topics, docnos, grades = _columns.judgements(source)
        lib.call(
            lib.qrels_from_columns,
            byref(topics.column),
            byref(docnos.column),
            grades.address,
            byref(options),
            byref(self._handle),
        )

    def __del__(self, _free: Any = lib.qrels_free) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            _free(handle)

    @property
    def topics(self) -> Tuple[str, ...]:
        """The names of the topics: ascending bytewise, or as they came with `finds_topics`."""
        if self._topics is None or len(self._topics) != len(self):
            names = []
            for i in range(lib.qrels_num_topics(self._handle)):
                text = lib.qrels_topic(self._handle, i)
                # Reading `text.data` would stop at a NUL.
                address = c_void_p.from_buffer(text, lib.Text.data.offset).value
                names.append(lib.decode(string_at(address, text.size)))
            self._topics = tuple(names)
        return self._topics

    def run(self, source: Any, *, name: Optional[str] = None, threads: int = 1) -> "Run":
        """Reads a run under these judgements: the same as `Run(self, source)`."""
        return Run(self, source, name=name, threads=threads)

    def __len__(self) -> int:
        return lib.qrels_num_topics(self._handle)

    def __repr__(self) -> str:
        return "<Qrels: %d topics>" % len(self)

    def __reduce__(self) -> Any:
        raise TypeError("Qrels cannot be pickled or copied: make them anew in each process")


def as_qrels(source: Any, docno: str, min_grade: int, family_map: Any) -> Qrels:
    """Returns `source` if it is Qrels, else Qrels made from it."""
    if not isinstance(source, Qrels):
        return Qrels(source, docno=docno, min_grade=min_grade, family_map=family_map)
    given = (docno, min_grade, family_map)
    if given != ("raw", 1, None) and given != source._settings:
        raise UsageError(
            "docno, min_grade, family_map: found %r, but the Qrels were made with %r; pass these "
            "options to Qrels" % (given, source._settings)
        )
    return source


# ---- Runs ---------------------------------------------------------------------------------------


class Run:
    """A run under judgements, read once and scored any number of times. Immutable; any thread.

    `source` is a path, a dict topic -> {docno: score}, a dict topic -> [docno, ...] in order, rows
    (topic, docno, score) in a list, three columns in a tuple or a mapping, or a frame. `name` is
    what results call the run. `threads` read a large file.

    >>> qrels = Qrels({"T1": {"EP-1-A1": 1, "EP-2-A1": 1}})
    >>> run = Run(qrels, {"T1": ["EP-2-A1", "EP-9-A1"]}, name="bm25")
    >>> run.evaluate("R@2").means
    {'R@2': 0.5}
    """

    def __init__(
        self, qrels: Qrels, source: Any, *, name: Optional[str] = None, threads: int = 1
    ) -> None:
        self._handle = handle = c_void_p()
        if not isinstance(qrels, Qrels):
            raise UsageError(
                "qrels: found %s, expected Qrels, such as Qrels(path)" % lib.describe(qrels)
            )
        self.qrels = qrels
        self._name = name
        if is_path(source):
            lib.call(
                lib.run_load,
                qrels._handle,
                path_bytes(source),
                lib.text(name, "name"),
                integer(threads, "threads", 1, 1024),
                byref(handle),
            )
            return
        if isinstance(source, Run):
            raise UsageError("the run: found a Run, expected what a Run is made from")
        given = _columns.run(source, b"run" if name is None else lib.text(name, "name"))
        error = lib.ErrorText()
        code = lib.run_from_columns(qrels._handle, given.columns, handle, error)
        if code:
            fault = _columns.fault_in_run(source) if code == lib.BAD_INPUT else None
            raise fault or from_code(code, error.message.decode("utf-8", "replace"))

    def __del__(self, _free: Any = lib.run_free) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            _free(handle)

    def evaluate(
        self,
        measures: Any = DEFAULT_MEASURES,
        *,
        order: str = "trec",
        depth: Optional[int] = None,
        judged_only: bool = False,
        topics: str = "all",
    ) -> "Result":
        """Scores the run; the options are those of `evaluate`."""
        return Result(self, measure_list(measures), scoring_of(order, depth, judged_only, topics))

    @property
    def name(self) -> str:
        """What results call the run."""
        if self._name is None:
            self._name = self.evaluate("P@1").document["runs"][0]["name"]
        return self._name

    def __repr__(self) -> str:
        return "<Run %s of %r>" % (ascii(self.name), self.qrels)

    def __reduce__(self) -> Any:
        raise TypeError("a Run cannot be pickled or copied: make it anew in each process")


def as_run(qrels: Qrels, source: Any, name: Optional[str]) -> Run:
    """Returns `source` if it is a Run of these judgements, else a Run made from it."""
    if not isinstance(source, Run):
        return Run(qrels, source, name=name)
    if source.qrels is not qrels:
        raise UsageError(
            "the run: found one that was made with other Qrels, expected the Qrels of this call"
        )
    return source


def scoring_of(
    order: str, depth: Optional[int], judged_only: bool, topics: str
) -> Optional[lib.Scoring]:
    if order == "trec" and depth is None and not judged_only and topics == "all":
        return None
    if judged_only not in (True, False):
        raise UsageError("judged_only: found %s, expected a bool" % lib.describe(judged_only))
    if topics not in ("all", "run"):
        raise UsageError("topics: found %s, expected 'all' or 'run'" % lib.describe(topics))
    return lib.Scoring(
        sizeof(lib.Scoring),
        lib.text(order, "order"),
        0 if depth is None else integer(depth, "depth", 1, 2**32 - 1),
        1 if judged_only else 0,
        1 if topics == "run" else 0,
    )


def handles_of(runs: Sequence[Run]) -> Any:
    return (c_void_p * len(runs))(*(run._handle.value for run in runs))


# ---- Scores -------------------------------------------------------------------------------------


def _values(numbers: Iterable[float]) -> List[Optional[float]]:
    return [x if x == x else None for x in numbers]


class Result:
    """The scores of a run. Every number is the library's; a value that does not exist is None.

    `means` has the mean of each measure, over the topics in which it has a value. `measures` are
    their names.

    >>> qrels = {"T1": {"D1": 1, "D2": 1}, "T2": {"D3": 1}}
    >>> result = evaluate(qrels, {"T1": {"D1": 2.5, "D9": 1.0}}, "AP,R@10")
    >>> result
    <Result run: AP 0.2500, R@10 0.2500; 2 topics, 1 missing>
    >>> result.topics
    {'T1': {'AP': 0.5, 'R@10': 0.5}, 'T2': {'AP': 0.0, 'R@10': 0.0}}
    >>> result.missing
    ['T2']
    """

    def __init__(self, run: Run, measures: bytes, scoring: Optional[lib.Scoring]) -> None:
        self._run = run
        self._measures = measures
        self._scoring = scoring
        self._topics: Optional[Dict[str, Dict[str, Optional[float]]]] = None
        self._document: Optional[Dict[str, Any]] = None
        scores = _PointerToScores()
        error = lib.ErrorText()
        code = lib.evaluate(run._handle, measures, scoring, scores, error)
        if code:
            raise from_code(code, error.message.decode("utf-8", "replace"))
        try:
            given = scores.contents
            columns, rows = given.num_measures, given.num_topics
            self.measures = [name.decode() for name in given.measures[:columns]]
            self.means: Dict[str, Optional[float]] = dict(
                zip(self.measures, _values(given.means[:columns]))
            )
            self._scores = given.scores[: columns * rows]
            self._positions = given.topics[:rows]
            self._is_in_run = string_at(given.is_in_run, rows)
            self._counts = given.num_ret[:rows], given.num_rel_ret[:rows]
            self._topics_in_mean = given.topics_in_mean[:columns]
            self._ends_at = given.ends_at[:columns]
        finally:
            lib.scores_free(scores)

    @property
    def name(self) -> str:
        """What the run is called."""
        return self._run.name

    @property
    def topics(self) -> Dict[str, Dict[str, Optional[float]]]:
        """The scores of each topic by measure, topics ascending bytewise.

        Topics that the run lacks are among them, with 0, unless `topics="run"`.
        """
        if self._topics is None:
            columns = len(self.measures)
            values = _values(self._scores)
            self._topics = {
                topic: dict(zip(self.measures, values[i * columns : (i + 1) * columns]))
                for i, topic in enumerate(self._topic_names())
            }
        return self._topics

    def _topic_names(self) -> List[str]:
        names = self._run.qrels.topics
        return [names[i] for i in self._positions]

    @property
    def missing(self) -> List[str]:
        """The topics of the judgements that the run lacks, or for which its ranking is empty."""
        if 0 not in self._is_in_run and len(self._positions) == len(self._run.qrels):
            return []
        present = {i for i, is_in in zip(self._positions, self._is_in_run) if is_in}
        return [name for i, name in enumerate(self._run.qrels.topics) if i not in present]

    @property
    def num_ret(self) -> Dict[str, int]:
        """The number of documents retrieved, by topic."""
        return dict(zip(self._topic_names(), self._counts[0]))

    @property
    def num_rel_ret(self) -> Dict[str, int]:
        """The number of relevant documents retrieved, by topic."""
        return dict(zip(self._topic_names(), self._counts[1]))

    @property
    def topics_in_mean(self) -> Dict[str, int]:
        """The number of topics in each mean."""
        return dict(zip(self.measures, self._topics_in_mean))

    @property
    def ends_at(self) -> Dict[str, int]:
        """The measures that read further than the run goes, with the rank at which it was cut off.

        What the run might have found behind that rank counts as not found.
        """
        return {m: end for m, end in zip(self.measures, self._ends_at) if end}

    @property
    def document(self) -> Dict[str, Any]:
        """The document of `prescope evaluate --format json --per-topic`; docs/evaluate.md."""
        if self._document is None:
            text = lib.take_text(
                lib.evaluate_json, handles_of([self._run]), 1, self._measures, self._scoring, 1
            )
            self._document = json.loads(text.decode("utf-8", "replace"))
        return self._document

    @property
    def notes(self) -> List[str]:
        """What is missing, odd, or looks like a mistake: a sentence each."""
        return list(self.document["notes"])

    def to_frame(self) -> Any:
        """Returns a pandas DataFrame: a row for each topic, a column for each measure."""
        frame = pandas().DataFrame.from_dict(
            self.topics, orient="index", columns=self.measures, dtype=float
        )
        frame.index.name = "topic"
        return frame

    def __repr__(self) -> str:
        means = ", ".join(
            "%s %s" % (name, "-" if mean is None else "%.4f" % mean)
            for name, mean in self.means.items()
        )
        missing = len(self.missing)
        return "<Result %s: %s; %d topics%s>" % (
            self.name,
            means,
            len(self._positions),
            ", %d missing" % missing if missing else "",
        )


_PointerToScores = lib.POINTER(lib.Scores)


def evaluate(
    qrels: Any,
    run: Any,
    measures: Any = DEFAULT_MEASURES,
    *,
    docno: str = "raw",
    min_grade: int = 1,
    family_map: Any = None,
    order: str = "trec",
    depth: Optional[int] = None,
    judged_only: bool = False,
    topics: str = "all",
    name: Optional[str] = None,
) -> Result:
    """Scores a run, as `prescope evaluate` does, to the last bit.

    `qrels` are Qrels or what they are made from; `run` is a Run or what it is made from.
    `measures` are spelled "PRES@100,R@100,AP(rel=2)@100", or are a list of names or of objects
    that print as names, such as those of ir_measures. `docno`, `min_grade` and `family_map` are
    options of Qrels. `order` is "trec" (score, then docno, both descending) or "file" (as the
    lines are). Documents behind rank `depth` were not retrieved. `judged_only` removes documents
    without a judgement. `topics="run"` leaves out topics that the run lacks, which else score 0.

    >>> qrels = {"T1": {"EP-1-A1": 1, "EP-2-A1": 1}}
    >>> evaluate(qrels, {"T1": ["EP-1-A1", "EP-7-A1"]}, "PRES@100,R@100").means
    {'PRES@100': 0.5, 'R@100': 0.5}
    """
    judged = as_qrels(qrels, docno, min_grade, family_map)
    if name is not None and isinstance(run, Run):
        raise UsageError("name: found one for a Run, which has its name already: leave it out")
    return Result(
        as_run(judged, run, name),
        measure_list(measures),
        scoring_of(order, depth, judged_only, topics),
    )
