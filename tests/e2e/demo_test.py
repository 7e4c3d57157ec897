#!/usr/bin/env python3
"""`tombola demo`: of every kind what it prints beside the truth.

usage: demo_test.py BIN_DIR [unittest arguments]
"""
import json
import subprocess
import unittest

from support.programs import BIN

KINDS = ["histogram", "set", "key_value", "number", "records", "stream", "strings"]
# Some 400 intervals of the collector in all, which err on the wide side: by the union bound all have the
# truth but for a probability of 4e-6.
CONFIDENCE = str(1 - 1e-8)


def demo(*flags, devices=500):
    return subprocess.run([BIN / "tombola", "demo", "--devices", str(devices), "--epsilon", "8",
                           "--confidence", CONFIDENCE, *flags],
                          capture_output=True, text=True, timeout=300, check=False)


def estimates(node):
    """All estimates with a truth in an answer."""
    if isinstance(node, dict):
        if {"low", "high", "truth"} <= set(node):
            yield node
        node = list(node.values())
    if isinstance(node, list):
        for below in node:
            yield from estimates(below)


class Demo(unittest.TestCase):
    def answer(self, kind):
        outcome = demo("--kind", kind, "--json")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(outcome.stdout.count("\n"), 1)
        self.assertIn("both daemons stopped cleanly", outcome.stderr)
        return json.loads(outcome.stdout)

    def check(self, known):
        for estimate in known:
            self.assertTrue(estimate["low"] <= estimate["truth"] <= estimate["high"], estimate)

    def test_kinds_with_one_question_print_its_answer(self):
        for kind in KINDS[:3]:
            with self.subTest(kind):
                answer = self.answer(kind)
                self.assertEqual((answer["kind"], answer["accepted"]), (kind, 500))
                self.assertNotIn("answers", answer)

    def test_numbers_have_the_true_mean_sum_and_quantiles(self):
        answer = self.answer("number")
        known = [answer["count"], answer["mean"], answer["sum"], *answer["quantiles"].values()]
        self.assertEqual(len(known), 9)
        self.check(known)
        self.assertEqual(answer["count"]["truth"], 500)
        self.assertAlmostEqual(answer["mean"]["truth"] * 500, answer["sum"]["truth"], 6)
        table = demo("--kind", "number").stdout
        for line in ("mean", "sum", "quantile 0.05", "quantile 0.5", "quantile 0.99"):
            row = next(row for row in table.splitlines() if row.startswith(line + "  "))
            # A name, the value, an interval and the truth, and no flag.
            self.assertRegex(row, line + r" +\S+ +\S+ to \S+ +\S+$")

    def test_records_have_the_truth_of_every_question(self):
        answer = self.answer("records")
        self.assertEqual(answer["accepted"], 500)
        conditions, range_, table, averages, quantiles = answer["answers"]
        for one in answer["answers"]:
            self.assertEqual((one["kind"], one["reports"]), ("records", 500))
            self.check(estimates(one))
        self.assertEqual(set(conditions["where"]), {"price", "kind"})
        for name in ("count", "sum"):
            self.assertIn("truth", conditions[name])
        self.assertIn("truth", range_["count"])
        self.assertEqual(len(table["cells"]), 16)
        self.assertEqual(sum(cell["count"]["truth"] for cell in table["cells"]),
                         table["count"]["truth"])
        # No product is dear food, which everybody can read in the table of products.
        self.assertIn(0, [cell["count"]["truth"] for cell in table["cells"]])
        self.assertEqual([cell["values"] for cell in averages["cells"]],
                         [["food"], ["books"], ["toys"], ["tools"]])
        food = averages["cells"][0]
        self.assertAlmostEqual(food["avg"]["truth"], food["sum"]["truth"] / food["count"]["truth"])
        self.assertEqual(list(quantiles["quantiles"]), ["0.25", "0.5", "0.75"])
        middle = quantiles["quantiles"]["0.5"]["truth"]
        self.assertTrue(16 <= middle < 80 and middle == int(middle), middle)

    def test_records_are_drawn_beside_the_truth(self):
        outcome = demo("--kind", "records")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        out = outcome.stdout
        self.assertEqual(out.count("\nquery --"), 5, out)
        self.assertIn("query --where price=10..30 --where kind=books,toys --measure amount\n", out)
        self.assertIn("query --by age --quantile 0.25,0.5,0.75\n", out)
        self.assertEqual(out.count("guarantee: epsilon"), 1)
        self.assertNotIn(" !", out)
        for line in (r"\nsum +\S+ +\S+ to \S+ +\S+\n", r"\nquantile 0.5 +\S+ +\S+ to \S+ +\S+\n",
                     r"\n0..10, food +\d+ +\S+ to \S+ +\d+",
                     r"\nfood +\d+ +\S+ to \S+ +\d+ +\S+ +\S+ to \S+ +\S+\n"):
            self.assertRegex(out, line)

    def test_a_stream_has_totals_with_a_void_node_beside_the_truth(self):
        outcome = demo("--kind", "stream", "--periods", "12", "--json", devices=2400)
        if "a sanitizer" in outcome.stderr:
            self.skipTest("time does not pass in a build with a sanitizer")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        answer = json.loads(outcome.stdout)
        lacking, back, last = answer["answers"]
        # One of the days has 20 devices, and the others 200.
        self.assertEqual((answer["accepted"], last["submissions"]), (2220, 2220))
        day = lacking["periods"]["last"]
        self.assertEqual(lacking["missing"], [{"first": day, "last": day}])
        for one in answer["answers"]:
            self.assertEqual(one["void_nodes"], [day])
            self.check(one["bins"])
            self.assertEqual(len(one["bins"]), 6)
        self.assertEqual((back["missing"], last["missing"]), ([], []))
        self.assertEqual(answer["errors"]["counts"], 12 * 6)
        self.assertEqual(answer["errors"]["inside"], answer["errors"]["counts"])

    def test_strings_are_found_beside_the_truth(self):
        # Some 320 devices hold a common word, of which "weather" has a fourth.
        answer = self.answer("strings")
        self.assertEqual((answer["kind"], answer["accepted"]), ("strings", 500))
        self.assertEqual(answer["bins"][0]["value"], "weather")
        # One that chance lifted would be seen with a shifted estimate: those well above the threshold are not.
        self.check(row for row in answer["bins"] if row["truth"] * 500 > 2 * answer["threshold"])
        self.assertLess(sum(row["truth"] == 0 for row in answer["bins"]), 3)

    def test_what_it_does_not_have_is_refused_before_daemons_start(self):
        for flags, says in ((("--kind", "histogram", "--periods", "5"), "--periods is for --kind stream"),
                            (("--mechanism", "nope"), "--mechanism must be one of")):
            with self.subTest(flags):
                outcome = demo(*flags)
                self.assertEqual(outcome.returncode, 2, outcome.stderr)
                self.assertIn(says, outcome.stderr)
                self.assertNotIn("starting", outcome.stderr)

    def test_a_kind_that_there_is_not_is_refused(self):
        outcome = demo("--kind", "nothing")
        self.assertEqual((outcome.returncode, outcome.stdout), (2, ""))
        for kind in KINDS:
            self.assertIn(kind, outcome.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
