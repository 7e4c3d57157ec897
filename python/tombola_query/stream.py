"""The answer about a stream: how often each value has occurred over its periods."""
from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Dict, Optional, Sequence, Tuple, Type

from . import answer, items, number, output, stream_plot
from .histogram import Row
from .wire import collector_pb2


@dataclass(frozen=True, slots=True)
class StreamRow(Row):
    """One value. Beside its share of the submissions, as of a bin: `count` is how many of them say it,
    unbiased, `count_stderr` its standard error, and `count_low` to `count_high` the interval of the asked
    confidence."""

    count: float
    count_stderr: float
    count_low: float
    count_high: float


@dataclass(frozen=True, slots=True)
class StreamPairRow(StreamRow):
    """One key of a stream of key-value pairs: beside all that, the mean of its number among the devices that
    hold it, with error and interval. None where too few do."""

    mean: Optional[float]
    mean_stderr: Optional[float]
    mean_low: Optional[float]
    mean_high: Optional[float]


@dataclass(frozen=True, slots=True)
class Total:
    """Over the periods `first` to `last`, both included, of which those in `missing` are in no released
    node. Those in `strange` are earlier ones, which only one of the two totals has whose difference this
    is. `max_error` is the band for the shares of all values at once, None where there is no submission.
    `sizes`, of streams of sets and key-value pairs: how many things devices hold. `number`, of streams of
    numbers: what is known of these, and there are no rows."""

    first: int
    last: int
    submissions: int
    missing: Tuple[answer.PeriodRun, ...]
    strange: Tuple[answer.PeriodRun, ...]
    max_error: Optional[float]
    rows: Tuple[StreamRow, ...]
    sizes: Optional[items.Sizes] = None
    number: Optional[number.Distribution] = None


@dataclass(frozen=True)
class Stream(answer.Answer):
    """The answer of Client.stream: one total or, with `series`, one for each period. `rows` are those of
    the last one. `counted` says what was counted together, and `void_nodes` names the nodes that had too
    few submissions: a later one that covers their periods brings these back."""

    kind: ClassVar[str] = "stream"
    row: ClassVar[Type[Any]] = StreamRow
    rows: Tuple[StreamRow, ...]
    totals: Tuple[Total, ...]
    series: bool
    counted: str
    void_nodes: Tuple[int, ...]

    def to_csv(self, path: Optional[output.PathLike] = None) -> str:
        """The rows of all totals as CSV (RFC 4180) with a line of names, each with `first`, `last` and
        `submissions` of its total; numbers read back are the very same. Of numbers a line for each total,
        with its mean, its sum and every quantile. With `path` the file is replaced as a whole, too."""
        return output.to_csv(self._names(), self._lines(), path)

    def to_pandas(self) -> Any:
        """One line a row of a total, with the total's `first`, `last` and `submissions`; the rest as of
        other answers. ImportError: pandas is not installed."""
        frame = super().to_pandas()
        return output.to_pandas(self._names(), self._lines(), frame.attrs)

    def plot(self, ax: Any = None, top: int = 8) -> Any:
        """Of a series, the shares of the first `top` values as lines over the periods, in the bands of
        their intervals; of one total, bars. On matplotlib axes `ax` or new ones, which it returns.
        ImportError: matplotlib is not installed."""
        return stream_plot.plot(self, ax, top)

    def _rows(self) -> Dict[str, Any]:
        single = _plain(self.totals[0]) if len(self.totals) == 1 else {}
        series = [{"periods": {"first": total.first, "last": total.last}, **_plain(total)}
                  for total in self.totals]
        whole = {"series": series} if self.series and not single else {}
        return {**single, **whole, "counted": self.counted, "void_nodes": list(self.void_nodes)}

    def _beside(self) -> Dict[str, Any]:
        return {}

    def to_dict(self) -> Dict[str, Any]:
        """The object that `tombola query --json` prints."""
        known = super().to_dict()
        if self.series and len(self.totals) == 1:
            known["series"] = [{"periods": {"first": self.totals[0].first,
                                            "last": self.totals[0].last}, **_plain(self.totals[0])}]
        return known

    def _names(self) -> Tuple[str, ...]:
        lines = self._lines()
        return tuple(vars(lines[0])) if lines else ("first", "last", "submissions", *_names(StreamRow))

    def _lines(self) -> Sequence[Any]:
        if any(total.number is not None for total in self.totals):
            return [_Line({**_head(total), **_estimates(total, self._fractions())})
                    for total in self.totals]
        return [_Line({**_head(total), **{name: getattr(row, name) for name in _names(type(row))}})
                for total in self.totals for row in total.rows]

    def _fractions(self) -> Sequence[float]:
        return max((tuple(total.number.quantiles) for total in self.totals if total.number is not None),
                   key=len, default=())


