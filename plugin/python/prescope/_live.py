"""A live experiment: served rankings, searches for comparison, and verdicts while they arrive."""

from __future__ import annotations

import atexit
import datetime
import itertools
import json
import logging
import os
import threading
import time
from ctypes import byref, c_char_p, c_uint32, c_void_p, sizeof
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple, Union

from . import _columns
from . import _library as lib
from ._errors import Error, UsageError
from ._offline import Qrels
from ._options import integer, measure_list, path_bytes, share
from ._rankings import FAILED, Hits, Ranking, ranking_value, timed_ranking
from ._slices import slice_file

_log = logging.getLogger("prescope")

SearchFunction = Callable[[str], Hits]


def _text(value: Any, what: str) -> lib.Text:
    data = lib.text(value, what)
    if data is None:
        raise UsageError("%s: found None, expected a string" % what)
    return lib.Text(data, len(data))


class Visit:
    """One request of a user, made by `Experiment.begin`. Keep it with the request; any thread."""

    __slots__ = ("_experiment", "_value", "topic")

    def __init__(self, experiment: "Experiment", value: lib.VisitValue, topic: str) -> None:
        self._experiment = experiment
        self._value = value
        self.topic = topic

    def __repr__(self) -> str:
        return "<Visit of topic %s>" % ascii(self.topic)


# ---- Callbacks ----------------------------------------------------------------------------------

# The library calls two functions for every search for comparison, which live as long as the
# process. Their context is a key of this table, so that no object can be collected too early.
_pending: Dict[int, Tuple["Experiment", SearchFunction]] = {}
_keys = itertools.count(1)
_thread = threading.local()


def _search(key: int, arm: int) -> int:
    """Searches for comparison. Returns 0, or 1 if the search has failed."""
    try:
        experiment, search = _pending[key]
        _thread.experiment = experiment
        try:
            experiment._search_for_comparison(search, arm)
        finally:
            _thread.experiment = None
        return 0
    except BaseException:  # also SystemExit: there is no caller who could handle it
        try:
            _log.exception("a search for comparison failed; it counts as a failed search")
        except Exception:
            pass
        return 1


def _forget(key: int) -> None:
    _pending.pop(key, None)


_search_callback = lib.Search(_search)
_forget_callback = lib.FreeContext(_forget)


def _warning_callback(function: Callable[[str], Any]) -> Any:
    def warn(_context: int, sentence: bytes) -> None:
        _thread.in_warning = True
        try:
            function(sentence.decode("utf-8", "replace"))
        except BaseException:
            _log.exception("on_warning raised an exception for: %s", lib.decode(sentence))
        finally:
            _thread.in_warning = False

    return lib.Warn(warn)


# ---- The experiment -----------------------------------------------------------------------------

# Open experiments live until they are closed. A last reference that a thread of the library drops
# must not close the experiment there, because closing waits for that thread.
_open: "Set[Experiment]" = set()


def _close_all() -> None:
    """Closes what the program left open, while threads of the library may still call Python."""
    for experiment in list(_open):
        try:
            # A call of this thread was interrupted, if one is still counted.
            experiment._callers.pop(threading.get_ident(), None)
            experiment.close()
        except Exception:
            _log.exception("%r cannot be closed", experiment)


def _after_fork() -> None:
    _pending.clear()
    for experiment in list(_open):
        experiment._forked()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _numbers(numbers: Optional[Mapping[str, float]], what: str, example: str) -> Optional[bytes]:
    """Gives the text of a dict of names and numbers."""
    if numbers is None:
        return None
    if not _columns.is_mapping(numbers):
        raise UsageError(
            "%s: found %s, expected a dict %s" % (what, lib.describe(numbers), example)
        )
    items = ["%s=%r" % (name, share(number, what)) for name, number in numbers.items()]
    return lib.text(",".join(items), what)


