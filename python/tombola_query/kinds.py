"""The kinds of tasks whose answers can be asked for, by their names."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Dict, Optional, Sequence

from . import histogram, key_value, number, records
from . import set as set_
from . import stream, strings
from .answer import Answer
from .tasks import TaskStatus
from .wire import collector_pb2


@dataclass(frozen=True)
class Kind:
    postprocess: str  # the usual one
    # Puts the question into a request: how many rows, and the numbers of the values it is about.
    ask: Callable[[collector_pb2.GetAnswerRequest, Optional[int], Sequence[int]], None]
    # An answer, with the postprocess and the confidence that were asked for.
    read: Callable[[collector_pb2.Answer, str, float], Answer]


KINDS: Dict[str, Kind] = {
    "histogram": Kind("pop", histogram.ask, histogram.from_wire),
    "set": Kind("clip", set_.ask, set_.from_wire),
    "key_value": Kind("clip", key_value.ask, key_value.from_wire),
    "number": Kind("pop", number.ask, number.from_wire),
    "records": Kind("none", records.ask, records.from_wire),
    "stream": Kind("pop", stream.ask, stream.from_wire),
    "strings": Kind("clip", strings.ask, strings.from_wire),
}


def usual_postprocess(task: TaskStatus) -> str:
    """Of a stream what is usual for what it is of."""
    return KINDS["stream" if task.of == "histogram" else task.of or task.kind].postprocess
