"""What needs more than the package itself, each skipped where that is not installed: pandas,
matplotlib, and mypy, which checks the types.

usage: extras_test.py pandas|matplotlib|mypy SOURCE_DIR
"""
import dataclasses
import os
import pathlib
import subprocess
import sys
import unittest

import installed

WHAT, SOURCE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
installed.exit_if_missing(WHAT)
PACKAGE = installed.Package(SOURCE)

from tombola_query import (Answer, Estimate, Guarantee, Histogram, KeyValueRow, KeyValues, NumberRow,
                           Numbers, Periods, Quality, Range, RecordRow, Records, Rejected, Row, Set,
                           Stream, StreamRow, Total)

NOTHING = Rejected(0, 0, 0)
ANSWER = Histogram(
    task="ab" * 32, name="colours", as_of="2027-01-15T10:00:00Z", supersedes=None, superseded_by=None,
    periods=None, max_error=0.1, ranking=None,
    rows=(Row("red", 0.75, 0.76, 0.02, 0.72, 0.8), Row("$x$", 0.25, 0.24, 0.02, 0.2, 0.28),
          Row("none", 0.0, -0.01, 0.02, -0.05, 0.03)),
    reports=400, messages=400, fakes=0, rejected=0, rejected_by_cause=NOTHING,
    quality=Quality(0, 0.01, 0, 0.0, ()),
    guarantee=Guarantee(0.9, 1e-6, 4.5, 400, "tight", 1, 1, 0.9, 1e-6, 0.0, 1.0, 1e-6, 1.5, 1e-6, None,
                        None, 0.9, 1e-6, 1, None),
    postprocess="pop", confidence=0.95)

PERIODS = Periods(3, 4, "2027-01-15T08:00:00Z", "2027-01-15T09:00:00Z", 2, 0, ())
OF_PERIODS = dataclasses.replace(
    ANSWER, periods=PERIODS, guarantee=dataclasses.replace(ANSWER.guarantee, periods=PERIODS))

ITEMS = {**{field.name: getattr(ANSWER, field.name) for field in dataclasses.fields(ANSWER)},
         "sizes": (0.25, 0.5, 0.25), "full": 0.25, "full_stderr": 0.01, "full_low": 0.23,
         "full_high": 0.27, "hint": None, "postprocess": "clip"}
SET = Set(**ITEMS)
# The last one has too few holders for a mean.
PAIRS = KeyValues(**{**ITEMS, "rows": tuple(
    KeyValueRow(*dataclasses.astuple(row), *mean) for row, mean in zip(
        ANSWER.rows, ((0.5, 0.1, 0.25, 0.75), (-1.0, 0.1, -1.0, -0.5), (None,) * 4)))})

NUMBERS = Numbers(
    **{field.name: getattr(ANSWER, field.name) for field in dataclasses.fields(Answer)
       if field.name != "rows"},
    where=None, count=Estimate(400, 0, 400, 400), frequency=Estimate(1, 0, 1, 1),
    mean=Estimate(2.5, 0.1, 2.25, 2.75), sum=None, spread=0.5, partial=0,
    quantiles={0.5: Estimate(2, 0.1, 1, 3), 0.9: None}, counted="2 bins",
    rows=(NumberRow("0..1", 0, 1, 0.5, 0.5, 0.01, 0.25, 0.75),
          NumberRow("1..5", 1, 5, 0.5, 0.5, 0.01, 0.25, 0.75)))

def record(value, count, average):
    """A cell with intervals of 10 records and 0.5 on both sides."""
    around = (None,) * 4 if average is None else (average, 0.25, average - 0.5, average + 0.5)
    return RecordRow(value, count, 5, count - 10, count + 10, *around, *around)


# Ages in two bins; the second has too few records for an average.
AGES = Records(
    **{field.name: getattr(ANSWER, field.name) for field in dataclasses.fields(Answer)
       if field.name != "rows"},
    where={}, measure="amount", by=("age",), cells=(("0..1",), ("1..5",), ("5..6",)),
    ranges=((Range(0, 1),), (Range(1, 5),), (Range(5, 6),)),
    count=Estimate(100, 5, 90, 110), sum=None, avg=None, partial=0,
    records=Estimate(100, 5, 90, 110), quantiles={}, independence=None, counted="age",
    rows=(record("0..1", 60, 2.5), record("1..5", 40, 3.5), record("5..6", -2, None)))
