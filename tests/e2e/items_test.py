#!/usr/bin/env python3
"""Sets and key-value pairs against the running system: from lines of devices to answers.

usage: items_test.py BIN_DIR [unittest arguments]

TOMBOLA_DEVICES is how many devices report for each task, 2,000 by default.
"""
import json
import os
import pathlib
import random
import shutil
import tempfile
import unittest

from support.deployment import Deployment
from support.programs import BIN

DEVICES = int(os.environ.get("TOMBOLA_DEVICES", "2000"))
KEYS = [f"key {i}" for i in range(50)]
MOST = 8
# Intervals of 250 numbers (100 frequencies, 50 means, and those of tests beside them) all hold but for
# a probability below 250 * 4e-9 = 1e-6.
CONFIDENCE = "0.999999996"


def devices(seed):
    """Each with 1 to 8 keys, the first ones more often, and a number in [1, 5] for each."""
    draw = random.Random(seed)
    for _ in range(DEVICES):
        held = {}
        while len(held) < draw.randint(1, MOST):
            key = min(int(draw.expovariate(0.08)), len(KEYS) - 1)
            held[KEYS[key]] = round(draw.triangular(1, 5, 1 + 4 * key / len(KEYS)), 3)
        yield held


class Items(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="tombola-items-"))
        cls.deployment = Deployment(BIN, cls.directory / "up")
        cls.values = cls.directory / "values"
        cls.values.write_text("".join(f"{key}\n" for key in KEYS), encoding="utf-8")
        cls.held = list(devices(seed=15))

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    def make(self, kind, *words):
        return self.deployment.ask(
            "task", "create", "--kind", kind, "--name", f"{kind} {words}", "--values", self.values,
            "--max-items", MOST, "--epsilon", "1", "--delta", "1e-6", "--users", DEVICES, *words)

    def refused(self, *words, stdin=None):
        code, out, err = self.deployment.run(*words, stdin=stdin)
        self.assertEqual((code, out), (2, ""), err)
        self.assertEqual(err.count("\n"), 1, err)
        return err

    def answered(self, task, lines):
        """The answer to what the devices of these lines hold, beside what is true."""
        file = self.directory / "lines"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        outcome = self.deployment.ask("report", "--task", task["task"], "--input", file)
        self.assertEqual(outcome, {"accepted": DEVICES, "duplicates": 0, "rejected": 0})
        self.deployment.wait_for(task["task"], lambda s: s["counted_batches"] == 1)
        return self.deployment.ask("query", "--task", task["task"], "--truth", file, "--confidence",
                                   CONFIDENCE)

    def check_frequencies(self, answer):
        self.assertEqual(answer["reports"], DEVICES)
        self.assertEqual(answer["rejected"], 0)
        self.assertEqual([row["value"] for row in answer["bins"]], KEYS)
        for row in answer["bins"]:
            self.assertTrue(row["low"] <= row["truth"] <= row["high"], row)
            self.assertTrue(0 <= row["frequency"] <= 1, row)
        # Sizes: 1 to 8 things, each as the devices have it.
        self.assertEqual(len(answer["sizes"]), MOST + 1)
        self.assertAlmostEqual(sum(answer["sizes"]), 1)
        full = sum(len(held) == MOST for held in self.held) / DEVICES
        self.assertTrue(answer["full_low"] <= full <= answer["full_high"], answer["full"])
        self.assertEqual(answer["hint"] is None,
                         not (answer["full"] > 0.01 and answer["full_low"] > 0))
        self.assertLessEqual(answer["guarantee"]["epsilon"], 1)
        self.assertLessEqual(answer["guarantee"]["delta"], 1e-6)

    def test_a_set_by_shared_noise(self):
        task = self.make("set")
        self.assertEqual(task["kind"], "set")
        self.assertIsNone(task["local_epsilon"])
        answer = self.answered(task, [list(held) for held in self.held])
        self.assertEqual(answer["kind"], "set")
        self.check_frequencies(answer)
        # Every message is counted: eight of a device, and the noise.
        self.assertGreaterEqual(answer["messages"], MOST * DEVICES)

    def test_a_set_by_one_sampled_response_leaves_a_local_epsilon(self):
        task = self.make("set", "--mechanism", "grr", "--sent", "1", "--max-local-epsilon", "9")
        self.assertLessEqual(task["local_epsilon"], 9)
        self.assertEqual(task["messages_per_user"], 1)
        self.check_frequencies(self.answered(task, [list(held) for held in self.held]))

    def test_key_value_pairs(self):
        task = self.make("key_value", "--value-range", "1:5")
        answer = self.answered(task, self.held)
        self.check_frequencies(answer)
        known = 0
        for row in answer["bins"]:
            if row["raw"] <= 3 * row["stderr"]:
                self.assertIsNone(row["mean"], row)
                continue
            known += 1
            self.assertTrue(row["mean_low"] <= row["mean_truth"] <= row["mean_high"], row)
            self.assertTrue(1 <= row["mean_low"] and row["mean_high"] <= 5, row)
        self.assertGreater(known, 5)
        table = self.deployment.run("query", "--task", task["task"])[1]
        self.assertIn("key 0", table)
        self.assertIn("1 to 5", table)
        csv = self.deployment.run("query", "--task", task["task"], "--format", "csv")[1]
        self.assertEqual(csv.splitlines()[0],
                         "value,frequency,raw,stderr,low,high,mean,mean_stderr,mean_low,mean_high")
        self.assertIn("<svg", self.deployment.run("query", "--task", task["task"], "--format", "svg")[1])

    def test_what_cannot_be_is_refused_with_its_name(self):
        task = self.make("key_value", "--value-range", "1:5", "--mechanism", "pure_dump")["task"]
        for line, word in (('{"key 0": 6}', "key 0"), ('{"nobody": 2}', "nobody"),
                           ('{"key 0": 1, "key 0": 2}', "twice"), ('["key 0"]', "JSON object"),
                           ('{"key 0": NaN}', "JSON object")):
            self.assertIn(word, self.refused("report", "--task", task, "--value", line))
        for words, word in ((("--max-items", "0"), "max_items"), (("--max-items", "51"), "max_items"),
                            ((), "--max-items"), (("--max-items", "5", "--levels", "1",), "levels")):
            self.assertIn(word.replace("_", "-") if not words else word.split("_")[0], self.refused(
                "task", "create", "--kind", "key_value", "--name", "bad", "--values", self.values,
                "--value-range", "1:5", "--epsilon", "1", "--delta", "1e-6", "--users", "1000", *words))
        self.assertIn("--value-range", self.refused(
            "task", "create", "--kind", "key_value", "--name", "bad", "--values", self.values,
            "--max-items", "3", "--epsilon", "1", "--delta", "1e-6", "--users", "1000"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
