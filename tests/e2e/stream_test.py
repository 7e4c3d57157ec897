#!/usr/bin/env python3
"""A stream over the running system: a year of weeks, one of which has too few devices.

usage: stream_test.py BIN_DIR CLOCKJUMP [--devices N] [unittest arguments]   in all weeks [200000]

Weeks are two hours long here. In the middle of each everything is killed (kill -9), and the machine sleeps until
the middle of the next (tests/torture/clockjump.c).
"""
import argparse
import collections
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
PARSER.add_argument("--devices", type=int, default=200_000)
ARGUMENTS, REST = PARSER.parse_known_args()
sys.argv = [sys.argv[0], ARGUMENTS.binaries, *REST]  # support.programs takes the binaries.

from support import periods
from support.jumping import Jumping
from support.programs import BIN, SOURCE
from support.waiting import until

VALUES = ("work", "home", "travel", "ill")
WEEKS = 52
SHORT, FEW = 11, 25  # the week that has only so many devices
AFTER = 20 * 60  # seconds after the end of a week, when it has closed
RANGES = [(1, 4), (2, 9), (5, 11), (12, 12), (13, 30), (17, 33), (26, 52), (33, 40), (48, 52), (52, 52)]
# Of one check: the probability with which an interval of the collector misses what it is about. Checked are
# four values of 52 totals, which single ones and ranges repeat, and of the ten ranges: 248. Each interval is
# of the count and, of the same draw, of the share. By the union bound all hold but for a probability of
# 2.5e-7, and still with 1e-6 if intervals are so far in the tails four times as often wrong.
ANY_FAILURE = 1e-9
CONFIDENCE = repr(1 - ANY_FAILURE)


def start(node):
    """Of a Fenwick tree."""
    return node - (node & -node)


def total(week):
    """The weeks that a total up to this one has, by streams' rule for a node that is void."""
    weeks = set()
    while week > 0:
        if week == SHORT:
            week -= 1
        else:
            weeks.update(range(start(week) + 1, week + 1))
            week = start(week)
    return weeks


def runs(weeks):
    """As an answer names them."""
    found = []
    for week in sorted(weeks):
        if found and found[-1]["last"] == week - 1:
            found[-1]["last"] = week
        else:
            found.append({"first": week, "last": week})
    return found


