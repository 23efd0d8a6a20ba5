"""Comparisons and gates."""

from __future__ import annotations

import json
from ctypes import byref, sizeof
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from . import _columns
from . import _library as lib
from ._errors import UsageError
from ._offline import Qrels, Run, as_qrels, as_run, handles_of, scoring_of
from ._options import DEFAULT_MEASURES, integer, is_path, measure_list, pandas, path_bytes, share
from ._slices import slice_file


class Difference:
    """What a comparison says of one measure.

    `verdict` is on run b: "better", "worse", "no difference shown", "identical" or "too few
    topics". `difference` is the mean of b - a over `topics` topics, `low` and `high` its interval,
    `p_value` and `corrected` the p-values of the test that decided. `wins`, `ties` and `losses`
    count topics in which b is higher, the same, lower. `mean_a` and `mean_b` are means over the
    same topics. `ends_at` is the rank at which the shorter run was cut off, if the measure reads
    further. `document` has everything else; docs/compare-json.md.
    """

    def __init__(self, measure: str, document: Dict[str, Any]) -> None:
        self.measure = measure
        self.document = document
        self.verdict: str = document["verdict"]
        self.difference: Optional[float] = document["difference"]
        interval = document["t_test"] or {}
        self.low: Optional[float] = interval.get("ci_low")
        self.high: Optional[float] = interval.get("ci_high")
        self.p_value: Optional[float] = document["p_value"]
        self.corrected: Optional[float] = document["corrected"]
        self.wins: int = document["wins"]
        self.ties: int = document["ties"]
        self.losses: int = document["losses"]
        self.mean_a: Optional[float] = document["mean_a"]
        self.mean_b: Optional[float] = document["mean_b"]
        self.topics: int = document["topics"]
        self.ends_at: Optional[int] = document["ends_at"]

    @property
    def per_topic(self) -> Dict[str, float]:
        """The difference b - a of each topic."""
        return {row["topic"]: row["difference"] for row in self.document["per_topic"]}

    def __repr__(self) -> str:
        shown = "-" if self.difference is None else "%+.4f" % self.difference
        return "<Difference %s: %s, %s>" % (self.measure, shown, self.verdict)


class Pair:
    """A run `b` compared with the baseline `a`.

    `measures` has a Difference for each measure, `sentence` the verdict in words. `moved` are the
    topics that moved most, each with the citations that moved it. `slices` are the groups of
    topics that were asked for: docs/compare-json.md.
    """

    def __init__(self, document: Dict[str, Any]) -> None:
        self.document = document
        self.a: str = document["a"]
        self.b: str = document["b"]
        self.measures = {
            name: Difference(name, found) for name, found in document["measures"].items()
        }
        self.sentence: str = document["words"]["verdict"]
        self.moved: List[Dict[str, Any]] = document["moved"]
        self.slices: List[Dict[str, Any]] = document["slices"]

    def __getitem__(self, measure: str) -> Difference:
        try:
            return self.measures[str(measure)]
        except KeyError:
            raise UsageError(
                "measure %s: expected one of %s"
                % (lib.describe(measure), ", ".join(self.measures))
            ) from None

    def __repr__(self) -> str:
        return "<Pair: %s>" % self.sentence


class Comparison:
    """Runs compared with the first of them; `pairs` has a Pair for each of the others.

    With two runs, `comparison[measure]`, `sentence`, `moved` and `slices` belong to the only pair.

    >>> qrels = {"T%d" % i: {"D1": 1} for i in range(30)}
    >>> old = {topic: ["D%d" % (2 + i % 3), "D1"] for i, topic in enumerate(qrels)}
    >>> new = {topic: ["D1"] for topic in qrels}
    >>> comparison = compare(qrels, old, new, measures="AP", names=["old", "new"])
    >>> comparison["AP"]
    <Difference AP: +0.5000, better>
    """

    def __init__(self, document: Dict[str, Any]) -> None:
        self.document = document
        self.pairs = [Pair(pair) for pair in document["comparison"]["pairs"]]
        self.notes: List[str] = document["comparison"]["notes"]

    def _only(self) -> Pair:
        if len(self.pairs) != 1:
            raise UsageError(
                "the comparison: found %d pairs, expected one; use `pairs`" % len(self.pairs)
            )
        return self.pairs[0]

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        return self._only().sentence

    @property
    def moved(self) -> List[Dict[str, Any]]:
        """The topics that moved most, with the citations that moved them."""
        return self._only().moved

    @property
    def slices(self) -> List[Dict[str, Any]]:
        """The groups of topics that were asked for."""
        return self._only().slices

    def __getitem__(self, measure: str) -> Difference:
        return self._only()[measure]

    def to_frame(self) -> Any:
        """Returns a pandas DataFrame: a row for each pair and measure."""
        keys = ("mean_a", "mean_b", "difference", "low", "high", "p_value", "corrected", "wins")
        keys += ("ties", "losses", "topics", "verdict")
        rows = []
        for pair in self.pairs:
            for name, found in pair.measures.items():
                row = {"a": pair.a, "b": pair.b, "measure": name}
                row.update((key, getattr(found, key)) for key in keys)
                rows.append(row)
        return pandas().DataFrame(rows)

    def __repr__(self) -> str:
        return "<Comparison: %s>" % " ".join(pair.sentence for pair in self.pairs)


