#!/usr/bin/env python3
"""Sets and key-value pairs against the running system: from lines of devices to answers.

usage: items_test.py BIN_DIR [--devices N] [unittest arguments]   devices of each task [2000]
"""
import argparse
import json
import math
import pathlib
import random
import shutil
import sys
import tempfile
import time
import unittest

PARSER = argparse.ArgumentParser()
PARSER.add_argument("binaries")
PARSER.add_argument("--devices", type=int, default=2000)
ARGUMENTS, REST = PARSER.parse_known_args()
sys.argv = [sys.argv[0], ARGUMENTS.binaries, *REST]  # support.programs takes the binaries.

from support.deployment import Deployment
from support.programs import BIN

DEVICES = ARGUMENTS.devices
KEYS = [f"key {i}" for i in range(50)]
MOST, LOW, HIGH = 8, 1, 5
# Of one check. 203 numbers lie in intervals of the collector: 50 frequencies and the share of full
# devices in each of three answers, and at most 50 means. These intervals are approximations that err on
# the wide side (docs/cli.md). 152 lie within bounds that are derived here: the frequencies and the
# number of messages by shared noise, of either kind, and the means. By the union bound all hold but
# for a probability of (203 + 152) * 2e-9 = 7.1e-7.
ANY_FAILURE = 2e-9
CONFIDENCE = str(1 - ANY_FAILURE)


def bernstein(variance, largest):
    """What a sum of independent centred terms of this variance, none above `largest`, exceeds on
    either side with probability at most ANY_FAILURE: 2 exp(-t^2 / (2 (V + M t / 3))). A Poisson
    number of terms obeys it too, as the limit of sums of rare ones."""
    logarithm = math.log(2 / ANY_FAILURE)
    linear = largest * logarithm / 3
    return linear + math.sqrt(linear ** 2 + 2 * variance * logarithm)


def devices(seed):
    """Each with 1 to 8 keys, the first ones more often, and a number in [1, 5] for each."""
    draw = random.Random(seed)
    for _ in range(DEVICES):
        held, number = {}, draw.randint(1, MOST)
        while len(held) < number:
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
        begun = time.monotonic()
        outcome = self.deployment.ask("report", "--task", task["task"], "--input", file)
        self.assertEqual(outcome, {"accepted": DEVICES, "duplicates": 0, "rejected": 0})
        sent = time.monotonic()
        self.deployment.wait_for(task["task"], lambda s: s["counted_batches"] == 1, seconds=300)
        print(f"{task['kind']}, {task['mechanism']}: {DEVICES} devices sent in {sent - begun:.1f} s, "
              f"counted {time.monotonic() - sent:.1f} s later", file=sys.stderr)
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

    def dummies(self, task, answer):
        """How many a cell has on average, of pure_dump; and that the batch has as many in all."""
        self.assertEqual(task["mechanism"], "pure_dump")
        self.assertEqual(task["parameters"]["sent"], MOST)
        levels = task["levels"]["count"] if task["levels"] else 1
        total = DEVICES * (task["messages_per_user"] - MOST)
        self.assertLessEqual(abs(answer["messages"] - MOST * DEVICES - total), bernstein(total, 1))
        return total / (len(KEYS) * levels + MOST)

    def check_proven(self, name, errors):
        """Each of these (error, bound) is within; prints how near the nearest came."""
        for error, bound in errors:
            self.assertLessEqual(abs(error), bound)
        print(f"{name}: {len(errors)} within proven bounds, the nearest at "
              f"{max(abs(error) / bound for error, bound in errors):.2f} of its own; largest error "
              f"{max(abs(error) for error, _ in errors):.5f}, widest bound "
              f"{max(bound for _, bound in errors):.5f}", file=sys.stderr)

    def test_a_set_by_shared_noise(self):
        task = self.make("set", "--mechanism", "pure_dump")
        self.assertEqual(task["kind"], "set")
        self.assertIsNone(task["local_epsilon"])
        answer = self.answered(task, [list(held) for held in self.held])
        self.assertEqual(answer["kind"], "set")
        self.check_frequencies(answer)
        # Every holder says so, and the rest of a count is a Poisson number of dummies: that one of
        # the devices reaches the cap on its own is less likely than 1e-10, and left aside.
        bound = bernstein(self.dummies(task, answer), 1) / DEVICES
        self.check_proven("shares", [(row["raw"] - row["truth"], bound) for row in answer["bins"]])

    def test_a_set_by_one_sampled_response_leaves_a_local_epsilon(self):
        task = self.make("set", "--mechanism", "grr", "--sent", "1", "--max-local-epsilon", "9")
        self.assertLessEqual(task["local_epsilon"], 9)
        self.assertEqual(task["messages_per_user"], 1)
        answer = self.answered(task, [list(held) for held in self.held])
        self.assertEqual(answer["messages"], DEVICES)
        self.check_frequencies(answer)

    def test_key_value_pairs(self):
        task = self.make("key_value", "--value-range", f"{LOW}:{HIGH}", "--mechanism", "pure_dump")
        answer = self.answered(task, self.held)
        self.check_frequencies(answer)
        dummies = self.dummies(task, answer)
        count = task["levels"]["count"]
        bound = bernstein(count * dummies, 1) / DEVICES
        self.check_proven("shares of keys",
                          [(row["raw"] - row["truth"], bound) for row in answer["bins"]])
        means = []
        for key, row in zip(KEYS, answer["bins"]):
            if row["raw"] <= 3 * row["stderr"]:
                self.assertIsNone(row["mean"], row)
                continue
            self.assertTrue(row["mean_low"] <= row["mean_truth"] <= row["mean_high"], row)
            self.assertTrue(LOW <= row["mean_low"] and row["mean_high"] <= HIGH, row)
            means.append(self.mean_error(row, [held[key] for held in self.held if key in held],
                                         dummies, count))
        self.assertGreater(len(means), 5)
        self.check_proven("means", means)
        table = self.deployment.run("query", "--task", task["task"])[1]
        self.assertIn("key 0", table)
        self.assertIn("1 to 5", table)
        csv = self.deployment.run("query", "--task", task["task"], "--format", "csv")[1]
        self.assertEqual(csv.splitlines()[0],
                         "value,frequency,raw,stderr,low,high,mean,mean_stderr,mean_low,mean_high")
        self.assertIn("<svg", self.deployment.run("query", "--task", task["task"], "--format", "svg")[1])

    def mean_error(self, row, numbers, dummies, count):
        """(error, bound) of a mean. With counts C_i less the dummies expected, levels g_i and the
        true mean m, the sum of (g_i - m) C_i is n raw (mean - m). Its terms, a holder's rounding
        and a dummy, are independent and at most HIGH - LOW; rounding v between two levels has the
        variance (v - lower)(upper - v). Keeping the mean within the range brings it only nearer."""
        step = (HIGH - LOW) / (count - 1)
        variance = 0
        for number in numbers:
            above = (number - LOW) % step
            variance += above * (step - above)
        variance += dummies * sum((LOW + step * i - row["mean_truth"]) ** 2 for i in range(count))
        bound = bernstein(variance, HIGH - LOW) / (DEVICES * row["raw"])
        return row["mean"] - row["mean_truth"], bound

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
