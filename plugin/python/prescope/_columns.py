"""Turns judgements and runs of Python into the columns of the C interface.

Strings of dicts and lists are joined and encoded once. Columns of NumPy and Arrow are passed where
they are, without an object for each string. A message counts rows from 1.
"""

from __future__ import annotations

import math
import re
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

from . import _library as lib
from ._errors import InputError
from ._library import describe

TOPIC_NAMES = ("topic", "query_id", "qid", "q_id", "query")
DOCNO_NAMES = ("docno", "doc_id", "docid", "did")
SCORE_NAMES = ("score",)
GRADE_NAMES = ("grade", "relevance", "rel", "label")

_NATIVE = "<" if sys.byteorder == "little" else ">"

Place = Callable[[int], str]


class Numbers(NamedTuple):
    """A column of numbers: where it is, how long it is, and the object that owns it."""

    address: int
    count: int
    owner: Any


class Strings(NamedTuple):
    """A column of strings, and the object that owns its memory."""

    column: lib.Column
    owner: Any


def is_mapping(value: object) -> bool:
    # The test for dict saves most of the time of the general one.
    return isinstance(value, dict) or isinstance(value, Mapping)


# ---- Strings ------------------------------------------------------------------------------------


# What separates the columns of a run file, so that no name can have it.
_SEPARATOR = re.compile("[\t-\r ]")
# The same in strings that were joined by NUL, and an empty string.
_FAULT_IN_JOINED = re.compile(rb"[\t-\r ]|\A\0|\0\0|\0\Z")


def check_names(joined: bytes, names: Sequence, place: Place) -> None:
    """Refuses names that are empty or have white space; `joined` are the names with NUL between."""
    if joined and not _FAULT_IN_JOINED.search(joined):
        return
    for i, name in enumerate(names):
        fault = _bad_name(name)
        if fault:
            raise InputError("%s: %s" % (place(i), fault))


def _bad_name(name: str) -> Optional[str]:
    if not name:
        return "found an empty string, expected a name"
    if _SEPARATOR.search(name):
        return "found %s, expected a name without white space" % describe(name)
    return None


def terminated(names: Sequence, place: Place) -> lib.Column:
    """Joins strings into one column, a NUL behind each."""
    count = len(names)
    if count == 0:
        return lib.Column(0, b"", 0, None, 0, lib.TERMINATED)
    try:
        data = "\0".join(names).encode("utf-8")
    except (TypeError, UnicodeEncodeError):
        data = None
    if data is None or data.count(0) != count - 1:
        raise _bad_string(names, place) or _changed(place(0))
    # The last NUL is the one that CPython keeps behind every bytes object.
    return lib.Column(count, data, len(data) + 1, None, 0, lib.TERMINATED)


def _bad_string(names: Sequence, place: Place) -> Optional[InputError]:
    """Returns the first name that is no string, or cannot be encoded."""
    for i, name in enumerate(names):
        if not isinstance(name, str):
            hint = ""
            if isinstance(name, int):
                hint = "; write it as str(%s)" % name
            elif isinstance(name, (bytes, bytearray)):
                hint = "; decode the bytes"
            return InputError(
                "%s: found %s, expected a string%s" % (place(i), describe(name), hint)
            )
        if "\0" in name:
            return InputError(
                "%s: found %s, expected a string without NUL" % (place(i), describe(name))
            )
        try:
            name.encode("utf-8")
        except UnicodeEncodeError:
            return InputError(
                "%s: found %s, which UTF-8 cannot encode, expected a string without lone "
                "surrogates" % (place(i), describe(name))
            )
    return None


def _changed(place: str) -> InputError:
    return InputError("%s: found strings that changed during the call" % place)


def strings(column: Any, what: str) -> Strings:
    """Returns a column of strings for a list, a NumPy or Arrow array or a pandas Series."""

    def place(i: int) -> str:
        return "row %d of the %s column" % (i + 1, what)

    if isinstance(column, (list, tuple)):
        return Strings(terminated(column, place), column)
    if _is_arrow(column):
        return _arrow_strings(column, what, place)
    if hasattr(column, "__array_interface__"):
        return _numpy_strings(column, what, place)
    if hasattr(column, "to_numpy"):
        return strings(column.to_numpy(), what)
    values = _as_list(column, what)
    return Strings(terminated(values, place), values)


def _as_list(column: Any, what: str) -> List:
    for name in ("tolist", "to_list"):
        if hasattr(column, name):
            values = getattr(column, name)()
            if isinstance(values, list):
                return values
    if isinstance(column, Sequence) and not isinstance(column, (str, bytes, bytearray)):
        return list(column)
    raise InputError(
        "the %s column: found %s, expected a list or an array" % (what, describe(column))
    )


