#!/usr/bin/env python3
"""Numbers against the running system: from lines of devices to means, quantiles and ranges.

usage: number_test.py BIN_DIR [--devices N] [unittest arguments]   devices of each task [2000]
"""
import argparse
import bisect
import csv
import io
import json
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
HIGH, BINS = 1000, 128
FRACTIONS = (0.05, 0.25, 0.5, 0.75, 0.95)
# Ten ranges of whole bins, as narrow as one and as wide as all but one.
EDGE = HIGH / BINS
RANGES = [(a * EDGE, b * EDGE) for a, b in ((0, 1), (3, 5), (7, 23), (16, 32), (20, 84), (0, 64), (64, 128),
                                           (31, 33), (1, 127), (100, 128))]
# Of one check: the probability with which an interval of the collector misses what it is about. Checked in
# intervals are, of the tree, 128 bins, mean, sum, five quantiles, 16 joined bins, and a share, a count, a mean
# and a sum for each of ten ranges and one that cuts bins: 195; of the flat task and the one of uneven bins 32
# bins, mean, sum and five quantiles each: 78; where some have no number 64 bins, count, mean, sum, five
# quantiles, and four of a range: 76; of levels a mean and a sum. By the union bound over these 351, with each
# of them counted twice to be on the safe side, all hold but for a probability of 3.6e-7.
ANY_FAILURE = 5e-10
CONFIDENCE = repr(1 - ANY_FAILURE)


def numbers(seed):
    """Most of them small, a few near the end, and all numbers different."""
    draw = random.Random(seed)
    for _ in range(DEVICES):
        number = draw.triangular(0, HIGH, 120) if draw.random() < 0.9 else draw.uniform(700, HIGH)
        yield round(number, 6)


