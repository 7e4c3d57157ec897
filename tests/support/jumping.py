"""A deployment whose clock can be set, and three values that it counts."""
import json
import mmap
import os
import pathlib
import struct

from support.deployment import Deployment
from support.waiting import until

VALUES = ("red", "green", "blue")


class Jumping(Deployment):
    """`tombola up` on a directory, with the clock (tests/torture/clockjump.c) `ahead` of true time by
    some seconds. Killed when a `with` is left before it was stopped. `asleep`: jumps look as if the
    machine had been asleep, so that no clock was set."""

    def __init__(self, binaries, clockjump, directory, ahead, asleep=False):
        self.clock = pathlib.Path(directory).parent / "clock"
        self.clock.write_bytes(bytes(8))
        self.jump(ahead)
        super().__init__(binaries, directory, environment={
            **os.environ, "LD_PRELOAD": str(clockjump), "TORTURE_CLOCK": str(self.clock),
            **({"TORTURE_ASLEEP": "1"} if asleep else {})})

    def jump(self, ahead):
        with open(self.clock, "r+b") as file, mmap.mmap(file.fileno(), 8) as memory:
            struct.pack_into("q", memory, 0, ahead)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()

    def create_task(self, name, *flags):
        """A task of VALUES under which nearly every report tells the truth; its id."""
        values = self.directory.parent / "domain"
        values.write_text("".join(f"{value}\n" for value in VALUES), encoding="utf-8")
        return self.ask("task", "create", "--name", name, "--values", str(values), "--mechanism",
                        "grr", "--epsilon", "40", "--delta", "1e-9", *flags)["task"]

    def report(self, task, values):
        lines = "".join(f"{value}\n" for value in values)
        outcome = self.ask("report", "--task", task, "--input", "-", stdin=lines)
        assert outcome["accepted"] == len(values), outcome

    def counted(self, task, *lists):
        """The answer, once it counts exactly the values of these lists."""
        def look():
            code, out, _ = self.run("query", "--task", task, "--postprocess", "none", "--json")
            return code == 0 and json.loads(out)["reports"] == sum(map(len, lists))
        until(look, "the answer never had all batches")
        answer = self.ask("query", "--task", task, "--postprocess", "none")
        counts = {row["value"]: round(row["raw"] * answer["reports"]) for row in answer["bins"]}
        reported = [value for one in lists for value in one]
        assert counts == {value: reported.count(value) for value in VALUES}, counts
        return answer
