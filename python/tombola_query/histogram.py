"""The answer about a histogram: its bins, beside what every answer says."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Dict, Optional, Sequence, Tuple, Type

from . import answer, histogram_plot
from .ranking import Ranking, ranking_member, ranking_of
from .tasks import Value
from .wire import collector_pb2


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
class Histogram(answer.Answer):
    """The answer of Client.histogram: one row a bin. `max_error` is the band for all bins at once:
    with the confidence that was asked for, no `raw` of the whole domain is further than this from
    the truth. `ranking` says what is sure of the largest, where `top` asked for them, and is else
    None. In `attrs` of `to_pandas` they are "max_error" and "ranking"."""

    kind: ClassVar[str] = "histogram"
    row: ClassVar[Type[Any]] = Row
    rows: Tuple[Row, ...]
    max_error: float
    ranking: Optional[Ranking]

    def _beside(self) -> Dict[str, Any]:
        return {"max_error": self.max_error, **ranking_member(self.ranking)}

    def plot(self, ax: Any = None, top: int = 50) -> Any:
        """Bars of the frequencies with the intervals of the raw estimates, of the first `top` rows,
        on matplotlib axes `ax` or new ones, which it returns. ImportError: matplotlib is not
        installed."""
        return histogram_plot.plot(self, ax, top, "bins")


def ask(request: collector_pb2.GetAnswerRequest, top: Optional[int],
        values: Sequence[int]) -> None:
    request.histogram.CopyFrom(collector_pb2.HistogramQuestion(top=top or 0, values=values))


def from_wire(wire: collector_pb2.Answer, postprocess: str, confidence: float) -> Histogram:
    body = wire.histogram
    return Histogram(
        **answer.envelope(wire, postprocess, confidence), max_error=body.max_error,
        ranking=ranking_of(body),
        rows=tuple(map(Row, body.labels or body.values, body.frequencies, body.raw,
                       body.standard_errors, body.low, body.high)))
