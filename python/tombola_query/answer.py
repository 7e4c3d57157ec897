"""What every answer says, whatever it was asked: values only, all immutable."""
from __future__ import annotations

import dataclasses
import datetime
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Dict, Optional, Tuple, Type

from . import output, words
from .wire import collector_pb2

if TYPE_CHECKING:
    import pandas

POSTPROCESS = tuple(name[len("POSTPROCESS_"):].lower() for name in collector_pb2.Postprocess.keys()
                    if name != "POSTPROCESS_UNSPECIFIED")


@dataclass(frozen=True)
class Rejected:
    """Messages that were dropped, by cause."""

    unopened: int
    malformed: int
    out_of_range: int


@dataclass(frozen=True)
class QualityWarning:
    """What honest devices would not have sent, what the collector has lost, or that an answer is
    mostly noise."""

    kind: str  # "seeds", "buckets", "values", "sum", "messages", "restored" or "noise"
    text: str


@dataclass(frozen=True)
class Quality:
    """What the answer says about the devices that it comes from. `shift_per_dishonest`: the most by
    which one dishonest submission could have moved one bin's `raw`; `dishonest`: the submissions
    that the task takes for such, and `shift_at_dishonest_share` how far they could."""

    duplicates: int
    shift_per_dishonest: float
    dishonest: int
    shift_at_dishonest_share: float
    warnings: Tuple[QualityWarning, ...]


@dataclass(frozen=True)
class PeriodRun:
    """Both ends included."""

    first: int
    last: int


@dataclass(frozen=True)
class Periods:
    """The periods that an answer is about: those that were asked for, as far as they have ended.
    `missing` of them have no counted batch; `missing_runs` names the first 1,000 runs of those."""

    first: int
    last: int
    begins: str  # of the first, and when the last ends: 2026-11-17T13:26:00Z
    ends: str
    counted: int
    missing: int
    missing_runs: Tuple[PeriodRun, ...]


@dataclass(frozen=True)
class Guarantee:
    """What holds for whoever sees everything that is published; str() says it in a sentence. Every
    epsilon, with its delta, is for all submissions that a device may make, but for `batch_epsilon`
    and `batch_delta`; None, with delta 1, says that nothing is guaranteed. Of a task with periods
    they are for the submissions that a device may have made in the `periods` that were counted, at
    most one in each, and `local_epsilon` for all that it may have made in the answer's time."""

    epsilon: Optional[float]
    delta: float
    local_epsilon: Optional[float]  # if the shuffler colludes, with delta 0
    users: int  # in the smallest batch
    method: str
    batches: int
    submissions_per_device: int
    batch_epsilon: Optional[float]  # one submission alone
    batch_delta: float
    dishonest: float  # the share of submissions already taken off
    epsilon_foreign_10: Optional[float]  # if 10 % are the observer's own
    delta_foreign_10: float
    epsilon_foreign_50: Optional[float]  # if 50 % are
    delta_foreign_50: float
    warning: Optional[str]  # if it is more than a usual device's policy allows over a task's life
    reason: Optional[str]  # why several submissions cost that much; None: there is one
    total_epsilon: Optional[float]  # what a device's whole life in the task may cost it,
    total_delta: float
    total_submissions: int  # over so many submissions
    accounted_users: Optional[int]  # the honest ones that shared noise is sized for; None: not shared

    periods: Optional[Periods] = None  # the answer's

    def __str__(self) -> str:
        made = ", over all that a device may have made in that time" if self.periods else ""
        return (f"{words.pair(self.epsilon, self.delta)} ({self.method}, {self.users} users in the "
                f"smallest batch); if the shuffler colludes: {words.pair(self.local_epsilon, 0)}"
                f"{made if self.local_epsilon is not None else ''}; {self._over()}; total: "
                f"{words.whole_life(self.total_epsilon, self.total_delta, self.total_submissions)}")

    def short(self) -> str:
        """The guarantee without what it depends on, as for the title of a plot."""
        return f"{words.pair(self.epsilon, self.delta)}, {self._over()}"

    def _over(self) -> str:
        periods = self.periods.last - self.periods.first + 1 if self.periods else 0
        return words.over_submissions(self.submissions_per_device, periods)


