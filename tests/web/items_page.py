"""The pages of a set and of key-value pairs: what they show is what the query says. Run by
dashboard_test.py."""
import figures
from browser import Keys, Select
from page import WORLD, Page, query

SIZES = "How many a device holds"


class Items(Page):
    """What both have; `name` is the task's, `caption` its table's."""
    name = caption = None

    def rows(self, answer):
        return [figures.row(one) for one in figures.largest_first(answer["bins"])]

    def check(self):
        self.go(f"task/{WORLD[self.name]}", ".bin-table")
        answer = query(self.name)
        self.assertEqual(self.browser.table(self.caption), self.rows(answer))
        half = (answer["full_high"] - answer["full_low"]) / 2
        decimals = figures.decimals_for(half * 100)
        last = len(answer["sizes"]) - 1
        self.assertEqual(self.browser.table(SIZES), [
            [f"{k}" if k < last else f"{k} or more", figures.percent(share, decimals)]
            for k, share in enumerate(answer["sizes"])])
        self.assertIn(f"Full\n{figures.percent(answer['full'], decimals)} ± {half * 100:.{decimals}f}",
                      self.browser.text(".figures"))
        return answer

    def check_postprocessing(self):
        self.go(f"task/{WORLD[self.name]}", ".bin-table")
        control = Select(self.browser.field("Post-processing"))
        self.assertEqual([option.text for option in control.options], ["clip", "base_cut", "none"])
        for way in ("none", "base_cut"):
            self.browser.choose("Post-processing", way)
            expected = self.rows(query(self.name, "--postprocess", way))
            self.browser.wait(lambda: self.browser.table(self.caption) == expected)


class Sets(Items):
    name, caption = "held", "Shares of devices that hold each value"

    def test_it_equals_the_query_and_has_its_hint(self):
        answer = self.check()
        self.assertIsNotNone(answer["hint"])  # a third of the devices is full
        self.assertIn(answer["hint"], self.browser.text(".answer .warnings"))

    def test_it_is_post_processed_as_shares_are(self):
        self.check_postprocessing()


class Pairs(Items):
    name, caption = "rated", "Shares of devices that hold each key, and means"

    def rows(self, answer):
        return [figures.row(one) + figures.mean(one)
                for one in figures.largest_first(answer["bins"])]

    def test_it_equals_the_query_and_has_means_where_there_are_any(self):
        answer = self.check()
        # Nobody is full, and noise alone makes a hint now and then.
        self.assertEqual([one.text for one in self.browser.all(".answer .warnings")],
                         [] if answer["hint"] is None else [answer["hint"]])
        without = [one["mean"] for one in answer["bins"]].count(None)
        self.assertGreater(without, 0)
        self.assertLess(without, len(answer["bins"]))
        self.assertIn(f"{without} without", self.browser.text(".answer"))

    def test_it_is_post_processed_as_shares_are(self):
        self.check_postprocessing()

    def test_the_means_are_read_with_arrow_keys(self):
        self.go(f"task/{WORLD['rated']}", ".bin-table")
        bins = figures.largest_first(query("rated")["bins"])
        chart = next(one for one in self.browser.all(".chart")
                     if one.get_attribute("aria-label").startswith("Means of"))
        self.browser.script("arguments[0].focus()", chart)
        self.browser.press(Keys.HOME)
        mean, half, _ = figures.mean(bins[0])
        self.assertEqual(chart.get_attribute("aria-valuetext"),
                         f"{bins[0]['value']}, mean: {mean} ± {half}")
        self.browser.press(Keys.END)
        self.assertEqual(chart.get_attribute("aria-valuetext"),
                         f"{bins[-1]['value']}, mean: too few holders")


del Items  # it has no tests of its own
