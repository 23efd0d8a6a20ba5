"""Slices of the topics, from a dict or a file."""

from __future__ import annotations

import json
from contextlib import contextmanager
from tempfile import NamedTemporaryFile
from typing import Any, Dict, Iterator, Optional, Tuple

from . import _columns
from . import _library as lib
from ._errors import UsageError
from ._options import is_path, path_bytes


@contextmanager
def slice_file(slices: Any, slice_by: Any) -> Iterator[Tuple[Optional[bytes], Optional[bytes]]]:
    """Gives the path of slices and the dimensions. A dict becomes a file of JSON lines."""
    names = [slice_by] if isinstance(slice_by, str) else list(slice_by or [])
    if slices is None or is_path(slices):
        path = None if slices is None else path_bytes(slices)
        yield path, lib.text(",".join(names) or None, "slice_by")
        return
    if not _columns.is_mapping(slices) or not slices:
        raise UsageError(
            "slices: found %s, expected a dict topic -> slice, a dict dimension -> "
            "{topic: slice}, or a path" % lib.describe(slices)
        )
    values = slices if all(map(_columns.is_mapping, slices.values())) else {"slice": slices}
    rows: Dict[str, Dict[str, Any]] = {}
    for dimension, by_topic in values.items():
        for topic, found in by_topic.items():
            row = rows.setdefault(str(topic), {"id": str(topic), **dict.fromkeys(map(str, values))})
            row[str(dimension)] = found
    with NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for row in rows.values():
            try:
                file.write(json.dumps(row, allow_nan=False) + "\n")
            except (TypeError, ValueError):
                raise UsageError(
                    "slices: found %s, expected texts, numbers or lists of them" % lib.describe(row)
                ) from None
        file.flush()
        yield path_bytes(file.name), lib.text(",".join(names or map(str, values)), "slice_by")
