"""Questions to a collector, over mutual TLS."""
from __future__ import annotations

import datetime
import math
import re
from types import TracebackType
from typing import Any, Iterable, List, Mapping, Optional, Tuple, Type, Union

import grpc

from . import config, tasks
from . import number as numbers
from . import records as record_answers
from . import stream as streams
from . import strings as strings_
from . import totals as trusted_totals
from .answer import POSTPROCESS, Answer
from .errors import TombolaError, from_call
from .histogram import Histogram
from .key_value import KeyValues
from .kinds import KINDS, usual_postprocess
from .number import Numbers
from .set import Set
from .tasks import TaskStatus, Value
from .wire import collector_pb2, collector_pb2_grpc

_CHANNEL = [
    ("grpc.max_receive_message_length", 1 << 30),  # a histogram of sixteen million bins
    # gRPC inflates an answer before it looks at its size: none is, and a compressed one is refused.
    ("grpc.compression_enabled_algorithms_bitset", 1),
    ("grpc.per_message_decompression", 0),
]

# A time with a time zone, or a text such as 2026-11-17T13:26:00Z.
Moment = Union[datetime.datetime, str]
# period, since and until, as `histogram` has them.
_Periods = Tuple[Optional[int], Optional[Moment], Optional[Moment]]


class Client:
    """Asks as an analyst, or as whoever the certificate names.

    Thread safety: one client may be used from several threads. Errors: TombolaError for what the
    server, the line or the configuration refuses; ValueError for an argument that cannot be right,
    before anything is asked. Nothing is retried by itself: TombolaError says whether it may help.
    """

    def __init__(self, address: str, *, roots: config.PathLike, certificate: config.PathLike,
                 private_key: config.PathLike, timeout: float = 120.0) -> None:
        """`address`: host:port of the collector's query port. `roots`: PEM file of who vouches for
        the collector; `certificate` and `private_key`: PEM files of the caller. `timeout`: seconds
        that a call may take."""
        if not timeout > 0:
            raise ValueError("timeout must be above 0 seconds")
        self._timeout = timeout
        credentials = grpc.ssl_channel_credentials(
            config.read_pem(roots, "roots"), config.read_pem(private_key, "private key"),
            config.read_pem(certificate, "certificate"))
        self._channel = grpc.secure_channel(address, credentials, _CHANNEL)
        self._stub: Any = collector_pb2_grpc.CollectorQueryStub(  # type: ignore[no-untyped-call]
            self._channel)

    @classmethod
    def from_config(cls, path: config.PathLike, *, role: str = "analyst",
                    timeout: float = 120.0) -> "Client":
        """By the tombola.json at `path`, in one of the roles that it gives the caller."""
        access = config.load(path, role)
        return cls(access.address, roots=access.roots, certificate=access.certificate,
                   private_key=access.private_key, timeout=timeout)

    def close(self) -> None:
        self._channel.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def tasks(self, archived: bool = False) -> Tuple[TaskStatus, ...]:
        """All tasks of the collector but for those that are archived, or these alone."""
        answer = self._call(self._stub.ListTasks, collector_pb2.ListTasksRequest(archived=archived))
        return tuple(tasks.from_wire(info) for info in answer.tasks)

    def find(self, task: str) -> str:
        """The id of the task that `task` names, as all methods take it: its name (an open
        one before closed ones), or the first digits of its id, four or more. An id is not asked for.
        TombolaError: none, or several."""
        if _ID.fullmatch(task):
            return task
        return tasks.named(task, (*self.tasks(), *self.tasks(archived=True)))

    def status(self, task: str) -> TaskStatus:
        """One task."""
        return tasks.from_wire(self._call(
            self._stub.GetTask, collector_pb2.GetTaskInfoRequest(task_id=_task_id(self.find(task)))))

    def histogram(self, task: str, top: Optional[int] = None,
                  values: Optional[Iterable[Value]] = None, postprocess: str = "pop",
                  confidence: float = 0.95, *, period: Optional[int] = None,
                  since: Optional[Moment] = None,
                  until: Optional[Moment] = None) -> Histogram:
        """The bins of a task and what is guaranteed. `top`: only so many, the largest
        first; None: all, in the domain's order. `values`: only these, labels or, where the task has
        none, numbers. `postprocess`: one of POSTPROCESS. `confidence`: of each bin's interval.
        Of a task with periods, `period`: only this one, the first being 1; or `since` and `until`,
        times with a time zone or texts: only those that begin in between, the first moment included."""
        asked = self._answer("histogram", task, top, values, postprocess, confidence,
                             (period, since, until))
        assert isinstance(asked, Histogram)
        return asked

    def set(self, task: str, top: Optional[int] = None,
            values: Optional[Iterable[Value]] = None, postprocess: str = "clip",
            confidence: float = 0.95, *, period: Optional[int] = None,
            since: Optional[Moment] = None, until: Optional[Moment] = None) -> Set:
        """The same of a task about sets: the share of devices that hold each thing, and how many they
        hold. `postprocess`: "clip", "base_cut" or "none"; the others make shares sum to one."""
        asked = self._answer("set", task, top, values, postprocess, confidence,
                             (period, since, until))
        assert isinstance(asked, Set)
        return asked

    def key_value(self, task: str, top: Optional[int] = None,
                  values: Optional[Iterable[Value]] = None, postprocess: str = "clip",
                  confidence: float = 0.95, *, period: Optional[int] = None,
                  since: Optional[Moment] = None, until: Optional[Moment] = None) -> KeyValues:
        """The same of a task about key-value pairs, `values` being keys: beside the shares the mean of
        each key's number. `postprocess` as of a set; it leaves means as they are."""
        asked = self._answer("key_value", task, top, values, postprocess, confidence,
                             (period, since, until))
        assert isinstance(asked, KeyValues)
        return asked

    def number(self, task: str, quantiles: Iterable[float] = (),
               where: Optional[numbers.Ends] = None, bins: Optional[int] = None,
               postprocess: str = "pop", confidence: float = 0.95, *,
               period: Optional[int] = None, since: Optional[Moment] = None,
               until: Optional[Moment] = None) -> Numbers:
        """How the numbers of a task's devices are distributed. `quantiles`: fractions in [0, 1]; asked is
        below which numbers so large shares are. `where`: only the devices whose number is in this range,
        from the first to, not including, the second, None being an open end; not together with
        quantiles. `bins`: so many at most, neighbours joined; None: all. `postprocess`: of the bins, all
        but "em"; the rest as of a histogram."""
        request = _request(self.find(task), postprocess, confidence)
        _set_periods(request, period, since, until)
        numbers.ask_numbers(request, tuple(quantiles), where, bins, lambda: self.status(task).ranges)
        return numbers.from_wire(self._call(self._stub.GetAnswer, request), postprocess, confidence)

    def records(self, task: str, where: Optional[Mapping[str, record_answers.Condition]] = None,
                measure: Optional[str] = None, by: Iterable[str] = (),
                quantiles: Iterable[float] = (), confidence: float = 0.95, *,
                independence: bool = False, period: Optional[int] = None,
                since: Optional[Moment] = None,
                until: Optional[Moment] = None) -> record_answers.Records:
        """How many of the devices' records meet all conditions `where`: by attribute a range of numbers,
        from the first to, not including, the second, None being an open end, or one or several labels.
        `measure`: whose sum and average are asked for. `by`: one or two attributes, a cell for each of
        their values. `quantiles`: fractions in [0, 1], of the one number that `by` names. `independence`:
        whether the two attributes of `by` are tested for it; the rest as of a histogram."""
        request = _request(self.find(task), "none", confidence)
        _set_periods(request, period, since, until)
        names = (by,) if isinstance(by, str) else tuple(by)
        record_answers.ask_records(request, where or {}, measure, names, tuple(quantiles),
                                   independence, lambda: self.status(task).ranges)
        return record_answers.from_wire(self._call(self._stub.GetAnswer, request), "none", confidence)

    def stream(self, task: str, top: Optional[int] = None,
               values: Optional[Iterable[Value]] = None, postprocess: Optional[str] = None,
               confidence: float = 0.95, *, at: Optional[int] = None, series: bool = False,
               single: bool = False, quantiles: Iterable[float] = (), bins: Optional[int] = None,
               period: Optional[int] = None,
               since: Union[None, int, Moment] = None,
               until: Union[None, int, Moment] = None) -> streams.Stream:
        """How often each value has occurred in the periods of a stream. `at`: in all of them up to this
        one; or `period`, `since` and `until` as of a histogram, of which the latter two may be numbers
        of periods, both included; None: in all that are over. `series`: a total for each period, all
        from the first on, or with `single` of each period by itself. The rest as of a histogram;
        `top` is by the whole range, and `postprocess` all but "em"; None: what is usual for what the
        stream is of, which is asked for first. Of numbers `quantiles` and `bins` are as of
        Client.number, and there are no `top` and `values`."""
        if single and not series:
            raise ValueError("single must be together with series")
        task = self.find(task)
        if postprocess is None:
            postprocess = usual_postprocess(self.status(task))
        request = _request(task, postprocess, confidence)
        _set_range(request, at, period, since, until)
        streams.ask(request, _top(top), self._indices(task, values), series, single,
                    tuple(quantiles), bins)
        return streams.from_wire(self._call(self._stub.GetAnswer, request), postprocess, confidence,
                                 series)

    def strings(self, task: str, top: Optional[int] = None,
                dictionary: Optional[Iterable[Union[str, bytes]]] = None,
                false_strings: Optional[float] = None, postprocess: str = "clip",
                confidence: float = 0.95, *, patience: Optional[float] = None,
                period: Optional[int] = None, since: Optional[Moment] = None,
                until: Optional[Moment] = None) -> strings_.Strings:
        """Which strings many devices hold, most holders first. The collector searches for them, which
        may take minutes: it is asked again and again, for `patience` seconds or, if None, until it is
        over. `dictionary`: only these are looked up. `false_strings`: the probability that one is
        there that nobody holds, 0.05 if None. `postprocess`: "clip" or "none"; the rest as of a
        histogram."""
        request = _request(self.find(task), postprocess, confidence)
        _set_periods(request, period, since, until)
        strings_.ask_strings(request, _top(top), dictionary, false_strings)
        wire = strings_.until_found(lambda: self._call(self._stub.GetAnswer, request), patience)
        return strings_.from_wire(wire, postprocess, confidence)

    def totals(self, task: str, of: str = "participants", confidence: float = 0.95, *,
               period: Optional[int] = None) -> trusted_totals.Totals:
        """How many took part up to each period of a task that asked for trusted totals when it was made,
        or with "rejected" how many reports were refused, with noise that hides every device. `period`:
        the total up to this one only. TombolaError: it did not ask for them, or none has been published
        yet."""
        request = trusted_totals.ask(_task_id(self.find(task)), of, confidence, period)
        return trusted_totals.from_wire(self._call(self._stub.GetTotals, request))

    def answer(self, task: str, top: Optional[int] = None,
               values: Optional[Iterable[Value]] = None, postprocess: Optional[str] = None,
               confidence: float = 0.95, *, period: Optional[int] = None,
               since: Optional[Moment] = None, until: Optional[Moment] = None) -> Answer:
        """The same of a task of any kind, which is asked for first: the answer is of the class of
        the task's kind. `postprocess`: None is what is usual for it. TombolaError: the task is of a
        kind that this package does not know."""
        status = self.status(task)
        kind = status.kind
        if kind not in KINDS:
            raise TombolaError(f"the task is of the kind {kind}, of which this package knows nothing")
        return self._answer(kind, task, top, values, postprocess or usual_postprocess(status),
                            confidence, (period, since, until))

    def _answer(self, kind: str, task: str, top: Optional[int], values: Optional[Iterable[Value]],
                postprocess: str, confidence: float, periods: _Periods) -> Answer:
        _top(top)
        request = _request(self.find(task), postprocess, confidence)
        _set_periods(request, *periods)
        KINDS[kind].ask(request, top, self._indices(task, values))
        wire = strings_.until_found(lambda: self._call(self._stub.GetAnswer, request))
        found: Answer = KINDS[kind].read(wire, postprocess, confidence)
        return found

    def _indices(self, task: str, values: Optional[Iterable[Value]]) -> Tuple[int, ...]:
        """The numbers of the values; none where all are asked for."""
        if values is None:
            return ()
        wanted: List[Value] = [values] if isinstance(values, str) else list(values)
        if not wanted:
            raise ValueError("values must name at least one, or be None for all")
        return self.status(task).indices(wanted)

    def _call(self, method: Any, request: Any) -> Any:
        try:
            return method(request, timeout=self._timeout)
        except grpc.RpcError as error:
            raise from_call(error) from error
        except ValueError as error:  # gRPC's words for a channel that was closed
            raise TombolaError(str(error)) from error