def _numpy_array(array_: Any, what: str, alignment: int) -> Any:
    """Returns an array of one dimension with its elements side by side, copied if necessary."""
    interface = array_.__array_interface__
    if len(interface["shape"]) != 1:
        raise InputError(
            "the %s column: found an array of shape %s, expected one dimension"
            % (what, interface["shape"])
        )
    if hasattr(array_, "mask"):
        raise InputError(
            "the %s column: found a masked array, expected one without masked rows; leave "
            "the same rows out of every column" % what
        )
    if interface["typestr"][0] not in ("|", _NATIVE):
        array_ = array_.astype(array_.dtype.newbyteorder("="))
        interface = array_.__array_interface__
    if interface["strides"] is not None or interface["data"][0] % alignment:
        array_ = array_.copy()
    return array_


def _numpy_strings(array_: Any, what: str, place: Place) -> Strings:
    kind = array_.__array_interface__["typestr"][1]
    if kind == "O":
        values = _numpy_array(array_, what, 1).tolist()
        return Strings(terminated(values, place), values)
    if kind not in "US":
        raise InputError(
            "row 1 of the %s column: found an array of type %s, expected strings; convert it "
            "with .astype(str)" % (what, array_.dtype)
        )
    array_ = _numpy_array(array_, what, 4 if kind == "U" else 1)
    interface = array_.__array_interface__
    size = int(interface["typestr"][2:])
    column = lib.Column(
        interface["shape"][0],
        interface["data"][0],
        0,
        None,
        size,
        lib.FIXED_UCS4 if kind == "U" else lib.FIXED_UTF8,
    )
    return Strings(column, array_)


def _is_arrow(column: Any) -> bool:
    return hasattr(column, "combine_chunks") or (
        callable(getattr(column, "buffers", None)) and hasattr(column, "offset")
    )


def _arrow_array(column: Any, what: str) -> Any:
    if hasattr(column, "combine_chunks"):
        column = column.combine_chunks()
        if hasattr(column, "combine_chunks"):  # more than one chunk holds
            raise InputError(
                "the %s column: found a chunked array too large for one chunk, expected less than "
                "2 GB; convert it to large_string" % what
            )
    if column.null_count:
        raise InputError(
            "row %d of the %s column: found null, expected a value"
            % (_first_null(column) + 1, what)
        )
    return column


def _first_null(column: Any) -> int:
    validity = column.buffers()[0]
    if validity is not None:
        bits = memoryview(validity)
        for i in range(len(column)):
            at = column.offset + i
            if not bits[at >> 3] >> (at & 7) & 1:
                return i
    return 0


def _arrow_strings(column: Any, what: str, place: Place) -> Strings:
    column = _arrow_array(column, what)
    type_ = str(column.type)
    if type_ not in ("string", "utf8", "large_string", "large_utf8"):
        if type_.startswith("dictionary") and hasattr(column, "dictionary_decode"):
            return _arrow_strings(column.dictionary_decode(), what, place)
        raise InputError(
            "row 1 of the %s column: found an Arrow array of type %s, expected string or "
            "large_string" % (what, type_)
        )
    is_large = type_.startswith("large")
    _, offsets, data = column.buffers()
    count = len(column)
    if count == 0:
        return Strings(terminated([], place), column)
    result = lib.Column(
        count,
        data.address if data is not None else None,
        data.size if data is not None else 0,
        offsets.address + column.offset * (8 if is_large else 4),
        0,
        lib.OFFSETS_64 if is_large else lib.OFFSETS_32,
    )
    return Strings(result, column)


# ---- Numbers ------------------------------------------------------------------------------------


def _of_array(values: array) -> Numbers:
    address, count = values.buffer_info()
    return Numbers(address, count, values)


def _bad_score(value: object) -> Optional[str]:
    """Returns what is wrong with a score, None if it is a number."""
    try:
        number = array("d", (value,))[0]
    except (TypeError, ValueError, OverflowError):
        return "found %s, expected a number" % describe(value)
    if math.isnan(number):
        return "found NaN, expected a number"
    return None


