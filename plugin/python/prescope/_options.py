"""Options as the C interface takes them."""

from __future__ import annotations

import os
from typing import Any

from . import _library as lib
from ._errors import UsageError

DEFAULT_MEASURES = "PRES@100,R@100,AP"


def is_path(source: object) -> bool:
    return isinstance(source, (str, os.PathLike))


def path_bytes(path: Any) -> bytes:
    """Returns a path as the C interface takes it."""
    try:
        data = os.fsencode(path)
    except (TypeError, UnicodeEncodeError):
        raise UsageError(
            "path: found %s, expected the name of a file" % lib.describe(path)
        ) from None
    if b"\0" in data:
        raise UsageError("path %s: found a NUL, expected the name of a file" % ascii(path))
    return data


def measure_list(measures: Any) -> bytes:
    """Returns measures as one text: a string, an object that prints as a measure, or several."""
    if isinstance(measures, str):
        return lib.text(measures, "measures")  # type: ignore[return-value]
    if isinstance(measures, (list, tuple, set, frozenset)):
        if not measures:
            raise UsageError(
                "measures: found none, expected names such as %r" % DEFAULT_MEASURES
            )
        return b",".join(map(_measure, measures))
    return _measure(measures)


def _measure(measure: Any) -> bytes:
    if measure is None or isinstance(measure, (bytes, bytearray, int, float, dict)):
        raise UsageError(
            "measures: found %s, expected a name such as 'PRES@100', or an object that prints "
            "as one" % lib.describe(measure)
        )
    return lib.text(str(measure), "measures")  # type: ignore[return-value]


def integer(value: Any, what: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise UsageError("%s: found %s, expected an integer" % (what, lib.describe(value)))
    number = value.__index__()
    if not least <= number <= most:
        raise UsageError(
            "%s: found %d, expected an integer from %d to %d" % (what, number, least, most)
        )
    return number


def share(value: Any, what: str) -> float:
    """Returns an option that is a number; the library knows its range."""
    try:
        return float(value) if not isinstance(value, (str, bytes)) else float("nan")
    except (TypeError, ValueError, OverflowError):
        raise UsageError("%s: found %s, expected a number" % (what, lib.describe(value))) from None


def pandas() -> Any:
    """Imports pandas, which the package does not need otherwise."""
    try:
        import pandas as module
    except ImportError as error:
        raise ImportError(
            "to_frame() needs pandas, which is not installed; every value is also in plain dicts "
            "and lists"
        ) from error
    return module
