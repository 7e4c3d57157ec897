#!/usr/bin/env python3
"""Devices that keep a memo, against the running system: every process of a device says the same.

usage: memo_test.py BIN_DIR [unittest arguments]
"""
import pathlib
import shutil
import tempfile
import unittest

from support import periods
from support.deployment import Deployment
from support.programs import BIN
from support.waiting import until

DEVICES, DOMAIN = 8, 6
LENGTH = 12  # seconds; eight short processes take a few


class Memo(unittest.TestCase):
    """Each device reports in two periods, by a process of its own each time."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="tombola-memo-")
        cls.deployment = Deployment(BIN, cls.directory)
        cls.task = cls.deployment.ask(
            "task", "create", "--name", "memo", "--domain", str(DOMAIN), "--epsilon", "2", "--delta",
            "1e-6", "--users", str(DEVICES), "--min-batch", str(DEVICES), "--mechanism", "rappor",
            "--interval", f"{LENGTH}s", "--longitudinal", "memo", "--submissions-per-device", "2")
        cls.periods = [cls.report(), cls.report()]
        cls.deployment.wait_for(cls.task["task"], lambda s: s["counted_batches"] == 2)

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    @classmethod
    def ledger(cls, device):
        return str(pathlib.Path(cls.directory) / f"device-{device}")

    @classmethod
    def say(cls, device, value):
        return cls.deployment.run("report", "--task", cls.task["task"], "--value", str(value),
                                  "--ledger", cls.ledger(device))

    @classmethod
    def report(cls):
        until(lambda: not cls.deployment.status(cls.task["task"])["held"],
              "what was held does not end")
        period = periods.early(cls.deployment, cls.task)
        for device in range(DEVICES):
            code, _, err = cls.say(device, device % DOMAIN)
            if code != 0:
                raise AssertionError(err)
        if periods.present(cls.deployment, cls.task) != period:
            raise AssertionError(f"{DEVICES} reports took {LENGTH / 2} s or more")
        return period

    def query(self, *words):
        return self.deployment.ask("query", "--task", self.task["task"], "--postprocess", "none",
                                   *words)

    def test_both_periods_are_the_same_to_the_last_bit(self):
        # Memos drawn anew would be alike in all of 8 * 8 bits with probability below 1e-9.
        first, second = ([bin_["raw"] for bin_ in self.query("--period", str(period))["bins"]]
                         for period in self.periods)
        self.assertEqual(first, second)
        self.assertGreater(len(set(first)), 1)

    def test_the_guarantee_is_what_memos_say_by_themselves(self):
        for words in ((), ("--period", str(self.periods[0]))):
            guarantee = self.query(*words)["guarantee"]
            self.assertLessEqual(guarantee["epsilon"], 2)
            self.assertGreater(guarantee["epsilon"], 1.999)
            self.assertEqual(guarantee["epsilon"], guarantee["local_epsilon"])
            self.assertIn("does not hide whether or when the value changes", guarantee["reason"])

    def test_several_periods_are_no_more_exact_than_one(self):
        both, one = self.query(), self.query("--period", str(self.periods[0]))
        for of_both, of_one in zip(both["bins"], one["bins"]):
            self.assertAlmostEqual(of_both["stderr"], of_one["stderr"], places=9)

    def test_a_third_report_is_refused(self):
        code, _, err = self.say(0, 0)
        self.assertEqual(code, 1)
        self.assertIn("all of its 2", err)

    def test_a_device_without_a_ledger_says_nothing(self):
        code, _, err = self.deployment.run("report", "--task", self.task["task"], "--value", "0")
        self.assertEqual(code, 1)
        self.assertIn("needs a ledger", err)

    def test_what_has_nothing_to_keep_is_refused(self):
        for mechanism in ("pure_dump", "aue", "correlated", "murs", "mix_dump"):
            code, out, err = self.deployment.run(
                "task", "create", "--name", mechanism, "--domain", "6", "--epsilon", "2", "--delta",
                "1e-6", "--users", "100", "--mechanism", mechanism, "--interval", "1h",
                "--longitudinal", "memo", "--submissions-per-device", "2", "--json")
            self.assertEqual((code, out), (2, ""))
            self.assertIn("nothing that a device could keep", err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
