"""The answer about numbers: how many devices have one, their mean and sum, quantiles and bins."""
from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Dict, Optional, Sequence, Tuple, Type, Union

from . import answer, number_plot
from .wire import collector_pb2


# Two ends of a range, of which None is the task's own.
Ends = Tuple[Optional[float], Optional[float]]
# The least and the largest number of a task, by name.
Ranges = Callable[[], Dict[str, Tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """`low` to `high` is the interval of the asked confidence; without an error, the number is known."""

    value: float
    stderr: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to, not including, `high`; the task's last edge is included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class NumberRow:
    """One bin, from `low_edge` to `high_edge`. `frequency` is its share of the devices with a number,
    post-processed; `raw` the same by least squares, `stderr` its standard error and `low` to `high` the
    interval of the asked confidence."""

    value: str  # both edges
    low_edge: float
    high_edge: float
    frequency: float
    raw: float
    stderr: float
    low: float
    high: float


@dataclass(frozen=True)
class Numbers(answer.Answer):
    """The answer of Client.number, about the devices with a number or, with `where`, those whose number is
    in that range: `count` of them, which `frequency` of all with a number that is, and the `mean` and the
    `sum` of their numbers. None stands for what so few devices say nothing about. The mean may be off by
    `spread` because numbers are anywhere within their bins, and `partial` devices are in bins in which the
    range ends; intervals allow for both. `quantiles` has those that were asked for, by their fractions.
    One row a bin; none where the task counts for the mean alone. `counted` says what was counted."""

    kind: ClassVar[str] = "number"
    row: ClassVar[Type[Any]] = NumberRow
    rows: Tuple[NumberRow, ...]
    where: Optional[Range]
    count: Estimate
    frequency: Optional[Estimate]
    mean: Optional[Estimate]
    sum: Optional[Estimate]
    spread: float
    partial: float
    quantiles: Dict[float, Optional[Estimate]]
    counted: str

    def _beside(self) -> Dict[str, Any]:
        return plain(self)

    def plot(self, ax: Any = None) -> Any:
        """Bars of the bins with the intervals of the raw estimates, and lines at the mean and the
        quantiles, on matplotlib axes `ax` or new ones, which it returns. ValueError: there are no bins.
        ImportError: matplotlib is not installed."""
        return number_plot.plot(self, ax)


@dataclass(frozen=True)
class Distribution:
    """What Numbers says, of a total of a stream. `count` and the rest are None where there are no
    submissions."""

    where: Optional[Range]
    count: Optional[Estimate]
    frequency: Optional[Estimate]
    mean: Optional[Estimate]
    sum: Optional[Estimate]
    spread: float
    partial: float
    quantiles: Dict[float, Optional[Estimate]]
    rows: Tuple[NumberRow, ...]
    counted: str


def plain(numbers: Union[Numbers, Distribution]) -> Dict[str, Any]:
    """The members of the JSON object that are not its rows."""
    def of(estimate: Optional[Estimate]) -> Optional[Dict[str, float]]:
        return None if estimate is None else dataclasses.asdict(estimate)

    return {"where": numbers.where and dataclasses.asdict(numbers.where),
            "count": of(numbers.count), "frequency": of(numbers.frequency),
            "mean": of(numbers.mean), "sum": of(numbers.sum), "spread": numbers.spread,
            "partial": numbers.partial,
            "quantiles": {repr(fraction): of(estimate)
                          for fraction, estimate in numbers.quantiles.items()},
            "counted": numbers.counted}


def ask(request: collector_pb2.GetAnswerRequest, top: Optional[int],
        values: Sequence[int]) -> None:
    if top is not None or values:
        raise ValueError("top and values are not for numbers: Client.number has where and bins")
    ask_numbers(request, (), None, None, dict)


def closed(ends: Ends, name: str, ranges: Ranges) -> Tuple[float, float]:
    """Both ends; `ranges` is asked where one is open. ValueError: the range is empty."""
    low, high = ends
    if low is None or high is None:
        least, largest = ranges().get(name, (math.nan, math.nan))
        low, high = (least if low is None else low), (largest if high is None else high)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError("two numbers, the first below the second, or None for an open end")
    return low, high


def ask_numbers(request: collector_pb2.GetAnswerRequest, quantiles: Sequence[float],
                where: Optional[Ends], bins: Optional[int], ranges: Ranges) -> None:
    question = collector_pb2.NumberQuestion(fractions=quantiles, bins=bins or 0)
    if not all(0 <= fraction <= 1 for fraction in question.fractions):
        raise ValueError("quantiles must be in [0, 1]")
    if bins is not None and bins < 1:
        raise ValueError("bins must be at least 1, or None for all")
    if where is not None:
        try:
            question.where.low, question.where.high = closed(where, "value", ranges)
        except ValueError as error:
            raise ValueError(f"where must be {error}") from error
    request.number.CopyFrom(question)


def from_wire(wire: collector_pb2.Answer, postprocess: str, confidence: float) -> Numbers:
    body = distribution(wire.number)
    members: Dict[str, Any] = {**vars(body), "count": _estimate(wire.number.count)}
    return Numbers(**answer.envelope(wire, postprocess, confidence), **members)


def distribution(body: collector_pb2.Distribution) -> Distribution:
    def known(name: str) -> Optional[Estimate]:
        return _estimate(getattr(body, name)) if body.HasField(name) else None

    quantiles: Dict[float, Optional[Estimate]] = dict.fromkeys(body.fractions)
    quantiles.update(zip(body.fractions, map(_estimate, body.quantiles)))
    return Distribution(
        where=Range(body.where.low, body.where.high) if body.HasField("where") else None,
        count=known("count"), frequency=known("frequency"), mean=known("mean"),
        sum=known("sum"), spread=body.spread, partial=body.partial, quantiles=quantiles,
        counted=body.counted,
        rows=tuple(NumberRow(f"{low:g}..{high:g}", low, high, *rest) for low, high, *rest in zip(
            body.low_edges, body.high_edges, body.frequencies, body.raw, body.standard_errors,
            body.low, body.high)))


def _estimate(wire: collector_pb2.Estimate) -> Estimate:
    return Estimate(wire.value, wire.standard_error, wire.low, wire.high)