def doubles(column: Any, what: str) -> Numbers:
    """Returns a column of scores; one of float64 stays in its place."""
    if _is_arrow(column):
        return _arrow_doubles(column, what)
    if hasattr(column, "__array_interface__"):
        kind = column.__array_interface__["typestr"][1]
        if kind in "fiub":
            if column.__array_interface__["typestr"][1:] != "f8":
                column = column.astype("float64")
            column = _numpy_array(column, what, 8)
            interface = column.__array_interface__
            return Numbers(interface["data"][0], interface["shape"][0], column)
        values = _numpy_array(column, what, 1).tolist()
    elif isinstance(column, (list, tuple)):
        values = column
    elif hasattr(column, "to_numpy"):
        return doubles(column.to_numpy(), what)
    else:
        values = _as_list(column, what)
    try:
        return _of_array(array("d", values))
    except (TypeError, ValueError, OverflowError):
        for i, value in enumerate(values):
            fault = _bad_score(value)
            if fault:
                raise InputError("row %d of the %s column: %s" % (i + 1, what, fault)) from None
        raise


_ARROW_NUMBERS = {
    "double": "d",
    "float": "f",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
}


def _arrow_values(column: Any, what: str) -> memoryview:
    """Returns the numbers of an Arrow array, in place."""
    column = _arrow_array(column, what)
    code = _ARROW_NUMBERS.get(str(column.type))
    if code is None:
        raise InputError(
            "row 1 of the %s column: found an Arrow array of type %s, expected numbers"
            % (what, column.type)
        )
    data = column.buffers()[1]
    if data is None or len(column) == 0:
        return memoryview(b"").cast("B").cast(code)
    width = array(code).itemsize
    used = memoryview(data).cast("B")
    begin = column.offset * width
    return used[begin : begin + len(column) * width].cast(code)


def _arrow_doubles(column: Any, what: str) -> Numbers:
    values = _arrow_values(column, what)
    if values.format != "d" or not len(values):
        return _of_array(array("d", values))
    whole = _arrow_array(column, what)
    return Numbers(whole.buffers()[1].address + whole.offset * 8, len(values), whole)


def _whole(value: object) -> int:
    """Returns a grade as an integer; a float must be whole. Raises TypeError for anything else."""
    if isinstance(value, float) or type(value).__name__.startswith("float"):
        if not value.is_integer():  # type: ignore[attr-defined]
            raise TypeError
        return int(value)  # type: ignore[call-overload]
    return array("i", (value,))[0]


def grades_of(values: Iterable, place: Place) -> array:
    """Returns grades as an array of int32."""
    try:
        return array("i", values)
    except (TypeError, ValueError, OverflowError):
        pass
    result = array("i")
    for i, value in enumerate(values):
        try:
            result.append(_whole(value))
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                "%s: found %s, expected an integer grade from -2147483648 to 2147483647"
                % (place(i), describe(value))
            ) from None
    return result


def grades(column: Any, what: str) -> Numbers:
    """Returns a column of grades as int32."""
    if _is_arrow(column):
        values: Any = _arrow_values(column, what).tolist()
    elif hasattr(column, "__array_interface__"):
        values = _numpy_array(column, what, 1).tolist()
    elif isinstance(column, (list, tuple)):
        values = column
    else:
        values = _as_list(column, what)
    return _of_array(grades_of(values, lambda i: "row %d of the %s column" % (i + 1, what)))


# ---- Three columns ------------------------------------------------------------------------------

Three = Tuple[Strings, Strings, Numbers]


def _three(topics: Any, docnos: Any, values: Any, is_run: bool) -> Three:
    what = "score" if is_run else "grade"
    result = (
        strings(topics, "topic"),
        strings(docnos, "docno"),
        doubles(values, what) if is_run else grades(values, what),
    )
    counts = (result[0].column.count, result[1].column.count, result[2].count)
    if len(set(counts)) != 1:
        raise InputError(
            "the columns: found %d topics, %d docnos and %d %ss, expected columns of equal length"
            % (counts + (what,))
        )
    if counts[0] == 0:
        raise InputError(
            "the %s: found no rows, expected at least one" % ("run" if is_run else "judgements")
        )
    return result


def _rows(rows: Sequence, is_run: bool) -> Three:
    what = "score" if is_run else "grade"
    if not rows:
        raise InputError(
            "the %s: found an empty list, expected rows (topic, docno, %s)"
            % ("run" if is_run else "judgements", what)
        )
    kinds = set(map(type, rows))
    if not all(issubclass(kind, (tuple, list)) for kind in kinds) or set(map(len, rows)) != {3}:
        rows = [_row(i, row, what) for i, row in enumerate(rows)]
    return _three(*zip(*rows), is_run=is_run)  # type: ignore[misc]


def _row(i: int, row: Any, what: str) -> Sequence:
    if isinstance(row, (tuple, list)):
        if len(row) == 3:
            return row
        # A judgement of ir_measures has the iteration as its last field.
        if len(row) == 4 and getattr(row, "_fields", ("",))[-1] == "iteration":
            return row[:3]
    raise InputError(
        "row %d: found %s, expected (topic, docno, %s)" % (i + 1, describe(row), what)
    )