def quantile(ordered, fraction):
    """The smallest number that so large a share does not exceed, as docs/numbers.md has it."""
    rank = -(-fraction * len(ordered) // 1)
    return ordered[max(int(rank), 1) - 1]


class Numbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="tombola-number-"))
        cls.deployment = Deployment(BIN, cls.directory / "up")
        cls.numbers = list(numbers(seed=16))

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    def make(self, *words):
        return self.deployment.ask(
            "task", "create", "--kind", "number", "--name", f"number {words}", "--epsilon", "1",
            "--delta", "1e-6", "--users", DEVICES, *words)

    def refused(self, *words):
        code, out, err = self.deployment.run(*words)
        self.assertEqual((code, out), (2, ""), err)
        self.assertEqual(err.count("\n"), 1, err)
        return err

    def report(self, task, held):
        file = self.directory / task
        file.write_text("".join(f"{json.dumps(number)}\n" for number in held), encoding="utf-8")
        begun = time.monotonic()
        outcome = self.deployment.ask("report", "--task", task, "--input", file)
        self.assertEqual(outcome, {"accepted": DEVICES, "duplicates": 0, "rejected": 0})
        sent = time.monotonic()
        self.deployment.wait_for(task, lambda s: s["counted_batches"] == 1, seconds=600)
        print(f"{DEVICES} devices sent in {sent - begun:.1f} s, counted {time.monotonic() - sent:.1f} s "
              "later", file=sys.stderr)

    def ask(self, task, *words):
        answer = self.deployment.ask("query", "--task", task, "--truth", self.directory / task,
                                     "--confidence", CONFIDENCE, *words)
        self.assertEqual(answer["kind"], "number")
        self.assertEqual(answer["reports"], DEVICES)
        self.assertEqual(answer["rejected"], 0)
        return answer

    def holds(self, what, estimate, truth):
        """And what the program took for the truth is it."""
        self.assertTrue(estimate["low"] <= truth <= estimate["high"], (what, estimate, truth))
        self.assertTrue(estimate["low"] <= estimate["value"] <= estimate["high"], (what, estimate))
        if "truth" in estimate:
            self.assertAlmostEqual(estimate["truth"], truth, delta=1e-9 * max(1, abs(truth)), msg=what)

    def check(self, answer, held):
        """Everything that an answer about all of these numbers says."""
        ordered = sorted(held)
        self.holds("count", answer["count"], len(held))
        self.holds("mean", answer["mean"], sum(held) / len(held))
        self.holds("sum", answer["sum"], sum(held))
        for fraction, estimate in answer["quantiles"].items():
            self.holds(fraction, estimate, quantile(ordered, float(fraction)))
        self.assertEqual(answer["frequency"]["value"], 1)
        for row in answer["bins"]:
            last = row is answer["bins"][-1]
            end = len(ordered) if last else bisect.bisect_left(ordered, row["high_edge"])
            share = (end - bisect.bisect_left(ordered, row["low_edge"])) / len(held)
            self.assertAlmostEqual(row["truth"], share)
            self.assertTrue(row["low"] <= share <= row["high"], row)
        if answer["bins"]:
            self.assertAlmostEqual(sum(row["frequency"] for row in answer["bins"]), 1)
        self.assertLessEqual(answer["guarantee"]["epsilon"], 1)
        self.assertLessEqual(answer["guarantee"]["delta"], 1e-6)

    def check_range(self, answer, low, high, held):
        self.assertEqual(answer["where"], {"low": low, "high": high})
        inside = [number for number in held if low <= number < high or number == high == HIGH]
        self.holds("count", answer["count"], len(inside))
        self.holds("frequency", answer["frequency"], len(inside) / len(held))
        if answer["mean"] is not None:
            self.holds("mean", answer["mean"], sum(inside) / len(inside))
            self.holds("sum", answer["sum"], sum(inside))
        else:
            self.assertLessEqual(answer["count"]["value"], 3 * answer["count"]["stderr"])

    def test_a_tree_of_bins(self):
        task = self.make("--value-range", f"0:{HIGH}", "--resolution", BINS, "--mechanism", "pure_dump",
                         "--branching", "4")["task"]
        self.report(task, self.numbers)
        asked = ",".join(map(str, FRACTIONS))
        answer = self.ask(task, "--quantile", asked)
        self.assertEqual(answer["counted"], f"a tree of 4 levels over {BINS} bins")
        self.assertEqual(len(answer["bins"]), BINS)
        self.assertEqual([float(fraction) for fraction in answer["quantiles"]], list(FRACTIONS))
        self.check(answer, self.numbers)
        # Known, without an error.
        self.assertEqual({answer["count"][name] for name in ("value", "low", "high")}, {DEVICES})
        self.assertEqual(answer["count"]["stderr"], 0)
        self.assertAlmostEqual(answer["spread"], EDGE / 2)
        print(f"mean off by {answer['mean']['value'] - answer['mean']['truth']:.3f}, stderr "
              f"{answer['mean']['stderr']:.3f}; median off by "
              f"{answer['quantiles']['0.5']['value'] - answer['quantiles']['0.5']['truth']:.3f}, "
              f"stderr {answer['quantiles']['0.5']['stderr']:.3f}", file=sys.stderr)

        joined = self.ask(task, "--bins", "16")
        self.assertEqual([row["low_edge"] for row in joined["bins"]], [i * HIGH / 16 for i in range(16)])
        self.assertEqual(joined["quantiles"], {})
        self.check(joined, self.numbers)
        # The same estimates, summed.
        for i, row in enumerate(joined["bins"]):
            self.assertAlmostEqual(row["raw"], sum(r["raw"] for r in answer["bins"][8 * i:8 * i + 8]))

        for low, high in RANGES:
            ranged = self.ask(task, "--where", f"value={low}..{high}")
            self.check_range(ranged, low, high, self.numbers)
            self.assertEqual(ranged["partial"], 0)
            self.assertAlmostEqual(sum(row["raw"] for row in ranged["bins"]),
                                   ranged["frequency"]["value"])
        cut = self.ask(task, "--where", "value=100..300")
        self.assertGreater(cut["partial"], 0)
        self.check_range(cut, 100, 300, self.numbers)
        self.assertEqual((cut["bins"][0]["low_edge"], cut["bins"][-1]["high_edge"]), (100, 300))
        open_end = self.ask(task, "--where", "value=500..")
        self.check_range(open_end, 500, HIGH, self.numbers)
        self.check_forms(task)
        self.check_refusals(task)

    def check_forms(self, task):
        code, table, err = self.deployment.run("query", "--task", task)
        self.assertEqual(code, 0, err)
        for word in ("devices", "mean", "quantile 0.99", "counted: a tree", "guarantee"):
            self.assertIn(word, table)
        code, text, err = self.deployment.run("query", "--task", task, "--format", "csv", "--quantile", "0.5")
        self.assertEqual(code, 0, err)
        rows = list(csv.reader(io.StringIO(text)))
        self.assertEqual(rows[0], ["value", "low_edge", "high_edge", "frequency", "raw", "stderr", "low", "high"])
        self.assertEqual(len(rows), BINS + 1)
        self.assertIn("quantile 0.5", err)
        code, chart, err = self.deployment.run("query", "--task", task, "--format", "svg")
        self.assertEqual(code, 0, err)
        self.assertIn("<svg", chart)
        self.assertIn("0.95: ", chart)

    def check_refusals(self, task):
        for words, word in ((("--where", "value=5..2"), f"its upper one, both within 0 to {HIGH}"),
                            (("--where", "value=5..5"), "lower end"),
                            (("--where", "value=-5..2"), f"within 0 to {HIGH}"),
                            (("--where", "value=5..2000"), f"within 0 to {HIGH}"),
                            (("--where", "age=5..20"), 'and not "age=5..20": a task about numbers has nothing '
                                                       f'but its value, in [0, {HIGH}]'),
                            (("--where", "value=5"), "two numbers"),
                            (("--where", "value=300...400"), f"--where value=A..B must be two numbers in [0, {HIGH}]"),
                            (("--where", "value=40..4"), "--where is 40 to 4"),
                            (("--quantile", "1.5"), "[0, 1]"), (("--quantile", "half"), "[0, 1]"),
                            (("--quantile", "0.5,0.5"), "twice"),
                            (("--quantile", "0.5", "--where", "value=5..20"), "without where"),
                            (("--postprocess", "em"), "em needs counts"), (("--top", "3"), "--top"),
                            (("--values", "3"), "--values"), (("--sort", "frequency"), "--sort")):
            self.assertIn(word, self.refused("query", "--task", task, *words), words)
        for line, word in (("1001", "1000"), ("-1", "0"), ("null", ""), ("\"a\"", "JSON"), ("NaN", "JSON")):
            self.assertIn(word, self.refused("report", "--task", task, "--value", line), line)

    def test_a_task_that_cannot_be_is_refused_by_its_flag(self):
        create = ("task", "create", "--kind", "number", "--name", "n", "--users", DEVICES, "--epsilon", "1",
                  "--delta", "1e-6")
        ranged = (*create, "--value-range", f"0:{HIGH}")
        for words, said in (((*ranged, "--sent", "9"), "--sent is 9; it must be a divisor of the levels"),
                            ((*ranged, "--sent", "9", "--branching", "4"), "--sent is 9; it must be a divisor"),
                            ((*ranged, "--sent", "2", "--mean-only"), "--sent is 2; it must be 1"),
                            ((*create, "--edges", self.directory), "must be a file, is a folder"),
                            ((*create, "--edges", self.directory / "none"), "--edges: ")):
            self.assertIn(said, self.refused(*words), words)

    def test_bins_alone(self):
        task = self.make("--value-range", f"0:{HIGH}", "--resolution", "32", "--branching", "0", "--mechanism",
                         "grr")["task"]
        self.report(task, self.numbers)
        answer = self.ask(task, "--quantile", ",".join(map(str, FRACTIONS)))
        self.assertEqual(answer["counted"], "32 bins")
        self.check(answer, self.numbers)

    def test_bins_of_other_widths(self):
        edges = self.directory / "edges"
        steps = [HIGH * (i / 32) ** 2 for i in range(33)]
        edges.write_text("".join(f"{edge}\n" for edge in steps), encoding="utf-8")
        task = self.make("--edges", edges, "--mechanism", "correlated")["task"]
        self.report(task, self.numbers)
        answer = self.ask(task, "--quantile", ",".join(map(str, FRACTIONS)))
        self.assertEqual([row["low_edge"] for row in answer["bins"]], steps[:-1])
        self.check(answer, self.numbers)

    def test_devices_without_a_number(self):
        task = self.make("--value-range", f"0:{HIGH}", "--resolution", "64", "--missing", "--mechanism",
                         "pure_dump")["task"]
        held = [None if i % 4 == 0 else number for i, number in enumerate(self.numbers)]
        self.report(task, held)
        present = [number for number in held if number is not None]
        answer = self.ask(task, "--quantile", ",".join(map(str, FRACTIONS)))
        self.assertGreater(answer["count"]["stderr"], 0)
        self.check(answer, present)
        self.check_range(self.ask(task, "--where", "value=0..250"), 0, 250, present)

    def test_means_alone(self):
        task = self.make("--value-range", f"0:{HIGH}", "--mean-only")["task"]
        self.report(task, self.numbers)
        answer = self.ask(task)
        self.assertIn("levels, dithered", answer["counted"])
        self.assertEqual((answer["bins"], answer["quantiles"], answer["spread"]), ([], {}, 0))
        self.check(answer, self.numbers)
        for words in (("--quantile", "0.5"), ("--where", "value=1..2"), ("--bins", "3")):
            self.assertIn("--mean-only", self.refused("query", "--task", task, *words))
        table = self.deployment.run("query", "--task", task)[1]
        self.assertIn("mean", table)
        self.assertIn("<svg", self.deployment.run("query", "--task", task, "--format", "svg")[1])

    def test_other_kinds_refuse_what_is_asked_of_numbers(self):
        task = self.deployment.ask("task", "create", "--name", "colours", "--domain", "3", "--epsilon", "1",
                                   "--delta", "1e-6", "--users", "1000")["task"]
        for words in (("--quantile", "0.5"), ("--where", "value=1..2"), ("--bins", "3")):
            refusal = self.refused("query", "--task", task, *words)
            self.assertIn(words[0], refusal)
            self.assertIn("for tasks about numbers", refusal)


if __name__ == "__main__":
    unittest.main(verbosity=2)