CITIES = dataclasses.replace(
    AGES, by=("city",), cells=(("Oslo",), ("$x$",)), ranges=((None,), (None,)),
    rows=(record("Oslo", 60, 2.5), record("$x$", 40, 3.5)))
# A condition has left one of four cells out.
CROSSED = dataclasses.replace(
    AGES, by=("age", "city"), cells=(("0..1", "Oslo"), ("0..1", "Bergen"), ("1..5", "Oslo")),
    ranges=((Range(0, 1), None), (Range(0, 1), None), (Range(1, 5), None)),
    rows=(record("0..1, Oslo", 60, 2.5), record("0..1, Bergen", -3, None), record("1..5, Oslo", 40, 3.5)))

# A program of an analyst, and one that mixes things up.
TYPED = """
from typing import Optional, Tuple, Union
from tombola_query import (Client, Estimate, Histogram, KeyValueRow, KeyValues, Numbers, Records, Row, Set,
                           TombolaError)
def shares(client: Client, task: str) -> Tuple[Row, ...]:
    answer: Histogram = client.histogram(task, top=3, values=["red", 4], confidence=0.9)
    value: Union[str, int] = answer.rows[0].value
    share: float = answer.rows[0].frequency
    local: Optional[float] = answer.guarantee.local_epsilon
    text: str = answer.to_csv()
    return answer.rows
def means(client: Client, task: str) -> Tuple[KeyValueRow, ...]:
    held: Set = client.set(task, top=3, postprocess="base_cut")
    hint: Optional[str] = held.hint
    several: Tuple[float, ...] = held.sizes
    pairs: KeyValues = client.key_value(task, values=["red"])
    mean: Optional[float] = pairs.rows[0].mean
    return pairs.rows
def median(client: Client, task: str) -> Optional[Estimate]:
    numbers: Numbers = client.number(task, quantiles=[0.5], bins=20)
    share: float = client.number(task, where=(0, 2.5)).rows[0].frequency
    above: float = client.number(task, where=(2.5, None)).count.value
    some: Records = client.records(task, where={"age": (None, 30), "city": ["Oslo"]}, by=["age"])
    average: Optional[float] = some.rows[0].avg
    return numbers.quantiles[0.5]
"""
MISTYPED = """
from tombola_query import Client
def shares(client: Client) -> str:
    client.histogram(7)
    mean: float = client.key_value("x").rows[0].mean
    median: float = client.number("x").quantiles[0.5]
    return client.histogram("x").reports
"""


WEEKS = tuple(
    Total(1, week, 100 * week, (), (), 0.1,
          (StreamRow("red", 0.2 * week, 0.2 * week, 0.01, 0.2 * week - 0.02, 0.2 * week + 0.02, 20.0 * week,
                     1.0, 20.0 * week - 2, 20.0 * week + 2),
           StreamRow("$x$", 0.1, 0.1, 0.01, 0.08, 0.12, 10.0 * week, 1.0, 8.0, 12.0)))
    for week in (1, 2, 3))
STREAM = Stream(**{**{field.name: getattr(ANSWER, field.name) for field in dataclasses.fields(Answer)},
                   "rows": WEEKS[-1].rows}, totals=WEEKS, series=True, counted="", void_nodes=())


class PandasTest(unittest.TestCase):
    def test_a_line_for_each_bin_and_the_rest_in_attrs(self):
        frame = ANSWER.to_pandas()
        self.assertEqual(list(frame.columns), ["value", "frequency", "raw", "stderr", "low", "high"])
        self.assertEqual(list(frame["value"]), ["red", "$x$", "none"])
        self.assertEqual(list(frame["raw"]), [0.76, 0.24, -0.01])
        self.assertEqual(frame.attrs["guarantee"], ANSWER.guarantee)
        self.assertEqual(frame.attrs["reports"], 400)
        self.assertEqual(frame.attrs["max_error"], 0.1)
        self.assertIsNone(frame.attrs["periods"])
        self.assertEqual(OF_PERIODS.to_pandas().attrs["periods"], PERIODS)


    def test_sizes_are_in_attrs_and_an_unknown_mean_is_no_number(self):
        frame = SET.to_pandas()
        self.assertEqual(list(frame.columns), ["value", "frequency", "raw", "stderr", "low", "high"])
        self.assertEqual(frame.attrs["sizes"], [0.25, 0.5, 0.25])
        self.assertEqual((frame.attrs["full"], frame.attrs["hint"]), (0.25, None))
        frame = PAIRS.to_pandas()
        self.assertEqual(list(frame["mean"])[:2], [0.5, -1.0])
        self.assertEqual(list(frame["mean"].isna()), [False, False, True])
        alone = dataclasses.replace(PAIRS, rows=PAIRS.rows[2:]).to_pandas()
        self.assertEqual(alone["mean_low"].dtype, "float64")

    def test_a_stream_has_a_line_for_each_row_of_each_total(self):
        frame = STREAM.to_pandas()
        self.assertEqual(list(frame.columns)[:4], ["first", "last", "submissions", "value"])
        self.assertEqual(list(frame["last"]), [1, 1, 2, 2, 3, 3])
        self.assertEqual(list(frame[frame["value"] == "red"]["count"]), [20.0, 40.0, 60.0])
        self.assertEqual(frame.attrs["reports"], 400)


