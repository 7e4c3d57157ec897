"""The answer about a stream: how often each value has occurred over its periods."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Dict, Optional, Sequence, Tuple, Type

from . import answer, output, stream_plot
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
class Total:
    """Over the periods `first` to `last`, both included, of which those in `missing` are in no released
    node. Those in `strange` are earlier ones, which only one of the two totals has whose difference this
    is. `max_error` is the band for the shares of all values at once, None where there is no submission."""

    first: int
    last: int
    submissions: int
    missing: Tuple[answer.PeriodRun, ...]
    strange: Tuple[answer.PeriodRun, ...]
    max_error: Optional[float]
    rows: Tuple[StreamRow, ...]


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
        `submissions` of its total; numbers read back are the very same. With `path` the file is replaced
        as a whole, too."""
        return output.to_csv(_COLUMNS, self._lines(), path)

    def to_pandas(self) -> Any:
        """One line a row of a total, with the total's `first`, `last` and `submissions`; the rest as of
        other answers. ImportError: pandas is not installed."""
        frame = super().to_pandas()
        return output.to_pandas(_COLUMNS, self._lines(), frame.attrs)

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

    def _lines(self) -> Sequence[Any]:
        return [_Line({**{name: getattr(row, name) for name in _names(StreamRow)},
                       "first": total.first, "last": total.last, "submissions": total.submissions})
                for total in self.totals for row in total.rows]


class _Line:
    """What a table has in a line."""

    def __init__(self, cells: Dict[str, Any]) -> None:
        self.__dict__.update(cells)


def _names(row: Type[Any]) -> Tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(row))


_COLUMNS = ("first", "last", "submissions", *_names(StreamRow))


def _plain(total: Total) -> Dict[str, Any]:
    return {"submissions": total.submissions,
            "missing": [dataclasses.asdict(run) for run in total.missing],
            "strange": [dataclasses.asdict(run) for run in total.strange],
            "max_error": total.max_error,
            "bins": [dataclasses.asdict(row) for row in total.rows]}


def ask(request: collector_pb2.GetAnswerRequest, top: Optional[int], values: Sequence[int],
        series: bool = False, single: bool = False) -> None:
    request.stream.CopyFrom(collector_pb2.StreamQuestion(top=top or 0, values=values, series=series,
                                                         single=single))


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
    return Total(
        wire.first, wire.last, wire.submissions, _runs(wire.missing), _runs(wire.strange),
        shares.max_error if wire.HasField("shares") else None,
        tuple(map(StreamRow, shares.labels or shares.values, shares.frequencies, shares.raw,
                  shares.standard_errors, shares.low, shares.high, wire.counts,
                  wire.count_standard_errors, wire.count_low, wire.count_high)))


def _runs(wire: Any) -> Tuple[answer.PeriodRun, ...]:
    return tuple(answer.PeriodRun(run.first, run.last) for run in wire)