_ID = re.compile("[0-9a-f]{64}")


def _task_id(task: str) -> bytes:
    """Of what Client.find has found."""
    return bytes.fromhex(task)


def _request(task: str, postprocess: str, confidence: float) -> collector_pb2.GetAnswerRequest:
    """All of it but the question."""
    if postprocess not in POSTPROCESS:
        raise ValueError(f"postprocess must be one of {', '.join(POSTPROCESS)}")
    if not (math.isfinite(confidence) and 0 < confidence < 1):
        raise ValueError("confidence must be in (0, 1)")
    return collector_pb2.GetAnswerRequest(
        task_id=_task_id(task), confidence=confidence,
        postprocess=collector_pb2.Postprocess.Value(f"POSTPROCESS_{postprocess.upper()}"))


def _top(top: Optional[int]) -> Optional[int]:
    if top is not None and top < 1:
        raise ValueError("top must be at least 1, or None for all")
    return top


def _number(name: str, period: object) -> int:
    if isinstance(period, bool) or not isinstance(period, int) or not 1 <= period < 1 << 40:
        raise ValueError(f"{name} must be a whole number from 1 on, as the task has them")
    return period


def _set_range(request: collector_pb2.GetAnswerRequest, at: Optional[int], period: Optional[int],
               since: Union[None, int, Moment], until: Union[None, int, Moment]) -> None:
    """The periods of a stream, by whichever of these."""
    if at is not None:
        if (period, since, until) != (None, None, None):
            raise ValueError("either at, or period, or since and until")
        request.first_period, request.last_period = 1, _number("at", at)
        return
    if not isinstance(since, int) and not isinstance(until, int):
        _set_periods(request, period, since, until)
        return
    if period is not None:
        raise ValueError("either period, or since and until, not both")
    request.first_period = 0 if since is None else _number("since", since)
    request.last_period = 0 if until is None else _number("until", until)


def _set_periods(request: collector_pb2.GetAnswerRequest, period: Optional[int],
                 since: Optional[Moment], until: Optional[Moment]) -> None:
    if period is not None:
        if since is not None or until is not None:
            raise ValueError("either period, or since and until, not both")
        request.first_period = request.last_period = _number("period", period)
    request.since = _unix("since", since)
    request.until = _unix("until", until)


def _unix(name: str, moment: Optional[Moment]) -> int:
    """Whole seconds, 1 or more; 0 if there is none."""
    if moment is None:
        return 0
    if isinstance(moment, str):  # as an answer's `periods` has them
        moment = datetime.datetime.fromisoformat(moment.replace("Z", "+00:00"))
    if not isinstance(moment, datetime.datetime) or moment.tzinfo is None:
        raise ValueError(f"{name} must be a datetime with a time zone, such as "
                         "datetime.timezone.utc, or a text such as 2026-11-17T13:26:00Z")
    return max(1, math.ceil(moment.timestamp()))
