"""How numbers are distributed: bins as bars, with lines at the mean and at quantiles."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import output

if TYPE_CHECKING:
    from .number import Numbers


def plot(numbers: "Numbers", ax: Any) -> Any:
    if not numbers.rows:
        raise ValueError("the answer has no bins to plot")
    pyplot = output.pyplot()
    if ax is None:
        _, ax = pyplot.subplots(figsize=(9, 4.5), layout="constrained")
    widths = [row.high_edge - row.low_edge for row in numbers.rows]
    # By width, so that areas are shares; bins that are alike keep theirs as heights.
    scale = [100 * max(widths) / width for width in widths]
    ax.bar([row.low_edge for row in numbers.rows],
           [row.frequency * by for row, by in zip(numbers.rows, scale)],
           width=widths, align="edge", color="tab:blue", alpha=0.6)
    ax.errorbar([(row.low_edge + row.high_edge) / 2 for row in numbers.rows],
                [row.raw * by for row, by in zip(numbers.rows, scale)],
                yerr=[[(row.raw - row.low) * by for row, by in zip(numbers.rows, scale)],
                      [(row.high - row.raw) * by for row, by in zip(numbers.rows, scale)]],
                fmt="none", ecolor="black", elinewidth=0.8)
    for fraction, estimate in numbers.quantiles.items():
        if estimate is not None:
            ax.axvspan(estimate.low, estimate.high, color="tab:orange", alpha=0.15, linewidth=0)
            ax.axvline(estimate.value, color="tab:orange", linestyle="--",
                       label=f"quantile {fraction:g}: {estimate.value:.4g}")
    if numbers.mean is not None:
        ax.axvline(numbers.mean.value, color="tab:green", label=f"mean: {numbers.mean.value:.4g}")
    if ax.get_legend_handles_labels()[0]:
        ax.legend()
    ax.set_ylabel(f"share of about {numbers.count.value:.0f} devices in percent"
                  + ("" if min(widths) > 0.999999 * max(widths) else ", by width"))
    ax.set_xlabel(f"number; {100 * numbers.confidence:g} % intervals")
    ax.set_title(numbers.guarantee.short())
    return ax