class PlotTest(unittest.TestCase):
    def test_bars_at_the_frequencies_and_intervals_around_raw(self):
        import matplotlib
        matplotlib.use("Agg")
        axes = ANSWER.plot()
        axes.figure.canvas.draw()
        widths = [bar.get_width() for bar in axes.patches]
        for width, row in zip(widths, ANSWER.rows):
            self.assertAlmostEqual(width, 100 * row.frequency)
        lines = axes.collections[0].get_segments()
        self.assertEqual(len(lines), 3)
        for ((left, _), (right, _)), row in zip(lines, ANSWER.rows):
            self.assertAlmostEqual(left, 100 * row.low)
            self.assertAlmostEqual(right, 100 * row.high)
        self.assertEqual(axes.get_title(),
                         "epsilon 0.9, delta 1e-06, over the one submission a device may make")
        self.assertEqual(OF_PERIODS.plot().get_title(), axes.get_title() + " in these periods")

    def test_the_first_rows_on_given_axes(self):
        from matplotlib import pyplot
        _, axes = pyplot.subplots()
        self.assertIs(ANSWER.plot(ax=axes, top=2), axes)
        self.assertEqual(len(axes.patches), 2)
        self.assertIn("1 further bins left out", axes.get_xlabel())


    def test_shares_of_sets_are_bars(self):
        axes = SET.plot(top=1)
        self.assertEqual([bar.get_width() for bar in axes.patches], [75.0])
        self.assertIn("2 further values left out", axes.get_xlabel())

    def test_a_stream_is_lines_in_bands_over_its_periods(self):
        axes = STREAM.plot(top=1)
        axes.figure.canvas.draw()
        self.assertEqual([list(line.get_xdata()) for line in axes.lines], [[1, 2, 3]])
        self.assertEqual(len(axes.collections), 1)
        self.assertIn("1 further values left out", axes.get_xlabel())
        one = dataclasses.replace(STREAM, totals=STREAM.totals[-1:], series=False).plot()
        self.assertEqual(len(one.patches), 2)

    def test_numbers_are_bars_by_width_with_lines(self):
        axes = NUMBERS.plot()
        axes.figure.canvas.draw()
        self.assertEqual([(bar.get_x(), bar.get_width(), bar.get_height()) for bar in axes.containers[0]],
                         [(0, 1, 200), (1, 4, 50)])
        labels = axes.get_legend_handles_labels()[1]
        self.assertEqual(labels, ["quantile 0.5: 2", "mean: 2.5"])
        self.assertIn("by width", axes.get_ylabel())
        with self.assertRaises(ValueError):
            dataclasses.replace(NUMBERS, rows=()).plot()

    def test_counts_of_records_are_bars_with_intervals(self):
        axes = AGES.plot(show="count")
        self.assertEqual([(bar.get_x(), bar.get_width(), bar.get_height()) for bar in axes.containers[0]],
                         [(0, 1, 60), (1, 4, 40), (5, 1, -2)])
        lines = axes.collections[0].get_segments()
        self.assertEqual([(low[1], high[1]) for low, high in lines], [(50, 70), (30, 50), (-12, 8)])
        self.assertEqual(axes.get_ylabel(), "records")
        self.assertEqual([text.get_text() for text in CITIES.plot(show="count").get_xticklabels()],
                         ["Oslo", r"\$x\$"])

    def test_averages_along_numbers_are_a_line_in_a_band_and_of_labels_dots(self):
        axes = AGES.plot()
        (line,) = axes.lines
        self.assertEqual(list(line.get_xdata()), [0.5, 3, 5.5])
        self.assertEqual(list(line.get_ydata())[:2], [2.5, 3.5])
        (band,) = axes.collections
        corners = {tuple(corner) for corner in band.get_paths()[0].vertices}
        self.assertTrue({(0.5, 2.0), (0.5, 3.0), (3.0, 3.0), (3.0, 4.0)} <= corners, corners)
        self.assertIn("1 with too few records", axes.get_xlabel())
        self.assertEqual(axes.get_ylabel(), "average amount")
        dots = CITIES.plot().lines[0]
        self.assertEqual(list(zip(dots.get_xdata(), dots.get_ydata())), [(0, 2.5), (1, 3.5)])

    def test_two_attributes_of_records_are_a_heat_map(self):
        import numpy
        for show, cells in (("count", [[60, 40], [0, numpy.nan]]), ("avg", [[2.5, 3.5], [numpy.nan] * 2])):
            axes = CROSSED.plot(show=show)
            numpy.testing.assert_array_equal(numpy.ma.filled(axes.images[0].get_array(), numpy.nan), cells)
            self.assertEqual([text.get_text() for text in axes.get_xticklabels()], ["0..1", "1..5"])
            self.assertEqual([text.get_text() for text in axes.get_yticklabels()], ["Oslo", "Bergen"])
        self.assertEqual(CROSSED.plot().figure.axes[1].get_ylabel(), "records")

    def test_what_records_do_not_have_is_not_plotted(self):
        for answer, show in ((dataclasses.replace(AGES, rows=()), None), (AGES, "mode"),
                             (dataclasses.replace(AGES, measure=None), "avg")):
            with self.assertRaises(ValueError):
                answer.plot(show=show)

    def test_means_are_dots_beside_the_shares_with_their_intervals(self):
        shares, means = PAIRS.plot()
        means.figure.canvas.draw()
        self.assertEqual(len(shares.patches), 3)
        dots = means.lines[0]
        self.assertEqual(list(zip(dots.get_xdata(), dots.get_ydata())), [(0.5, 0), (-1.0, 1)])
        lines = means.collections[0].get_segments()
        self.assertEqual([(left[0], right[0]) for left, right in lines], [(0.25, 0.75), (-1.0, -0.5)])
        self.assertIn("1 with too few holders", means.get_xlabel())
        # A key is at one height in both, the first on top.
        for axes in (shares, means):
            self.assertEqual(axes.get_ylim(), (2.5, -0.5))
        self.assertEqual([text.get_text() for text in shares.get_yticklabels()],
                         ["red", r"\$x\$", "none"])

    def test_means_on_given_axes_also_if_none_is_known(self):
        from matplotlib import pyplot
        _, pair = pyplot.subplots(1, 2)
        unknown = dataclasses.replace(PAIRS, rows=PAIRS.rows[2:])
        self.assertIs(unknown.plot(ax=pair), pair)
        self.assertIn("1 with too few holders", pair[1].get_xlabel())
        self.assertEqual([text.get_text() for text in pair[1].get_yticklabels()], ["none"])


