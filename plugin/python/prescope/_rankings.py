"""Served rankings as the C interface takes them."""

from __future__ import annotations

from ctypes import pointer, sizeof
from typing import Any, Optional, Sequence, Tuple, Union

from . import _columns
from . import _library as lib
from ._errors import InputError, UsageError
from ._options import integer, share

FLAGS = {
    "sorted": 1,
    "retried": 2,
    "partial": 4,
    "deepened": 8,
    "filtered": 256,
    "collapsed": 512,
}
FAILED = 64  # for comparisons: there is no ranking


class Ranking:
    """A list of docnos in served order, with what a host knows about it.

    `depth` is how many hits were asked for: with fewer, the ranking has ended. 0: as many as there
    are. `first_rank` is above 1 for a later page. `flags` are of "sorted" (by something other than
    the score), "retried", "partial", "deepened" (more hits than the user saw), "filtered" and
    "collapsed". `total_hits` documents matched in all, `collection_size` are in the index; 0:
    unknown. `latency_ms` is how long the search took.

    >>> Ranking(["EP-1-A1", "EP-2-A1"], depth=100, latency_ms=12.5)
    <Ranking: 2 docnos of 100>
    """

    __slots__ = (
        "docnos",
        "depth",
        "first_rank",
        "flags",
        "total_hits",
        "collection_size",
        "latency_ms",
    )

    def __init__(
        self,
        docnos: Any,
        *,
        depth: int = 0,
        first_rank: int = 1,
        flags: Sequence[str] = (),
        total_hits: int = 0,
        collection_size: int = 0,
        latency_ms: Optional[float] = None,
    ) -> None:
        self.docnos = docnos
        self.depth = depth
        self.first_rank = first_rank
        self.flags = (flags,) if isinstance(flags, str) else tuple(flags)
        self.total_hits = total_hits
        self.collection_size = collection_size
        self.latency_ms = latency_ms

    def __repr__(self) -> str:
        return "<Ranking: %d docnos of %s>" % (len(self.docnos), self.depth or "all")


Hits = Union[Ranking, Sequence[str], Any]


def ranking_value(hits: Hits, arm: int) -> Tuple[lib.RankingValue, Any]:
    """Returns the struct of a ranking, and the object that owns its memory."""
    ranking = hits if isinstance(hits, Ranking) else Ranking(hits)
    docnos = ranking.docnos
    if isinstance(docnos, (str, bytes)) or _columns.is_mapping(docnos):
        raise InputError(
            "the ranking: found %s, expected a list of docnos in served order"
            % lib.describe(docnos)
        )
    if isinstance(docnos, (list, tuple)):
        column = _columns.terminated(docnos, lambda i: "rank %d of the ranking" % (i + 1))
        owner: Any = column
    else:
        column, owner = _columns.strings(docnos, "docno")
    flags = 0
    for flag in ranking.flags:
        if flag not in FLAGS:
            raise UsageError(
                "flags: found %s, expected some of %s" % (lib.describe(flag), ", ".join(FLAGS))
            )
        flags |= FLAGS[flag]
    latency = 0
    if ranking.latency_ms is not None:
        milliseconds = share(ranking.latency_ms, "latency_ms")
        if not 0 <= milliseconds < 1e12:
            raise UsageError(
                "latency_ms: found %s, expected milliseconds from 0 on"
                % lib.describe(ranking.latency_ms)
            )
        latency = max(int(milliseconds * 1e6), 1)
    value = lib.RankingValue(
        sizeof(lib.RankingValue),
        arm,
        integer(ranking.first_rank, "first_rank", 1, 2**32 - 1),
        integer(ranking.depth, "depth", 0, 2**32 - 1),
        flags,
        integer(ranking.total_hits, "total_hits", 0, 2**64 - 1),
        None,
        0,
        None,
        pointer(column),
        integer(ranking.collection_size, "collection_size", 0, 2**64 - 1),
        0,
        latency,
    )
    return value, owner


def timed_ranking(hits: Hits, depth: int, took: float) -> Ranking:
    """Returns hits as a Ranking with its latency, unless the host has measured it."""
    if not isinstance(hits, Ranking):
        return Ranking(hits, depth=depth, latency_ms=took)
    if hits.latency_ms is not None:
        return hits
    return Ranking(
        hits.docnos,
        depth=hits.depth,
        first_rank=hits.first_rank,
        flags=hits.flags,
        total_hits=hits.total_hits,
        collection_size=hits.collection_size,
        latency_ms=took,
    )
