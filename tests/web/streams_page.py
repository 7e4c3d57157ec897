"""The page of a stream, over daemons for which a month has passed: what it shows is what the query says. Run by
dashboard_test.py."""
import json
import subprocess
import tempfile
import urllib.parse

import figures
from browser import Keys
from page import AXE, Page
from support import periods
from support.programs import TOMBOLA

PERIODS = 24
TABLE = "Values of the period"
SERIES = "Values over time"


class Month:
    """`tombola demo --kind stream`, which stays; one of its days has too few devices."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [TOMBOLA, "demo", "--kind", "stream", "--stay", "--json", "--dir", self.folder.name,
             "--periods", str(PERIODS), "--devices", "4800", "--epsilon", "4"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.communicate()[1])
        address = urllib.parse.urlparse(json.loads(line)["dashboard"])
        self.origin = f"{address.scheme}://{address.netloc}/"
        self.token = address.fragment.removeprefix("token=")
        self.task = self.ask("task", "list")["tasks"][0]["task"]

    def ask(self, *arguments):
        done = subprocess.run([TOMBOLA, *arguments, "--config", f"{self.folder.name}/tombola.json", "--json"],
                              capture_output=True, check=True, text=True, timeout=120)
        return json.loads(done.stdout)

    def query(self, *words):
        return self.ask("query", "--task", self.task, *words)

    def stop(self):
        self.process.terminate()
        code = self.process.wait(timeout=60)
        self.process.communicate()
        self.folder.cleanup()
        if code != 0:
            raise AssertionError(f"demo exited {code}")


def percents(a_bin):
    return [a_bin[name] * 100 for name in ("raw", "low", "high")]


def counts(a_bin):
    return {"value": a_bin["count"], "low": a_bin["count_low"], "high": a_bin["count_high"]}


def row(a_bin):
    """Value, share, raw, half the interval, count, half its interval, its interval."""
    raw, low, high = percents(a_bin)
    one = {"value": raw, "low": low, "high": high}
    share = {**one, "value": a_bin["frequency"] * 100}
    raw_words, half, _ = figures.cells(one)
    decimals = figures.decimals_for(max(high - raw, raw - low))
    return [str(a_bin["value"]), f"{figures.plain(share['value'], decimals)} %", f"{raw_words} %", half,
            *figures.cells(counts(a_bin))]


class Streams(Page):
    @classmethod
    def setUpClass(cls):
        cls.month = Month()
        cls.addClassCleanup(cls.month.stop)
        cls.origin, cls.token = cls.month.origin, cls.month.token
        super().setUpClass()
        cls.series = cls.month.query("--series")
        cls.void = cls.series["void_nodes"]

    def setUp(self):
        self.open()

    def open(self, view=""):
        self.go(f"task/{self.month.task}{view}", ".stream-period .scroll, .stream-period .empty")

    def expect(self, *words):
        """Waits until the period's table has what the command line answers; that answer."""
        answer = self.month.query(*words)
        rows = [row(b) for b in figures.largest_first(answer["bins"])]
        self.browser.wait(lambda: self.browser.table(TABLE) == rows)
        return answer

    def slide(self, *keys):
        self.browser.script("arguments[0].focus()", self.browser.field("Period"))
        self.browser.press(*keys)

    def chart(self):
        return next(one for one in self.browser.all(".chart")
                    if "over time" in one.get_attribute("aria-label"))

    def test_the_last_total_is_the_querys(self):
        answer = self.expect()
        self.assertEqual(answer["periods"]["last"], PERIODS)
        self.assertIn(f"Submissions\n{answer['submissions']:,}", self.browser.text(".figures"))
        self.assertIn(f"Counted: {answer['counted']}.", self.browser.text(".answer"))

    def test_the_slider_shows_any_total(self):
        self.slide(Keys.HOME)
        self.expect("--at", "1")
        self.slide(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.expect("--at", "3")
        self.assertIn("at=3", self.browser.driver.current_url)
        self.assertIn("Period 3 of 24", self.browser.field("Period").get_attribute("aria-valuetext"))
        address = self.browser.driver.current_url
        self.browser.open(address)
        self.expect("--at", "3")

    def test_single_periods(self):
        self.browser.choose("Over", "single")
        self.slide(Keys.END, Keys.ARROW_LEFT)
        self.expect("--period", str(PERIODS - 1))

    def test_the_void_node_is_named_and_its_period_comes_back(self):
        self.assertEqual(len(self.void), 1)
        self.assertIn(f"Node {self.void[0]} was void", self.browser.text(".answer .warnings"))
        self.open(f"?at={self.void[0]}")
        self.expect("--at", str(self.void[0]))
        self.assertIn(f"Period {self.void[0]} is not in it", self.browser.text(".stream-period .warnings"))
        whole = next(total["periods"]["last"] for total in self.series["series"]
                     if total["periods"]["last"] > self.void[0] and not total["missing"])
        self.open(f"?at={whole}")
        self.expect("--at", str(whole))
        self.assertEqual(self.browser.text(".stream-period .warnings"), "")

    def test_the_chart_is_read_and_chosen_with_the_keyboard(self):
        largest = figures.largest_first(self.series["series"][-1]["bins"])[:5]
        chart = self.chart()
        self.browser.script("arguments[0].focus()", chart)
        self.browser.press(Keys.HOME, Keys.ARROW_RIGHT, Keys.ENTER)
        told = chart.get_attribute("aria-valuetext")
        self.assertTrue(told.startswith("Periods 1 to 2, "), told)
        for one in largest:
            self.assertIn(str(one["value"]), told)
        self.expect("--at", "2")

    def test_the_lines_are_in_a_table_with_their_errors(self):
        self.browser.choose("Unit", "count")
        top = self.month.query("--series", "--top", "5")["series"]
        names = [b["value"] for b in figures.largest_first(top[-1]["bins"])]
        rows = self.browser.wait(lambda: self.browser.table(SERIES))
        self.assertEqual(len(rows), PERIODS)
        for cells, total in zip(rows, top):
            by_name = {b["value"]: figures.estimate(counts(b)) for b in total["bins"]}
            self.assertEqual(cells[:2], [str(total["periods"]["last"]), f"{total['submissions']:,}"])
            self.assertEqual(cells[2:7], [by_name.get(name, "–") for name in names])
            missing = [period for run in total["missing"]
                       for period in range(run["first"], run["last"] + 1)]
            self.assertEqual(cells[7] != "", missing != [])

    def test_named_values_have_the_lines_instead(self):
        field = self.browser.field("Or these values")
        field.send_keys("train, bus")
        self.browser.wait(lambda: sorted(self.browser.text(".legend").split("\n")[:2]) == ["bus", "train"])
        self.assertIn("named=train", self.browser.driver.current_url)
        # Half a name is none of the task's.
        self.assertTrue(all("400" in line for line in self.browser.complaints()))

    def test_a_range_of_periods(self):
        task = self.month.ask("task", "show", "--task", self.month.task)
        self.browser.choose("Periods", "between")
        for label, period in (("Since (UTC)", 5), ("Until (UTC)", 9)):
            self.browser.script("""
                arguments[0].value = arguments[1];
                arguments[0].dispatchEvent(new Event('change'));""",
                self.browser.field(label), periods.moment(task, period).removesuffix("Z"))
        self.expect("--since", "5", "--until", "8")

    def test_a_download_has_the_whole_series(self):
        for one in self.browser.downloads.glob("ways-to-work*"):
            one.unlink()
        for button in self.browser.all(".downloads button"):
            if button.text == "JSON":
                button.click()
        file = self.browser.wait(lambda: next(self.browser.downloads.glob("ways*.json"), None))
        self.assertEqual(json.loads(file.read_text(encoding="utf-8"))["series"], self.series["series"])

    def test_axe_and_the_keyboard(self):
        source = AXE.read_text(encoding="utf-8")
        for theme in ("light", "dark"):
            self.browser.script("localStorage.setItem('tombola-theme', arguments[0])", theme)
            for view in ("", "?over=single&unit=count"):
                self.open(view)
                self.assertEqual(self.browser.axe(source), [], f"{view} {theme}")
        self.browser.script("localStorage.clear()")
        wanted, reached = self.browser.tab_stops()
        self.assertEqual(reached, wanted)

    def test_nothing_goes_beyond_the_edge(self):
        for width in (360, 768, 1280):
            self.browser.command("Emulation.setDeviceMetricsOverride", width=width, height=900,
                                 deviceScaleFactor=1, mobile=False)
            self.open()
            self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), width)
