#!/usr/bin/env python3
"""Tests of what bench/run and bench/page do with measurements."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent

import chart  # noqa: E402
import suite  # noqa: E402


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


run, page = load("run"), load("page")


def row(name, time, unit="ns", **more):
    return {"run_name": name, "name": name, "run_type": "iteration", "real_time": 7 * time,
            "cpu_time": time, "time_unit": unit, **more}


class RunTest(unittest.TestCase):
    def test_takes_the_best_round_and_leaves_out_means(self):
        rates = run.best_rates([row("a", 4), row("a", 2), row("a", 8),
                                row("a", 1, run_type="aggregate")])
        self.assertEqual(rates, {"a": 1e9 / 2})

    def test_uses_real_time_where_the_benchmark_does(self):
        rates = run.best_rates([row("a/real_time", 1, "ms"), row("b/real_time/threads:2", 1, "ms")])
        self.assertAlmostEqual(rates["a/real_time"], 1000 / 7)
        self.assertAlmostEqual(rates["b/real_time/threads:2"], 1000 / 7)

    def test_counts_items_where_the_benchmark_does(self):
        self.assertEqual(run.best_rates([row("a", 10, items_per_second=5.0),
                                         row("a", 10, items_per_second=6.0)]), {"a": 6.0})

    def test_a_limit_is_held_against_the_slowest(self):
        limit = suite.Limit("plan", "x", "Plan/", 2, "s")
        found = run.result_of(limit, {"Plan/1": 4.0, "Plan/2": 0.8, "Other": 0.1})
        self.assertEqual((found["value"], found["ratio"]), (1.25, 1.6))

    def test_a_failed_benchmark_is_no_figure(self):
        with self.assertRaisesRegex(RuntimeError, "no disk"):
            run.best_rates([row("a", 1, error_occurred=True, error_message="no disk")])

    def test_the_worst_of_several_counts(self):
        results = [{"name": n, "value": v, "unit": "x", "baseline": 1, "ratio": v}
                   for n, v in (("p", 3.0), ("q", 2.0))]
        kept, suite.WORST[:] = suite.WORST[:], [suite.Worst("both", ["p", "q"])]
        try:
            self.assertEqual([r["ratio"] for r in run.worst_of(results, {"both"})], [2.0])
            self.assertEqual(list(run.worst_of(results[:1], {"both"})), [])
        finally:
            suite.WORST[:] = kept

    def test_the_table_marks_what_is_below_its_goal(self):
        result = {"name": "open", "value": 1, "unit": "reports/s", "baseline": 2, "ratio": 0.79}
        self.assertIn("BELOW", run.table([result]))
        self.assertNotIn("BELOW", run.table([{**result, "ratio": 0.80}]))

    def test_every_goal_is_measured_once(self):
        names = suite.names()
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual(set(suite.GOALS), set(names))


class PageTest(unittest.TestCase):
    def test_replaces_what_is_between_the_marks(self):
        text = "a\n<!-- growth -->\nold\n<!-- end -->\nb\n<!-- results -->\n<!-- end -->\n"
        self.assertEqual(page.put(text, "growth", "new"),
                         "a\n<!-- growth -->\nnew\n<!-- end -->\nb\n<!-- results -->\n<!-- end -->\n")
        with self.assertRaisesRegex(ValueError, "no place for latency"):
            page.put(text, "latency", "x")

    def test_the_page_has_all_places(self):
        text = (HERE.parent / "docs" / "performance.md").read_text(encoding="utf-8")
        for name in ("results", "latency", "growth", "domain"):
            page.put(text, name, "")

    def test_numbers_have_three_digits(self):
        self.assertEqual([page.number(x) for x in (0.01234, 5, 23456, 1.5e9)],
                         ["0.0123 ", "5 ", "23.5 k ", "1.5 G "])

    def test_charts_show_every_point_within_the_frame(self):
        rows = [{"stage": s, "n": 10**e, "seconds": 10.0**(e - 8), "rss_bytes": 2**20 * e}
                for s in ("permute", "store <x>") for e in (5, 6, 7)]
        with tempfile.TemporaryDirectory() as folder:
            page.growth_charts(rows, pathlib.Path(folder), page.NUMBER_CHARTS, "n")
            for name in ("time", "memory"):
                root = xml.etree.ElementTree.parse(f"{folder}/growth-{name}.svg").getroot()
                dots = root.findall("{http://www.w3.org/2000/svg}circle")
                self.assertEqual(len(dots), 6)
                for dot in dots:
                    self.assertTrue(chart.LEFT <= float(dot.get("cx")) <= chart.RIGHT)
                    self.assertTrue(chart.TOP <= float(dot.get("cy")) <= chart.BOTTOM)


if __name__ == "__main__":
    unittest.main()
