"""An answer: the bins, what they are worth and what is guaranteed. Values only, all immutable."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from . import output
from .tasks import Value

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Row:
    """One bin. `frequency` is post-processed; `raw` is the unbiased estimate, `stderr` its standard
    error, and `low` to `high` the interval of the asked confidence, centred on `raw`."""

    value: Value  # the label, or the number where the task has no labels
    frequency: float
    raw: float
    stderr: float
    low: float
    high: float


@dataclass(frozen=True)
class Rejected:
    """Messages that were dropped, by cause."""

    unopened: int
    malformed: int
    out_of_range: int


@dataclass(frozen=True)
class QualityWarning:
    """What honest devices would not have sent."""

    kind: str  # "seeds", "buckets", "values", "sum" or "messages"
    text: str


@dataclass(frozen=True)
class Quality:
    """What the answer says about the devices that it comes from. `shift_per_dishonest`: the most by
    which one dishonest submission could have moved one bin's `raw`; `dishonest`: the submissions
    that the task takes for such, and `shift_at_dishonest_share` how far they could."""

    refused: Rejected
    duplicates: int
    shift_per_dishonest: float
    dishonest: int
    shift_at_dishonest_share: float
    warnings: Tuple[QualityWarning, ...]


@dataclass(frozen=True)
class Guarantee:
    """What holds for whoever sees everything that is published; str() says it in a sentence."""

    epsilon: float  # for all submissions of a device
    delta: float
    local_epsilon: Optional[float]  # if the shuffler colludes; None: nothing is left then
    users: int  # in the smallest batch
    method: str
    batches: int
    submissions_per_device: int
    batch_epsilon: float  # for one submission
    dishonest: float  # the share of submissions already taken off
    epsilon_foreign_10: Optional[float]  # batch_epsilon if 10 % are the observer's own
    epsilon_foreign_50: Optional[float]  # None: nothing is guaranteed then
    accounted_users: Optional[int]  # the honest ones that shared noise is sized for; None: not shared

    def __str__(self) -> str:
        collusion = ("nothing is left" if self.local_epsilon is None
                     else f"epsilon {self.local_epsilon:.4f}")
        return (f"epsilon {self.epsilon:.4f}, delta {self.delta:.3g} ({self.method}, {self.users} "
                f"users in the smallest batch); if the shuffler colludes: {collusion}")


@dataclass(frozen=True)
class Histogram:
    """The answer of Client.histogram. `reports` counts submissions: what the frequencies are shares
    of; `messages` what they consist of, the shuffler's `fakes` included; `rejected` the messages
    that were dropped."""

    task: str
    rows: Tuple[Row, ...]
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
        return {"task": self.task, "reports": self.reports, "messages": self.messages,
                "fakes": self.fakes, "rejected": self.rejected,
                "rejected_by_cause": dataclasses.asdict(self.rejected_by_cause),
                "bins": [dataclasses.asdict(row) for row in self.rows],
                "guarantee": guarantee,
                "quality": {**dataclasses.asdict(self.quality),
                            "warnings": [dataclasses.asdict(w) for w in self.quality.warnings]}}

    def to_csv(self, path: Optional[output.PathLike] = None) -> str:
        """The bins as CSV (RFC 4180) with a line of names; numbers read back are the very same.
        With `path` the file is replaced as a whole, too."""
        return output.to_csv(self, path)

    def to_pandas(self) -> "pandas.DataFrame":
        """One line a bin. The rest of the answer is in `attrs`: "task", "reports", "confidence",
        "postprocess", "guarantee" and "quality". ImportError: pandas is not installed."""
        return output.to_pandas(self)

    def plot(self, ax: Any = None, top: int = 50) -> Any:
        """Bars of the frequencies with the intervals of the raw estimates, of the first `top` rows,
        on matplotlib axes `ax` or new ones, which it returns. ImportError: matplotlib is not
        installed."""
        return output.plot(self, ax, top)
