"""The answer about strings that nobody listed: those that many devices hold."""
from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Dict, Iterable, List, Optional, Sequence, Tuple, Type, Union

from . import answer, histogram_plot
from .errors import TombolaError
from .histogram import Row
from .wire import collector_pb2

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 1.0  # seconds between two questions about one search


@dataclass(frozen=True, slots=True)
class Decoding:
    """How far a search is: `ahead` of it are so many others, and of the tests of `level`, from 1 to
    `levels`, a `share` is done."""

    ahead: int
    level: int
    levels: int
    share: float


@dataclass(frozen=True, slots=True)
class Level:
    """So many `candidates` were tried; `found` of them had the statistic that was `needed`, or more."""

    candidates: float
    needed: int
    found: int


@dataclass(frozen=True)
class Strings(answer.Answer):
    """The answer of Client.strings: one row a string that stands out, most holders first. A value that
    is no UTF-8 has U+FFFD in it; `values` are the bytes of all rows. So many devices as `threshold`
    says must hold a string for it to be found with a probability of 90 %, and none is shown that fewer
    than `least_holders` are estimated to hold; a string that few hold is protected by epsilon, not by
    these. `dictionary` is how many were looked up, None where all that there may be were searched for,
    and `complete` whether nothing was left out to save time. With the probability `false_strings`,
    about, a row is there that nobody holds. One lying report may move an estimate by
    `moved_by_report` devices."""

    kind: ClassVar[str] = "strings"
    row: ClassVar[Type[Any]] = Row
    rows: Tuple[Row, ...]
    values: Tuple[bytes, ...]
    threshold: float
    least_holders: int
    false_strings: float
    tests: int
    complete: bool
    moved_by_report: float
    dictionary: Optional[int]
    levels: Tuple[Level, ...]

    def plot(self, ax: Any = None, top: int = 50) -> Any:
        """Bars of the frequencies with the intervals of the raw estimates, of the first `top` rows,
        on matplotlib axes `ax` or new ones, which it returns. ImportError: matplotlib is not
        installed."""
        ax = histogram_plot.plot(self, ax, top, "strings")
        if self.reports > 0:
            ax.axvline(100 * self.threshold / self.reports, color="tab:gray", linestyle=":")
        return ax

    def _beside(self) -> Dict[str, Any]:
        return {"threshold": self.threshold, "least_holders": self.least_holders,
                "false_strings": self.false_strings, "tests": self.tests,
                "complete": self.complete, "moved_by_report": self.moved_by_report,
                "dictionary": self.dictionary,
                "levels": [{"candidates": level.candidates, "needed": level.needed,
                            "found": level.found} for level in self.levels]}


def listed(dictionary: Optional[Iterable[Union[str, bytes]]]) -> List[bytes]:
    """The strings to be looked up; none where all are searched for."""
    if dictionary is None:
        return []
    texts = [dictionary] if isinstance(dictionary, (str, bytes)) else list(dictionary)
    if not texts:
        raise ValueError("dictionary must name at least one string, or be None for all")
    return [text.encode() if isinstance(text, str) else bytes(text) for text in texts]


def ask(request: collector_pb2.GetAnswerRequest, top: Optional[int],
        dictionary: Sequence[Union[int, bytes]], false_strings: float = 0) -> None:
    request.strings.CopyFrom(collector_pb2.StringsQuestion(
        top=top or 0, dictionary=dictionary, false_strings=false_strings))


def found(call: Callable[[], collector_pb2.Answer], patience: Optional[float],
          progress: Optional[Callable[[Decoding], None]],
          sleep: Callable[[float], None] = time.sleep) -> collector_pb2.Answer:
    """What `call` answers once the search is over; it is asked again and again until then.
    TombolaError: that took longer than `patience` in seconds."""
    pause, waited = FIRST_PAUSE, 0.0
    while True:
        wire = call()
        if not wire.strings.HasField("decoding"):
            return wire
        decoding = wire.strings.decoding
        if progress is not None:
            progress(Decoding(decoding.ahead, decoding.level, decoding.levels, decoding.share))
        if patience is not None and waited + pause > patience:
            raise TombolaError("the strings were not found in time; the search goes on for a while, and "
                               "asking the same again later goes on with it")
        sleep(pause)
        waited += pause
        pause = min(2 * pause, LONGEST_PAUSE)


def from_wire(wire: collector_pb2.Answer, postprocess: str, confidence: float) -> Strings:
    body = wire.strings
    values = tuple(body.values)
    return Strings(
        **answer.envelope(wire, postprocess, confidence), values=values, threshold=body.threshold,
        least_holders=body.least_holders, false_strings=body.false_strings, tests=body.tests,
        complete=body.complete, moved_by_report=body.moved_by_report,
        dictionary=body.dictionary or None,
        levels=tuple(Level(one.candidates, one.needed, one.found) for one in body.levels),
        rows=tuple(map(Row, (value.decode(errors="replace") for value in values),
                       body.frequencies, body.raw, body.standard_errors, body.low, body.high)))
