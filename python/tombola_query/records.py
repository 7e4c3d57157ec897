"""The answer about records: how many meet conditions, and what a number of theirs adds up to."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Dict, Mapping, Optional, Sequence, Tuple, Type, Union

from . import answer, records_plot
from .number import Ends, Estimate, Range, Ranges, closed
from .wire import collector_pb2

# A range of a number, from the first to, not including, the second, None being an open end; or one or
# several labels.
Condition = Union[Ends, str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One cell. `value`: of each attribute of `by` a label or both edges of a range, with commas between.
    `count` is how many records are in it, with its standard error and the interval of the asked
    confidence; so are the `sum` and the average `avg` of the measure, None without one, an average also
    where the count is not above three standard errors."""

    value: str
    count: float
    count_stderr: float
    count_low: float
    count_high: float
    sum: Optional[float]
    sum_stderr: Optional[float]
    sum_low: Optional[float]
    sum_high: Optional[float]
    avg: Optional[float]
    avg_stderr: Optional[float]
    avg_low: Optional[float]
    avg_high: Optional[float]


@dataclass(frozen=True)
class Independence:
    """How far two attributes are from independent: the `statistic` is chi-square with so many
    `degrees_of_freedom` if they are, and as large or larger with the probability `p_value`."""

    statistic: float
    degrees_of_freedom: int
    p_value: float


@dataclass(frozen=True)
class Records(answer.Answer):
    """The answer of Client.records, about the records that meet all conditions: `count` of them, and the
    `sum` and the average `avg` of the measure. `partial` records are in cells that conditions cut: of those
    a part was taken, as if they were spread evenly, which no interval allows for. `records`: all there are
    in the batches. One row a cell of `by`, whose labels and ranges in words are `cells`; `ranges` has the
    ranges, None for a label. `counted` says which view answered. `independence` of the two attributes of
    `by`, where it was asked for and records are enough."""

    kind: ClassVar[str] = "records"
    row: ClassVar[Type[Any]] = RecordRow
    rows: Tuple[RecordRow, ...]
    where: Dict[str, Union[Range, Tuple[str, ...]]]
    measure: Optional[str]
    by: Tuple[str, ...]
    cells: Tuple[Tuple[str, ...], ...]
    ranges: Tuple[Tuple[Optional[Range], ...], ...]
    count: Estimate
    sum: Optional[Estimate]
    avg: Optional[Estimate]
    partial: float
    records: Estimate
    quantiles: Dict[float, Optional[Estimate]]
    independence: Optional[Independence]
    counted: str

    def _beside(self) -> Dict[str, Any]:
        def plain(estimate: Optional[Estimate]) -> Optional[Dict[str, float]]:
            return None if estimate is None else dataclasses.asdict(estimate)

        return {"where": {name: dataclasses.asdict(wanted) if isinstance(wanted, Range) else list(wanted)
                          for name, wanted in self.where.items()},
                "measure": self.measure, "by": list(self.by), "count": plain(self.count),
                "sum": plain(self.sum), "avg": plain(self.avg), "partial": self.partial,
                "records": plain(self.records),
                "quantiles": {repr(fraction): plain(estimate)
                              for fraction, estimate in self.quantiles.items()},
                "independence": (None if self.independence is None
                                 else dataclasses.asdict(self.independence)),
                "counted": self.counted}

    def plot(self, ax: Any = None, *, show: Optional[str] = None) -> Any:
        """The cells of one attribute: counts as bars with intervals; averages and sums as a line in a band of
        their intervals where it is a number, else as dots. Of two attributes a heat map. On matplotlib axes
        `ax` or new ones, which it returns. `show`: "count", "avg" or "sum"; None: averages of one attribute,
        where there is a measure, else counts. ValueError: there are no cells, or none such. ImportError:
        matplotlib is not installed."""
        return records_plot.plot(self, ax, show)

    def _rows(self) -> Dict[str, Any]:
        def estimate(row: RecordRow, name: str) -> Optional[Dict[str, float]]:
            values = [getattr(row, name + part) for part in ("", "_stderr", "_low", "_high")]
            return None if values[0] is None else dataclasses.asdict(Estimate(*values))

        return {"cells": [
            {"values": list(values),
             "low_edges": [one and one.low for one in ranges],
             "high_edges": [one and one.high for one in ranges],
             **{name: estimate(row, name) for name in ("count", "sum", "avg")}}
            for values, ranges, row in zip(self.cells, self.ranges, self.rows)]}


