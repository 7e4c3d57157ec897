"""Cells of records: of one attribute bars, dots or a line in a band, of two a heat map."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

from . import output

if TYPE_CHECKING:
    from .records import RecordRow, Records

_NAMES = ("count", "avg", "sum")


def plot(records: "Records", ax: Any, show: Optional[str]) -> Any:
    if not records.rows:
        raise ValueError("the answer has no cells to plot: ask for some with by")
    if show is None:
        show = "avg" if records.measure is not None and len(records.by) == 1 else "count"
    if show not in _NAMES:
        raise ValueError(f"show must be one of {', '.join(_NAMES)}")
    if show != "count" and records.measure is None:
        raise ValueError(f"the answer has no {show}: ask for one with measure")
    pyplot = output.pyplot()
    if ax is None:
        _, ax = pyplot.subplots(figsize=(9, 4.5), layout="constrained")
    if len(records.by) == 2:
        _heat_map(records, ax, show)
    else:
        _along(records, ax, show)
    ax.set_title(records.guarantee.short())
    return ax


def _label(records: "Records", show: str) -> str:
    return {"count": "records", "avg": f"average {records.measure}", "sum": f"sum of {records.measure}"}[show]


def _estimate(row: "RecordRow", show: str) -> Tuple[float, float, float]:
    """With its interval; NaN where there is none."""
    numbers = [getattr(row, show + part) for part in ("", "_low", "_high")]
    value, low, high = (math.nan if number is None else float(number) for number in numbers)
    return value, low, high


def _edges(records: "Records", side: int) -> Optional[List[float]]:
    """Of an attribute that is a number, ascending and one more than it has values; else None."""
    ranges = [of[side] for of in dict.fromkeys(records.ranges) if of[side] is not None]
    edges = sorted({edge for one in ranges if one is not None for edge in (one.low, one.high)})
    return edges or None


def _along(records: "Records", ax: Any, show: str) -> None:
    values, lows, highs = zip(*(_estimate(row, show) for row in records.rows))
    edges = _edges(records, 0)
    if edges is None:
        places: List[float] = [float(place) for place in range(len(values))]
        widths = [0.8] * len(places)
        ax.set_xticks(places, [output.tick(row.value) for row in records.rows],
                      rotation=90 if len(places) > 8 else 0)
    else:
        places = [(low + high) / 2 for low, high in zip(edges, edges[1:])]
        widths = [high - low for low, high in zip(edges, edges[1:])]
    if show == "count":
        ax.bar(places, values, width=widths, color="tab:blue", alpha=0.6)
    if show == "count" or edges is None:
        ax.errorbar(places, values, yerr=[[value - low for value, low in zip(values, lows)],
                                          [high - value for value, high in zip(values, highs)]],
                    fmt="none" if show == "count" else "o", color="tab:blue", ecolor="black", elinewidth=0.8)
    else:
        ax.fill_between(places, lows, highs, color="tab:blue", alpha=0.2, linewidth=0)
        ax.plot(places, values, marker="o", markersize=4, color="tab:blue")
    unknown = sum(map(math.isnan, values))
    ax.set_xlabel(f"{records.by[0]}; {100 * records.confidence:g} % intervals"
                  + (f"; {unknown} with too few records" if unknown else ""))
    ax.set_ylabel(_label(records, show))


def _heat_map(records: "Records", ax: Any, show: str) -> None:
    sides = [list(dict.fromkeys(cell[side] for cell in records.cells)) for side in (0, 1)]
    places = [{label: place for place, label in enumerate(labels)} for labels in sides]
    shown = [[math.nan] * len(sides[0]) for _ in sides[1]]
    for cell, row in zip(records.cells, records.rows):
        value = _estimate(row, show)[0]
        # A count below 0 is noise.
        shown[places[1][cell[1]]][places[0][cell[0]]] = max(0.0, value) if show == "count" else value
    image = ax.imshow(shown, origin="lower", aspect="auto", cmap="viridis")
    ax.figure.colorbar(image, ax=ax, label=_label(records, show))
    ax.set_xticks(range(len(sides[0])), [output.tick(label) for label in sides[0]],
                  rotation=90 if len(sides[0]) > 8 else 0)
    ax.set_yticks(range(len(sides[1])), [output.tick(label) for label in sides[1]])
    ax.set_xlabel(records.by[0])
    ax.set_ylabel(records.by[1])