def compare(
    qrels: Any,
    *runs: Any,
    measures: Any = DEFAULT_MEASURES,
    names: Optional[Sequence[str]] = None,
    test: str = "t",
    correction: str = "holm",
    confidence: float = 0.95,
    alpha: float = 0.05,
    top: int = 10,
    slices: Any = None,
    slice_by: Any = None,
    docno: str = "raw",
    min_grade: int = 1,
    family_map: Any = None,
    order: str = "trec",
    depth: Optional[int] = None,
    judged_only: bool = False,
    topics: str = "all",
) -> Comparison:
    """Compares runs with the first of them, as `prescope compare` does, to the last bit.

    `names` are those of the runs; `test` is "t", "sign-flip" or "wilcoxon"; `correction`, over
    measures and runs, is "holm", "bh" or "none". `confidence` is that of the intervals, `alpha`
    that of the verdicts; `top` topics that moved most are listed. `slices` are groups of topics
    that are compared, too: a dict topic -> slice, a dict dimension -> {topic: slice}, or a file;
    `slice_by` names their dimensions. The other options are those of `evaluate`.

    >>> qrels = {"T1": {"D1": 1}, "T2": {"D2": 1}}
    >>> same = {"T1": ["D1"], "T2": ["D2"]}
    >>> compare(qrels, same, same, measures="AP")["AP"].verdict
    'identical'
    >>> by_office = {"T1": "EP", "T2": "US"}
    >>> compare(qrels, same, same, measures="AP", slices=by_office).slices[0]["verdict"]
    'too_few'
    """
    judged = as_qrels(qrels, docno, min_grade, family_map)
    if len(runs) == 1 and isinstance(runs[0], (list, tuple)) and _are_runs(runs[0]):
        runs = tuple(runs[0])
    if len(runs) < 2:
        raise UsageError("the runs: found %d, expected two or more" % len(runs))
    made = _named_runs(judged, runs, names)
    with slice_file(slices, slice_by) as (path, dimensions):
        options = lib.CompareOptions(
            sizeof(lib.CompareOptions),
            lib.text(test, "test"),
            lib.text(correction, "correction"),
            share(confidence, "confidence"),
            share(alpha, "alpha"),
            integer(top, "top", 0, 2**32 - 1),
            path,
            dimensions,
        )
        text = lib.take_text(
            lib.compare_json,
            handles_of(made),
            len(made),
            measure_list(measures),
            scoring_of(order, depth, judged_only, topics),
            byref(options),
        )
    return Comparison(json.loads(text.decode("utf-8", "replace")))


def _are_runs(values: Sequence) -> bool:
    """Tells a list of runs from one run that is a list of rows or a tuple of columns."""
    return bool(values) and all(
        isinstance(v, Run) or is_path(v) or _columns.is_mapping(v) for v in values
    )


def _named_runs(qrels: Qrels, runs: Sequence, names: Optional[Sequence[str]]) -> List[Run]:
    if names is not None:
        if isinstance(names, (str, bytes)) or len(names) != len(runs):
            raise UsageError(
                "names: found %s, expected %d names, one for each run"
                % (lib.describe(names), len(runs))
            )
        if any(isinstance(run, Run) for run in runs):
            raise UsageError("names: a Run has its name; pass name=... where the Run is made")
    made = []
    for i, run in enumerate(runs):
        name = names[i] if names is not None else None
        if name is None and not is_path(run):
            name = "run %d" % (i + 1)
        made.append(as_run(qrels, run, name))
    return made


class Gate:
    """The verdict of a gate.

    `outcome` is "PASS", "REGRESSION", "INCONCLUSIVE" or "BAD INPUT", `exit_code` 0, 1, 3 or 2.
    `rules` has an object with `id`, `status` and `reason` for every rule; `measures` the figures
    of the measures that decide, and `slices` the figures in groups of topics, if the rules name
    any: docs/gate-json.md. `passed` is true for PASS only.
    """

    def __init__(self, document: Dict[str, Any]) -> None:
        self.document = document
        self.outcome: str = document["outcome"]
        self.exit_code: int = document["exit_code"]
        self.rules: List[Dict[str, str]] = document["rules"]
        self.measures: List[Dict[str, Any]] = document["measures"]
        self.slices: List[Dict[str, Any]] = document["slices"]

    @property
    def passed(self) -> bool:
        """Whether tonight's run may replace the baseline."""
        return self.exit_code == 0

    @property
    def reasons(self) -> List[str]:
        """The sentences of the rules that did not hold, warnings among them."""
        return [rule["reason"] for rule in self.rules if rule["status"] not in ("pass", "skipped")]

    def __repr__(self) -> str:
        failed = [r["id"] for r in self.rules if r["status"] not in ("pass", "skipped")]
        return "<Gate %s%s>" % (self.outcome, ": " + ", ".join(failed) if failed else "")


def gate(
    qrels: Any,
    baseline: Any,
    tonight: Any,
    rules: Optional[str] = None,
    *,
    docno: str = "raw",
    min_grade: int = 1,
    family_map: Any = None,
    order: str = "trec",
    depth: Optional[int] = None,
    judged_only: bool = False,
) -> Gate:
    """Decides whether tonight's run may replace the baseline; docs/gate.md.

    `rules` is a text in TOML; None: the defaults, by which PRES@100 and R@100 decide. The other
    options are those of `evaluate`.

    >>> qrels = {"T%d" % i: {"D1": 1} for i in range(40)}
    >>> good = {topic: ["D1"] for topic in qrels}
    >>> gate(qrels, good, good)
    <Gate PASS>
    >>> gate(qrels, good, {topic: ["D2"] for topic in qrels}).exit_code
    1
    """
    judged = as_qrels(qrels, docno, min_grade, family_map)
    # The runs are kept by name: a handle is freed with its Run.
    before = as_run(judged, baseline, None if is_path(baseline) else "baseline")
    after = as_run(judged, tonight, None if is_path(tonight) else "tonight")
    text = lib.take_text(
        lib.gate_json,
        before._handle,
        after._handle,
        lib.text(rules, "rules"),
        scoring_of(order, depth, judged_only, "all"),
    )
    return Gate(json.loads(text.decode("utf-8", "replace")))
