"""The answer about key-value pairs: the share of devices that hold each key, and the mean of the number
that goes with it."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Iterable, Iterator, Optional, Sequence, Tuple, Type

from . import answer, items, key_value_plot
from .histogram import Row
from .wire import collector_pb2


@dataclass(frozen=True, slots=True)
class KeyValueRow(Row):
    """One key. Beside its share as of a bin: `mean` is that of its numbers among the devices that hold
    it, `mean_stderr` its standard error, and `mean_low` to `mean_high` the interval of the asked
    confidence. All four are None where the share is not above three standard errors: so few hold the
    key that its mean would be noise."""

    mean: Optional[float]
    mean_stderr: Optional[float]
    mean_low: Optional[float]
    mean_high: Optional[float]


@dataclass(frozen=True)
class KeyValues(items.Items):
    """The answer of Client.key_value: one row a key. A device may hold several of them, so that the
    frequencies do not sum to one."""

    kind: ClassVar[str] = "key_value"
    row: ClassVar[Type[Any]] = KeyValueRow
    rows: Tuple[KeyValueRow, ...]

    def plot(self, ax: Any = None, top: int = 50) -> Any:
        """Beside each other, of the first `top` rows: bars of the frequencies with the intervals of the
        raw estimates, and dots of the means with theirs. On `ax`, a pair of matplotlib axes, or new
        ones, which it returns. ImportError: matplotlib is not installed."""
        return key_value_plot.plot(self, ax, top)


def ask(request: collector_pb2.GetAnswerRequest, top: Optional[int],
        values: Sequence[int]) -> None:
    request.key_value.CopyFrom(collector_pb2.KeyValueQuestion(top=top or 0, values=values))


def from_wire(wire: collector_pb2.Answer, postprocess: str, confidence: float) -> KeyValues:
    body = wire.key_value
    return KeyValues(
        **answer.envelope(wire, postprocess, confidence), **items.beside(body),
        rows=tuple(map(KeyValueRow, body.labels or body.values, body.frequencies, body.raw,
                       body.standard_errors, body.low, body.high, _known(body.means),
                       _known(body.mean_standard_errors), _known(body.mean_low),
                       _known(body.mean_high))))


def _known(numbers: Iterable[float]) -> Iterator[Optional[float]]:
    """On the wire NaN says that there is no number."""
    return (None if math.isnan(number) else number for number in numbers)
