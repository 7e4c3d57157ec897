#!/usr/bin/env python3
"""Streams of sets, key-value pairs and numbers over the running system: four periods of each.

usage: stream_kinds_test.py BIN_DIR CLOCKJUMP [unittest arguments]

Periods are two hours long. In the middle of each everything is killed (kill -9), and the machine sleeps until the
middle of the next (tests/torture/clockjump.c).
"""
import argparse
import csv
import importlib.util
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
PARSER.add_argument("clockjump")
ARGUMENTS, REST = PARSER.parse_known_args()
sys.argv = [sys.argv[0], ARGUMENTS.binaries, *REST]  # support.programs takes the binaries.

from support import periods
from support.jumping import Jumping
from support.programs import BIN, SOURCE

KEYS = tuple(f"key {i}" for i in range(12))
PERIODS, DEVICES, MOST = 4, 1000, 3
AFTER = 20 * 60  # seconds after the end of a period, when it has closed
# Of one check: the probability with which an interval of the collector misses what it is about; these are
# approximations that err on the wide side (docs/cli.md). Checked are 12 values, their counts and means, and the
# share of full devices, of 4 totals each of sets and pairs, and 4 means and medians: 240 intervals at most.
# By the union bound all hold but for a probability of 2.4e-7.
ANY_FAILURE = 1e-9
CONFIDENCE = repr(1 - ANY_FAILURE)
KINDS = ("set", "key_value", "number")


def held(draw):
    """Up to so many keys of a device, the first ones more often, with a number in [0, 10] each."""
    keys = draw.sample(KEYS[: draw.choice((4, 12))], k=draw.randint(0, MOST))
    return {key: round(draw.triangular(0, 10, 8), 3) for key in keys}