def ask(request: collector_pb2.GetAnswerRequest, top: Optional[int],
        values: Sequence[int]) -> None:
    if top is not None or values:
        raise ValueError("top and values are not for records: Client.records has where and by")
    ask_records(request, {}, None, (), (), False, dict)


def ask_records(request: collector_pb2.GetAnswerRequest, where: Mapping[str, Condition],
                measure: Optional[str], by: Sequence[str], quantiles: Sequence[float],
                independence: bool, ranges: Ranges) -> None:
    question = collector_pb2.RecordsQuestion(measure=measure or "", by=by, fractions=quantiles,
                                             independence=independence)
    if not all(0 <= fraction <= 1 for fraction in question.fractions):
        raise ValueError("quantiles must be in [0, 1]")
    for name, wanted in where.items():
        condition = question.where.add(attribute=name)
        try:
            if isinstance(wanted, str):
                condition.labels.append(wanted)
            elif wanted and all(isinstance(label, str) for label in wanted):
                condition.labels.extend(label for label in wanted if isinstance(label, str))
            else:
                low, high = (end if end is None else float(end) for end in wanted)
                condition.range.low, condition.range.high = closed((low, high), name, ranges)
        except (TypeError, ValueError) as error:
            raise ValueError(f"where: {name} must be labels, or two numbers, the first below the second, "
                             "or None for an open end") from error
    request.records.CopyFrom(question)


def from_wire(wire: collector_pb2.Answer, postprocess: str, confidence: float) -> Records:
    body = wire.records
    quantiles: Dict[float, Optional[Estimate]] = dict.fromkeys(body.fractions)
    quantiles.update(zip(body.fractions, map(_estimate, body.quantiles)))
    return Records(
        **answer.envelope(wire, postprocess, confidence),
        where={one.attribute: Range(one.range.low, one.range.high) if one.HasField("range")
               else tuple(one.labels) for one in body.where},
        measure=body.measure or None, by=tuple(body.by), count=_estimate(body.count),
        sum=_known(body, "sum"), avg=_known(body, "average"), partial=body.partial,
        records=_estimate(body.records),
        quantiles=quantiles, counted=body.counted,
        independence=(Independence(body.independence.statistic, body.independence.degrees_of_freedom,
                                   body.independence.p_value)
                      if body.HasField("independence") else None),
        cells=tuple(tuple(value.label for value in cell.values) for cell in body.cells),
        ranges=tuple(tuple(Range(value.range.low, value.range.high) if value.HasField("range") else None
                           for value in cell.values) for cell in body.cells),
        rows=tuple(_row(cell) for cell in body.cells))


def _row(cell: collector_pb2.AggregateCell) -> RecordRow:
    def numbers(name: str) -> Tuple[Optional[float], ...]:
        estimate = _known(cell, name)
        return (None,) * 4 if estimate is None else dataclasses.astuple(estimate)

    count = _estimate(cell.count)
    return RecordRow(", ".join(value.label for value in cell.values), count.value, count.stderr,
                     count.low, count.high, *numbers("sum"), *numbers("average"))


def _known(body: Any, name: str) -> Optional[Estimate]:
    return _estimate(getattr(body, name)) if body.HasField(name) else None


def _estimate(wire: collector_pb2.Estimate) -> Estimate:
    return Estimate(wire.value, wire.standard_error, wire.low, wire.high)
