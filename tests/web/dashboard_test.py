#!/usr/bin/env python3
"""The dashboard in a browser, over a deployment of real daemons: what it shows is what the command line
says.

usage: dashboard_test.py BINARIES AXE
"""
import http.client
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

AXE = pathlib.Path(sys.argv.pop(2))
import figures  # noqa: E402
from browser import Browser, Keys  # noqa: E402
from support.deployment import Deployment  # noqa: E402
from support.programs import BIN, TOMBOLA  # noqa: E402

APPS = ["mail", "maps", "camera", "music", "chat", "web browser", "photos", "calendar", "notes",
        '<b>a "quoted", name</b>', "clock", "Größe"]
WORDS = 42178
URLS = 120000  # more than the page asks for
WORLD = {}


def setUpModule():
    folder = tempfile.TemporaryDirectory()
    WORLD["folder"] = folder
    up = WORLD["up"] = Deployment(BIN, pathlib.Path(folder.name) / "up")
    address = urllib.parse.urlparse(json.loads(
        pathlib.Path(up.config).read_text(encoding="utf-8"))["dashboard"])
    WORLD["origin"] = f"{address.scheme}://{address.netloc}/"
    WORLD["token"] = address.fragment.removeprefix("token=")
    values = pathlib.Path(folder.name) / "apps.txt"
    values.write_text("\n".join(APPS) + "\n", encoding="utf-8")
    WORLD["apps"] = create("apps", 2000, "--values", str(values))
    WORLD["words"] = create("words", 20000, "--domain", str(WORDS))
    WORLD["urls"] = create("urls", 2000, "--domain", str(URLS))
    WORLD["waiting"] = create("waiting", 5000, "--domain", "3")
    WORLD["weekly"] = create("weekly", 2000, "--domain", "3", "--submissions-per-device", "7")
    draw = random.Random(1)
    weights = [1 / (i + 1) for i in range(len(APPS))]
    for batch in range(2):
        report("apps", draw.choices(APPS, weights, k=2000), batch + 1)
    report("weekly", draw.choices("012", k=2000), 1)
    report("urls", [str(draw.choice((7, 7, 110000))) for _ in range(2000)], 1)
    report("words", [str(min(WORDS - 1, int(draw.paretovariate(0.6)))) for _ in range(20000)], 1)


def tearDownModule():
    for browser in Page.browsers.values():
        browser.close()
    code = WORLD["up"].stop()
    WORLD["folder"].cleanup()
    if code != 0:
        raise AssertionError(f"up exited {code}")


def create(name, users, *arguments):
    return WORLD["up"].ask("task", "create", "--name", name, "--epsilon", "1", "--delta", "1e-6",
                           "--users", str(users), *arguments)["task"]


def report(name, values, batches):
    """Reports, and waits until as many batches have been counted."""
    up = WORLD["up"]
    up.ask("report", "--task", WORLD[name], "--input", "-", stdin="\n".join(values) + "\n")
    up.wait_for(WORLD[name], lambda status: status["counted_batches"] == batches)


def query(name, *arguments):
    return WORLD["up"].ask("query", "--task", WORLD[name], *arguments)


class Page(unittest.TestCase):
    """A browser, signed in by the address as `tombola up` prints it. One serves several classes."""
    size = {}
    browsers = {}

    @classmethod
    def setUpClass(cls):
        size = tuple(cls.size.items())
        if size not in cls.browsers:
            cls.browsers[size] = Browser(**cls.size)
            list(cls.browsers[size].requests())  # of the window's own first page
        cls.browser = cls.browsers[size]
        cls.browser.open(f"{WORLD['origin']}#token={WORLD['token']}")
        cls.browser.find(".task")

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
        for address in self.browser.requests():
            self.assertTrue(address.startswith((WORLD["origin"], "about:", "data:", "blob:")), address)

    def go(self, route, selector):
        """Loads a page and waits until it has what the selector names, and no more to come."""
        self.browser.open(f"{WORLD['origin']}#/{route}")
        self.browser.find(selector)
        self.browser.wait(lambda: not self.browser.all("[aria-busy]") and
                          not self.browser.text(".told").startswith("Computing"))

    def shown(self):
        """The rows of the histogram's table."""
        return self.browser.table("Bins of the histogram")

    def names(self):
        return [cells[0] for cells in self.shown() or []]


class Tasks(Page):
    def test_they_are_listed_as_by_the_command_line(self):
        self.go("", ".task")
        told = WORLD["up"].ask("task", "list")["tasks"]
        cards = [card.text for card in self.browser.all(".task")]
        self.assertEqual(len(cards), len(told))
        for card, task in zip(cards, told):
            for text in (task["name"], task["state"], task["mechanism"],
                         f"{task['domain']:,} values", f"Reports\n{task['reports']:,}",
                         f"Batches\n{task['counted_batches']}", f"Rejected\n{task['rejected']}",
                         f"needs {task['needed']:,}, planned {task['users']:,}"):
                self.assertIn(text, card)

    def test_a_task_without_a_batch_says_what_it_waits_for(self):
        self.go(f"task/{WORLD['waiting']}", ".not-yet")
        task = WORLD["up"].ask("task", "show", "--task", WORLD["waiting"])
        self.assertIn("No batch has been counted yet.", self.browser.text(".not-yet"))
        self.assertIn(f"{task['users']:,} reports are held", self.browser.text(".not-yet"))
        self.assertIn(f"never with fewer than {task['needed']:,}", self.browser.text(".not-yet"))

    def test_what_does_not_exist_is_said_by_the_server(self):
        self.browser.open(f"{WORLD['origin']}#/task/{'00' * 32}")
        self.assertIn("NOT_FOUND", self.browser.find(".failure").text)
        self.browser.find(".failure button")
        self.assertTrue(all("404" in line for line in self.browser.complaints()))


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
        bins = query("urls", "--top", "2000")["bins"]
        self.assertEqual(self.shown(), [figures.row(b) for b in figures.largest_first(bins)[:25]])
        self.browser.field("Search").send_keys("110000")
        expected = [figures.row(b) for b in query("urls", "--values", "110000")["bins"]]
        self.browser.wait(lambda: self.shown() == expected)


