"""Other forms of an answer. pandas and matplotlib are loaded only where they are asked for."""
from __future__ import annotations

import csv
import io
import os
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any, Optional, Union

from .rounding import rounded_up

if TYPE_CHECKING:
    from .histogram import Histogram

PathLike = Union[str, "os.PathLike[str]"]
COLUMNS = ("value", "frequency", "raw", "stderr", "low", "high")


def pair(epsilon: Optional[float], delta: float) -> str:
    """Never better than the numbers."""
    if epsilon is None:
        return "nothing"
    return f"epsilon {rounded_up(epsilon, 4)}, delta {rounded_up(delta, 4)}"


def over_submissions(number: int) -> str:
    """What a pair is for."""
    return ("over the one submission a device may make" if number == 1
            else f"over the {number} submissions a device may make")


def to_csv(histogram: "Histogram", path: Optional[PathLike]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)  # "\r\n" and quotes as RFC 4180 has them; repr() of floats
    writer.writerow(COLUMNS)
    writer.writerows([getattr(row, column) for column in COLUMNS] for row in histogram.rows)
    if path is not None:
        _replace(pathlib.Path(path), text.getvalue())
    return text.getvalue()


def _replace(path: pathlib.Path, text: str) -> None:
    """The file has the old content or all of the new one."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def to_pandas(histogram: "Histogram") -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas() needs pandas, which is not installed: "
                          "apt-get install python3-pandas") from error
    frame = pandas.DataFrame(
        {column: [getattr(row, column) for row in histogram.rows] for column in COLUMNS})
    frame.attrs.update({name: getattr(histogram, name) for name in (
        "task", "reports", "confidence", "postprocess", "max_error", "guarantee", "quality")})
    return frame


def _short(label: str, most: int = 32) -> str:
    return label if len(label) <= most else label[:most - 1] + "…"


def plot(histogram: "Histogram", ax: Any, top: int) -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot() needs matplotlib, which is not installed: "
                          "apt-get install python3-matplotlib") from error
    rows = histogram.rows[:top]
    if ax is None:
        _, ax = pyplot.subplots(figsize=(8, 1.5 + 0.28 * len(rows)), layout="constrained")
    places = list(range(len(rows)))
    ax.barh(places, [100 * row.frequency for row in rows], color="tab:blue", alpha=0.6)
    ax.errorbar([100 * row.raw for row in rows], places,
                xerr=[[100 * (row.raw - row.low) for row in rows],
                      [100 * (row.high - row.raw) for row in rows]],
                fmt="none", ecolor="black", capsize=3)
    # A dollar sign would begin a formula.
    ax.set_yticks(places, [_short(str(row.value)).replace("$", r"\$") for row in rows])
    ax.invert_yaxis()
    left_out = len(histogram.rows) - len(rows)
    ax.set_xlabel(f"share of {histogram.reports} reports in percent, "
                  f"{100 * histogram.confidence:g} % intervals"
                  + (f"; {left_out} further bins left out" if left_out else ""))
    guarantee = histogram.guarantee
    ax.set_title(f"{pair(guarantee.epsilon, guarantee.delta)}, "
                 f"{over_submissions(guarantee.submissions_per_device)}")
    return ax
