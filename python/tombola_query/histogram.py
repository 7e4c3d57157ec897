"""The answer about a histogram: its bins, beside what every answer says."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Dict, Optional, Sequence, Tuple

from . import answer, output
from .tasks import Value
from .wire import collector_pb2

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
class Histogram(answer.Answer):
    """The answer of Client.histogram: one row a bin. `max_error` is the band for all bins at once:
    with the confidence that was asked for, no `raw` of the whole domain is further than this from
    the truth."""

    kind: ClassVar[str] = "histogram"
    max_error: float
    rows: Tuple[Row, ...]

    def _body(self) -> Dict[str, Any]:
        return {"max_error": self.max_error,
                "bins": [dataclasses.asdict(row) for row in self.rows]}

    def to_csv(self, path: Optional[output.PathLike] = None) -> str:
        """The bins as CSV (RFC 4180) with a line of names; numbers read back are the very same.
        With `path` the file is replaced as a whole, too."""
        return output.to_csv(self, path)

    def to_pandas(self) -> "pandas.DataFrame":
        """One line a bin. The rest of the answer is in `attrs`: "task", "reports", "confidence",
        "postprocess", "max_error", "guarantee" and "quality". ImportError: pandas is not
        installed."""
        return output.to_pandas(self)

    def plot(self, ax: Any = None, top: int = 50) -> Any:
        """Bars of the frequencies with the intervals of the raw estimates, of the first `top` rows,
        on matplotlib axes `ax` or new ones, which it returns. ImportError: matplotlib is not
        installed."""
        return output.plot(self, ax, top)


def question(top: Optional[int], values: Sequence[int]) -> collector_pb2.HistogramQuestion:
    return collector_pb2.HistogramQuestion(top=top or 0, values=values)


def from_wire(wire: collector_pb2.Answer, postprocess: str, confidence: float) -> Histogram:
    body = wire.histogram
    return Histogram(
        **answer.envelope(wire, postprocess, confidence), max_error=body.max_error,
        rows=tuple(map(Row, body.labels or body.values, body.frequencies, body.raw,
                       body.standard_errors, body.low, body.high)))
