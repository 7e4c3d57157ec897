#!/usr/bin/env python3
"""A task with periods against the running system: an answer for each, over the command line and HTTP.

usage: periods_test.py BIN_DIR [unittest arguments]
"""
import json
import shutil
import tempfile
import unittest

from support import periods
from support.deployment import Deployment
from support.programs import BIN
from support.waiting import until

LENGTH = 6  # seconds
ENOUGH = 50
WIDE = ("--max-epsilon", "9", "--max-total-epsilon", "100")


class Periods(unittest.TestCase):
    """The first period that is reported in has enough, the next one too few, a third enough again."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="tombola-periods-")
        cls.deployment = Deployment(BIN, cls.directory)
        cls.task = cls.deployment.ask(
            "task", "create", "--name", "each", "--domain", "4", "--epsilon", "8", "--delta", "1e-6",
            "--users", str(ENOUGH), "--mechanism", "local_hash", "--interval", f"{LENGTH}s",
            "--submissions-per-device", "9")
        cls.first = cls.report(["0"] * ENOUGH)
        cls.short = cls.report(["1"] * 7)
        cls.second = cls.report(["2"] * (2 * ENOUGH))
        cls.deployment.wait_for(cls.task["task"], lambda s: s["counted_batches"] == 2)

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    @classmethod
    def report(cls, values):
        """Reports in a period of its own, after all before have closed; its number."""
        until(lambda: not cls.deployment.status(cls.task["task"])["held"],
              "what was held does not end")
        period = periods.early(cls.deployment, cls.task)
        cls.deployment.ask("report", "--task", cls.task["task"], "--input", "-", *WIDE,
                           stdin="".join(f"{value}\n" for value in values))
        if periods.present(cls.deployment, cls.task) != period:
            raise AssertionError(f"a report took {LENGTH / 2} s or more")
        return period

    @classmethod
    def query(cls, *words):
        return cls.deployment.ask("query", "--task", cls.task["task"], "--postprocess", "none",
                                  *words)

    def refused(self, *words):
        code, out, err = self.deployment.run("query", "--task", self.task["task"], "--json", *words)
        self.assertEqual(out, "")
        return code, err

    def test_each_period_has_its_own_answer_and_guarantee(self):
        for period, value, reports in ((self.first, 0, ENOUGH), (self.second, 2, 2 * ENOUGH)):
            answer = self.query("--period", str(period))
            self.assertEqual(answer["reports"], reports)
            self.assertEqual((answer["periods"]["first"], answer["periods"]["last"]),
                             (period, period))
            self.assertEqual(answer["guarantee"]["users"], reports)
            self.assertEqual(answer["guarantee"]["submissions_per_device"], 1)
            self.assertEqual(answer["guarantee"]["epsilon"], answer["guarantee"]["batch_epsilon"])
            self.assertIsNone(answer["guarantee"]["reason"])
            # All devices say one value: at local epsilon 8 its share is near 1 (the randomiser
            # changes one report in 700 or so), the others' near 0.
            shares = [found["raw"] for found in answer["bins"]]
            self.assertEqual(max(range(4), key=lambda i: shares[i]), value)

    def test_the_sum_of_periods_is_the_answer_of_the_task_and_composes(self):
        answer = self.query()
        self.assertEqual(answer["reports"], 3 * ENOUGH)
        self.assertEqual(answer["guarantee"]["batches"], 2)
        self.assertEqual(answer["guarantee"]["submissions_per_device"], 2)
        self.assertGreater(answer["guarantee"]["epsilon"], answer["guarantee"]["batch_epsilon"])
        self.assertLessEqual(answer["guarantee"]["epsilon"],
                             2 * answer["guarantee"]["batch_epsilon"] * (1 + 1e-9))
        self.assertLessEqual(answer["guarantee"]["delta"], 2.000001e-6, "that of both, at most")
        why = "each is in a batch of its own, so their losses compose"
        self.assertEqual((answer["guarantee"]["reason"], self.task["total_reason"]), (why, why))
        _, text, _ = self.deployment.run("query", "--task", self.task["task"])
        self.assertIn(f"\n  {why}\n", text)
        missing = [run for run in answer["periods"]["missing_runs"]
                   if run["first"] <= self.short <= run["last"]]
        self.assertEqual(len(missing), 1, answer["periods"])

    def test_a_period_that_fell_short_is_destroyed_and_said_to_be_missing(self):
        self.assertEqual(self.deployment.status(self.task["task"])["expired"], 7)
        code, err = self.refused("--period", str(self.short))
        self.assertEqual(code, 1)
        self.assertIn(f"no batch of period {self.short} has been counted: there were too few", err)

    def test_periods_are_found_by_the_time_at_which_they_begin(self):
        def moment(period):
            return periods.moment(self.task, period)
        since = self.query("--since", moment(self.second))
        self.assertEqual(since["reports"], 2 * ENOUGH)
        until_then = self.query("--until", moment(self.second))
        self.assertEqual(until_then["reports"], ENOUGH)
        both = self.query("--since", moment(self.first), "--until", moment(self.first + 1))
        self.assertEqual((both["periods"]["first"], both["periods"]["last"]),
                         (self.first, self.first))
        self.assertEqual(self.query("--since", "2020-01-01")["reports"], 3 * ENOUGH)

    def test_wrong_periods_are_refused_in_a_line(self):
        for words, says in ((("--period", "0"), "--period"), (("--period", "99999999999"), "period"),
                            (("--since", "noon"), "--since must be the number of a period"),
                            (("--until", "0"), "--until must be the number of a period, from 1 on"),
                            (("--since", "0", "--until", "5"), "--since must be the number of a"),
                            (("--since", "8", "--until", "7"), "--since 8 is after --until 7"),
                            (("--since", "2021-01-01", "--until", "2020-01-01"), "no period"),
                            (("--period", "1", "--since", "2021-01-01"), "--period")):
            code, err = self.refused(*words)
            self.assertEqual(code, 2, err)
            self.assertIn(says, err)
            self.assertEqual(err.count("\n"), 1)

    def http(self, **question):
        return self.deployment.http(self.task["task"], postprocess="none", **question)

    def test_http_answers_the_same(self):
        first, then = (periods.moment(self.task, period) for period in (self.first, self.second))
        for question, words in (({"period": self.first}, ("--period", str(self.first))),
                                ({"since": then}, ("--since", then)),
                                ({"until": then}, ("--until", then)),
                                ({"since": first, "until": then}, ("--since", first, "--until", then))):
            status, _, text = self.http(**question)
            self.assertEqual(status, 200, text)
            answer, printed = json.loads(text), self.query(*words)
            self.assertEqual(answer["bins"], printed["bins"])
            # Without an end an answer is about all periods until now, which goes on between the two.
            if "period" in question or "until" in question:
                self.assertEqual(answer, printed)
            status, headers, _ = self.http(**question, format="csv")
            self.assertEqual((status, json.loads(headers["Tombola-Periods"])["first"]),
                             (200, printed["periods"]["first"]))

    def test_http_refuses_wrong_periods(self):
        for question, says in (({"period": 0}, "period must be"),
                               ({"period": 1 << 39}, "a period must be between 1 and"),
                               ({"since": "noon"}, "since must be"),
                               ({"since": "2021-01-01", "until": "2020-01-01"}, "no period"),
                               ({"period": 1, "since": "2021-01-01"}, "not by both")):
            status, _, text = self.http(**question)
            self.assertEqual(status, 400, text)
            self.assertIn(says, json.loads(text)["error"]["message"])

    def test_a_device_submits_once_a_period_and_the_ledger_remembers(self):
        def report():
            return self.deployment.run("report", "--task", self.task["task"], "--value", "3",
                                       "--ledger", f"{self.directory}/device", *WIDE)
        period = periods.early(self.deployment, self.task)
        self.assertEqual(report()[0], 0)
        code, out, err = report()
        self.assertEqual((code, out), (1, ""))
        self.assertIn(f"has made its submission of period {period} already", err)
        until(lambda: report()[0] == 0, "no later period takes the report")


if __name__ == "__main__":
    unittest.main(verbosity=2)
