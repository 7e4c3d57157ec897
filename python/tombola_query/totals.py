"""Trusted totals: how many took part in the periods of a task, with noise that hides each of them."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from . import output
from .errors import TombolaError
from .wire import collector_pb2

# What a total is of.
QUANTITIES = ("participants", "rejected")


@dataclass(frozen=True, slots=True)
class TotalsRow:
    """The total of all periods up to this one: unbiased, so that one may be below another, or below 0;
    its standard error and the interval of the asked confidence."""

    period: int
    total: int
    stderr: float
    low: int
    high: int


@dataclass(frozen=True)
class Totals:
    """The answer of Client.totals. All totals of `of` together satisfy `epsilon` and `delta` for two worlds
    that differ in all submissions of one device, and `submission_epsilon` with the same delta for two
    that differ in one."""

    task: str  # 64 hexadecimal digits
    of: str  # one of QUANTITIES
    structure: str
    epsilon: float
    delta: float
    submission_epsilon: float
    submissions_per_device: int
    sensitivity: int  # what one submission may change a total by
    periods: int  # of the task
    published: int  # of them, so far
    ended: bool  # no further ones
    mean_variance: float  # of a total: predicted or, once they have ended, as it was
    rows: Tuple[TotalsRow, ...]

    def to_dict(self) -> Dict[str, Any]:
        """The object that `tombola query --participants --json` prints."""
        known = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**known, "trouble": None, "rows": [dataclasses.asdict(row) for row in self.rows]}

    def to_csv(self, path: Optional[output.PathLike] = None) -> str:
        """The rows as CSV (RFC 4180) with a line of names. With `path` the file is replaced as a whole,
        too."""
        return output.to_csv(_COLUMNS, self.rows, path)

    def to_pandas(self) -> Any:
        """One line a row; what is guaranteed is in `attrs`. ImportError: pandas is not installed."""
        attributes = self.to_dict()
        del attributes["rows"]
        return output.to_pandas(_COLUMNS, self.rows, attributes)


_COLUMNS = tuple(field.name for field in dataclasses.fields(TotalsRow))


def ask(task: bytes, of: str, confidence: float, period: Optional[int]) -> collector_pb2.GetTotalsRequest:
    """ValueError for an argument that cannot be right."""
    if of not in QUANTITIES:
        raise ValueError(f"of must be one of {', '.join(QUANTITIES)}")
    if not 0 < confidence < 1:
        raise ValueError("confidence must be in (0, 1)")
    if period is not None and period < 1:
        raise ValueError("period must be 1 or more")
    return collector_pb2.GetTotalsRequest(
        task_id=task, of=_number(of), confidence=confidence, first_period=period or 0,
        last_period=period or 0)


def from_wire(wire: collector_pb2.Totals) -> Totals:
    info = wire.info
    if info.trouble:
        raise TombolaError(info.trouble)
    rows = zip(wire.totals, wire.standard_errors, wire.low, wire.high)
    return Totals(
        task=wire.task_id.hex(), of=_name(info.of), structure=info.structure, epsilon=info.epsilon,
        delta=info.delta, submission_epsilon=info.submission_epsilon,
        submissions_per_device=info.submissions_per_device, sensitivity=info.sensitivity,
        periods=info.periods, published=info.published, ended=info.ended,
        mean_variance=info.mean_variance,
        rows=tuple(TotalsRow(wire.first + i, *row) for i, row in enumerate(rows)))


_PREFIX = "TOTALS_QUANTITY_"


def _number(of: str) -> Any:
    return collector_pb2.TotalsQuantity.Value(_PREFIX + of.upper())


def _name(number: Any) -> str:
    return str(collector_pb2.TotalsQuantity.Name(number))[len(_PREFIX):].lower()