class TypesTest(unittest.TestCase):
    def mypy(self, *arguments):
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--config-file", str(SOURCE / "python/pyproject.toml"),
             "--cache-dir", os.devnull, *arguments], capture_output=True, text=True, check=False,
            cwd=PACKAGE.folder.name, env={**installed.ENVIRONMENT, "MYPYPATH": PACKAGE.site})
        return done.returncode, done.stdout + done.stderr

    def test_the_package_is_typed_throughout(self):
        code, out = self.mypy("-p", "tombola_query")
        self.assertEqual(code, 0, out)

    def test_programs_that_use_it_are_checked(self):
        self.assertTrue((pathlib.Path(PACKAGE.site) / "tombola_query" / "py.typed").is_file())
        code, out = self.mypy("-c", TYPED)
        self.assertEqual(code, 0, out)
        code, out = self.mypy("-c", MISTYPED)
        self.assertEqual(code, 1, out)
        self.assertIn('Argument 1 to "histogram" of "Client" has incompatible type "int"', out)
        self.assertIn("Incompatible return value type", out)
        self.assertIn('expression has type "Optional[float]", variable has type "float"', out)


if __name__ == "__main__":
    try:
        unittest.main(defaultTest={"pandas": "PandasTest", "matplotlib": "PlotTest",
                                   "mypy": "TypesTest"}[WHAT], verbosity=2)
    finally:
        PACKAGE.cleanup()
