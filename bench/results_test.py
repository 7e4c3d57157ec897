#!/usr/bin/env python3
"""Tests of what bench/results does with measurements; the measuring is tested in cli/simulation."""
import pathlib
import random
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import results_claims  # noqa: E402
import results_data    # noqa: E402
import results_page    # noqa: E402


def answer(method, errors, local=()):
    """One data set at delta 1e-6: errors[mechanism] is a list of raw errors, by epsilon 0.1, 0.2."""
    rows = []
    for mechanism in results_page.MECHANISMS:
        for epsilon, error in zip((0.1, 0.2), errors.get(mechanism, (1e-6, 5e-7))):
            known = error is not None
            rows.append({"mechanism": mechanism, "epsilon": epsilon, "delta": 1e-6,
                         "method": method, "feasible": known, "messages_per_user": 1.0,
                         "reason": "local: alone" if mechanism in local else "",
                         "mse_raw": error, "mse_pop": error / 2 if known else None,
                         "mse_raw_stderr": error / 100 if known else None,
                         "mse_pop_stderr": error / 100 if known else None,
                         "mse_predicted": error})
    return {"users": 1000, "domain": 10, "rows": rows}


def measured(published=None, tight=None, local=()):
    found = results_claims.Measurements()
    found.add("normal", answer("published", published or {}, local))
    found.add("normal", answer("tight", tight or {}))
    return found


class ClaimsTest(unittest.TestCase):
    CLAIM = results_claims.Claim("", "SH", "HP-SM", 1, float("inf"))

    def test_counts_cells_and_gives_the_range(self):
        found = measured(published={"grr": (4e-6, 2.5e-7)})
        self.assertEqual(results_claims.judge(self.CLAIM, found, "published"),
                         ("in 1 of 2", "0.5 to 4"))
        self.assertEqual(results_claims.judge(self.CLAIM, measured(tight={"grr": (9e-6, 9e-7)}),
                                              "tight"), ("holds", "1.8 to 9"))

    def test_leaves_out_what_is_not_feasible(self):
        found = measured(published={"grr": (None, 2.5e-7)})
        self.assertEqual(results_claims.judge(self.CLAIM, found, "published"),
                         ("does not hold", "0.5"))
        found = measured(published={"grr": (None, None)})
        self.assertEqual(results_claims.judge(self.CLAIM, found, "published"),
                         ("not measured", "–"))

    def test_post_processes_hp_sdp_alone(self):
        claim = results_claims.Claim("", "SH", "HP-SDP", 1, float("inf"))
        self.assertEqual(results_claims.judge(claim, measured(), "tight"), ("holds", "2"))

    def test_sees_a_curve_that_rises(self):
        self.assertEqual(results_claims.falling(measured(), "tight"), (8, 8))
        self.assertEqual(results_claims.falling(measured(tight={"aue": (1e-6, 2e-6)}), "tight"),
                         (7, 8))

    def test_sees_which_way_hp_sdp_goes(self):
        self.assertEqual(results_claims.nearing(measured(), "tight"), (0, 1))
        self.assertEqual(results_claims.nearing(measured(tight={"laplace": (1e-7, 9e-8)}), "tight"),
                         (1, 1))


class PageTest(unittest.TestCase):
    def test_marks_what_is_local_and_what_is_not_feasible(self):
        found = measured(published={"aue": (None, 3e-6), "correlated": (None, None)},
                         local=("grr",))
        table = results_page.table(found, "normal", 1e-6, "mse_raw")
        self.assertIn("| SH (`grr`) | published | 1.00e-06† | 5.00e-07† |", table)
        self.assertIn("| AUE (`aue`) | published | – | 3.00e-06 |", table)
        self.assertNotIn("| `correlated` | published |", table)
        self.assertIn("| `correlated` | tight | 1.00e-06 | 5.00e-07 |", table)

    def test_says_who_wins(self):
        found = measured(tight={"grr": (1e-9, 1e-9), "correlated": (1e-10, 1e-8)})
        text = " ".join(results_page.reading(found))
        self.assertIn("single message**, tight: before POP `grr` in 2 of 2 cells", text)
        self.assertIn("before POP `correlated` in 1, `grr` in 1 of 2 cells", text)


class DataTest(unittest.TestCase):
    def test_samples_people(self):
        # Binomial, mean 10,000 and standard deviation 99.5: 6 of them fail with probability 2e-9.
        taken = results_data.sample_people(1_000_000, 0.01, random.Random(1))
        self.assertLess(abs(taken - 10_000), 600)
        self.assertEqual(results_data.sample_people(0, 0.01, random.Random(1)), 0)

    def test_reads_both_files(self):
        with tempfile.TemporaryDirectory() as made:
            folder = pathlib.Path(made)
            (folder / results_data.CITIES).write_text(
                "city\tpopulation\nA\t50000\nB\t9999\nC\t10000\n", encoding="utf-8")
            with self.assertRaisesRegex(FileNotFoundError, results_data.KOSARAK):
                results_data.real(folder, folder, 1)
            (folder / results_data.KOSARAK).write_text("1,2\n3\n", encoding="utf-8")
            cities, kosarak = results_data.real(folder, folder, 1)
            lines = (folder / "cities.txt").read_text("utf-8").split()
            self.assertEqual(set(lines), {"0", "1"})
            self.assertEqual(cities.arguments[-1], "2")
            clicks = (folder / "kosarak.txt").read_text("utf-8").split()
            self.assertIn(clicks[0], ("0", "1"))
            self.assertEqual(clicks[1], "2")
            self.assertEqual(kosarak.arguments[-1], "3")


if __name__ == "__main__":
    unittest.main()
