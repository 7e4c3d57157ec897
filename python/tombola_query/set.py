"""The answer about sets: the share of devices that hold each thing."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Optional, Sequence, Tuple, Type

from . import answer, histogram_plot, items
from .histogram import Row
from .wire import collector_pb2


@dataclass(frozen=True)
class Set(items.Items):
    """The answer of Client.set: one row a thing. A device may hold several of them, so that the
    frequencies do not sum to one."""

    kind: ClassVar[str] = "set"
    row: ClassVar[Type[Any]] = Row
    rows: Tuple[Row, ...]

    def plot(self, ax: Any = None, top: int = 50) -> Any:
        """Bars of the frequencies with the intervals of the raw estimates, of the first `top` rows,
        on matplotlib axes `ax` or new ones, which it returns. ImportError: matplotlib is not
        installed."""
        return histogram_plot.plot(self, ax, top, "values")


def ask(request: collector_pb2.GetAnswerRequest, top: Optional[int],
        values: Sequence[int]) -> None:
    request.set.CopyFrom(collector_pb2.SetQuestion(top=top or 0, values=values))


def from_wire(wire: collector_pb2.Answer, postprocess: str, confidence: float) -> Set:
    body = wire.set
    return Set(
        **answer.envelope(wire, postprocess, confidence), **items.beside(body),
        rows=tuple(map(Row, body.labels or body.values, body.frequencies, body.raw,
                       body.standard_errors, body.low, body.high)))
