"""The page of a task with periods: which of them its answer is about. Run by dashboard_test.py."""
import json

import figures
from page import WORLD, Page, query
from support import periods


class Periods(Page):
    def setUp(self):
        self.period = WORLD["period"]
        self.go(f"task/{WORLD['each']}?periods=one&period={self.period}", ".bin-table")

    def expect(self, *words):
        """Waits until the table has what the command line answers; that answer."""
        answer = query("each", *words)
        rows = [figures.row(b) for b in figures.largest_first(answer["bins"])]
        self.browser.wait(lambda: self.shown() == rows)
        return answer

    def test_one_period(self):
        answer = self.expect("--period", str(self.period))
        self.assertEqual(answer["periods"]["first"], answer["periods"]["last"])
        self.assertIn(f"in 1 batch, period {self.period}", self.browser.text(".figures"))
        self.assertIn("may make in this period", self.browser.text(".promise"))
        self.assertIn("at most one submission in a period", self.browser.text(".notes"))
        self.assertIn("over all that a device may have made in that time",
                      self.browser.table("What the guarantee becomes")[3][0])

    def test_a_period_without_a_batch_says_so_and_leaves_the_choice(self):
        # The last one of the task has yet to come.
        last = WORLD["up"].ask("task", "show", "--task", WORLD["each"])["periods"]
        self.browser.script("""
            arguments[0].value = arguments[1];
            arguments[0].dispatchEvent(new Event('change'));""", self.browser.field("Period"), last)
        self.browser.wait(lambda: f"period {last}" in self.browser.text(".empty"))
        self.assertEqual(self.browser.text(".promise"), "")
        self.browser.choose("Periods", "all")
        self.browser.find(".bin-table")
        self.assertTrue(all("409" in line for line in self.browser.complaints()))

    def test_those_between_two_moments(self):
        task = WORLD["up"].ask("task", "show", "--task", WORLD["each"])
        begins, ends = (periods.moment(task, self.period + i) for i in (0, 1))
        self.browser.choose("Periods", "between")
        for label, moment in (("Since (UTC)", begins), ("Until (UTC)", ends)):
            self.browser.script("""
                arguments[0].value = arguments[1];
                arguments[0].dispatchEvent(new Event('change'));""",
                self.browser.field(label), moment.removesuffix("Z"))
        self.expect("--since", begins, "--until", ends)
        self.browser.wait(lambda: f"period {self.period}" in self.browser.text(".figures"))
        address = self.browser.driver.current_url
        self.assertIn("periods=between", address)
        self.browser.open(address)
        self.browser.find(".bin-table")
        self.expect("--since", begins, "--until", ends)

    def test_the_download_is_of_the_chosen_periods(self):
        for button in self.browser.all(".downloads button"):
            if button.text == "JSON":
                button.click()
        file = self.browser.downloads / "each.json"
        self.browser.wait(file.exists)
        self.assertEqual(json.loads(file.read_bytes()), query("each", "--period", str(self.period)))
