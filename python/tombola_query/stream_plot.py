"""A stream's shares over its periods: a line for each value, in the band of its intervals."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import histogram_plot, output

if TYPE_CHECKING:
    from .stream import Stream


def plot(stream: "Stream", ax: Any, top: int) -> Any:
    if len(stream.totals) < 2:
        return histogram_plot.plot(stream, ax, top, "values")
    pyplot = output.pyplot()
    if ax is None:
        _, ax = pyplot.subplots(figsize=(9, 4.5), layout="constrained")
    counted = [total for total in stream.totals if total.rows]
    for place, name in enumerate(row.value for row in stream.rows[:top]):
        rows = [total.rows[place] for total in counted]
        periods = [total.last for total in counted]
        line, = ax.plot(periods, [100 * row.frequency for row in rows], label=output.tick(name, 20))
        ax.fill_between(periods, [100 * row.low for row in rows], [100 * row.high for row in rows],
                        color=line.get_color(), alpha=0.18, linewidth=0)
    if stream.rows:
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    left_out = len(stream.rows) - len(stream.rows[:top])
    single = stream.totals[0].first != stream.totals[-1].first
    ax.set_xlabel(("period" if single else f"periods {stream.totals[0].first} up to this one")
                  + f"; {100 * stream.confidence:g} % intervals"
                  + (f"; {left_out} further values left out" if left_out else ""))
    ax.set_ylabel("share of the submissions in percent")
    ax.set_title(stream.guarantee.short())
    return ax
