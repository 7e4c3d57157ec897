#!/usr/bin/env python3
"""A clock that jumps for seconds costs nothing: no held submission, no device's budget, no key.

    clock_test.py BINARIES CLOCKJUMP [unittest arguments]

Both daemons run with the wall clock of tests/torture/clockjump.c and jump together, so that neither
can set the other right; the device's clock is the true one.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from support.jumping import Jumping
from support.waiting import until

BINARIES, CLOCKJUMP = (pathlib.Path(word).resolve() for word in (sys.argv.pop(1), sys.argv.pop(1)))
HOUR, DAY = 3600, 86400
HELD, REST = ["red", "green", "red"], ["blue", "blue", "green"]
DEVICE = "green"


class ClockTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="tombola-clock-")
        self.addCleanup(self.scratch.cleanup)
        self.directory = pathlib.Path(self.scratch.name) / "deployment"
        self.deployment = Jumping(BINARIES, CLOCKJUMP, self.directory, 0)
        self.addCleanup(lambda: self.deployment.__exit__())  # the one that runs then
        self.task = self.deployment.create_task("clock", "--users", "7", "--min-batch", "5",
                                                "--retry-window", "1h", "--lifetime", "90d")
        self.deployment.report(self.task, HELD)

    def logs(self, event):
        """How often both daemons have logged it: (shuffler, collector)."""
        return tuple(sum(f'"{event}"' in line for line in
                         (self.directory / f"{who}.log").read_text(encoding="utf-8").splitlines())
                     for who in ("shuffler", "collector"))

    def status(self):
        return self.deployment.ask("status", "--task", self.task)

    def keys(self):
        return self.deployment.ask("keys", "list")["keys"]  # a start signs the list anew

    def begin_device(self):
        """A device with a ledger and the true time that reports, is refused once and waits."""
        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        device = subprocess.Popen(
            [self.deployment.tombola, "report", "--config", self.deployment.config, "--task",
             self.task, "--value", DEVICE, "--ledger", str(self.directory / "device")],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until(lambda: re.search(r'^tombola_shuffler_refused_total{cause="clock"} [1-9]',
                                self.deployment.ask("status", "--metrics")["shuffler"], re.M),
              "the device was not asked to wait")
        return device

    def until_logged(self, event, before):
        """Waits until both have logged it more often than before."""
        until(lambda: all(now > then for now, then in zip(self.logs(event), before)),
              f"not both daemons have logged {event}")

    def jump_and_back(self, seconds, meanwhile=lambda: None):
        before = self.logs("clock_in_doubt")
        self.deployment.jump(seconds)
        self.until_logged("clock_in_doubt", before)
        result = meanwhile()
        sure = self.logs("clock_sure")
        self.deployment.jump(0)
        self.until_logged("clock_sure", sure)
        return result

    def finish(self, *values):
        """Everything that was held is counted once."""
        self.deployment.report(self.task, REST)
        self.deployment.counted(self.task, HELD, *values, REST)
        self.assertEqual(self.status()["expired"], 0)

    def test_three_hours_ahead_for_seconds_costs_no_device_its_budget(self):
        device = self.jump_and_back(3 * HOUR, self.begin_device)
        out, problems = device.communicate(timeout=60)
        self.assertEqual((device.returncode, out), (0, b"accepted 1, duplicates 0, rejected 0\n"),
                         problems)
        self.finish([DEVICE])

    def test_months_ahead_for_seconds_destroy_neither_submissions_nor_keys(self):
        before = self.keys()
        for days in (91, 500):  # beyond the task's end; beyond the life of every key
            self.jump_and_back(days * DAY)
            self.assertEqual(self.status()["waiting"], len(HELD))
        self.assertEqual(self.keys(), before)
        self.assertIsNone(self.status()["clock_doubt"])
        self.deployment.report(self.task, ["red"])
        self.finish(["red"])

    def test_a_start_with_a_wrong_clock_destroys_nothing(self):
        before = self.keys()
        self.deployment.stop()
        self.deployment = Jumping(BINARIES, CLOCKJUMP, self.directory, 500 * DAY)
        self.until_logged("clock_in_doubt", (0, 0))
        self.deployment.kill()
        self.deployment = Jumping(BINARIES, CLOCKJUMP, self.directory, 0)
        self.assertEqual(self.status()["waiting"], len(HELD))
        self.assertEqual(self.keys(), before)
        self.deployment.report(self.task, ["red"])
        self.finish(["red"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