class _Line:
    """What a table has in a line."""

    def __init__(self, cells: Dict[str, Any]) -> None:
        self.__dict__.update(cells)


def _names(row: Type[Any]) -> Tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(row))


def _head(total: Total) -> Dict[str, Any]:
    return {"first": total.first, "last": total.last, "submissions": total.submissions}


def _estimates(total: Total, fractions: Sequence[float]) -> Dict[str, Any]:
    """A cell for each number of an estimate, None where there is none."""
    known = total.number
    named = [("count", known and known.count), ("mean", known and known.mean),
             ("sum", known and known.sum),
             *((f"q{fraction!r}", known and known.quantiles.get(fraction)) for fraction in fractions)]
    return {name + end: getattr(estimate, field) if estimate else None
            for name, estimate in named
            for end, field in (("", "value"), ("_stderr", "stderr"), ("_low", "low"), ("_high", "high"))}


def _plain(total: Total) -> Dict[str, Any]:
    head = {"submissions": total.submissions,
            "missing": [dataclasses.asdict(run) for run in total.missing],
            "strange": [dataclasses.asdict(run) for run in total.strange]}
    if total.number is not None:
        return {**head, "number": {**number.plain(total.number), "bins": [
            dataclasses.asdict(row) for row in total.number.rows]}}
    sizes = total.sizes and {**dataclasses.asdict(total.sizes), "sizes": list(total.sizes.sizes)}
    return {**head, "max_error": total.max_error, **(sizes or {}),
            "bins": [dataclasses.asdict(row) for row in total.rows]}


def ask(request: collector_pb2.GetAnswerRequest, top: Optional[int], values: Sequence[int],
        series: bool = False, single: bool = False, quantiles: Sequence[float] = (),
        bins: Optional[int] = None) -> None:
    if not all(0 <= fraction <= 1 for fraction in quantiles):
        raise ValueError("quantiles must be in [0, 1]")
    if bins is not None and bins < 1:
        raise ValueError("bins must be at least 1, or None for all")
    request.stream.CopyFrom(collector_pb2.StreamQuestion(
        top=top or 0, values=values, series=series, single=single, fractions=quantiles, bins=bins or 0))


def from_wire(wire: collector_pb2.Answer, postprocess: str, confidence: float,
              series: bool = False) -> Stream:
    body = wire.stream
    totals = tuple(map(_total, body.totals))
    return Stream(
        **answer.envelope(wire, postprocess, confidence), rows=totals[-1].rows if totals else (),
        totals=totals, series=series or len(totals) > 1, counted=body.counted,
        void_nodes=tuple(body.void_nodes))


def _total(wire: collector_pb2.StreamTotal) -> Total:
    shares = wire.shares
    columns = [shares.labels or shares.values, shares.frequencies, shares.raw, shares.standard_errors,
               shares.low, shares.high, wire.counts, wire.count_standard_errors, wire.count_low,
               wire.count_high]
    row: Type[StreamRow] = StreamRow
    if wire.means:
        row = StreamPairRow
        columns += [[None if math.isnan(mean) else mean for mean in column] for column in (
            wire.means, wire.mean_standard_errors, wire.mean_low, wire.mean_high)]
    return Total(
        wire.first, wire.last, wire.submissions, _runs(wire.missing), _runs(wire.strange),
        shares.max_error if wire.HasField("shares") else None, tuple(map(row, *columns)),
        items.sizes_from_wire(wire.sizes) if wire.HasField("sizes") else None,
        number.distribution(wire.number) if wire.HasField("number") else None)


def _runs(wire: Any) -> Tuple[answer.PeriodRun, ...]:
    return tuple(answer.PeriodRun(run.first, run.last) for run in wire)