@dataclass(frozen=True)
class Answer:
    """`reports` counts submissions: what frequencies are shares of; `messages` what they consist of,
    the shuffler's `fakes` included; `rejected` the messages that were dropped. `periods` is None
    where the task has none. `postprocess` and `confidence` are as they were asked for. Each kind of
    answer has `rows` of its own, and adds what it says beside them."""

    kind: ClassVar[str]
    row: ClassVar[Type[Any]]  # what its rows are
    task: str
    name: str  # the task's
    as_of: Optional[str]  # when its newest counted batch was finished, to the minute; None: not known
    supersedes: Optional[str]  # the ids of the tasks before and after it
    superseded_by: Optional[str]
    periods: Optional[Periods]
    reports: int
    messages: int
    fakes: int
    rejected: int
    rejected_by_cause: Rejected
    quality: Quality
    guarantee: Guarantee
    postprocess: str
    confidence: float
    rows: Tuple[Any, ...]

    def to_dict(self) -> Dict[str, Any]:
        """The object that `tombola query --json` prints."""
        guarantee = dataclasses.asdict(self.guarantee)
        del guarantee["periods"]
        if self.guarantee.accounted_users is None:
            del guarantee["accounted_users"]
        periods = self.periods and {**dataclasses.asdict(self.periods),
                                    "missing_runs": [dataclasses.asdict(run) for run in
                                                     self.periods.missing_runs]}
        return {"task": self.task, "kind": self.kind, "name": self.name, "as_of": self.as_of,
                "confidence": self.confidence, "postprocess": self.postprocess,
                "supersedes": self.supersedes, "superseded_by": self.superseded_by,
                "periods": periods, "reports": self.reports,
                "messages": self.messages, "fakes": self.fakes, "rejected": self.rejected,
                "rejected_by_cause": dataclasses.asdict(self.rejected_by_cause),
                **self._beside(), **self._rows(),
                "guarantee": guarantee,
                "quality": {**dataclasses.asdict(self.quality),
                            "warnings": [dataclasses.asdict(w) for w in self.quality.warnings]}}

    def to_csv(self, path: Optional[output.PathLike] = None) -> str:
        """The rows as CSV (RFC 4180) with a line of names; numbers read back are the very same.
        With `path` the file is replaced as a whole, too."""
        return output.to_csv(self._columns(), self.rows, path)

    def to_pandas(self) -> "pandas.DataFrame":
        """One line a row. The rest of the answer is in `attrs`: "task", "periods", "reports",
        "confidence", "postprocess", "guarantee", "quality" and what the kind says beside its rows.
        ImportError: pandas is not installed."""
        attributes = {name: getattr(self, name) for name in (
            "task", "periods", "reports", "confidence", "postprocess", "guarantee", "quality")}
        return output.to_pandas(self._columns(), self.rows, {**attributes, **self._beside()})

    def _columns(self) -> Tuple[str, ...]:
        return tuple(field.name for field in dataclasses.fields(self.row))

    def _rows(self) -> Dict[str, Any]:
        """The member of `to_dict` that has the rows."""
        return {"bins": [dataclasses.asdict(row) for row in self.rows]}

    def _beside(self) -> Dict[str, Any]:
        """The members of `to_dict` that are the kind's own, but for the rows."""
        raise NotImplementedError


def envelope(wire: collector_pb2.Answer, postprocess: str, confidence: float) -> Dict[str, Any]:
    """The fields of Answer, by name."""
    g, q = wire.guarantee, wire.quality
    periods = _periods(wire.periods) if wire.HasField("periods") else None
    by_cause = Rejected(**{cause.name: getattr(wire.rejected, cause.name)
                           for cause in dataclasses.fields(Rejected)})
    return {
        "task": wire.task_id.hex(),
        "name": wire.caption.name,
        "as_of": _moment(wire.caption.as_of) if wire.caption.as_of else None,
        "supersedes": wire.caption.supersedes.hex() or None,
        "superseded_by": wire.caption.superseded_by.hex() or None,
        "periods": periods,
        "reports": wire.reports, "messages": wire.messages, "fakes": wire.fakes,
        "rejected": sum(dataclasses.astuple(by_cause)),
        "rejected_by_cause": by_cause,
        "quality": Quality(
            duplicates=q.duplicates, shift_per_dishonest=q.shift_per_dishonest,
            dishonest=q.dishonest, shift_at_dishonest_share=q.shift_at_dishonest_share,
            warnings=tuple(QualityWarning(w.kind, w.text) for w in q.warnings)),
        "guarantee": Guarantee(
            epsilon=_finite(g.epsilon), delta=g.delta,
            local_epsilon=g.local_epsilon if g.HasField("local_epsilon") else None,
            users=g.users, method=g.method, batches=g.batches,
            submissions_per_device=g.submissions_per_device, batch_epsilon=_finite(g.batch_epsilon),
            batch_delta=g.batch_delta, dishonest=g.dishonest_share,
            epsilon_foreign_10=_finite(g.epsilon_foreign_10), delta_foreign_10=g.delta_foreign_10,
            epsilon_foreign_50=_finite(g.epsilon_foreign_50), delta_foreign_50=g.delta_foreign_50,
            warning=g.warning or None, reason=g.reason or None,
            total_epsilon=_finite(g.total_epsilon), total_delta=g.total_delta,
            total_submissions=g.total_submissions,
            accounted_users=g.accounted_users or None, periods=periods),
        "postprocess": postprocess, "confidence": confidence}


def _periods(wire: collector_pb2.Periods) -> Periods:
    return Periods(wire.first, wire.last, _moment(wire.begins), _moment(wire.ends), wire.counted,
                   wire.missing, tuple(PeriodRun(r.first, r.last) for r in wire.missing_runs))


def _moment(seconds: int) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime(
        "%Y-%m-%dT%H:%M:%SZ")


def _finite(number: float) -> Optional[float]:
    return number if math.isfinite(number) else None
