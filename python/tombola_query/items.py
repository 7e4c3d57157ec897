"""What the answers about sets and key-value pairs share: how many things devices hold."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple, Union

from . import answer
from .ranking import Ranking, ranking_member, ranking_of
from .wire import collector_pb2


@dataclass(frozen=True)
class Sizes:
    """How many things devices hold, as of Items."""

    sizes: Tuple[float, ...]
    full: float
    full_stderr: float
    full_low: float
    full_high: float
    hint: Optional[str]


@dataclass(frozen=True)
class Items(answer.Answer):
    """`max_error` is the band for all rows at once: with the confidence that was asked for, no `raw`
    of the whole domain is further than this from the truth. `sizes[k]` is the share of devices that
    hold k things, the last one that of those that hold as many or more; single ones may lie below 0.
    `full` is that last one, `full_stderr` its standard error, and `full_low` to `full_high` its
    interval. `hint` is a sentence if devices hold more than the task counts so often that
    frequencies are too small by it. `ranking` says what is sure of the largest, where `top` asked for
    them, and is else None. All of these are in `attrs` of `to_pandas`."""

    max_error: float
    sizes: Tuple[float, ...]
    full: float
    full_stderr: float
    full_low: float
    full_high: float
    hint: Optional[str]
    ranking: Optional[Ranking]

    def _beside(self) -> Dict[str, Any]:
        return {"max_error": self.max_error, "sizes": list(self.sizes), "full": self.full,
                "full_stderr": self.full_stderr, "full_low": self.full_low,
                "full_high": self.full_high, "hint": self.hint,
                **ranking_member(self.ranking)}


def beside(body: Union[collector_pb2.Set, collector_pb2.KeyValues]) -> Dict[str, Any]:
    """The fields of Items that Answer has not, by name."""
    return {"max_error": body.max_error, **vars(sizes_from_wire(body.sizes)),
            "ranking": ranking_of(body)}


def sizes_from_wire(sizes: collector_pb2.Sizes) -> Sizes:
    return Sizes(tuple(sizes.shares), sizes.full, sizes.full_standard_error, sizes.full_low,
                 sizes.full_high, sizes.hint or None)
