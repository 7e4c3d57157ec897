"""The answer about strings that nobody listed: which of them many devices hold."""
from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Dict, Iterable, List, Optional, Sequence, Tuple, Type, Union

from . import answer, histogram_plot
from .errors import TombolaError
from .histogram import Row
from .wire import collector_pb2

# Seconds between questions while the collector searches: the first, and the longest.
_FIRST_WAIT, _LONGEST_WAIT = 0.05, 1.0


@dataclass(frozen=True)
class Level:
    """How many prefixes were tried, what spoke for those that stood out at least, and how many did."""

    candidates: float
    needed: int
    found: int


@dataclass(frozen=True)
class Strings(answer.Answer):
    """The answer of Client.strings: one row a string, most holders first. `threshold` devices must hold
    one for it to be found with a probability of 90 %, and none is shown that fewer than `least_holders`
    are estimated to hold. With probability `false_strings` there is one that nobody holds; `complete`
    is false if candidates were left out. By `moved_by_report` devices one lying report may move an
    estimate. `dictionary` is how many strings of a list were looked up; None: all that there may be."""

    kind: ClassVar[str] = "strings"
    row: ClassVar[Type[Any]] = Row
    rows: Tuple[Row, ...]
    threshold: float
    least_holders: int
    false_strings: float
    tests: int
    complete: bool
    moved_by_report: float
    dictionary: Optional[int]
    levels: Tuple[Level, ...]

    def _beside(self) -> Dict[str, Any]:
        named = {name: getattr(self, name) for name in (
            "threshold", "least_holders", "false_strings", "tests", "complete", "moved_by_report",
            "dictionary")}
        return {**named, "levels": [dataclasses.asdict(level) for level in self.levels]}

    def plot(self, ax: Any = None, top: int = 50) -> Any:
        """Bars of the frequencies with the intervals of the raw estimates, of the first `top` rows,
        on matplotlib axes `ax` or new ones, which it returns. ImportError: matplotlib is not
        installed."""
        return histogram_plot.plot(self, ax, top, "strings")


def ask(request: collector_pb2.GetAnswerRequest, top: Optional[int],
        values: Sequence[int]) -> None:
    if values:
        raise ValueError("values are not for strings: Client.strings has a dictionary")
    request.strings.CopyFrom(collector_pb2.StringsQuestion(top=top or 0))


def ask_strings(request: collector_pb2.GetAnswerRequest, top: Optional[int],
                dictionary: Optional[Iterable[Union[str, bytes]]],
                false_strings: Optional[float]) -> None:
    if false_strings is not None and not 0 < false_strings < 1:
        raise ValueError("false_strings must be in (0, 1)")
    ask(request, top, ())
    request.strings.false_strings = false_strings or 0
    if dictionary is None:
        return
    words: List[Union[str, bytes]] = []
    words.extend([dictionary] if isinstance(dictionary, (str, bytes)) else dictionary)
    if not words:
        raise ValueError("dictionary must have a string at least, or be None for all there may be")
    request.strings.dictionary.extend(
        word.encode() if isinstance(word, str) else word for word in words)


def until_found(once: Callable[[], Any],
                patience: Optional[float] = None) -> collector_pb2.Answer:
    """Asks again and again while the collector searches, for `patience` seconds. TombolaError: it is
    not over by then."""
    deadline = None if patience is None else time.monotonic() + patience
    wait = _FIRST_WAIT
    while True:
        wire: collector_pb2.Answer = once()
        if not wire.strings.HasField("decoding"):
            return wire
        if deadline is not None and time.monotonic() + wait > deadline:
            under_way = wire.strings.decoding
            raise TombolaError(f"the strings are still searched for: level {under_way.level} of "
                               f"{under_way.levels}, {100 * under_way.share:.0f} % of it")
        time.sleep(wait)
        wait = min(2 * wait, _LONGEST_WAIT)


def from_wire(wire: collector_pb2.Answer, postprocess: str, confidence: float) -> Strings:
    body = wire.strings
    return Strings(
        **answer.envelope(wire, postprocess, confidence),
        threshold=body.threshold, least_holders=body.least_holders, false_strings=body.false_strings,
        tests=body.tests, complete=body.complete, moved_by_report=body.moved_by_report,
        dictionary=body.dictionary or None,
        levels=tuple(Level(level.candidates, level.needed, level.found) for level in body.levels),
        rows=tuple(map(Row, (value.decode(errors="replace") for value in body.values),
                       body.frequencies, body.raw, body.standard_errors, body.low, body.high)))
