#!/usr/bin/env python3
"""Strings that nobody listed against the running system: 200,000 devices that each hold a text, and which of
the texts many hold.

usage: strings_test.py BIN_DIR SOURCE_DIR [--devices N] [unittest arguments]   [200000]

The texts are those of a log of searches where its file is there (the first six bytes of a query, and how many
people asked it), else made-up words that are as unevenly frequent.
"""
import argparse
import collections
import gzip
import json
import pathlib
import random
import shutil
import sys
import tempfile
import time
import unicodedata
import unittest

PARSER = argparse.ArgumentParser()
PARSER.add_argument("binaries")
PARSER.add_argument("source", type=pathlib.Path)
PARSER.add_argument("--devices", type=int, default=200_000)
ARGUMENTS, REST = PARSER.parse_known_args()
sys.argv = [sys.argv[0], ARGUMENTS.binaries, *REST]  # support.programs takes the binaries.

from support.deployment import Deployment
from support.programs import BIN

DEVICES = ARGUMENTS.devices
ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789 .-'&_"
LENGTH, STEP = 6, 3
LOG = ARGUMENTS.source.resolve().parent / "shared" / "data" / "aol_query_6bytes_sorted.txt.gz"
# Of each interval. There are at most 300 strings in the two answers whose intervals are looked at, and a string
# that chance lifted among them is seen with a shifted estimate only where it has about the threshold's holders:
# those with twice as many are looked at. An estimate is a binomial's, of at least 90 reports of which at most
# one in 5,000 is so far off a normal law's 6.1 standard deviations that the interval misses with more than
# 1e-7; by the union bound all hold but for a probability of 3e-5.
CONFIDENCE = repr(1 - 1e-9)
# A string that nobody holds is found with a probability of 0.05 in a search; two in one with 0.05^2 / 2.
FALSE_STRINGS = 0.05


def texts():
    """One for each device."""
    draw = random.Random(20)
    if LOG.is_file():
        rows = [line.rstrip("\n").rsplit("\t", 1)
                for line in gzip.open(LOG, "rt", encoding="utf-8", errors="replace")]
        held, weights = zip(*((text, int(count)) for text, count in rows if text.strip()))
    else:
        held = ["".join(draw.choice("etaoinshrdlcu") for _ in range(draw.randint(2, 7))) for _ in range(50_000)]
        weights = [1 / (rank + 10) for rank in range(len(held))]
    return draw.choices(held, weights, k=DEVICES)


def spelled(text):
    """As devices spell it: cases folded, what the alphabet lacks as U+FFFD, the first six characters."""
    folded = unicodedata.normalize("NFC", text.casefold())
    return "".join(c if c in ALPHABET else "\ufffd" for c in folded)[:LENGTH]