def _column_named(names: Iterable, wanted: Tuple[str, ...]) -> Optional[str]:
    known = set(names)
    for name in wanted:
        if name in known:
            return name
    return None


def _is_columns(mapping: Any) -> bool:
    return bool(_column_named(mapping, TOPIC_NAMES) and _column_named(mapping, DOCNO_NAMES))


def _named_columns(table: Any, names: Iterable, is_run: bool) -> Three:
    names = list(names)
    chosen = []
    for what, wanted in (
        ("topics", TOPIC_NAMES),
        ("docnos", DOCNO_NAMES),
        ("scores", SCORE_NAMES) if is_run else ("grades", GRADE_NAMES),
    ):
        name = _column_named(names, wanted)
        if name is None:
            raise InputError(
                "the columns: found %s, expected a column of %s named %s"
                % (", ".join(map(str, names)) or "none", what, " or ".join(wanted))
            )
        chosen.append(table[name])
    return _three(*chosen, is_run=is_run)


def _table(source: Any, is_run: bool) -> Optional[Three]:
    """Returns the columns of anything but a dict of topics, None if `source` is such a dict."""
    if is_mapping(source):
        if _is_columns(source) and not is_mapping(next(iter(source.values()))):
            return _named_columns(source, source, is_run)
        return None
    if isinstance(source, list):
        return _rows(source, is_run)
    if isinstance(source, tuple):
        if len(source) == 3:
            return _three(*source, is_run=is_run)
        raise InputError(
            "the %s: found a tuple of %d, expected three columns (topics, docnos, %s); rows "
            "belong in a list"
            % (
                "run" if is_run else "judgements",
                len(source),
                "scores" if is_run else "grades",
            )
        )
    for attribute in ("column_names", "columns"):
        names = getattr(source, attribute, None)
        if names is not None and not callable(names) and hasattr(source, "__getitem__"):
            return _named_columns(source, names, is_run)
    what = "run" if is_run else "judgements"
    hint = ""
    if hasattr(source, "__next__"):
        hint = "; an iterator can be read once only, so pass list(...)"
    raise InputError(
        "the %s: found %s, expected a path, a dict by topic, rows in a list, three columns in a "
        "tuple, or a frame%s" % (what, describe(source), hint)
    )


# ---- Judgements ---------------------------------------------------------------------------------


def _check_judged(column: Strings, what: str) -> None:
    """Refuses names that are empty or have white space; they would never match a run's."""
    owner = column.owner
    if _is_arrow(owner):
        names = owner.to_pylist()
    else:
        names = owner if isinstance(owner, (list, tuple)) else owner.tolist()
    if names and isinstance(names[0], bytes):
        names = [name.decode("utf-8", "replace") for name in names]
    joined = "\0".join(names).encode("utf-8", "replace")
    check_names(joined, names, lambda i: "row %d of the %s column" % (i + 1, what))


def judgements(source: Any) -> Three:
    """Returns the columns of judgements."""
    table = _table(source, is_run=False)
    if table is not None:
        _check_judged(table[0], "topic")
        _check_judged(table[1], "docno")
        return table
    if not source:
        raise InputError(
            "the judgements: found an empty dict, expected topic -> {docno: grade}"
        )
    topics: List[Any] = []
    docnos: List[Any] = []
    all_grades = array("i")
    for topic, judged in source.items():
        if not is_mapping(judged):
            raise InputError(
                "topic %s: found %s, expected a dict docno -> grade"
                % (describe_name(topic), describe(judged))
            )
        if not judged:
            raise InputError(
                "topic %s: found no judgement, expected at least one docno -> grade; leave "
                "out topics without judgements" % describe_name(topic)
            )
        names = list(judged)
        topics += [topic] * len(names)
        docnos += names
        all_grades.extend(
            grades_of(
                list(judged.values()),
                lambda i: "topic %s, docno %s" % (describe_name(topic), describe_name(names[i])),
            )
        )
    topic_column = terminated(topics, lambda i: "a topic of the judgements")

    def docno_place(i: int) -> str:
        return "topic %s, a docno" % describe_name(topics[i])

    docno_column = terminated(docnos, docno_place)
    check_names("\0".join(source).encode(), list(source), lambda i: "a topic of the judgements")
    check_names("\0".join(docnos).encode(), docnos, docno_place)
    return (
        Strings(topic_column, topics),
        Strings(docno_column, docnos),
        _of_array(all_grades),
    )


def describe_name(name: object) -> str:
    """Returns a topic or docno as messages show it."""
    return ascii(name) if isinstance(name, str) else describe(name)