class Planner(Page):
    def test_it_recommends_what_the_command_line_recommends(self):
        arguments = {"users": "20000", "domain": "50", "epsilon": "0.4", "delta": "1e-7"}
        done = subprocess.run([TOMBOLA, "plan", "--json", *(
            word for name, value in arguments.items() for word in (f"--{name}", value))],
            capture_output=True, check=True, timeout=60)
        plan = json.loads(done.stdout)
        self.go("plan?" + urllib.parse.urlencode(arguments), ".mechanism")
        self.assertIn(f"Recommended: {plan['recommended']}", self.browser.text("main"))
        best = next(one for one in plan["candidates"] if one["mechanism"] == plan["recommended"])
        self.assertIsNone(best["local_epsilon"])  # so it must be asked for in so many words
        self.assertNotIn("--mechanism", self.browser.text(".command"))
        self.assertIn(f"Add --mechanism {plan['recommended']}", self.browser.text("main"))
        rows = self.browser.table("Mechanisms at epsilon 0.4")
        feasible = {one["mechanism"]: one for one in plan["candidates"]}
        self.assertEqual({cells[0].split()[0] for cells in rows}, set(feasible))
        for cells in rows:
            one = feasible[cells[0].split()[0]]
            self.assertEqual(cells[6].startswith("no"), not one["feasible"])
            if one["feasible"]:
                self.assertAlmostEqual(float(cells[1].split()[0]) / 100 / math.sqrt(one["mse"]), 1,
                                       delta=0.01)
            if one["min_batch"] is not None:
                self.assertEqual(cells[5], f"{one['min_batch']:,}")

    def test_a_changed_setting_is_planned_anew(self):
        self.go("plan?users=20000&domain=50", ".mechanism")
        self.browser.field("Epsilon").clear()
        self.browser.field("Epsilon").send_keys("0.3")
        self.browser.wait(lambda: "At epsilon 0.3" in self.browser.text("main"))
        self.assertIn("epsilon=0.3", self.browser.driver.current_url)


class SigningIn(Page):
    def test_without_a_token_there_is_a_form(self):
        self.browser.script("sessionStorage.clear()")
        self.browser.open(WORLD["origin"])
        form = self.browser.field("Access token")
        self.assertEqual(self.browser.axe(AXE.read_text(encoding="utf-8")), [])
        form.send_keys("wrong", Keys.ENTER)
        self.browser.find("[role=alert]")
        self.browser.field("Access token").send_keys(WORLD["token"], Keys.ENTER)
        self.browser.find(".task")
        self.assertTrue(all("401" in line for line in self.browser.complaints()))

    def test_the_token_leaves_the_address(self):
        self.browser.open(f"{WORLD['origin']}#token={WORLD['token']}")
        self.browser.find(".task")
        self.assertNotIn(WORLD["token"], self.browser.driver.current_url)
        self.assertFalse(self.browser.script(
            "return Object.values(localStorage).concat(document.cookie).join().includes(arguments[0])",
            WORLD["token"]))


def pages():
    """Every page, and what it has when it is complete."""
    yield "", ".task"
    yield "plan?users=20000&domain=50", ".mechanism"
    yield f"task/{WORLD['apps']}", "details table"
    yield f"task/{WORLD['waiting']}", ".not-yet"


class ForEverybody(Page):
    def test_the_keyboard_reaches_everything_and_leaves_again(self):
        for route, selector in pages():
            self.go(route, selector)
            wanted, reached = self.browser.tab_stops()
            self.assertEqual(reached, wanted, route)
            self.assertIn("Skip to the content", wanted[0])

    def test_axe_finds_nothing(self):
        source = AXE.read_text(encoding="utf-8")
        for theme in ("light", "dark"):
            self.browser.script("localStorage.setItem('tombola-theme', arguments[0])", theme)
            for route, selector in pages():
                self.go(route, selector)
                self.assertEqual(self.browser.axe(source), [], f"{route} {theme}")
        self.browser.script("localStorage.clear()")

    def test_the_policy_is_strict(self):
        connection = http.client.HTTPConnection(urllib.parse.urlparse(WORLD["origin"]).netloc)
        connection.request("GET", "/")
        answer = connection.getresponse()
        policy = answer.getheader("Content-Security-Policy") or ""
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertNotRegex(answer.read().decode(), r"style=|\son\w+=")
        connection.close()


class Phone(Page):
    size = {"width": 360, "height": 740, "dark": True}

    def test_nothing_goes_beyond_the_edge(self):
        for route, selector in pages():
            self.go(route, selector)
            self.assertLessEqual(self.browser.script(
                "return document.documentElement.scrollWidth"), 360, route)


if __name__ == "__main__":
    unittest.main()