class Stream(unittest.TestCase):
    """All weeks happen once, for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="tombola-stream-"))
        cls.up = cls.directory / "up"
        cls.ahead = 0
        cls.deployment = cls.started()
        draw = random.Random(17)
        usual = (ARGUMENTS.devices - FEW) // (WEEKS - 1)
        cls.devices = {week: [] for week in range(1, WEEKS + 1)}
        for week in cls.devices:
            some = FEW if week == SHORT else usual
            if week == WEEKS:
                some += (ARGUMENTS.devices - FEW) % (WEEKS - 1)
            # What people do changes over the year.
            weights = (60, 25, 5 + 10 * (20 < week < 35), 2 + 8 * (week < 8))
            cls.devices[week] = draw.choices(VALUES, weights, k=some)
        labels = cls.directory / "values"
        labels.write_text("".join(f"{value}\n" for value in VALUES), encoding="utf-8")
        # Planned for fewer than come, so that the nodes over the short week have enough without it.
        cls.task = cls.deployment.ask(
            "task", "create", "--kind", "stream", "--name", "weeks", "--values", labels, "--interval",
            "2h", "--retry-window", "1h", "--periods", WEEKS, "--structure", "fenwick",
            "--mechanism", "pure_dump", "--epsilon", "1", "--delta", "1e-6", "--users", usual * 3 // 4,
            "--trusted-totals", "epsilon=4,of=participants+rejected")
        cls.published = []
        for week in cls.devices:
            cls.live(week)
        cls.sleep_until(periods.begins(cls.task, WEEKS + 1).timestamp() + AFTER)
        cls.deployment.wait_for(cls.task["task"],
                                lambda status: status["counted_batches"] == WEEKS - 1)
        # An hour after a week has closed its total is published.
        cls.sleep_until(periods.begins(cls.task, WEEKS + 1).timestamp() + 2 * 3600)
        until(lambda: cls.participants()["published"] == WEEKS, "the last total is not published")

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    @classmethod
    def started(cls):
        return Jumping(BIN, ARGUMENTS.clockjump, cls.up, cls.ahead, asleep=True)

    @classmethod
    def sleep_until(cls, moment):
        """Everything is killed, as it stands, and comes back then."""
        cls.deployment.kill()
        cls.ahead = round(moment - time.time())
        cls.deployment = cls.started()

    @classmethod
    def live(cls, week):
        """Its devices report, in its middle, when the week before is over."""
        cls.sleep_until(periods.begins(cls.task, week).timestamp() + AFTER)
        lines = "".join(f"{value}\n" for value in cls.devices[week])
        outcome = cls.deployment.ask("report", "--task", cls.task["task"], "--input", "-", stdin=lines)
        assert outcome["accepted"] == len(cls.devices[week]), (week, outcome)

        # Else the total of the week before might be due before its batch has come.
        over = week - 1 - (week > SHORT)
        cls.deployment.wait_for(cls.task["task"], lambda status: status["counted_batches"] == over)
        if week > 2:  # the total of the week before the last is due, and the others stay
            until(lambda: cls.participants()["published"] == week - 2, "no total is published")
            rows = cls.participants()["rows"]
            assert rows[:-1] == cls.published, (week, rows, cls.published)
            cls.published = rows

    @classmethod
    def participants(cls):
        code, out, _ = cls.deployment.run("query", "--task", cls.task["task"], "--participants",
                                          "--confidence", CONFIDENCE, "--json")
        return json.loads(out) if code == 0 else {"published": 0}

    def query(self, *words):
        return self.deployment.ask("query", "--task", self.task["task"], "--confidence", CONFIDENCE,
                                   "--postprocess", "none", *words)

    def check(self, found, weeks):
        """Exactly these weeks' submissions, and their values' counts within the intervals."""
        truth = collections.Counter(value for week in weeks for value in self.devices[week])
        self.assertEqual(found["submissions"], sum(truth.values()))
        self.assertEqual([row["value"] for row in found["bins"]], list(VALUES))
        for row in found["bins"]:
            counted, share = truth[row["value"]], truth[row["value"]] / found["submissions"]
            self.assertLessEqual(row["count_low"], counted, row)
            self.assertGreaterEqual(row["count_high"], counted, row)
            self.assertLessEqual(row["low"], share + 1e-12, row)
            self.assertGreaterEqual(row["high"], share - 1e-12, row)
            # Else the test says nothing: noise of 250 dummies a value and node at most, of twelve nodes.
            self.assertLess(row["count_high"] - row["count_low"], 2 * 6.2 * (12 * 250) ** 0.5 + 20)

    def test_every_total_is_within_its_intervals_and_names_the_void_week(self):
        answer = self.query("--series")
        self.assertEqual(len(answer["series"]), WEEKS)
        self.assertEqual(answer["void_nodes"], [SHORT])
        for week, found in enumerate(answer["series"], 1):
            self.assertEqual(found["periods"], {"first": 1, "last": week})
            weeks = total(week)
            self.check(found, weeks)
            self.assertEqual(found["missing"], runs(set(range(1, week + 1)) - weeks))
            self.assertEqual(found["strange"], [])
        self.assertEqual(answer["series"][SHORT - 1]["missing"], [{"first": SHORT, "last": SHORT}])
        self.assertEqual(answer["series"][SHORT]["missing"], [], "the next node brings it back")
        self.assertEqual(answer["reports"], ARGUMENTS.devices)
        self.assertEqual(answer["periods"]["counted"], WEEKS)

    def test_a_total_alone_is_that_of_the_series(self):
        series = self.query("--series")["series"]
        for week in (1, SHORT, SHORT + 1, 32, WEEKS):
            answer = self.query("--at", str(week))
            of_series = dict(series[week - 1])
            del of_series["periods"]
            for name in ("submissions", "missing", "strange"):
                self.assertEqual(answer[name], of_series[name])
            for row, same in zip(answer["bins"], of_series["bins"]):
                for name in ("count", "count_stderr", "raw", "low", "high"):
                    self.assertAlmostEqual(row[name], same[name], delta=1e-6 * (1 + abs(row[name])))

    def test_ten_ranges_are_within_their_intervals(self):
        for first, last in RANGES:
            answer = self.query("--since", str(first), "--until", str(last))
            more, less = total(last), total(first - 1)
            strange = {week for week in more - less if week < first}
            self.assertEqual(answer["strange"], runs(strange))
            self.assertEqual(answer["missing"], runs(set(range(first, last + 1)) - more))
            self.check(answer, more - less)

    def test_single_weeks(self):
        answer = self.query("--series", "--single", "--since", "20", "--until", "25")
        for week, found in zip(range(20, 26), answer["series"]):
            self.assertEqual(found["periods"], {"first": week, "last": week})
            self.check(found, {week})
        self.check(self.query("--period", "20"), {20})
        code, _, err = self.deployment.run("query", "--task", self.task["task"], "--period", str(SHORT))
        self.assertEqual(code, 1)
        self.assertIn(f"no batch of period {SHORT} has been counted", err)

    def test_a_guarantee_is_that_of_the_task(self):
        guarantee = self.query("--at", "30")["guarantee"]
        self.assertLessEqual(guarantee["epsilon"], 1 + 1e-9)
        self.assertLessEqual(guarantee["delta"], 1e-6 * (1 + 1e-9))
        self.assertEqual(guarantee["submissions_per_device"], 1)

    # Every total is within its interval, but for the probability that ANY_FAILURE allows 52 of them. The
    # noise is for up to 11 changes of a week's submission: it is in six nodes.
    def test_the_number_of_participants_is_published_with_noise(self):
        totals = self.participants()
        self.assertEqual((totals["published"], totals["ended"]), (WEEKS, True))
        self.assertEqual(totals["rows"][:len(self.published)], self.published)
        self.assertEqual((totals["epsilon"], totals["delta"], totals["sensitivity"]), (2, 0, 1))
        for row in totals["rows"]:
            exact = sum(len(self.devices[week]) for week in total(row["period"]))
            if row["period"] == SHORT:  # one less than a batch of it needs
                exact += self.task["stream"]["nodes"][SHORT - 1]["needed"] - 1
            self.assertLessEqual(row["low"], exact)
            self.assertGreaterEqual(row["high"], exact)
            # Else the test says nothing.
            self.assertLess(row["high"] - row["low"], ARGUMENTS.devices / 20)
        _, text, err = self.deployment.run("query", "--task", self.task["task"], "--participants",
                                           "--format", "csv", "--confidence", CONFIDENCE)
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([int(row["total"]) for row in rows], [row["total"] for row in totals["rows"]])
        self.assertIn("all totals together hide whether a device took part, with epsilon 2", err)
        _, table, _ = self.deployment.run("query", "--task", self.task["task"], "--rejected",
                                          "--period", "7")
        self.assertEqual(len(table.split("\n\n")[0].splitlines()), 2, table)
        status, _, text = self.deployment.http(self.task["task"], path="totals", confidence=CONFIDENCE)
        self.assertEqual(status, 200, text)
        self.assertEqual(json.loads(text), totals)
        status, headers, text = self.deployment.http(self.task["task"], path="totals", format="csv",
                                                     confidence=CONFIDENCE, of="participants", period=7)
        self.assertEqual(status, 200, text)
        self.assertEqual(json.loads(headers["Tombola-Guarantee"])["epsilon"], 2)
        self.assertEqual(list(csv.DictReader(io.StringIO(text))), rows[6:7])

    def test_http_says_the_same(self):
        for words, question in ((("--at", "30"), {"at": 30}),
                                (("--series", "--since", "3", "--until", "9"),
                                 {"series": "true", "since": 3, "until": 9}),
                                (("--series", "--until", "1"), {"series": "true", "until": 1})):
            status, _, text = self.deployment.http(self.task["task"], confidence=CONFIDENCE,
                                                   postprocess="none", **question)
            self.assertEqual(status, 200, text)
            self.assertEqual(json.loads(text), self.query(*words))

    def test_python_says_the_same(self):
        if not all(map(importlib.util.find_spec, ("pip", "setuptools", "wheel", "grpc"))):
            self.skipTest("what the Python package needs is not installed")
        sys.path.append(str(SOURCE / "tests" / "python"))
        import installed
        package = installed.Package(SOURCE)
        self.addCleanup(package.cleanup)
        from tombola_query import Client
        with Client.from_config(self.deployment.config) as client:
            for words, question in ((("--at", "30"), {"at": 30}),
                                    (("--series", "--top", "2", "--since", "3"),
                                     {"series": True, "top": 2, "since": 3}),
                                    (("--series", "--until", "1"), {"series": True, "until": 1})):
                answer = client.stream(self.task["task"], postprocess="none", **question,
                                       confidence=float(CONFIDENCE))
                self.assertEqual(answer.to_dict(), self.query(*words))
            totals = client.totals(self.task["task"], confidence=float(CONFIDENCE))
            self.assertEqual(totals.to_dict(), self.participants())
            self.assertEqual(len(totals.to_csv().splitlines()), 1 + WEEKS)
            with self.assertRaisesRegex(ValueError, "one of participants, rejected"):
                client.totals(self.task["task"], "devices")

    def test_other_forms(self):
        _, out, err = self.deployment.run("query", "--task", self.task["task"], "--series", "--format",
                                          "csv", "--top", "2")
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual(len(rows), 2 * WEEKS)
        self.assertEqual((rows[-1]["first"], rows[-1]["last"]), ("1", str(WEEKS)))
        self.assertIn(f"void nodes, which had too few submissions: {SHORT}", err)
        _, table, _ = self.deployment.run("query", "--task", self.task["task"], "--series")
        self.assertIn("share over time", table)
        _, chart, _ = self.deployment.run("query", "--task", self.task["task"], "--series", "--format",
                                          "svg")
        self.assertIn("</svg>", chart)

    def test_wrong_questions_are_refused_in_a_line(self):
        for words, says in ((("--at", "0"), "--at"), (("--at", "99"), "between 1 and 52"),
                            (("--at", "3", "--period", "2"), "--period"),
                            (("--participants", "--rejected"), "not both"),
                            (("--participants", "--top", "3"), "--participants and --rejected go with"),
                            (("--participants", "--period", "53"), "between 1 and 52"),
                            (("--single",), "--single must be together with --series"),
                            (("--since", "3", "--until", "2020-01-01"), "both be numbers"),
                            (("--postprocess", "em"), "em needs the counts of one batch")):
            code, out, err = self.deployment.run("query", "--task", self.task["task"], "--json", *words)
            self.assertEqual((code, out), (2, ""), err)
            self.assertIn(says, err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
