#!/usr/bin/env python3
"""The dashboard in a browser, over a deployment of real daemons: what it shows is what the command line
says.

usage: dashboard_test.py BINARIES AXE
"""
import http.client
import json
import math
import subprocess
import unittest
import urllib.parse

import figures
from browser import Keys
from histogram_page import Histogram, Large  # noqa: F401: for unittest
from items_page import Pairs, Sets  # noqa: F401: for unittest
from numbers_page import Means, Numbers  # noqa: F401: for unittest
from page import AXE, WORLD, Page, world
from periods_page import Periods  # noqa: F401: for unittest
from records_page import Records  # noqa: F401: for unittest
from streams_page import Streams  # noqa: F401: for unittest
from strings_page import Strings  # noqa: F401: for unittest
from support.programs import TOMBOLA


class Tasks(Page):
    def test_they_are_listed_as_by_the_command_line(self):
        self.go("", ".task")
        told = WORLD["up"].ask("task", "list")["tasks"]
        cards = [card.text for card in self.browser.all(".task")]
        self.assertEqual(len(cards), len(told))
        for card, task in zip(cards, told):
            for text in (task["name"], task["state"], task["mechanism"],
                         figures.domain(task), f"Reports\n{task['reports']:,}",
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
        self.assertIsNotNone(best["local_epsilon"])  # what leaves nothing must be asked for by name
        self.assertIn(f"--mechanism {plan['recommended']}", self.browser.text(".command"))
        self.assertNotIn("Add --mechanism", self.browser.text("main"))
        rows = self.browser.table("Mechanisms at epsilon 0.4")
        feasible = {one["mechanism"]: one for one in plan["candidates"]}
        self.assertEqual({cells[0].split()[0] for cells in rows}, set(feasible))
        for cells in rows:
            one = feasible[cells[0].split()[0]]
            self.assertEqual(cells[6].startswith("no"), not one["feasible"])
            if one["feasible"]:
                self.assertAlmostEqual(float(cells[1].split()[0]) / 100 / (1.96 * math.sqrt(one["mse"])), 1,
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
    yield f"task/{WORLD['words']}", "details table"
    yield f"task/{WORLD['held']}", "details table"
    yield f"task/{WORLD['rated']}", "details table"
    yield f"task/{WORLD['loads']}?from=20&to=60", ".range .figure"
    yield f"task/{WORLD['scores']}", "details table"
    yield f"task/{WORLD['purchases']}", "details table"
    yield f"task/{WORLD['purchases']}?view=2&told=avg", ".heat-map"
    yield f"task/{WORLD['waiting']}", ".not-yet"
    yield f"task/{WORLD['each']}?periods=one&period={WORLD['period']}", "details table"


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
    with world():
        unittest.main()
