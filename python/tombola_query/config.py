"""tombola.json: where the collector is and who the caller is."""
from __future__ import annotations

import json
import os
import pathlib
from dataclasses import dataclass
from typing import Any, Union

from .errors import TombolaError

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Access:
    """The query port of a collector, and the PEM files to reach it with."""

    address: str
    roots: pathlib.Path
    certificate: pathlib.Path
    private_key: pathlib.Path


def load(path: PathLike, role: str) -> Access:
    """Relative paths in the file count from its directory. TombolaError names the member that is
    missing; members of other roles need not be there."""
    file = pathlib.Path(path)
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise TombolaError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise TombolaError(f"{file} must be a JSON object: {error}") from error

    def text(*members: str) -> str:
        found: Any = content
        for member in members:
            found = found.get(member) if isinstance(found, dict) else None
        if not isinstance(found, str):
            raise TombolaError(f"{file} must have the text member {'/'.join(members)}")
        return found

    directory = file.parent
    return Access(text("collector_query"), directory / text("roots"),
                  directory / text(role, "certificate"), directory / text(role, "private_key"))


def read_pem(path: PathLike, what: str) -> bytes:
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise TombolaError(f"cannot read the {what}, {path}: {error.strerror}") from error
