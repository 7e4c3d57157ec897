"""Cells of records: of one attribute bars of the averages or the counts, of two a heat map."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import output

if TYPE_CHECKING:
    from .records import Records


def plot(records: "Records", ax: Any) -> Any:
    if not records.rows:
        raise ValueError("the answer has no cells to plot: ask for some with by")
    pyplot = output.pyplot()
    if ax is None:
        _, ax = pyplot.subplots(figsize=(9, 4.5), layout="constrained")
    if len(records.by) == 2:
        _heat_map(records, ax)
    else:
        _bars(records, ax)
    ax.set_title(records.guarantee.short())
    return ax


def _bars(records: "Records", ax: Any) -> None:
    averages = records.measure is not None
    rows = [row for row in records.rows if not averages or row.avg is not None]
    places = range(len(rows))
    if averages:
        shown = [(row.avg, row.avg_low, row.avg_high) for row in rows]
    else:
        shown = [(row.count, row.count_low, row.count_high) for row in rows]
    ax.errorbar(places, [value for value, _, _ in shown],
                yerr=[[value - low for value, low, _ in shown],
                      [high - value for value, _, high in shown]],
                fmt="o", color="tab:blue", ecolor="black", elinewidth=0.8)
    ax.set_xticks(places, [row.value for row in rows], rotation=90 if len(rows) > 8 else 0)
    ax.set_xlabel(f"{records.by[0]}; {100 * records.confidence:g} % intervals")
    ax.set_ylabel(f"average {records.measure}" if averages else "records")


def _heat_map(records: "Records", ax: Any) -> None:
    sides = [list(dict.fromkeys(cell[side] for cell in records.cells)) for side in (0, 1)]
    counts = [[0.0] * len(sides[0]) for _ in sides[1]]
    for cell, row in zip(records.cells, records.rows):
        counts[sides[1].index(cell[1])][sides[0].index(cell[0])] = max(0.0, row.count)
    image = ax.imshow(counts, origin="lower", aspect="auto", cmap="viridis")
    ax.figure.colorbar(image, ax=ax, label="records")
    ax.set_xticks(range(len(sides[0])), sides[0], rotation=90 if len(sides[0]) > 8 else 0)
    ax.set_yticks(range(len(sides[1])), sides[1])
    ax.set_xlabel(records.by[0])
    ax.set_ylabel(records.by[1])
