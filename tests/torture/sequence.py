"""One sequence: a seed, its plan, two daemons, and the verdict on what came of it."""

import pathlib
import random
import re
import shutil
import tempfile
import time
from dataclasses import dataclass, field

import grpc
import plan as planning
from books import Verdict
from steps import Broken, Steps
from stream_sequence import StreamSequence
from support import waiting
from wire_messages import Refused

STREAMS = 0.1      # The share of sequences about a stream.
END_SECONDS = 30   # For everything to be counted once nothing is broken any more.


@dataclass
class Report:
    seed: int
    verdict: Verdict
    error: str = ""
    seconds: float = 0
    submissions: int = 0
    expired: int = 0
    starts: int = 0
    history: list = field(default_factory=list)
    logs: str = ""

    def good(self):
        return not self.error and self.verdict.good()


@dataclass(frozen=True)
class Setting:
    """What all sequences of a run share."""
    template: pathlib.Path
    tasks: list
    binaries: pathlib.Path
    shims: tuple
    scratch: pathlib.Path
    mounted: bool
    stream: dict = field(default_factory=dict)  # its template and task; empty: none
    plant: str = ""  # a control: "loss" or "double" that the verdict must notice


def run(seed, setting):
    began = time.monotonic()
    directory = pathlib.Path(tempfile.mkdtemp(prefix=f"sequence-{seed}-", dir=setting.scratch))
    report = Report(seed, Verdict())
    sequence = None
    try:
        sequence = kind_of(seed, setting)(seed, setting, directory, report.history)
        report.verdict, report.expired = sequence.run()
    except (Broken, AssertionError, ValueError, grpc.RpcError, OSError, RuntimeError,
            Refused) as error:
        report.error = f"{type(error).__name__}: {error}"
    finally:
        if sequence is not None:
            report.submissions = len(sequence.books.acknowledged)
            report.starts = sum(d.starts for d in sequence.world.daemons.values())
            if not report.good():
                report.logs = last_lines(directory)
            sequence.close()
        shutil.rmtree(directory, ignore_errors=True)
    report.seconds = time.monotonic() - began
    return report


def kind_of(seed, setting):
    """One sequence in ten is about a stream, whichever task its plan has."""
    stream = setting.stream and random.Random(f"kind {seed}").random() < STREAMS
    return StreamSequence if stream else Sequence


def last_lines(directory, count=25):
    lines = []
    for who in planning.BOTH:
        path = directory / f"{who}.log"
        if path.exists():
            lines.append(f"--- {who}.log")
            lines += path.read_text(encoding="utf-8", errors="replace").splitlines()[-count:]
    return "\n".join(lines)


class Sequence(Steps):
    """The steps of its plan, then the end that all sequences have."""

    def close(self):
        if self.devices is not None:
            self.devices.close()
        self.world.close()

    def run(self):
        for who in ("collector", "shuffler"):
            self.must_start(who)
        self.meet_devices()
        self.until("the devices have a key", self.devices.fetch_keys)
        for step in self.plan.steps:
            began = time.monotonic()
            self.history.append(str(step))
            self.bury()
            getattr(self, "do_" + step.kind)(**step.arguments)
            self.raise_the_dead()
            if (took := time.monotonic() - began) > 0.5:
                self.history.append(f"  took {took:.1f} s")
        began = time.monotonic()
        result = self.conclude()
        self.history.append(f"  took {time.monotonic() - began:.1f} s")
        return result

    # --- The end ----------------------------------------------------------------------------------

    def conclude(self):
        """Mends everything, lets everything arrive, cuts the power once more and compares; the
        verdict and how many have expired."""
        self.history.append(f"end how={self.plan.end} order={self.plan.order} "
                            f"close={self.plan.close} retried={self.plan.retried}")
        self.bury()
        for who in planning.BOTH:
            self.do_mend_disk(who)
            self.do_jump(who, 0)
        self.do_mend_lines()
        if self.plant == "loss":
            self.world.disks["collector"].fail("lies")
        for who in planning.BOTH:
            self.end(who, self.plan.end)
        for who in self.plan.order:
            self.must_start(who)
        self.until("the devices have a key", lambda: self.devices.fetch_keys(1))
        for sent in self.sent:
            if self.books.in_doubt.issuperset(sent.values):
                if self.draw.random() < self.plan.retried:
                    self.send(sent)
            elif self.draw.random() < 0.2:
                self.send(sent)
        if self.plant == "double":  # the same values under ids of their own
            self.devices.send(self.devices.seal(self.sent[0].values))
        status = self.close_task() if self.plan.close else self.leave()
        self.history.append(f"  {status.released_batches} batches, {status.expired} expired")
        for who in planning.BOTH:
            self.end(who, "power")
        for who in self.plan.order:
            self.must_start(who)
        return self.judge(status), status.expired

    def until(self, what, condition, seconds=END_SECONDS):
        try:
            return waiting.until(condition, f"after {seconds} s still not: {what}", seconds)
        except AssertionError as error:
            raise Broken(str(error)) from None

    def close_task(self):
        self.world.close_task(self.task_id)
        return self.settled(lambda held: None)

    def leave(self):
        return self.end_periods() if self.periods.closes(time.time()) else self.fill_up()

    def end_periods(self):
        """Enough for a batch report once more, then the present period ends as all before."""
        def report():
            if self.submit_new(self.task["needed"]):
                return True
            if re.search(r"period \d+ is over", self.devices.last_error):
                return False  # it ended on the way
            raise Broken(f"a call was refused at the end: {self.devices.last_error}")
        self.until("devices report in time", report)
        return self.settled(lambda held: None)

    def fill_up(self):
        """Submits under each key that something is held for, until it leaves."""
        def fill(held):
            missing = self.task_users() - held.waiting
            if missing <= 0 or self.submit_new(missing, self.devices.keys[held.key_id]):
                return
            raise Broken(f"a call was refused at the end: {self.devices.last_error}")
        return self.settled(fill)

    def settled(self, on_held):
        """The shuffler's status once it has nothing left."""
        def look():
            status = self.world.status(self.task_id)
            # A batch that is being made is neither held nor waiting.
            if (status.accepted == status.forwarded + status.expired
                    and not status.waiting_delivery and status.closed == self.plan.close):
                return status
            for held in status.held:
                on_held(held)
            return None
        return self.until("the shuffler holds nothing", look)

    def judge(self, status):
        counts, smallest = self.world.histogram(self.task_id)
        owed = self.periods.owed(self.task["needed"]) if self.clock_is_true else frozenset()
        verdict = self.books.compare(counts, status.expired, owed)
        counted = sum(counts)
        if smallest is not None and smallest < self.task["needed"]:
            verdict.wrong.append(f"a batch of {smallest} is below {self.task['needed']}")
        if status.forwarded != counted or status.accepted != counted + status.expired:
            verdict.wrong.append(
                f"the shuffler accepted {status.accepted}, forwarded {status.forwarded} and "
                f"expired {status.expired}; the collector counted {counted}")
        after = self.world.status(self.task_id)
        if (after.accepted, after.forwarded, after.expired) != (
                status.accepted, status.forwarded, status.expired):
            verdict.wrong.append(f"the shuffler's counters changed: {status} {after}")
        return verdict
