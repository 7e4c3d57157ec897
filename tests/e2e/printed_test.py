#!/usr/bin/env python3
"""What is printed of a guarantee is never better than what holds: every epsilon and delta in a text
is compared with the whole number in the JSON of the same command.

usage: printed_test.py BIN_DIR [unittest arguments]
"""
import csv
import io
import json
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

from support.deployment import Deployment
from support.programs import BIN, TOMBOLA

NUMBER = r"(\d[\d.]*(?:e[-+]\d+)?|inf)"
MECHANISMS = ("local_hash", "grr", "aue", "pure_dump", "mix_dump", "murs", "correlated", "generic")


def run(*arguments):
    done = subprocess.run([TOMBOLA, *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


def all_of(pattern, text):
    """The numbers that the pattern's NUMBER stands for, in order."""
    return [float(found) for found in re.findall(pattern.replace("NUMBER", NUMBER), text)]


def account(rng, mechanism):
    """Arguments of `tombola account` that have an answer, drawn at random."""
    users = int(10 ** rng.uniform(3, 6))
    flags = {"mechanism": mechanism, "users": users, "delta": 10 ** rng.uniform(-10, -4),
             "submissions": rng.choice([1, 1, 2, 5, 40])}
    if mechanism in ("local_hash", "murs"):
        flags["range"] = rng.choice([17, 64, 251, 1024])
    if mechanism in ("grr", "mix_dump"):
        flags["domain"] = rng.randint(2, 3000)
    if mechanism in ("local_hash", "grr", "mix_dump", "murs", "generic"):
        flags["local-epsilon"] = rng.uniform(0.1, 6)
    if mechanism in ("aue", "pure_dump", "mix_dump"):
        flags["dummies"] = rng.uniform(50, 900)
    if mechanism == "murs":
        flags["fakes"] = rng.randint(1, users)
    if mechanism == "correlated":
        flags.update({"noise-epsilon": rng.uniform(0.2, 1), "shape": rng.uniform(3, 20),
                      "flood": rng.uniform(0.8, 0.99)})
    elif rng.random() < 0.3:
        flags["colluding"] = rng.uniform(0, 0.5)
    if rng.random() < 0.3 and mechanism != "correlated":
        flags["epsilon"] = rng.uniform(0.5, 3)
    return [word for name, value in flags.items() for word in (f"--{name}", repr(value).strip("'"))]


class Printed(unittest.TestCase):
    def never_better(self, said, numbers, context, least=1.0000011):
        """`said` are upper bounds of `numbers`, and no more than their last digit above them."""
        self.assertEqual(len(said), len(numbers), context)
        for text, number in zip(said, numbers):
            self.assertGreaterEqual(text, number, context)
            self.assertLessEqual(text, number * least * 1.00001, context)

    def both(self, *arguments):
        """The text and the JSON of a command."""
        code, text, err = run(*arguments)
        self.assertEqual(code, 0, (arguments, err))
        code, out, err = run(*arguments, "--json")
        self.assertEqual(code, 0, (arguments, err))
        return text, json.loads(out)


class CalculationsTest(Printed):
    def test_account_150_times(self):
        rng = random.Random(13)
        answered = 0
        for i in range(150):
            arguments = account(rng, MECHANISMS[i % len(MECHANISMS)])
            if run("account", *arguments)[0] != 0:
                continue  # nothing holds for these
            text, whole = self.both("account", *arguments)
            pairs = [whole, whole["group"], whole["composed"]] if "group" in whole else [whole]
            numbers = [pair["epsilon"] for pair in pairs]
            if whole["local_epsilon"] is not None:
                numbers.insert(1, whole["local_epsilon"])
            self.never_better(all_of(r"epsilon\s+NUMBER", text), numbers, (arguments, text, whole))
            self.never_better(all_of(r"delta\s+NUMBER", text), [pair["delta"] for pair in pairs],
                              (arguments, text, whole))
            answered += 1
        self.assertGreater(answered, 120)

    def test_plan(self):
        rng = random.Random(14)
        for _ in range(8):
            text, whole = self.both(
                "plan", "--users", rng.randint(2000, 50000), "--domain", rng.randint(2, 500),
                "--epsilon", rng.uniform(0.3, 4), "--delta", 10 ** rng.uniform(-9, -5))
            first, rest = text.split("\n", 1)
            self.never_better(all_of("epsilon NUMBER", first) + all_of("delta NUMBER", first),
                              [whole["epsilon"], whole["delta"]], text)
            locals_ = [row["local_epsilon"] for row in whole["candidates"]
                       if row["feasible"] and row["local_epsilon"] is not None]
            self.never_better(all_of("local epsilon NUMBER", rest), locals_, text, 1.0011)

    def test_audit_rounds_its_own_bound_down(self):
        for seed in range(3):
            text, whole = self.both("audit", "--mechanism", "grr", "--domain", 5, "--local-epsilon",
                                    2 + seed / 3, "--samples", 3000, "--seed", seed, "--confidence",
                                    "0.98765432")
            self.never_better(all_of("epsilon <= NUMBER", text), [whole["claimed"]], text)
            for said, number in ((all_of("epsilon >= NUMBER", text), whole["lower_bound"]),
                                 (all_of("confidence NUMBER", text), whole["confidence"])):
                self.assertLessEqual(said[0], number, text)
                self.assertGreater(said[0], number * 0.99999, text)

    def test_simulate_in_its_table_and_its_files(self):
        with tempfile.TemporaryDirectory() as folder:
            text, whole = self.both(
                "simulate", "--data", "uniform", "--users", 3000, "--domain", 4, "--mechanism",
                "grr", "--epsilon", "1.23456749,2.0000001", "--delta", "1.23456749e-6", "--trials",
                2, "--out", folder)
            rows = [line.split() for line in text.splitlines()[3:]]
            self.assertEqual(len(rows), 2)
            table = csv.DictReader(io.StringIO(
                (pathlib.Path(folder) / "simulation.csv").read_text(encoding="utf-8")))
            for said, written, row in zip(rows, table, whole["rows"]):
                self.never_better([float(said[0]), float(said[1])], [row["epsilon"], row["delta"]],
                                  text, 1.00001)
                self.assertEqual(float(written["epsilon"]), row["epsilon"])
                self.assertEqual(float(written["delta"]), row["delta"])
            charts = sorted(pathlib.Path(folder).glob("*.svg"))
            self.assertEqual(len(charts), 2)
            for chart in charts:
                svg = chart.read_text(encoding="utf-8")
                self.assertIn("delta 1.23457e-06,", svg)
                for label in (">1.23457<", ">2.00001<"):
                    self.assertIn(label, svg)


class AnswersTest(Printed):
    USERS = 300
    # Neither has a short decimal.
    EPSILON, DELTA = "2.12341234123", "1.00004321e-6"

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tombola-printed-"))
        cls.deployment = Deployment(BIN, cls.folder / "up")

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def create(self, submissions, *flags):
        return ["task", "create", "--name", "t", "--domain", "4", "--epsilon", self.EPSILON,
                "--delta", self.DELTA, "--users", str(self.USERS), "--mechanism", "grr",
                "--submissions-per-device", str(submissions), *flags]

    def text(self, *arguments):
        code, out, err = self.deployment.run(*arguments)
        self.assertEqual(code, 0, err)
        return out, err

    def answered(self, submissions):
        """A task with one batch."""
        task = self.deployment.ask(*self.create(submissions))["task"]
        self.deployment.ask("report", "--task", task, "--input", "-", stdin="1\n2\n3\n" * 60)
        text, _ = self.text("status", "--task", task)
        self.never_better(all_of(r"epsilon +NUMBER if it left", text),
                          [self.deployment.status(task)["epsilon"]], text, 1.0011)
        self.deployment.ask("report", "--task", task, "--input", "-",
                            stdin="1\n" * (self.USERS - 180))
        self.deployment.wait_for(task, lambda status: status["counted_batches"] == 1)
        return task

    def pairs(self, text, expected):
        """Every "epsilon X, delta Y" of a text, in order."""
        found = re.findall(f"epsilon {NUMBER}, delta {NUMBER}", text)
        self.assertEqual(len(found), len(expected), (text, expected))
        for said, numbers in zip(found, expected):
            self.never_better([float(word) for word in said], numbers, (text, numbers), 1.0011)

    def test_a_task_and_what_a_devices_whole_life_in_it_costs(self):
        text, _ = self.text(*self.create(3))
        task = re.search("[0-9a-f]{64}", text)[0]
        shown, _ = self.text("task", "show", "--task", task)
        self.assertEqual(text, shown)
        whole = self.deployment.ask("task", "show", "--task", task)
        self.never_better(all_of("local epsilon NUMBER", text), [whole["local_epsilon"]], text,
                          1.0011)
        total = whole["total_epsilon"], whole["total_delta"]
        self.pairs(text, [(whole["epsilon"], whole["delta"]), total, total, (4, 1e-3)])
        life = "over the 3 submissions a device may make in the task's life"
        self.assertIn(life, text)
        self.assertAlmostEqual(total[0], 3 * whole["epsilon"], places=9)
        self.assertGreater(total[1], 50 * whole["delta"])
        self.assertIn("over the 3 submissions a device may make", text)
        why = "without periods they may meet in one batch, so they count as a group"
        self.assertEqual(whole["total_reason"], why)
        self.assertIn(f":\n          {why}\n", text)
        self.assertIn("! " + whole["warning"], text)
        merged = self.deployment.ask(*self.create(3, "--interval", "24h", "--merge-periods"))
        self.assertEqual((merged["total_epsilon"], merged["total_delta"]), total)
        self.assertIn("where periods merge they may meet", merged["total_reason"])
        apart = self.deployment.ask(*self.create(3, "--interval", "24h"))
        self.assertLess(apart["total_epsilon"], 0.75 * total[0])
        self.assertEqual(apart["total_delta"], apart["delta"])
        modest = self.deployment.ask(*self.create(1))
        self.assertEqual((modest["total_epsilon"], modest["total_delta"], modest["warning"]),
                         (modest["epsilon"], modest["delta"], None))

    def test_a_device_refuses_a_task_for_what_it_amounts_to(self):
        task = self.deployment.ask(*self.create(3))["task"]
        for flag, value, said in (("--max-total-epsilon", "6", "epsilon over the 3 submissions"),
                                  ("--max-total-delta", "1e-5", "delta over the 3 submissions")):
            code, _, err = self.deployment.run("report", "--task", task, "--value", "1", flag, value)
            self.assertEqual(code, 1, err)
            self.assertIn(said, err)
            self.assertIn(f"{flag} is", err)
        self.deployment.ask("report", "--task", task, "--value", "1", "--max-total-epsilon", "6.4",
                            "--max-total-delta", "1e-3")

    def test_every_line_of_an_answer_is_for_the_same_submissions(self):
        for submissions in (1, 3):
            task = self.answered(submissions)
            whole = self.deployment.ask("query", "--task", task)["guarantee"]
            rows = [(whole["epsilon"], whole["delta"]),
                    (whole["epsilon_foreign_10"], whole["delta_foreign_10"]),
                    (whole["epsilon_foreign_50"], whole["delta_foreign_50"]),
                    (whole["local_epsilon"], 0)]
            self.assertEqual(rows, sorted(rows, key=lambda row: row[0]), "worse and worse")
            one = whole["batch_epsilon"], whole["batch_delta"]
            self.assertAlmostEqual(rows[0][0], submissions * one[0], places=9)
            lines = [rows[0], one, *rows[1:]] if submissions > 1 else rows
            total = whole["total_epsilon"], whole["total_delta"]
            told = self.deployment.ask("task", "show", "--task", task)
            self.assertEqual((*total, whole["total_submissions"]),
                             (told["total_epsilon"], told["total_delta"], submissions))
            lines = [*lines, total]
            table, _ = self.text("query", "--task", task)
            _, beside_csv = self.text("query", "--task", task, "--format", "csv")
            for text in (table, beside_csv):
                guarantee = text.split("guarantee:")[1].split("quality:")[0]
                self.pairs(guarantee.split("\n!")[0], lines)
                self.assertEqual("\n! " in guarantee, submissions > 1)
                if submissions > 1:
                    self.assertIn("! " + whole["warning"], guarantee)
            svg, _ = self.text("query", "--task", task, "--format", "svg")
            self.pairs(re.search("Guarantee over[^!]*?</desc>", svg)[0].split("Warning")[0],
                       [rows[0], rows[-1], total])


if __name__ == "__main__":
    unittest.main(verbosity=2)