class StreamKinds(unittest.TestCase):
    """All periods happen once, for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="tombola-stream-kinds-"))
        cls.ahead = 0
        cls.deployment = cls.started()
        draw = random.Random(26)
        cls.pairs = [[held(draw) for _ in range(DEVICES)] for _ in range(PERIODS)]
        cls.numbers = [[round(draw.gauss(40 + 5 * period, 10) % 100, 3) for _ in range(DEVICES)]
                       for period in range(PERIODS)]
        labels = cls.directory / "values"
        labels.write_text("".join(f"{key}\n" for key in KEYS), encoding="utf-8")
        items = ("--values", labels, "--max-items", MOST)
        flags = {"set": items, "key_value": (*items, "--value-range", "0:10"),
                 "number": ("--value-range", "0:100", "--resolution", 100)}
        cls.tasks = {kind: cls.deployment.ask(
            "task", "create", "--kind", "stream", "--of", kind, "--name", kind, "--interval", "2h",
            "--retry-window", "1h", "--periods", PERIODS, "--structure", "fenwick", "--mechanism",
            "pure_dump", "--epsilon", "4", "--delta", "1e-6", "--users", DEVICES, *flags[kind])
            for kind in KINDS}
        for period in range(PERIODS):
            cls.live(period)
        cls.sleep_until(cls.begins(PERIODS + 1) + AFTER)
        for task in cls.tasks.values():
            cls.deployment.wait_for(task["task"], lambda status: status["counted_batches"] == PERIODS)

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    @classmethod
    def started(cls):
        return Jumping(BIN, ARGUMENTS.clockjump, cls.directory / "up", cls.ahead, asleep=True)

    @classmethod
    def begins(cls, period):
        """Of the task that was made last: the others are in the same period by then."""
        return max(periods.begins(task, period).timestamp() for task in cls.tasks.values())

    @classmethod
    def sleep_until(cls, moment):
        """Everything is killed, as it stands, and comes back then."""
        cls.deployment.kill()
        cls.ahead = round(moment - time.time())
        cls.deployment = cls.started()

    @classmethod
    def live(cls, period):
        """Its devices report, in its middle, when the period before is over."""
        cls.sleep_until(cls.begins(period + 1) + AFTER)
        lines = {"set": map(list, cls.pairs[period]), "key_value": cls.pairs[period],
                 "number": cls.numbers[period]}
        for kind, records in lines.items():
            outcome = cls.deployment.ask(
                "report", "--task", cls.tasks[kind]["task"], "--input", "-",
                stdin="".join(f"{json.dumps(record)}\n" for record in records))
            assert outcome == {"accepted": DEVICES, "duplicates": 0, "rejected": 0}, (kind, outcome)

    def query(self, kind, *words):
        return self.deployment.ask("query", "--task", self.tasks[kind]["task"], "--confidence", CONFIDENCE,
                                   *words)

    def within(self, number, low, high):
        self.assertLessEqual(low, number + 1e-12)
        self.assertGreaterEqual(high, number - 1e-12)

    def test_every_total_of_sets_and_pairs_is_within_its_intervals(self):
        for kind in ("set", "key_value"):
            answer = self.query(kind, "--series")
            self.assertEqual([found["submissions"] for found in answer["series"]],
                             [DEVICES * t for t in range(1, PERIODS + 1)])
            for last, found in enumerate(answer["series"], 1):
                devices = [device for period in self.pairs[:last] for device in period]
                self.within(sum(len(device) == MOST for device in devices) / len(devices),
                            found["full_low"], found["full_high"])
                self.assertEqual([row["value"] for row in found["bins"]], list(KEYS))
                for row in found["bins"]:
                    numbers = [device[row["value"]] for device in devices if row["value"] in device]
                    self.within(len(numbers), row["count_low"], row["count_high"])
                    self.within(len(numbers) / len(devices), row["low"], row["high"])
                    if kind == "key_value" and row["mean"] is not None:
                        self.within(sum(numbers) / len(numbers), row["mean_low"], row["mean_high"])

    def test_means_of_common_keys_are_known(self):
        last = self.query("key_value", "--at", str(PERIODS))
        self.assertIsNotNone(last["bins"][0]["mean"])
        self.assertLess(last["bins"][0]["mean_high"] - last["bins"][0]["mean_low"], 5)

    def test_numbers_have_means_and_quantiles_over_time(self):
        answer = self.query("number", "--series", "--quantile", "0.5")
        for last, found in enumerate(answer["series"], 1):
            numbers = sorted(number for period in self.numbers[:last] for number in period)
            self.assertEqual(found["number"]["count"]["value"], DEVICES * last)
            mean, median = found["number"]["mean"], found["number"]["quantiles"]["0.5"]
            self.within(sum(numbers) / len(numbers), mean["low"], mean["high"])
            self.within(numbers[(len(numbers) + 1) // 2 - 1], median["low"], median["high"])
        self.assertLess(mean["high"] - mean["low"], 25)
        single = self.query("number", "--period", "2")["number"]
        self.within(sum(self.numbers[1]) / DEVICES, single["mean"]["low"], single["mean"]["high"])

    def test_http_says_the_same(self):
        for kind, words, question in (("set", ("--series", "--top", "2"), {"series": "true", "top": 2}),
                                      ("key_value", ("--at", "3"), {"at": 3}),
                                      ("number", ("--series", "--quantile", "0.5", "--bins", "4"),
                                       {"series": "true", "quantiles": "0.5", "bins": 4})):
            status, _, text = self.deployment.http(self.tasks[kind]["task"], confidence=CONFIDENCE, **question)
            self.assertEqual(status, 200, text)
            self.assertEqual(json.loads(text), self.query(kind, *words))

    def test_python_says_the_same(self):
        if not all(map(importlib.util.find_spec, ("pip", "setuptools", "wheel", "grpc"))):
            self.skipTest("what the Python package needs is not installed")
        sys.path.append(str(SOURCE / "tests" / "python"))
        import installed
        package = installed.Package(SOURCE)
        self.addCleanup(package.cleanup)
        from tombola_query import Client
        with Client.from_config(self.deployment.config) as client:
            for kind, words, question in (
                    ("set", ("--series", "--top", "2"), {"series": True, "top": 2}),
                    ("key_value", ("--at", "3"), {"at": 3}),
                    ("number", ("--at", "3", "--quantile", "0.5", "--bins", "4"),
                     {"at": 3, "quantiles": (0.5,), "bins": 4})):
                answer = client.stream(self.tasks[kind]["task"], **question, confidence=float(CONFIDENCE))
                self.assertEqual(answer.to_dict(), self.query(kind, *words))
                self.assertIn("first,last,submissions,", answer.to_csv())

    def test_other_forms(self):
        _, out, _ = self.deployment.run("query", "--task", self.tasks["number"]["task"], "--series",
                                        "--format", "csv", "--quantile", "0.25,0.5")
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual(len(rows), PERIODS)
        self.assertTrue(float(rows[-1]["mean_low"]) < float(rows[-1]["mean"]) < float(rows[-1]["mean_high"]))
        self.assertIn("q0.25_stderr", rows[0])
        for kind, says in (("set", "devices that fill all 3 places"), ("key_value", "mean"),
                           ("number", "mean")):
            for words in ((), ("--series",), ("--format", "svg"), ("--series", "--format", "svg")):
                code, out, err = self.deployment.run("query", "--task", self.tasks[kind]["task"], *words)
                self.assertEqual(code, 0, err)
                if "svg" in words:
                    self.assertIn("</svg>", out)
                elif kind != "key_value" or not words:
                    self.assertIn(says, out)

    def test_a_task_says_what_it_is_of(self):
        for kind, task in self.tasks.items():
            self.assertEqual(task["stream"]["of"], kind)
            _, out, _ = self.deployment.run("task", "show", "--task", task["task"])
            self.assertIn("(stream), counted over time", out)
        status = self.deployment.ask("status", "--task", self.tasks["set"]["task"])
        self.assertEqual(status["tasks"][0]["counted_in"] if "tasks" in status else status["counted_in"],
                         "nodes")

    def test_what_a_kind_does_not_have_is_refused_in_a_line(self):
        for kind, words, says in (("number", ("--top", "2"), "--top"), ("set", ("--bins", "2"), "--bins"),
                                  ("number", ("--where", "value=1..2"), "--where is not for streams"),
                                  ("set", ("--postprocess", "pop"), "clip, base_cut or none")):
            code, out, err = self.deployment.run("query", "--task", self.tasks[kind]["task"], "--json", *words)
            self.assertEqual((code, out), (2, ""), err)
            self.assertIn(says, err)
            self.assertEqual(err.count("\n"), 1, err)
        code, _, err = self.deployment.run(
            "task", "create", "--kind", "stream", "--of", "set", "--name", "x", "--domain", 9, "--max-items",
            2, "--interval", "2h", "--retry-window", "1h", "--periods", 2, "--epsilon", 1, "--delta", "1e-6",
            "--users", 1000, "--mechanism", "grr")
        self.assertEqual(code, 2)
        self.assertIn("mechanism must be correlated, pure_dump or aue", err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