class Strings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="tombola-strings-"))
        cls.deployment = Deployment(BIN, cls.directory / "up")

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    def refused(self, *words):
        code, out, err = self.deployment.run(*words)
        self.assertEqual((code, out), (2, ""), err)
        self.assertEqual(err.count("\n"), 1, err)
        return err

    def make(self, *words):
        return self.deployment.ask("task", "create", "--kind", "strings", "--name", "searches", "--epsilon", 1,
                                   "--delta", "1e-6", "--users", DEVICES, *words)

    def test_what_many_hold_is_found_and_counted(self):
        held = texts()
        made = self.make("--alphabet", ALPHABET, "--length", LENGTH, "--step", STEP, "--fold-case")
        self.assertEqual((made["strings"]["levels"], made["mechanism"]), (2, "one_message"))
        task = made["task"]
        code, _, err = self.deployment.run("query", "--task", task)
        self.assertEqual(code, 1)
        self.assertIn("no batch of this task has been counted", err)

        file = self.directory / "texts"
        lines = [f"{json.dumps(text)}\n" for text in held]
        file.write_text("".join(lines), encoding="utf-8")
        begun = time.monotonic()
        for first in range(0, DEVICES, 50_000):
            part = lines[first:first + 50_000]
            outcome = self.deployment.ask("report", "--task", task, "--input", "-", stdin="".join(part))
            self.assertEqual(outcome, {"accepted": len(part), "duplicates": 0, "rejected": 0})
        sent = time.monotonic()
        self.deployment.wait_for(task, lambda s: s["counted_batches"] == 1, seconds=600)
        print(f"{DEVICES} devices sent in {sent - begun:.1f} s, counted {time.monotonic() - sent:.1f} s later",
              file=sys.stderr)

        # kill -9 of everything: what was counted is on disk, and only that is searched.
        self.deployment.kill()
        type(self).deployment = Deployment(BIN, self.directory / "up")
        truth = collections.Counter(map(spelled, held))
        begun = time.monotonic()
        answer = self.deployment.ask("query", "--task", task, "--confidence", CONFIDENCE, "--truth", file)
        print(f"found {len(answer['bins'])} strings by {answer['tests']:.3g} tests in "
              f"{time.monotonic() - begun:.1f} s", file=sys.stderr)
        self.check(answer, truth)
        self.assertIsNone(answer["dictionary"])
        self.assertEqual(len(answer["levels"]), 2)

        top = {text for text, _ in truth.most_common(100)}
        found = {row["value"] for row in answer["bins"][:100]}
        both = len(top & found)
        score = 2 * both / (len(top) + len(found))
        print(f"F1 of the top 100: {score:.2f}", file=sys.stderr)
        self.assertGreaterEqual(score, 0.8)

        # The same search is at hand, also for who asks for less of it.
        again = self.deployment.ask("query", "--task", task, "--confidence", CONFIDENCE, "--top", 7)
        self.assertEqual([row["value"] for row in again["bins"]], [row["value"] for row in answer["bins"][:7]])

        self.check_dictionary(task, truth)
        table = self.deployment.run("query", "--task", task, "--top", 5)
        self.assertEqual(table[0], 0, table[2])
        for words in ("estimated to hold", "prefixes were tried", "epsilon"):
            self.assertIn(words, table[1])

    def check(self, answer, truth):
        self.assertEqual(answer["kind"], "strings")
        self.assertEqual((answer["reports"], answer["rejected"]), (DEVICES, 0))
        self.assertLessEqual(answer["guarantee"]["epsilon"], 1)
        self.assertLessEqual(answer["guarantee"]["delta"], 1e-6)
        self.assertIsNotNone(answer["guarantee"]["local_epsilon"])
        self.assertTrue(answer["complete"])
        self.assertEqual(answer["false_strings"], FALSE_STRINGS)
        self.assertLessEqual(sum(truth[row["value"]] == 0 for row in answer["bins"]), 1)
        raw = [row["raw"] for row in answer["bins"]]
        self.assertEqual(raw, sorted(raw, reverse=True))
        sure = 2 * answer["threshold"]
        for row in answer["bins"]:
            self.assertGreaterEqual(row["raw"] * DEVICES, answer["least_holders"] - 1e-6)
            share = truth[row["value"]] / DEVICES
            if "truth" in row:
                self.assertAlmostEqual(row["truth"], share)
            if truth[row["value"]] >= sure:
                self.assertTrue(row["low"] <= share <= row["high"], (row, share))

    def check_dictionary(self, task, truth):
        """Words that few or none hold are not found, and those that many hold with the same shares."""
        known = [text for text, _ in truth.most_common(40)]
        unknown = [f"zq{number:04}" for number in range(500)]
        self.assertFalse(any(truth[text] for text in unknown))
        file = self.directory / "dictionary"
        file.write_text("".join(f"{json.dumps(text)}\n" for text in known + unknown + known[:3]),
                        encoding="utf-8")
        answer = self.deployment.ask("query", "--task", task, "--confidence", CONFIDENCE, "--dictionary", file)
        self.check(answer, truth)
        self.assertEqual(answer["dictionary"], 540)
        self.assertTrue({row["value"] for row in answer["bins"]} >= set(known[:20]))
        file.write_text('"a"\n"b\n', encoding="utf-8")
        self.assertIn("line 2", self.refused("query", "--task", task, "--dictionary", file))

    def test_flags_out_of_their_bounds_are_refused_by_name(self):
        letters = ("--alphabet", "abc", "--length", 4)
        for words, flag in (
                (("--length", 4), "--alphabet"), (("--alphabet", "abca", "--length", 4), "--alphabet"),
                (("--alphabet", "aB", "--length", 4, "--fold-case"), "--alphabet"),
                (("--alphabet", "abc"), "--length"), (("--alphabet", "abc", "--length", 256), "--length"),
                ((*letters, "--step", 5), "--step"), ((*letters, "--step", 1, "--dictionary-only"), "--step"),
                ((*letters, "--min-holders", 0), "--min-holders"), ((*letters, "--range", 100), "range"),
                ((*letters, "--mechanism", "grr"), "mechanism"), ((*letters, "--domain", 5), "--domain")):
            with self.subTest(words):
                self.assertIn(flag, self.refused(
                    "task", "create", "--kind", "strings", "--name", "x", "--epsilon", 1, "--delta", "1e-6",
                    "--users", 1000, *words))
        self.assertIn("--kind strings", self.refused(
            "task", "create", "--name", "x", "--domain", 5, "--epsilon", 1, "--delta", "1e-6", "--users", 1000,
            "--length", 4))


if __name__ == "__main__":
    unittest.main(verbosity=2)
