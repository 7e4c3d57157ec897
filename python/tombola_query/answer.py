"""What every answer says, whatever it was asked: values only, all immutable."""
from __future__ import annotations

import dataclasses
import datetime
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Dict, Optional, Tuple

from . import output
from .wire import collector_pb2

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
    """What honest devices would not have sent."""

    kind: str  # "seeds", "buckets", "values", "sum", "messages" or "restored"
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
class Guarantee:
    """What holds for whoever sees everything that is published; str() says it in a sentence. Every
    epsilon, with its delta, is for all submissions that a device may make, but for `batch_epsilon`
    and `batch_delta`; None, with delta 1, says that nothing is guaranteed."""

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
    accounted_users: Optional[int]  # the honest ones that shared noise is sized for; None: not shared

    def __str__(self) -> str:
        return (f"{output.pair(self.epsilon, self.delta)} ({self.method}, {self.users} users in the "
                f"smallest batch); if the shuffler colludes: {output.pair(self.local_epsilon, 0)}; "
                f"{output.over_submissions(self.submissions_per_device)}")


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
class Answer:
    """`reports` counts submissions: what frequencies are shares of; `messages` what they consist of,
    the shuffler's `fakes` included; `rejected` the messages that were dropped. `periods` is None
    where the task has none. `postprocess` and
    `confidence` are as they were asked for. Each kind of answer adds what it is about."""

    kind: ClassVar[str]
    task: str
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

    def to_dict(self) -> Dict[str, Any]:
        """The object that `tombola query --json` prints."""
        guarantee = dataclasses.asdict(self.guarantee)
        if self.guarantee.accounted_users is None:
            del guarantee["accounted_users"]
        periods = self.periods and {**dataclasses.asdict(self.periods),
                                    "missing_runs": [dataclasses.asdict(run) for run in
                                                     self.periods.missing_runs]}
        return {"task": self.task, "kind": self.kind, "periods": periods, "reports": self.reports,
                "messages": self.messages, "fakes": self.fakes, "rejected": self.rejected,
                "rejected_by_cause": dataclasses.asdict(self.rejected_by_cause),
                **self._body(), "guarantee": guarantee,
                "quality": {**dataclasses.asdict(self.quality),
                            "warnings": [dataclasses.asdict(w) for w in self.quality.warnings]}}

    def _body(self) -> Dict[str, Any]:
        """The members of `to_dict` that are the kind's own."""
        raise NotImplementedError


def envelope(wire: collector_pb2.Answer, postprocess: str, confidence: float) -> Dict[str, Any]:
    """The fields of Answer, by name."""
    g, q = wire.guarantee, wire.quality
    by_cause = Rejected(**{cause.name: getattr(wire.rejected, cause.name)
                           for cause in dataclasses.fields(Rejected)})
    return {
        "task": wire.task_id.hex(),
        "periods": _periods(wire.periods) if wire.HasField("periods") else None,
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
            accounted_users=g.accounted_users or None),
        "postprocess": postprocess, "confidence": confidence}


def _periods(wire: collector_pb2.Periods) -> Periods:
    return Periods(wire.first, wire.last, _moment(wire.begins), _moment(wire.ends), wire.counted,
                   wire.missing, tuple(PeriodRun(r.first, r.last) for r in wire.missing_runs))


def _moment(seconds: int) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime(
        "%Y-%m-%dT%H:%M:%SZ")


def _finite(number: float) -> Optional[float]:
    return number if math.isfinite(number) else None
