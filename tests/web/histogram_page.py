"""The page of one task's histogram: what it shows, and how it is read. Run by dashboard_test.py."""
import json
import math
import re
import subprocess
import sys

import figures
from browser import Keys
from page import APPS, URLS, WORDS, WORLD, Page, query
from support.programs import TOMBOLA


class Histogram(Page):
    def setUp(self):
        self.go(f"task/{WORLD['apps']}", ".bin-table")

    def test_it_equals_the_query(self):
        answer = query("apps")
        self.assertEqual(self.shown(), [figures.row(b) for b in figures.largest_first(answer["bins"])])
        self.assertIn(f"Reports\n{answer['reports']:,}", self.browser.text(".figures"))
        band = float(re.search(r"Error of any bin\n± (\S+) %", self.browser.text(".figures"))[1])
        self.assertGreaterEqual(band, 100 * answer["max_error"])
        self.assertLess(band, 101 * answer["max_error"])

    def test_the_guarantee_is_the_querys(self):
        guarantee = query("apps")["guarantee"]
        self.check_rows(guarantee)
        promise = self.browser.text(".promise")
        self.assert_rounded_up(re.search(r"e\^epsilon = (\S+) in", promise)[1],
                               math.exp(guarantee["epsilon"]))
        self.assertIn("one in a million", promise)
        self.assertIn(f"{guarantee['users']:,} reports", self.browser.text(".notes"))
        self.assertIn(f"Accountant: {guarantee['method']}", self.browser.text(".notes"))

    def test_every_line_is_for_all_submissions_of_a_device(self):
        self.go(f"task/{WORLD['weekly']}", ".bin-table")
        guarantee = query("weekly")["guarantee"]
        self.assertEqual(guarantee["submissions_per_device"], 7)
        rows = self.check_rows(guarantee)
        self.assertEqual(rows, sorted(rows, key=lambda row: float(row[1])), "worse and worse")
        self.assertIn("over the 7 submissions a device may make", self.browser.text(".promise"))
        self.assertIn(guarantee["warning"][1:], self.browser.text(".warnings"))
        alone = re.search(r"one of them alone has epsilon (\S+), delta (\S+)\.",
                          self.browser.text(".notes"))
        self.assert_rounded_up(alone[1], guarantee["batch_epsilon"])
        self.assert_rounded_up(alone[2], guarantee["batch_delta"])

    def check_rows(self, guarantee):
        """The table of what the guarantee becomes, whose numbers are never better than the answer's."""
        rows = self.browser.table("What the guarantee becomes")
        true = [(guarantee["epsilon"], guarantee["delta"]),
                (guarantee["epsilon_foreign_10"], guarantee["delta_foreign_10"]),
                (guarantee["epsilon_foreign_50"], guarantee["delta_foreign_50"]),
                (guarantee["local_epsilon"], 0)]
        for (_, *said), (epsilon, delta) in zip(rows, true, strict=True):
            for text, number in zip(said, (epsilon, delta, math.exp(epsilon)), strict=True):
                self.assert_rounded_up(text, number)
        return rows

    def assert_rounded_up(self, text, true):
        said = float(text.replace(",", ""))
        self.assertGreaterEqual(said, true)
        self.assertLessEqual(said, true * 1.011)

    def test_order_top_and_search(self):
        bins = query("apps")["bins"]
        by_size = [b["value"] for b in figures.largest_first(bins)]
        self.browser.choose("Order", "natural")
        self.assertEqual(self.names(), APPS)
        self.browser.field("Top").send_keys("3")
        self.assertEqual(self.names(), [name for name in APPS if name in by_size[:3]])
        self.browser.choose("Order", "frequency")
        self.assertEqual(self.names(), by_size[:3])
        self.browser.field("Top").send_keys(Keys.BACK_SPACE)
        self.assertEqual(self.names(), by_size)
        self.browser.field("Search").send_keys("GRÖ")
        self.assertEqual(self.names(), ["Größe"])
        self.browser.field("Search").send_keys("x")
        self.assertIn("No value's name", self.browser.text(".answer"))

    def test_choices_stand_in_the_address(self):
        self.browser.choose("Order", "natural")
        address = self.browser.driver.current_url
        self.assertIn("order=natural", address)
        self.browser.open(address)
        self.browser.find(".bin-table")
        self.assertEqual(self.names(), APPS)

    def test_raw_and_processed(self):
        self.browser.choose("Show", "raw")
        expected = figures.largest_first(query("apps")["bins"], "raw")
        self.assertEqual(self.shown(), [figures.row(b) for b in expected])
        self.assertNotIn("share", self.browser.text(".legend"))

    def test_postprocessing_and_confidence_are_the_servers(self):
        self.browser.choose("Post-processing", "norm_sub")
        self.browser.choose("Confidence", "0.99")
        answer = query("apps", "--postprocess", "norm_sub", "--confidence", "0.99")
        expected = [figures.row(b) for b in figures.largest_first(answer["bins"])]
        self.browser.wait(lambda: self.shown() == expected)

    def test_downloads_are_the_command_lines(self):
        for text, arguments in (("CSV", ("--format", "csv")), ("JSON", ("--json",))):
            for button in self.browser.all(".downloads button"):
                if button.text == text:
                    button.click()
            file = self.browser.downloads / f"apps.{text.lower()}"
            self.browser.wait(file.exists)
            done = subprocess.run([TOMBOLA, "query", "--config", WORLD["up"].config, "--task",
                                   WORLD["apps"], *arguments], capture_output=True, check=True)
            if text == "CSV":
                self.assertEqual(file.read_bytes(), done.stdout)
            else:
                self.assertEqual(json.loads(file.read_bytes()), json.loads(done.stdout))

    def test_batches(self):
        self.browser.find("details table")
        rows = self.browser.table("Batches")
        self.assertEqual([(cells[1], cells[2]) for cells in rows], [("counted", "2,000")] * 2)
        self.assertIn("UTC", rows[0][0])

    def test_the_chart_is_read_with_arrow_keys(self):
        chart = self.browser.find(".chart")
        bins = figures.largest_first(query("apps")["bins"])
        self.assertIn(bins[0]["value"], chart.get_attribute("aria-label"))
        self.browser.script("arguments[0].focus()", chart)
        self.browser.press(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        cells = figures.row(bins[2])
        self.assertEqual(chart.get_attribute("aria-valuetext"),
                         f"{cells[0]}, {cells[1]}, raw {cells[2]} ± {cells[3]}")
        self.assertIn(cells[0], self.browser.text(".chart-tip"))
        self.browser.press("+")
        self.browser.wait(lambda: "of 12 in view" in self.browser.text(".viewed"))
        self.browser.press("0")
        self.browser.wait(lambda: self.browser.text(".viewed") == "")

    def test_the_chart_is_zoomed_by_dragging(self):
        chart = self.browser.find(".chart .u-over")
        self.browser.drag(chart, 0.25, 0.75)
        self.browser.wait(lambda: self.browser.text(".viewed") == "4 to 9 of 12 in view")
        self.browser.double_click(chart)
        self.browser.wait(lambda: self.browser.text(".viewed") == "")


class Large(Page):
    def test_the_first_chart_is_soon_there(self):
        self.go(f"task/{WORLD['words']}", ".bin-table")
        took = self.browser.wait(lambda: self.browser.script(
            "return performance.getEntriesByName('first-chart')[0]?.startTime"))
        print(f"first chart of {WORDS} values after {took:.0f} ms", file=sys.stderr)
        self.assertLess(took, 5000)
        self.assertIn(f"1 to 50 of {WORDS:,} in view", self.browser.text(".viewed"))
        self.assertIn(f"1 to 25 of {WORDS:,}", self.browser.text(".pager"))
        expected = figures.largest_first(query("words")["bins"])
        self.assertEqual(self.shown(), [figures.row(b) for b in expected[:25]])

    def test_pages_of_the_table(self):
        self.go(f"task/{WORLD['words']}?order=natural", ".bin-table")
        for button in self.browser.all(".pager button"):
            if button.text == "Next":
                button.click()
        self.assertEqual(self.names(), [str(i) for i in range(25, 50)])


    def test_of_very_many_values_the_largest_are_asked_for(self):
        self.go(f"task/{WORLD['urls']}", ".bin-table")
        self.assertIn(f"The task has {URLS:,} values, of which the 2,000 largest are here",
                      self.browser.text(".answer"))
        answer = query("urls", "--top", "2000")
        bins = answer["bins"]
        self.assertIn(f"Surely above 0\n{answer['ranking']['held']:,}",
                      self.browser.text(".figures"))
        self.assertEqual(self.shown(), [figures.row(b) for b in figures.largest_first(bins)[:25]])
        self.browser.field("Search").send_keys("110000")
        expected = [figures.row(b) for b in query("urls", "--values", "110000")["bins"]]
        self.browser.wait(lambda: self.shown() == expected)
