"""Stores: what experiments and gates have written, read by the program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any, Dict, List, Optional, Sequence

from . import _library as lib
from ._errors import Error, FileError, UsageError
from ._options import integer, measure_list, pandas, path_bytes


def program() -> str:
    """Returns the path of the program `prescope`.

    It is the one in the environment variable PRESCOPE_PROGRAM, the one of the wheel, or the one
    on the search path.
    """
    named = os.environ.get("PRESCOPE_PROGRAM")
    if named:
        return named
    bundled = os.path.join(lib.HERE, "bin", "prescope")
    if os.path.exists(bundled):
        if not os.access(bundled, os.X_OK):
            raise FileError(
                "%s: it may not be executed; install the wheel by pip, or make the file "
                "executable" % bundled
            )
        return bundled
    found = shutil.which("prescope")
    if found:
        return found
    raise FileError(
        "the program prescope cannot be found; install the wheel, or name the program in the "
        "environment variable PRESCOPE_PROGRAM"
    )


def environment() -> Dict[str, str]:
    """Returns the environment of the program, which finds the libraries of a wheel."""
    result = dict(os.environ)
    if os.path.isdir(lib.LIBRARY_FOLDER):
        before = result.get("LD_LIBRARY_PATH")
        result["LD_LIBRARY_PATH"] = lib.LIBRARY_FOLDER + (":" + before if before else "")
    return result


class Rows(list):
    """A list of dicts."""

    def to_frame(self) -> Any:
        """Returns a pandas DataFrame: a row for each dict, a column for each key."""
        return pandas().DataFrame(list(self))


class Store:
    """A file that `Experiment(store=...)`, `prescope pin` or `prescope gate` has written.

    It is read by the program; see `prescope.program`. Reading does not disturb a process that
    writes.
    """

    def __init__(self, path: Any) -> None:
        self.path = os.fsdecode(path_bytes(path))

    def __repr__(self) -> str:
        return "<Store %s>" % ascii(self.path)

    def nights(
        self,
        *,
        arm: Optional[str] = None,
        last: Optional[int] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        measures: Any = None,
    ) -> Rows:
        """Returns the evaluations that `pin` and `gate` kept, oldest first; docs/history.md.

        The parameters are those of `prescope history`; times are UTC, as "2026-11-22T03:10".
        """
        text = self._run("history", "json", arm, last, since, until, measures)
        return Rows(json.loads(text)["nights"])

    def observations(
        self,
        *,
        experiment: Optional[str] = None,
        session: Optional[int] = None,
        arm: Optional[str] = None,
        topic: Optional[str] = None,
        last: Optional[int] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        measures: Any = None,
    ) -> Rows:
        """Returns the judged queries that experiments have observed; docs/logs.md has the fields.

        The parameters are those of `prescope log`.
        """
        more = []
        for option, value in (("--experiment", experiment), ("--topic", topic)):
            if value is not None:
                more += [option, _word(value, option)]
        if session is not None:
            more += ["--session", str(integer(session, "session", 0, 2**63 - 1))]
        text = self._run("log", "jsonl", arm, last, since, until, measures, more)
        # JSON escapes line separators of Unicode in part only, so lines end at "\n" alone.
        return Rows(json.loads(line) for line in text.split("\n") if line)

    def sessions(self) -> Rows:
        """Returns the sessions of experiments, one for each time that an experiment was run.

        Each has `session`, `experiment`, the sorted names of its `arms`, the number of its
        `observations`, and the times of the `first` and the `last`. A session in which no judged
        query was observed is not among them. Reads all observations.
        """
        found: Dict[int, Dict[str, Any]] = {}
        for row in self.observations():
            one = found.setdefault(
                row["session"],
                {
                    "session": row["session"],
                    "experiment": row["experiment"],
                    "arms": [],
                    "observations": 0,
                    "first": row["time"],
                    "last": row["time"],
                },
            )
            if row["arm"] not in one["arms"]:
                one["arms"] = sorted(one["arms"] + [row["arm"]])
            one["observations"] += 1
            one["first"] = min(one["first"], row["time"])
            one["last"] = max(one["last"], row["time"])
        return Rows(found[session] for session in sorted(found))

    def _run(
        self,
        command: str,
        format_: str,
        arm: Optional[str],
        last: Optional[int],
        since: Optional[str],
        until: Optional[str],
        measures: Any,
        more: Sequence[str] = (),
    ) -> str:
        arguments: List[str] = [command, self.path, "--format", format_]
        if self.path.startswith("-"):
            arguments[1] = os.path.join(".", self.path)
        for option, value in (("--arm", arm), ("--since", since), ("--until", until)):
            if value is not None:
                arguments += [option, _word(value, option)]
        if last is not None:
            arguments += ["--last", str(integer(last, "last", 1, 2**32 - 1))]
        if measures is not None:
            arguments += ["-m", measure_list(measures).decode()]
        return run_program(arguments + list(more))


def _word(value: Any, option: str) -> str:
    if not isinstance(value, str) or "\0" in value or value.startswith("-"):
        raise UsageError(
            "%s: found %s, expected a string" % (option.lstrip("-"), lib.describe(value))
        )
    return value


def run_program(arguments: Sequence[str]) -> str:
    """Runs the program and returns its standard output. Raises its sentence if it fails."""
    path = program()
    try:
        done = subprocess.run(
            [path] + list(arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env=environment(),
        )
    except OSError as error:
        raise FileError("%s: cannot be run: %s" % (path, error)) from error
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip()
        if message.startswith("prescope: "):
            message = message[len("prescope: ") :]
        missing = not os.path.exists(arguments[1])
        kind = FileError if missing else UsageError if done.returncode == 2 else Error
        raise kind(message or "%s ended with %d" % (path, done.returncode))
    return done.stdout.decode("utf-8", "replace")
