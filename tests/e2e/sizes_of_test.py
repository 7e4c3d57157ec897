#!/usr/bin/env python3
"""`task create --sizes-of`: how many things of a device count, from an earlier task's answer.

usage: sizes_of_test.py BIN_DIR [unittest arguments]
"""
import json
import pathlib
import shutil
import tempfile
import unittest

from support.deployment import Deployment
from support.programs import BIN

DEVICES = 10000
FEWER = 2000  # where nothing rests on the noise
KEYS = [f"key {i}" for i in range(12)]
LARGEST = 3  # so many things hold all devices or fewer
# With this much some two dummies fill each place, so that the standard error of a size is 0.015 %. The
# upper end of a share that is 0, 1.645 of them above the estimate, reaches 0.1 % only where noise exceeds
# 5 of them: for the four sizes and both kinds with probability below 1e-5.
TARGET = ("--epsilon", "12", "--delta", "0.5")


class SizesOf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="tombola-sizes-"))
        cls.deployment = Deployment(BIN, cls.directory / "up")
        cls.values = cls.directory / "values"
        cls.values.write_text("".join(f"{key}\n" for key in KEYS), encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    def create(self, kind, name, *words, users=FEWER):
        return ("task", "create", "--kind", kind, "--name", name, "--users", users,
                *(("--value-range", "1:5", "--levels", "2") if kind == "key_value" else ()),
                *(() if "--domain" in words else ("--values", self.values)),
                *(() if "--epsilon" in words else TARGET), *words)

    def counted(self, kind, name, *words, devices=FEWER):
        """The id of a task to which all devices have reported."""
        task = self.deployment.ask(*self.create(kind, name, "--mechanism", "pure_dump", *words,
                                                users=devices))["task"]
        lines = self.directory / "lines"
        held = [KEYS[:i % LARGEST + 1] for i in range(devices)]
        lines.write_text("".join(
            json.dumps(keys if kind == "set" else dict.fromkeys(keys, 3)) + "\n" for keys in held),
            encoding="utf-8")
        self.deployment.ask("report", "--task", task, "--input", lines)
        self.deployment.wait_for(task, lambda status: status["counted_batches"] == 1)
        return task

    def made(self, kind, earlier, *words):
        """max_items of a task that is made by an earlier one, and what is said about it."""
        code, out, err = self.deployment.run(*self.create(kind, "next", "--sizes-of", earlier, *words),
                                             "--json")
        self.assertEqual(code, 0, err)
        return json.loads(out)["parameters"]["max_items"], err

    def refused(self, *words):
        code, out, err = self.deployment.run(*words)
        self.assertEqual((code, out), (2, ""), err)
        self.assertEqual(err.count("\n"), 1, err)
        return err

    def test_takes_as_many_as_devices_hold(self):
        for kind in ("set", "key_value"):
            earlier = self.counted(kind, f"wide {kind}", "--max-items", "6", devices=DEVICES)
            taken, said = self.made(kind, earlier)
            self.assertEqual(taken, LARGEST, said)
            # In one of twenty answers noise takes the bound below none, which is then said.
            self.assertRegex(said, f'--max-items 3: at most 0(\\.0\\d*)? % of the devices of "wide {kind}" hold more')

    def test_doubles_what_was_too_few_and_no_more_than_there_are_values(self):
        earlier = self.counted("set", "narrow", "--max-items", "2")
        taken, said = self.made("set", earlier, "--max-items", "auto")
        self.assertEqual(taken, 4)
        # 1,333 of 2,000 hold two or three: 66.65 %, with a standard error of 0.07 %.
        self.assertRegex(said, '--max-items 4, twice that of "narrow": 6[67] % of its devices fill all 2 places')
        taken, said = self.made("set", earlier, "--domain", "3")
        self.assertEqual(taken, 3)
        self.assertTrue(said.startswith("--max-items 3: a device can hold no more\n"), said)

    def test_keeps_what_an_uncertain_answer_cannot_judge(self):
        # In one of twenty answers noise alone rules six out, which is then no uncertain answer: in all of
        # six of them with probability 1.6e-8.
        for attempt in range(6):
            earlier = self.counted("set", f"uncertain {attempt}", "--max-items", "6", "--epsilon", "0.5",
                                   "--delta", "1e-6")
            bounds = self.deployment.ask("query", "--task", earlier, "--confidence", "0.9")
            if bounds["full_high"] > 0.001:
                break
        self.assertGreater(bounds["full_high"], 0.001)
        taken, said = self.made("set", earlier)
        # Noise alone passes for devices that hold six in one of twenty answers.
        self.assertEqual(taken, 12 if bounds["full_low"] > 0 else 6, said)
        self.assertIn("twice" if bounds["full_low"] > 0 else "cannot tell whether none", said)

    def test_refuses_what_tells_nothing(self):
        def task(*words):
            return self.deployment.ask(*self.create(*words))["task"]
        self.assertIn("no batch of this task has been counted", self.refused(*self.create(
            "set", "next", "--sizes-of", task("set", "empty", "--max-items", "2"))))
        self.assertIn('"values" is a histogram task, must be set', self.refused(*self.create(
            "set", "next", "--sizes-of", task("histogram", "values"))))
        self.assertIn('"pairs" is a key_value task, must be set', self.refused(*self.create(
            "set", "next", "--sizes-of", task("key_value", "pairs", "--max-items", "2"))))
        for wrong in ("auto", "0" * 64):
            self.assertIn("--sizes-of", self.refused(*self.create("set", "next", "--sizes-of", wrong)))
        self.assertIn("--sizes-of", self.refused(*self.create("set", "next")))
        self.assertIn("--sizes-of is for --max-items auto", self.refused(*self.create(
            "set", "next", "--max-items", "2", "--sizes-of", "0" * 64)))
        self.assertIn("--max-items auto needs --sizes-of", self.refused(*self.create(
            "set", "next", "--max-items", "auto")))
        self.assertIn("must be a whole number or auto", self.refused(*self.create(
            "set", "next", "--max-items", "some")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
