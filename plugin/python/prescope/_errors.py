"""The exceptions of the package."""

from __future__ import annotations


class Error(ValueError):
    """A refused call. The message names the place, what was found and what was expected.

    `code` is "usage", "bad_input", "io", "engine", "no_memory" or "internal". Each but the last has
    a class of its own.

    >>> try:
    ...     evaluate({"T1": {"D1": 1}}, {"T1": ["D1"]}, "PRES@ten")
    ... except Error as error:
    ...     print(error.code)
    usage
    """

    code = "internal"


class UsageError(Error):
    """An unknown name or option, a value out of range, or a closed experiment."""

    code = "usage"


class InputError(Error):
    """Judgements or a run that are malformed, empty or contradictory."""

    code = "bad_input"


class FileError(Error):
    """A file, folder or port that is missing, unreadable, locked or taken."""

    code = "io"


class EngineError(Error):
    """A callback of the host failed."""

    code = "engine"


class MemoryShortage(Error):
    """The library could not get memory."""

    code = "no_memory"


# By prescope_code.
_CLASSES = {
    1: UsageError,
    2: InputError,
    3: FileError,
    4: EngineError,
    5: MemoryShortage,
    6: Error,
}


def from_code(code: int, message: str) -> Error:
    """Returns the exception for a prescope_code and its sentence."""
    return _CLASSES.get(code, Error)(message)
