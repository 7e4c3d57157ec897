"""Key-value pairs as bars of shares, and dots of means beside them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import histogram_plot, output

if TYPE_CHECKING:
    from .key_value import KeyValues


def plot(pairs: "KeyValues", ax: Any, top: int) -> Any:
    pyplot = output.pyplot()
    if ax is None:
        _, ax = pyplot.subplots(1, 2, sharey=True, layout="constrained",
                                figsize=(11, 1.5 + 0.28 * len(pairs.rows[:top])))
    shares, means = ax
    histogram_plot.plot(pairs, shares, top, "keys")
    _dots(pairs, means, top)
    return ax


def _dots(pairs: "KeyValues", ax: Any, top: int) -> None:
    rows = pairs.rows[:top]
    known = [(place, row.mean, row.mean_low, row.mean_high) for place, row in enumerate(rows)
             if row.mean is not None and row.mean_low is not None and row.mean_high is not None]
    ax.errorbar([mean for _, mean, _, _ in known], [place for place, _, _, _ in known],
                xerr=[[mean - low for _, mean, low, _ in known],
                      [high - mean for _, mean, _, high in known]],
                fmt="o", color="tab:blue", ecolor="black", capsize=3)
    ax.set_yticks(list(range(len(rows))), [output.tick(row.value) for row in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)  # also where the keys at the ends have no mean
    unknown = len(rows) - len(known)
    ax.set_xlabel(f"mean among those that hold the key, {100 * pairs.confidence:g} % intervals"
                  + (f"; {unknown} with too few holders" if unknown else ""))
