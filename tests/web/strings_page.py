"""The page of a task about strings: what is found, and what is looked up. Run by dashboard_test.py."""
import math

import figures
from page import SEARCHES, WORLD, Page, query


class Strings(Page):
    def setUp(self):
        self.go(f"task/{WORLD['searches']}", ".bin-table")

    def table(self):
        return self.browser.table("Strings that devices hold")

    def test_it_equals_the_query(self):
        answer = query("searches")
        self.assertEqual(self.table(), [figures.row(b) for b in answer["bins"]])
        self.assertEqual({b["value"] for b in answer["bins"]} & set(SEARCHES), set(SEARCHES))
        told = self.browser.text(".figures")
        self.assertIn(f"Found\n{len(answer['bins'])}", told)
        threshold = math.ceil(answer["threshold"])
        self.assertRegex(told, rf"Threshold\n{threshold:,}")
        self.assertIn(f"about {threshold:,} devices hold is found", self.browser.text(".answer"))
        self.assertIn("not protected by that but by epsilon", self.browser.text(".answer"))

    def test_one_is_looked_up(self):
        first = next(iter(SEARCHES))
        self.browser.field("Look up").send_keys(first)
        self.browser.wait(lambda: len(self.table() or []) == 1)
        self.assertEqual(self.table()[0][0], first)
        self.assertIn("among 1 string that", self.browser.text(".answer"))
        address = self.browser.driver.current_url
        self.assertIn(f"find={first}", address)
        self.browser.open(address)
        self.browser.wait(lambda: len(self.table() or []) == 1)
        self.go(f"task/{WORLD['searches']}?find=zzzz", ".answer .empty")
        self.assertIn("Not told from chance: too few devices hold it, or none.",
                      self.browser.text(".answer"))