# ---- Runs ---------------------------------------------------------------------------------------


class RunInput(NamedTuple):
    """The columns of a run, and everything that owns their memory."""

    columns: lib.RunColumns
    owners: Any


def run(source: Any, name: bytes) -> RunInput:
    """Returns the columns of a run."""
    if isinstance(source, dict):
        if source:
            kept = _run_of_dict(source, name)
            if kept is not None:
                return kept
        else:
            raise InputError("the run: found an empty dict, expected at least one topic")
    table = _table(source, is_run=True)
    if table is None:
        return run(dict(source), name)
    topics, docnos, scores = table
    columns = lib.RunColumns(
        lib.ctypes.sizeof(lib.RunColumns), name, topics.column, docnos.column, scores.address, None
    )
    return RunInput(columns, table)


_SIZE_OF_RUN_COLUMNS = lib.ctypes.sizeof(lib.RunColumns)


def _run_of_dict(source: dict, name: bytes) -> Optional[RunInput]:
    """Returns the columns of a dict by topic, None if it is a dict of columns.

    Each topic's docnos are joined while the processor's caches still have them.
    """
    pieces: List[bytes] = []
    ends = array("Q")
    scores: Optional[array] = None
    end = 0
    try:
        if is_mapping(next(iter(source.values()))):
            scores = array("d")
            for documents in source.values():
                scores.extend(array("d", list(documents.values())))
                if documents:
                    pieces.append("\0".join(documents).encode())
                    end += len(documents)
                ends.append(end)
        else:
            if _is_columns(source):
                return None
            for documents in source.values():
                if not isinstance(documents, (list, tuple)):
                    documents = _ordered(source, documents)
                if documents:
                    pieces.append("\0".join(documents).encode())
                    end += len(documents)
                ends.append(end)
    except (TypeError, ValueError, AttributeError, OverflowError) as fault:
        if isinstance(fault, InputError):
            raise
        raise _bad_documents(source) from None
    joined = b"\0".join(pieces)
    if (scores is not None and len(scores) != end) or joined.count(0) != max(end - 1, 0):
        raise _bad_documents(source)
    columns = lib.RunColumns(
        _SIZE_OF_RUN_COLUMNS,
        name,
        terminated(list(source), lambda i: "a topic of the run"),
        lib.Column(end, joined, len(joined) + 1 if end else 0, None, 0, lib.TERMINATED),
        None if scores is None else scores.buffer_info()[0],
        ends.buffer_info()[0],
    )
    return RunInput(columns, (ends, scores))


def fault_in_run(source: Any) -> Optional[InputError]:
    """Returns the first name or score of a dict that the library refuses, with its topic."""
    if not is_mapping(source) or _is_columns(source):
        return None
    for topic, documents in source.items():
        fault = _bad_name(topic)
        if fault:
            return InputError("a topic of the run: " + fault)
        for i, docno in enumerate(documents):
            place = "topic %s, docno %d" % (describe_name(topic), i + 1)
            fault = _bad_name(docno)
            if fault:
                return InputError("%s: %s" % (place, fault))
            if is_mapping(documents) and _bad_score(documents[docno]):
                return InputError(
                    "topic %s, docno %s: %s"
                    % (describe_name(topic), describe_name(docno), _bad_score(documents[docno]))
                )
    return None


def _topic_of(source: dict, documents: object) -> str:
    return next(describe_name(t) for t, found in source.items() if found is documents)


def _ordered(source: dict, documents: Any) -> List:
    """Returns the docnos of an array, in their order."""
    if hasattr(documents, "__array_interface__"):
        return _numpy_array(documents, "docno", 1).tolist()
    raise InputError(
        "topic %s: found %s, expected a list of docnos, as in the topics before it"
        % (_topic_of(source, documents), describe(documents))
    )


def _bad_documents(source: dict) -> InputError:
    """Returns the first fault of a run by topic that Python itself meets."""
    has_scores = is_mapping(next(iter(source.values())))
    for topic, documents in source.items():
        if has_scores and not is_mapping(documents):
            return InputError(
                "topic %s: found %s, expected a dict docno -> score"
                % (describe_name(topic), describe(documents))
            )
        name = describe_name(topic)
        fault = _bad_string(list(documents), lambda i: "topic %s, docno %d" % (name, i + 1))
        if fault:
            return fault
        for docno, score in documents.items() if has_scores else ():
            words = _bad_score(score)
            if words:
                return InputError("topic %s, docno %s: %s" % (name, describe_name(docno), words))
    return InputError("the run: found dicts that changed during the call")
