"""Other forms of the rows of an answer. pandas and matplotlib are loaded only where they are asked
for."""
from __future__ import annotations

import csv
import io
import math
import os
import pathlib
import tempfile
from typing import Any, Dict, Optional, Sequence, Union

PathLike = Union[str, "os.PathLike[str]"]


def to_csv(columns: Sequence[str], rows: Sequence[Any], path: Optional[PathLike]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)  # "\r\n" and quotes as RFC 4180 has them; repr() of floats
    writer.writerow(columns)
    writer.writerows([getattr(row, column) for column in columns] for row in rows)
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


def to_pandas(columns: Sequence[str], rows: Sequence[Any], attributes: Dict[str, Any]) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas() needs pandas, which is not installed: "
                          "apt-get install python3-pandas") from error

    def cell(row: Any, column: str) -> Any:
        known = getattr(row, column)
        return math.nan if known is None else known  # a column without any number stays one of them

    frame = pandas.DataFrame({column: [cell(row, column) for row in rows] for column in columns})
    frame.attrs.update(attributes)
    return frame


def pyplot() -> Any:
    """What plots are drawn with."""
    try:
        from matplotlib import pyplot as module
    except ImportError as error:
        raise ImportError("plot() needs matplotlib, which is not installed: "
                          "apt-get install python3-matplotlib") from error
    return module


def tick(value: object, most: int = 32) -> str:
    """A row's name beside an axis."""
    name = str(value)
    if len(name) > most:
        name = name[:most - 1] + "…"
    return name.replace("$", r"\$")  # which would begin a formula