class Experiment:
    """A live experiment over `arms`, ranking configurations of a running search engine.

    `mode` is "observe", "paired" (the other arms search too, after the answer) or "split" (each
    topic belongs to an arm); docs/live.md. `measures` are as in `evaluate`; None: PRES, R and AP
    at 100 and 1000. The first, or `primary`, is the one that verdicts are about. `alpha` is the
    chance that a verdict is ever wrong. `store` is a file that observations are written to, which
    `Store` reads. `dashboard` is a port, 0 for any free one; see `url`. `on_warning` is called
    with a sentence when the store or the dashboard has trouble; None: standard error. `slices` and
    `slice_by` are as in `compare`. A verdict runs `actions_command`, and is posted to
    `actions_url`; both need `actions_journal`, a folder that remembers what was done. `actions_on`
    names the kinds of events, "better,worse"; None: worse and vetoed; docs/actions.md.

    In mode "split", `shares` says how many topics an arm serves for 1 of another: {"old": 19}.

    `test_topics` plans a test of the primary measure that ends with so many topics. It may end at
    `looks`, shares of the topics, and spends alpha as `spending` says ("obrien-fleming", "pocock").
    `live_alpha` is the part of alpha for the verdict that holds whenever you look. `guardrails` are
    losses that no arm may have, such as {"R@100": 0.02, "latency": 1.1}. With `same_within`, arms
    that differ by less are said to be the same. docs/live.md.

    In mode paired, `shadow_overlap_sampling` is the share of the visits without judgements whose
    rankings are compared with each other: by their first `shadow_overlap_depth` hits, and by
    rank-biased overlap with the persistence `shadow_overlap_persistence`. docs/live.md.

    Methods may be called on any thread. Leave the context, or call `close`, so that everything
    is recorded; an open experiment is closed at the end of the program. Visits that still wait for
    their comparison are given up then and counted; `drain_shadow` waits for them.

    >>> qrels = {"T1": {"D1": 1, "D2": 1}}
    >>> with Experiment(qrels, ["bm25"], "R@10") as experiment:
    ...     visit = experiment.begin("T1")
    ...     experiment.observe(visit, Ranking(["D1", "D7"], depth=10, latency_ms=3))
    ...     experiment.summary()["arms"][0]["means"]["R@10"]["mean"]
    'recorded'
    0.5
    """

    def __init__(
        self,
        qrels: Any,
        arms: Sequence[str],
        measures: Any = None,
        *,
        mode: str = "observe",
        name: str = "experiment",
        primary: Any = None,
        salt: Optional[str] = None,
        alpha: float = 0.05,
        shadow_sampling: float = 1.0,
        shadow_threads: int = 1,
        shadow_queue: int = 64,
        shadow_latency: str = "both arms",
        shadow_overlap_sampling: float = 0.0,
        shadow_overlap_depth: int = 100,
        shadow_overlap_persistence: float = 0.98,
        capture_depth: int = 0,
        store: Any = None,
        dashboard: Optional[int] = None,
        dashboard_address: Optional[str] = None,
        dashboard_token: Optional[str] = None,
        on_warning: Optional[Callable[[str], Any]] = None,
        slices: Any = None,
        slice_by: Any = None,
        test_topics: int = 0,
        looks: Sequence[float] = (0.5, 0.75, 1.0),
        spending: str = "obrien-fleming",
        live_alpha: float = 0.0,
        guardrails: Optional[Mapping[str, float]] = None,
        same_within: float = 0.0,
        actions_command: Optional[str] = None,
        actions_url: Optional[str] = None,
        actions_on: Optional[str] = None,
        actions_journal: Any = None,
        shares: Optional[Mapping[str, float]] = None,
    ) -> None:
        self._handle: Optional[c_void_p] = None
        self._state = "closed"
        self._callers: Dict[int, int] = {}  # the calls in progress, by thread
        self._changed = threading.Condition()  # a signal's handler may come in between
        self.qrels = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
        self.name = name
        self.mode = mode
        if isinstance(arms, (str, bytes)) or not isinstance(arms, (list, tuple)):
            raise UsageError("arms: found %s, expected a list of names" % lib.describe(arms))
        names = [_text(arm, "arms[%d]" % i).data for i, arm in enumerate(arms)]
        if on_warning is not None and not callable(on_warning):
            raise UsageError(
                "on_warning: found %s, expected a function" % lib.describe(on_warning)
            )
        # Kept, because the library calls it until the experiment is closed.
        self._warn = lib.Warn() if on_warning is None else _warning_callback(on_warning)
        options = lib.ExperimentOptions(
            sizeof(lib.ExperimentOptions),
            _text(name, "name").data,
            (c_char_p * len(names))(*names),
            len(names),
            None if measures is None else measure_list(measures),
            None if primary is None else measure_list(primary),
            lib.text(mode, "mode"),
            lib.text(salt, "salt"),
            share(alpha, "alpha"),
            share(shadow_sampling, "shadow_sampling"),
            integer(shadow_threads, "shadow_threads", 0, 2**32 - 1),
            integer(shadow_queue, "shadow_queue", 0, 2**32 - 1),
            lib.text(shadow_latency, "shadow_latency"),
            integer(capture_depth, "capture_depth", 0, 2**32 - 1),
            None if store is None else path_bytes(store),
            -1 if dashboard is None else integer(dashboard, "dashboard", 0, 65535),
            lib.text(dashboard_address, "dashboard_address"),
            lib.text(dashboard_token, "dashboard_token"),
            self._warn,
            None,
            None,
            None,
            integer(test_topics, "test_topics", 0, 2**32 - 1),
            lib.text(",".join(repr(share(look, "looks")) for look in looks), "looks"),
            lib.text(spending, "spending"),
            share(live_alpha, "live_alpha"),
            _numbers(guardrails, "guardrails", "measure -> margin"),
            share(same_within, "same_within"),
        )
        options.shadow_overlap_sampling = share(shadow_overlap_sampling, "shadow_overlap_sampling")
        options.shadow_overlap_depth = integer(
            shadow_overlap_depth, "shadow_overlap_depth", 0, 2**32 - 1
        )
        options.shadow_overlap_persistence = share(
            shadow_overlap_persistence, "shadow_overlap_persistence"
        )
        options.actions_command = lib.text(actions_command, "actions_command")
        options.actions_url = lib.text(actions_url, "actions_url")
        options.actions_on = lib.text(actions_on, "actions_on")
        if actions_journal is not None:
            options.actions_journal = path_bytes(actions_journal)
        options.shares = _numbers(shares, "shares", "arm -> share")
        handle = c_void_p()
        with slice_file(slices, slice_by) as (options.slices, options.slice_by):
            lib.call(lib.experiment_open, self.qrels._handle, byref(options), byref(handle))
        self._handle = handle
        self._state = "open"
        self._arm_names = list(arms)
        self._arm_numbers: Dict[str, int] = {}
        _open.add(self)
        for arm in arms:
            self._number(arm)

    # A call and `close` must not overlap, so calls are counted.

    def __enter__(self) -> "Experiment":
        self._begin_call()
        self._end_call()
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def _begin_call(self) -> c_void_p:
        self._refuse_in_warning()
        thread = threading.get_ident()
        with self._changed:
            if self._state != "open":
                self._refuse()
            self._callers[thread] = self._callers.get(thread, 0) + 1
            return self._handle  # type: ignore[return-value]

    def _end_call(self) -> None:
        thread = threading.get_ident()
        with self._changed:
            left = self._callers[thread] - 1
            if left:
                self._callers[thread] = left
            else:
                del self._callers[thread]
            if not self._callers and self._state == "closing":
                self._changed.notify_all()

    def _refuse_in_warning(self) -> None:
        if getattr(_thread, "in_warning", False):
            raise UsageError(
                "experiment %s: found a call inside on_warning, which the library waits for; "
                "expected it on another thread" % ascii(self.name)
            )

    def _refuse(self) -> None:
        if self._state == "forked":
            raise UsageError(
                "experiment %s: found a process that was forked from the one that made it, "
                "expected the same process; make an experiment in each worker, after the fork"
                % ascii(self.name)
            )
        raise UsageError("experiment %s: it is closed" % ascii(self.name))

    def close(self) -> None:
        """Records what is queued, writes it to the store and ends the experiment.

        Waits for searches for comparison that run. A second call does nothing.
        """
        if getattr(_thread, "experiment", None) is self:
            raise UsageError(
                "experiment %s: found close() inside a search for comparison, which it would wait "
                "for; expected it on another thread" % ascii(self.name)
            )
        self._refuse_in_warning()
        with self._changed:
            if threading.get_ident() in self._callers:
                raise UsageError(
                    "experiment %s: found close() inside another call of the same thread, as by a "
                    "signal's handler; expected it after that call, such as by raising SystemExit "
                    "in the handler" % ascii(self.name)
                )
            if self._state == "open":
                self._state = "closing"
                try:
                    while self._callers:
                        self._changed.wait()
                except BaseException:  # such as KeyboardInterrupt
                    self._state = "open"
                    self._changed.notify_all()
                    raise
            else:
                while self._state == "closing":
                    self._changed.wait()
                return
        # Searches for comparison still use the handle meanwhile.
        try:
            lib.experiment_close(self._handle)
        finally:  # it has closed the experiment when a KeyboardInterrupt is raised
            with self._changed:
                self._state = "closed"
                self._handle = None
                self._changed.notify_all()
            _open.discard(self)

    def _forked(self) -> None:
        """In a child of fork there are no threads of the library; everything is left as it is."""
        self._changed = threading.Condition()
        self._state = "forked"
        self._handle = None

    @property
    def url(self) -> str:
        """The address of the dashboard, "" without one."""
        handle = self._begin_call()
        try:
            return lib.decode(lib.dashboard_url(handle))
        finally:
            self._end_call()

    # ---- Arms

    @property
    def arms(self) -> List[str]:
        """The names of the arms."""
        return list(self._arm_names)

    def _number(self, name: str) -> int:
        number = self._arm_numbers.get(name)
        if number is not None:
            return number
        handle = self._begin_call()
        try:
            found = c_uint32()
            lib.call(lib.arm, handle, _text(name, "arm"), byref(found))
        finally:
            self._end_call()
        self._arm_numbers[name] = found.value
        return found.value

    def _served_by(self, arm: Optional[str]) -> int:
        if arm is None:
            if self.mode == "split":
                raise UsageError("arm: found None, expected the arm that arm_for() returned")
            arm = self._arm_names[0]
        return self._number(arm)

    def _arm_name(self, number: int) -> str:
        for name, found in list(self._arm_numbers.items()):
            if found == number:
                return name
        raise UsageError("arm %d: it has no name" % number)

    def arm_for(self, unit: str) -> str:
        """Returns the arm that is to serve a topic, or any other unit, in mode split.

        In other modes it is the first active arm.
        """
        text = _text(unit, "unit")
        handle = self._begin_call()
        try:
            return self._arm_name(lib.arm_for(handle, text))
        finally:
            self._end_call()

    def change_arm(self, arm: str, change: str) -> None:
        """Changes an arm while the experiment runs, which begins an epoch.

        `change` is "add", "pause", "resume", "restart" or "remove".
        """
        texts = _text(arm, "arm"), lib.text(change, "change")
        handle = self._begin_call()
        try:
            lib.call(lib.change_arm, handle, *texts)
        finally:
            self._end_call()
        if change == "add" and arm not in self._arm_names:
            self._arm_names.append(arm)
            self._number(arm)

    # ---- Served rankings

    def begin(
        self,
        topic: str,
        *,
        session: str = "",
        arm: Optional[str] = None,
        served: Union[None, float, datetime.datetime] = None,
        request_id: int = 0,
        query: str = "",
    ) -> Visit:
        """Begins a visit: one request of a user for a topic.

        A topic that the judgements do not name is an unjudged request. Pages of one visit share
        `session`. `arm` counts instead of the arms of the rankings. `served` is when the user was
        served: seconds since 1970, or a datetime with a time zone; None: now. `request_id` is the
        host's own number, kept in the store. `query` has the user's words, by default `topic`: the
        first 63 bytes name a visit without judgements among the most changed ones.
        """
        number = lib.NO_ARM if arm is None else self._number(arm)
        request = lib.Request(
            sizeof(lib.Request),
            _text(topic, "topic"),
            _text(session, "session"),
            number,
            _nanoseconds(served),
            integer(request_id, "request_id", 0, 2**64 - 1),
            _text(query, "query"),
        )
        handle = self._begin_call()
        try:
            return Visit(self, lib.begin(handle, byref(request)), topic)
        finally:
            self._end_call()

    def _value_of(self, visit: Visit) -> lib.VisitValue:
        if not isinstance(visit, Visit):
            raise UsageError(
                "visit: found %s, expected what begin() returned" % lib.describe(visit)
            )
        if visit._experiment is not self:
            raise UsageError(
                "visit: found one of experiment %s, expected one of experiment %s"
                % (ascii(visit._experiment.name), ascii(self.name))
            )
        return visit._value

    def observe(self, visit: Visit, hits: Hits, *, arm: Optional[str] = None) -> str:
        """Records what a user was served, and returns what became of it.

        `hits` are docnos in served order, or a Ranking. `arm` made them, by default the first; in
        mode split it must be given.
        The answer is "recorded", "unjudged" (the topic has no judgements: only the latency is
        recorded), or why it was not recorded: "inactive arm", "sampled out", "no room" (the queue
        is full), "abandoned" (it could not be read).
        """
        value = self._value_of(visit)
        ranking, owner = ranking_value(hits, self._served_by(arm))
        handle = self._begin_call()
        try:
            return lib.OUTCOMES[lib.observe(handle, byref(value), byref(ranking))]
        finally:
            self._end_call()
            del owner

    def observe_failure(
        self, visit: Visit, *, arm: Optional[str] = None, timed_out: bool = False
    ) -> str:
        """Records a search that failed or timed out: an empty ranking of its arm."""
        value = self._value_of(visit)
        number = self._served_by(arm)
        handle = self._begin_call()
        try:
            outcome = lib.observe_failure(handle, byref(value), number, 1 if timed_out else 0)
            return lib.OUTCOMES[outcome]
        finally:
            self._end_call()

    def serve(
        self,
        topic: str,
        search: SearchFunction,
        *,
        arm: Optional[str] = None,
        depth: int = 0,
        session: str = "",
        request_id: int = 0,
        query: str = "",
    ) -> Hits:
        """Serves a request, in any mode: the whole integration of most hosts.

        Calls `search(arm)`, which returns docnos or a Ranking, records what it returned with its
        latency, and returns it. In mode split a hash of the topic chooses the arm, else it is
        `arm`, or the first. In mode paired `search` is called again later, on a thread of the
        library, for each arm. An exception of `search` is recorded as a failed search and raised.
        What `search` returned reaches the user in any case: if it cannot be recorded, that is
        logged by `logging` as "prescope". `query` is as of `begin`.
        """
        visit = self.begin(topic, session=session, request_id=request_id, query=query)
        served = self.arm_for(topic) if arm is None else arm
        self._number(served)

        def timed(name: str) -> Tuple[Hits, Ranking]:
            began = time.perf_counter()
            hits = search(name)
            took = (time.perf_counter() - began) * 1000.0
            return hits, timed_ranking(hits, depth, took)

        try:
            hits, ranking = timed(served)
        except BaseException:
            try:
                self.observe_failure(visit, arm=served)
            except Error:  # closed meanwhile
                _log.exception("a failed search for %s is not recorded", ascii(topic))
            raise
        try:
            self.observe(visit, ranking, arm=served)
            if self.mode == "paired" and ranking.first_rank == 1 and self.wants_shadow(visit):
                self.shadow(visit, lambda name: timed(name)[1], served=served)
        except Error:
            _log.exception("what was served for topic %s is not recorded", ascii(topic))
        return hits

    # ---- Searches for comparison

    def wants_shadow(self, visit: Visit) -> bool:
        """Returns whether `shadow` would take the visit now; if not, the reason is counted."""
        value = self._value_of(visit)
        handle = self._begin_call()
        try:
            return bool(lib.wants_shadow(handle, byref(value)))
        finally:
            self._end_call()

    def shadow(self, visit: Visit, search: SearchFunction, *, served: Optional[str] = None) -> bool:
        """Lets a thread of the library call `search(arm)` for each active arm, in mode paired.

        Call it after the user has the answer, which arm `served` gave, by default the first.
        `search` searches as the served query did, and returns docnos or a Ranking. If it raises an
        exception, that is logged by `logging` as "prescope" and counts as a failed search.
        Returns whether the visit is taken.
        """
        if not callable(search):
            raise UsageError(
                "search: found %s, expected a function of an arm's name" % lib.describe(search)
            )
        value = self._value_of(visit)
        number = self._served_by(served)
        handle = self._begin_call()
        key = next(_keys)
        _pending[key] = (self, search)
        try:
            return bool(
                lib.shadow(handle, byref(value), number, _search_callback, _forget_callback, key)
            )
        finally:
            self._end_call()

    def drain_shadow(self) -> None:
        """Waits until no search for comparison waits or runs.

        Afterwards the host may end what its searches use. Visits that other threads offer
        meanwhile are not taken. Refused inside a search for comparison.
        """
        handle = self._begin_call()
        try:
            lib.call(lib.drain_shadow, handle)
        finally:
            self._end_call()

    def _search_for_comparison(self, search: SearchFunction, number: int) -> None:
        """Runs on a thread of the library, also while `close` waits for it."""
        began = time.perf_counter()
        hits = search(self._arm_name(number))
        took = (time.perf_counter() - began) * 1000.0
        ranking, owner = ranking_value(timed_ranking(hits, 0, took), number)
        lib.observe(self._handle, None, byref(ranking))
        del owner

    def observe_comparison(
        self, visit: Visit, rankings: Mapping[str, Hits], *, served: Optional[str] = None
    ) -> str:
        """Records what each active arm found, instead of `shadow`, in mode paired.

        For a host that has searched for comparison itself, after `wants_shadow`. `rankings` has
        docnos or a Ranking for each arm; an arm that has none makes the comparison incomplete.
        None instead of a ranking is a search that failed.
        """
        if not _columns.is_mapping(rankings):
            raise UsageError(
                "rankings: found %s, expected a dict arm -> docnos" % lib.describe(rankings)
            )
        value = self._value_of(visit)
        number = self._served_by(served)
        made = []
        for arm, hits in rankings.items():
            one, owner = ranking_value([] if hits is None else hits, self._number(arm))
            if hits is None:
                one.flags |= FAILED
            made.append((one, owner))
        array = (lib.RankingValue * len(made))(*(one for one, _ in made))
        handle = self._begin_call()
        try:
            outcome = lib.observe_comparison(handle, byref(value), number, array, len(made))
            return lib.OUTCOMES[outcome]
        finally:
            self._end_call()
            del made

    # ---- Results

    def flush(self) -> None:
        """Waits until everything observed before is recorded, and in the store if there is one."""
        handle = self._begin_call()
        try:
            lib.call(lib.flush, handle)
        finally:
            self._end_call()

    def _summary(self, format_: bytes) -> str:
        handle = self._begin_call()
        try:
            text = lib.take_text(lib.summary, handle, format_)
        finally:
            self._end_call()
        return text.decode("utf-8", "replace")

    def summary(self) -> Dict[str, Any]:
        """Flushes, and returns everything recorded so far; docs/replay-json.md has the keys."""
        return json.loads(self._summary(b"json"))

    def table(self) -> str:
        """Flushes, and returns everything recorded so far as the program prints it."""
        return self._summary(b"table")

    def __repr__(self) -> str:
        return "<Experiment %s: %s, %d arms, %s>" % (
            ascii(self.name),
            self.mode,
            len(getattr(self, "_arm_names", ())),
            self._state,
        )

    def __reduce__(self) -> Any:
        raise TypeError("an Experiment cannot be pickled or copied: make one in each process")


def _nanoseconds(served: Union[None, float, datetime.datetime]) -> int:
    if served is None:
        return 0
    if isinstance(served, datetime.datetime):
        if served.tzinfo is None:
            raise UsageError(
                "served: found a datetime without a time zone, expected one with, such as "
                "datetime.now(timezone.utc)"
            )
        served = served.timestamp()
    seconds = share(served, "served")
    if not 0 < seconds < 9e9:
        raise UsageError("served: found %r, expected seconds since 1970" % (seconds,))
    return int(seconds * 1e9)
