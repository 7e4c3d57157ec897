"""A histogram, or other shares, as bars."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import output

if TYPE_CHECKING:
    from .answer import Answer


def plot(answer: "Answer", ax: Any, top: int, what: str) -> Any:
    """`what`: the rows' name."""
    pyplot = output.pyplot()
    rows = answer.rows[:top]
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
    left_out = len(answer.rows) - len(rows)
    ax.set_xlabel(f"share of {answer.reports} reports in percent, "
                  f"{100 * answer.confidence:g} % intervals"
                  + (f"; {left_out} further {what} left out" if left_out else ""))
    ax.set_title(answer.guarantee.short())
    return ax
