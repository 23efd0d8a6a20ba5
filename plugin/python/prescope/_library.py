"""The C interface: finds the shared library, and declares its structs and functions.

plugin/c/include/prescope.h is the reference. The names here are those of the header without the
prefix `prescope_`.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
    string_at,
)
from typing import List, Optional

from ._errors import FileError, from_code

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY_FOLDER = os.path.join(HERE, "lib")


def _candidates() -> List[str]:
    named = os.environ.get("PRESCOPE_LIBRARY")
    if named:
        return [named]
    found = []
    if os.path.isdir(LIBRARY_FOLDER):
        names = sorted(os.listdir(LIBRARY_FOLDER))
        found = [n for n in names if n.startswith("libprescope.so")]
    return [os.path.join(LIBRARY_FOLDER, n) for n in found] + ["libprescope.so.0.1"]


def _preload_bundled() -> None:
    """Loads the bundled dependencies, which the loader then finds by their SONAME.

    A library that the process has already is used instead. In particular there must not be two
    copies of SQLite: one of them would drop the file locks of the other.
    """
    if not os.path.isdir(LIBRARY_FOLDER):
        return
    # None of the dependencies needs another one.
    for name in os.listdir(LIBRARY_FOLDER):
        if name.startswith("libprescope.so"):
            continue
        try:
            ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_LOCAL)
        except OSError:
            ctypes.CDLL(os.path.join(LIBRARY_FOLDER, name), mode=os.RTLD_LOCAL)


def _load() -> ctypes.CDLL:
    _preload_bundled()
    reasons = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path, mode=os.RTLD_LOCAL)
        except OSError as error:
            reasons.append("%s: %s" % (path, error))
    raise FileError(
        "the library libprescope.so cannot be loaded (%s); install the wheel, or name the library "
        "in the environment variable PRESCOPE_LIBRARY" % "; ".join(reasons)
    )


class ErrorText(Structure):
    _fields_ = [("message", ctypes.c_char * 4096)]


class Text(Structure):
    _fields_ = [("data", c_char_p), ("size", c_size_t)]


# prescope_layout
POINTERS, TEXTS, TERMINATED, OFFSETS_32, OFFSETS_64, FIXED_UTF8, FIXED_UCS4 = range(7)


class Column(Structure):
    _fields_ = [
        ("count", c_size_t),
        ("data", c_char_p),  # takes bytes, which it keeps alive, and addresses
        ("data_size", c_size_t),
        ("offsets", c_void_p),
        ("width", c_size_t),
        ("layout", c_int32),
    ]


class QrelsOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("docno", c_char_p),
        ("family_map", c_char_p),
        ("categories", c_char_p),
        ("min_grade", c_int32),
        ("rule", c_char_p),
    ]


class RunColumns(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("topics", Column),
        ("docnos", Column),
        ("scores", c_void_p),
        ("topic_ends", c_void_p),
    ]


class Scoring(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("order", c_char_p),
        ("depth", c_uint32),
        ("judged_only", c_uint32),
        ("only_topics_of_run", c_uint32),
    ]


class Scores(Structure):
    _fields_ = [
        ("num_measures", c_size_t),
        ("num_topics", c_size_t),
        ("measures", POINTER(c_char_p)),
        ("topics", POINTER(c_uint32)),
        ("scores", POINTER(c_double)),
        ("means", POINTER(c_double)),
        ("topics_in_mean", POINTER(c_uint32)),
        ("ends_at", POINTER(c_uint32)),
        ("num_ret", POINTER(c_uint32)),
        ("num_rel_ret", POINTER(c_uint32)),
        ("is_in_run", POINTER(c_uint8)),
    ]


class CompareOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("test", c_char_p),
        ("correction", c_char_p),
        ("confidence", c_double),
        ("alpha", c_double),
        ("top", c_uint32),
        ("slices", c_char_p),
        ("slice_by", c_char_p),
    ]


Warn = CFUNCTYPE(None, c_void_p, c_char_p)
Search = CFUNCTYPE(c_int, c_void_p, c_uint32)
FreeContext = CFUNCTYPE(None, c_void_p)

NO_ARM = 0xFFFFFFFF


class ExperimentOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("arms", POINTER(c_char_p)),
        ("num_arms", c_size_t),
        ("measures", c_char_p),
        ("primary", c_char_p),
        ("mode", c_char_p),
        ("salt", c_char_p),
        ("alpha", c_double),
        ("shadow_sampling", c_double),
        ("shadow_threads", c_uint32),
        ("shadow_queue", c_uint32),
        ("shadow_latency", c_char_p),
        ("capture_depth", c_uint32),
        ("store", c_char_p),
        ("dashboard_port", c_int32),
        ("dashboard_address", c_char_p),
        ("dashboard_token", c_char_p),
        ("on_warning", Warn),
        ("warning_context", c_void_p),
        ("slices", c_char_p),
        ("slice_by", c_char_p),
        ("test_topics", c_uint32),
        ("test_looks", c_char_p),
        ("test_spending", c_char_p),
        ("test_live_alpha", c_double),
        ("test_guardrails", c_char_p),
        ("test_same_within", c_double),
        ("actions_command", c_char_p),
        ("actions_url", c_char_p),
        ("actions_on", c_char_p),
        ("actions_journal", c_char_p),
        ("shares", c_char_p),
        ("shadow_overlap_sampling", c_double),
        ("shadow_overlap_depth", c_uint32),
        ("shadow_overlap_persistence", c_double),
    ]


class VisitValue(Structure):
    _fields_ = [("opaque", c_uint64 * 16)]


class Request(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("topic", Text),
        ("session", Text),
        ("arm", c_uint32),
        ("served_utc_ns", c_int64),
        ("request_id", c_uint64),
        ("query", Text),
    ]


class RankingValue(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("arm", c_uint32),
        ("first_rank", c_uint32),
        ("requested_depth", c_uint32),
        ("flags", c_uint32),
        ("total_hits", c_uint64),
        ("docids", c_void_p),
        ("num_docids", c_size_t),
        ("index", c_void_p),
        ("docnos", POINTER(Column)),
        ("collection_size", c_uint64),
        ("started_ns", c_int64),
        ("ended_ns", c_int64),
    ]


BAD_INPUT = 2  # a prescope_code

# By prescope_outcome.
OUTCOMES = (
    "recorded",
    "unjudged",
    "unmatched",
    "no scope",
    "inactive arm",
    "sampled out",
    "no room",
    "not compared",
    "abandoned",
)

_loaded = _load()
_Error = POINTER(ErrorText)


def _declare(name, result, *arguments):
    try:
        function = getattr(_loaded, "prescope_" + name)
    except AttributeError:
        raise FileError(
            "%s lacks the function prescope_%s; expected a library of the same version as this "
            "package" % (_loaded._name, name)
        ) from None
    function.restype = result
    function.argtypes = arguments
    return function


version = _declare("version", c_char_p)
text_free = _declare("text_free", None, c_void_p)
qrels_load = _declare(
    "qrels_load", c_int, c_char_p, POINTER(QrelsOptions), POINTER(c_void_p), _Error
)
qrels_open = _declare(
    "qrels_open", c_int, c_char_p, POINTER(QrelsOptions), POINTER(c_void_p), _Error
)
qrels_from_columns = _declare(
    "qrels_from_columns",
    c_int,
    POINTER(Column),
    POINTER(Column),
    c_void_p,
    POINTER(QrelsOptions),
    POINTER(c_void_p),
    _Error,
)
qrels_free = _declare("qrels_free", None, c_void_p)
qrels_num_topics = _declare("qrels_num_topics", c_size_t, c_void_p)
qrels_topic = _declare("qrels_topic", Text, c_void_p, c_size_t)
run_load = _declare(
    "run_load", c_int, c_void_p, c_char_p, c_char_p, c_uint32, POINTER(c_void_p), _Error
)
run_from_columns = _declare(
    "run_from_columns", c_int, c_void_p, POINTER(RunColumns), POINTER(c_void_p), _Error
)
run_free = _declare("run_free", None, c_void_p)
evaluate = _declare(
    "evaluate", c_int, c_void_p, c_char_p, POINTER(Scoring), POINTER(POINTER(Scores)), _Error
)
scores_free = _declare("scores_free", None, POINTER(Scores))
evaluate_json = _declare(
    "evaluate_json",
    c_int,
    POINTER(c_void_p),
    c_size_t,
    c_char_p,
    POINTER(Scoring),
    c_uint32,
    POINTER(c_void_p),
    _Error,
)
compare_json = _declare(
    "compare_json",
    c_int,
    POINTER(c_void_p),
    c_size_t,
    c_char_p,
    POINTER(Scoring),
    POINTER(CompareOptions),
    POINTER(c_void_p),
    _Error,
)
gate_json = _declare(
    "gate_json", c_int, c_void_p, c_void_p, c_char_p, POINTER(Scoring), POINTER(c_void_p), _Error
)
experiment_open = _declare(
    "experiment_open", c_int, c_void_p, POINTER(ExperimentOptions), POINTER(c_void_p), _Error
)
experiment_close = _declare("experiment_close", None, c_void_p)
dashboard_url = _declare("dashboard_url", c_char_p, c_void_p)
arm = _declare("arm", c_int, c_void_p, Text, POINTER(c_uint32), _Error)
arm_for = _declare("arm_for", c_uint32, c_void_p, Text)
change_arm = _declare("change_arm", c_int, c_void_p, Text, c_char_p, _Error)
begin = _declare("begin", VisitValue, c_void_p, POINTER(Request))
observe = _declare("observe", c_int, c_void_p, POINTER(VisitValue), POINTER(RankingValue))
observe_failure = _declare(
    "observe_failure", c_int, c_void_p, POINTER(VisitValue), c_uint32, c_uint32
)
wants_shadow = _declare("wants_shadow", c_int, c_void_p, POINTER(VisitValue))
shadow = _declare(
    "shadow", c_int, c_void_p, POINTER(VisitValue), c_uint32, Search, FreeContext, c_void_p
)
observe_comparison = _declare(
    "observe_comparison",
    c_int,
    c_void_p,
    POINTER(VisitValue),
    c_uint32,
    POINTER(RankingValue),
    c_size_t,
)
drain_shadow = _declare("drain_shadow", c_int, c_void_p, _Error)
flush = _declare("flush", c_int, c_void_p, _Error)
summary = _declare("summary", c_int, c_void_p, c_char_p, POINTER(c_void_p), _Error)


def call(function, *arguments) -> None:
    """Calls a function of the library that can fail, and raises its sentence if it does."""
    error = ErrorText()
    code = function(*arguments, byref(error))
    if code:
        raise from_code(code, error.message.decode("utf-8", "replace"))


def take_text(function, *arguments) -> bytes:
    """Calls a function whose last result is a text, and returns a copy of the text."""
    text = c_void_p()
    call(function, *arguments, byref(text))
    try:
        return string_at(text.value)
    finally:
        text_free(text)


def text(value: Optional[str], what: str) -> Optional[bytes]:
    """Encodes a string that the library takes with a NUL behind it."""
    from ._errors import UsageError

    if value is None:
        return None
    if not isinstance(value, str):
        raise UsageError(
            "%s: found %s, expected a string" % (what, describe(value))
        )
    if "\0" in value:
        raise UsageError("%s: found %r, expected a string without NUL" % (what, value))
    try:
        return value.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(
            "%s: found %s, expected a string that UTF-8 can encode" % (what, ascii(value))
        ) from None


def decode(data: bytes) -> str:
    """Decodes a name. Bytes that are not UTF-8 become distinct escapes, so names stay distinct."""
    return data.decode("utf-8", "backslashreplace")


def describe(value: object) -> str:
    """Returns the type and a short form of a value, for the `found` of a message."""
    if value is None:
        return "None"
    try:
        shown = ascii(value)
    except Exception:  # a broken __repr__ must not hide the message
        shown = "<no repr>"
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return "%s %s" % (type(value).__name__, shown)
