"""A histogram as bars."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import output

if TYPE_CHECKING:
    from .histogram import Histogram


def plot(histogram: "Histogram", ax: Any, top: int) -> Any:
    pyplot = output.pyplot()
    rows = histogram.rows[:top]
    if ax is None:
        _, ax = pyplot.subplots(figsize=(8, 1.5 + 0.28 * len(rows)), layout="constrained")
    places = list(range(len(rows)))
    ax.barh(places, [100 * row.frequency for row in rows], color="tab:blue", alpha=0.6)
    ax.errorbar([100 * row.raw for row in rows], places,
                xerr=[[100 * (row.raw - row.low) for row in rows],
                      [100 * (row.high - row.raw) for row in rows]],
                fmt="none", ecolor="black", capsize=3)
    ax.set_yticks(places, [output.tick(row.value) for row in rows])
    ax.invert_yaxis()
    left_out = len(histogram.rows) - len(rows)
    ax.set_xlabel(f"share of {histogram.reports} reports in percent, "
                  f"{100 * histogram.confidence:g} % intervals"
                  + (f"; {left_out} further bins left out" if left_out else ""))
    ax.set_title(histogram.guarantee.short())
    return ax
