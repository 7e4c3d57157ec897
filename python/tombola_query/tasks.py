"""A task, as the collector describes it to an analyst."""
from __future__ import annotations

import hashlib
import math
import re
import time
from dataclasses import dataclass
from typing import Dict, Optional, Sequence, Tuple, Union

from .errors import TombolaError
from .wire import collector_pb2, task_pb2

Value = Union[str, int]


@dataclass(frozen=True)
class TaskStatus:
    """`held_percent` and `expired` come from the shuffler in coarse steps; exact numbers are for its
    operator (`tombola status`). The other counts are of the batches that the collector has."""

    task: str  # 64 hexadecimal digits
    name: str
    kind: str  # what a device holds and what can be asked: "histogram", "records" and so on
    state: str  # "open", "closed", "ended" or, when its time has yet to come, "not_begun"
    domain: int  # how many values there are
    labels: Tuple[str, ...]  # their names; empty: the values are 0 to domain - 1
    # Of numbers, as "value", and of attributes of records that are numbers: the least and the largest.
    ranges: Dict[str, Tuple[float, float]]
    mechanism: str
    epsilon: float  # the target of every batch
    delta: float
    users: int  # the planned submissions in a batch
    needed: int  # the smallest batch for which the target holds
    interval_seconds: int  # 0: none
    merge_periods: bool  # submissions of several intervals may leave in one batch
    periods: Optional[int]  # how many; None: there is no interval, or they merge
    present_period: Optional[int]  # the first is 1; None: none now
    submissions_per_device: int
    total_epsilon: Optional[float]  # what epsilon and delta amount to over so many submissions;
    total_delta: float  # None and 1: nothing is guaranteed then
    total_reason: str  # why several submissions cost that much; empty for one
    warning: str  # if that is more than a usual device's policy allows; else empty
    archived: bool  # out of lists
    supersedes: Optional[str]  # the ids of the tasks whose place it took, and that took its own
    superseded_by: Optional[str]
    held_percent: int
    counted_batches: int
    quarantined_batches: int
    expired_batches: int
    reports: int  # submissions that were counted
    messages: int  # what they consist of, the shuffler's fakes included
    fakes: int
    rejected: int
    expired: int
    predicted_mse: float  # of a frequency before post-processing, for one batch of `users`
    smallest_batch_mse: float  # the same for the fewest that may leave, `needed`
    # By these the half-widths of 95 % intervals.
    predicted_half_width: float
    smallest_batch_half_width: float
    remarks: Tuple[str, ...]  # what nobody is likely to want of the task, a sentence each
    of: str  # of a stream: what a device has in a period, by the name of its kind; else empty

    def indices(self, values: Sequence[Value]) -> Tuple[int, ...]:
        """The numbers of values of this task. ValueError: one is not among them."""
        known = {label: index for index, label in enumerate(self.labels)}

        def index(value: Value) -> int:
            if isinstance(value, str) and value in known:
                return known[value]
            if type(value) is int and not known and 0 <= value < self.domain:
                return value
            kind = "labels" if known else f"whole numbers from 0 to {self.domain - 1}"
            raise ValueError(f"values: {value!r} is not among the task's {kind}")

        return tuple(index(value) for value in values)


def named(text: str, known: Sequence[TaskStatus]) -> str:
    """The id of the one that is meant: by its name, an open one before closed ones, else by the first
    digits of its id, four or more. TombolaError: none, or several."""
    prefix = text.lower() if re.fullmatch("[0-9a-fA-F]{4,64}", text) else None
    for matches in ([one for one in known if one.name == text and one.state != "closed"],
                    [one for one in known if one.name == text],
                    [one for one in known if prefix and one.task.startswith(prefix)]):
        if len(matches) == 1:
            return matches[0].task
        if matches:
            some = ", ".join(f"{one.task[:12]} ({one.name})" for one in matches[:5])
            raise TombolaError(f"task must name one task, and {text} is {len(matches)} of them: {some}")
    raise TombolaError(f"no task has the name {text}" + (" or an id that begins so" if prefix else ""))


def from_wire(info: collector_pb2.TaskInfo) -> TaskStatus:
    """TombolaError: the bytes are not those that the id is the hash of."""
    if hashlib.sha256(info.task).digest() != info.task_id:
        raise TombolaError("the collector's task is not the one that its id names")
    task = task_pb2.Task.FromString(info.task)
    now = time.time()
    policy = task.batch_policy
    periods = present = None
    if policy.interval > 0 and not policy.merge_periods:
        periods = -(-(task.not_after - task.not_before) // policy.interval)
        if task.not_before <= now < task.not_after:
            present = int(now - task.not_before) // policy.interval + 1
    return TaskStatus(
        task=info.task_id.hex(), name=task.name, kind=_kind(task),
        state=_state(task, info.closed, now), domain=task.domain.size, labels=tuple(task.domain.labels),
        ranges=_ranges(task), mechanism=_mechanism(task), epsilon=task.target.epsilon,
        delta=task.target.delta, users=policy.planned_submissions, needed=info.needed,
        interval_seconds=policy.interval, merge_periods=policy.merge_periods, periods=periods,
        present_period=present, submissions_per_device=task.submissions_per_device,
        total_epsilon=info.total_epsilon if math.isfinite(info.total_epsilon) else None,
        total_delta=info.total_delta, total_reason=info.total_reason, warning=info.warning,
        archived=info.archived, supersedes=task.supersedes.hex() or None,
        superseded_by=info.superseded_by.hex() or None, held_percent=info.held_percent,
        counted_batches=info.counted_batches, quarantined_batches=info.quarantined_batches,
        expired_batches=info.expired_batches, reports=info.reports, messages=info.messages,
        fakes=info.fakes, rejected=info.rejected, expired=info.expired,
        predicted_mse=info.predicted_mse, smallest_batch_mse=info.smallest_batch_mse,
        predicted_half_width=_half_width(info.predicted_mse),
        smallest_batch_half_width=_half_width(info.smallest_batch_mse), remarks=tuple(info.remarks),
        of=_name(task.stream.of or task_pb2.KIND_HISTOGRAM) if task.HasField("stream") else "")


def _half_width(mse: float) -> float:
    return 1.959963984540054 * math.sqrt(mse)


def _ranges(task: task_pb2.Task) -> Dict[str, Tuple[float, float]]:
    named = [("value", task.numbers.edges), *((one.name, one.edges) for one in task.records.attributes)]
    return {name: (edges[0], edges[-1]) for name, edges in named if edges}


def _mechanism(task: task_pb2.Task) -> str:
    """Of strings how devices send them; of streams, whose nodes have their own, nothing."""
    return task.mechanism.WhichOneof("kind") or task.strings.WhichOneof("messages") or ""


def _kind(task: task_pb2.Task) -> str:
    """As on the command line; of one that this package does not know the number."""
    return _name(task.kind)


def _name(kind: int) -> str:
    known = task_pb2.Kind.DESCRIPTOR.values_by_number.get(kind)
    return str(known.name[len("KIND_"):].lower() if known else kind)


def _state(task: task_pb2.Task, closed: bool, now: float) -> str:
    if closed:
        return "closed"
    if now >= task.not_after:
        return "ended"
    return "not_begun" if now < task.not_before else "open"
