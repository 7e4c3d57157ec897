"""What is surely so of the largest: part of answers that were asked for with `top`."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple, Union

from .wire import collector_pb2


@dataclass(frozen=True)
class Place:
    """Of one row: it is in the place `best` to `worst` among all values of the domain, 1 being the
    largest, and its true share in `low` to `high`. Rows whose places overlap may be ties."""

    best: int
    worst: int
    low: float
    high: float


@dataclass(frozen=True)
class Ranking:
    """With the confidence that was asked for all of it is true at once, whatever the data. Of the
    rows `sure` are surely among the `top` largest values of the domain: those whose `worst` place is
    at most `top`. `possible` values of the domain may be, and `held` have a share above 0. `places`
    are in the order of the rows."""

    top: int
    sure: int
    possible: int
    held: int
    places: Tuple[Place, ...]


Body = Union[collector_pb2.Histogram, collector_pb2.Set, collector_pb2.KeyValues]


def ranking_of(body: Body) -> Optional[Ranking]:
    if not body.HasField("ranking"):
        return None
    wire = body.ranking
    return Ranking(wire.top, wire.sure, wire.possible, wire.held,
                   tuple(map(Place, wire.best, wire.worst, wire.low, wire.high)))


def ranking_member(ranking: Optional[Ranking]) -> Dict[str, Any]:
    """The member of `to_dict`, if there is one."""
    if ranking is None:
        return {}
    places = [dataclasses.asdict(place) for place in ranking.places]
    return {"ranking": {**dataclasses.asdict(ranking), "places": places}}
