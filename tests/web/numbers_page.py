"""The page of numbers: what it shows is what the query says. Run by dashboard_test.py."""
import math

import figures
from browser import Keys, Select
from page import WORLD, Page, query

BINS = "Bins of the distribution"
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
NAMES = {0.25: ", lower quartile", 0.5: ", median", 0.75: ", upper quartile"}


class Numbers(Page):
    def setUp(self):
        self.go(f"task/{WORLD['loads']}", ".bin-table")

    def ask(self, *arguments):
        return query("loads", "--quantile", ",".join(map(str, SHARES)), "--bins", "50", *arguments)

    def rows(self, answer):
        """The cells of the table of bins, of which edges have at most two decimals here."""
        return [[f"{one['low_edge']:g} to {one['high_edge']:g}"] + figures.row(one)[1:]
                for one in answer["bins"][:25]]

    def quantiles(self, answer):
        return [[f"{float(share) * 100:g} %{NAMES.get(float(share), '')}", figures.estimate(one),
                 figures.cells(one)[2]]
                for share, one in sorted(answer["quantiles"].items(), key=lambda item: float(item[0]))]

    def expect(self, *arguments):
        """Waits until the tables have what the command line answers; that answer."""
        answer = self.ask(*arguments)
        self.browser.wait(lambda: self.browser.table(BINS) == self.rows(answer))
        self.assertEqual(self.browser.table("Quantiles"), self.quantiles(answer))
        return answer

    def type(self, label, text):
        """What the field has from then on."""
        field = self.browser.field(label)
        field.send_keys(Keys.CONTROL + "a")
        field.send_keys(text)

    def test_it_equals_the_query(self):
        answer = self.expect()
        self.assertEqual(len(answer["bins"]), 50)
        said = self.browser.text(".figures")
        for name, one in (("Mean", answer["mean"]), ("Median", answer["quantiles"]["0.5"]),
                          ("Sum", answer["sum"]), ("With a number", answer["count"])):
            self.assertIn(f"{name}\n{figures.estimate(one)}\n", said)
        self.assertIn(f"{figures.cells(answer['mean'])[2]} (95 %)", said)
        hint = self.browser.text(".answer")
        self.assertIn(f"Counted: {answer['counted']}.", hint)
        spread = float(hint.split("off by up to ")[1].split()[0])
        self.assertGreaterEqual(spread, answer["spread"])
        self.assertLess(spread, answer["spread"] * 1.011)

    def test_coarser_bins_quantiles_and_confidence_are_the_servers(self):
        self.browser.choose("Bins", "10")
        self.type("Quantiles at, in %", "99.9 10")
        self.browser.choose("Confidence", "0.99")
        self.browser.choose("Post-processing", "none")
        answer = query("loads", "--quantile", "0.1,0.999", "--bins", "10", "--confidence", "0.99",
                       "--postprocess", "none")
        self.assertEqual(len(answer["bins"]), 10)
        self.browser.wait(lambda: self.browser.table(BINS) == self.rows(answer))
        self.browser.wait(lambda: self.browser.table("Quantiles") == self.quantiles(answer))
        address = self.browser.driver.current_url
        self.assertIn("quantiles=10%2C99.9", address)
        self.browser.open(address)
        self.browser.wait(lambda: self.browser.table(BINS) == self.rows(answer))

    def test_what_is_no_percentage_is_not_asked_for(self):
        self.type("Quantiles at, in %", "5, half")
        field = self.browser.field("Quantiles at, in %")
        self.assertEqual(field.get_attribute("aria-invalid"), "true")
        self.assertIn("percentages, such as", self.browser.text(".controls"))
        self.assertEqual(self.browser.table("Quantiles"), self.quantiles(self.ask()))

    def test_a_range(self):
        for where, partial in (("20..60", False), ("33.3..44.4", True)):
            low, high = where.split("..")
            self.type("From", low)
            self.type("To below", high)
            answer = query("loads", "--where", f"value={where}")
            self.browser.wait(lambda: all(
                f"{name}\n{figures.estimate(answer[member])}\n" in self.browser.text(".range")
                for name, member in (("Devices", "count"), ("Mean", "mean"), ("Sum", "sum"))))
            said = self.browser.text(".range")
            self.assertIn(f"Share\n{figures.share(answer['frequency'])}\n", said)
            self.assertEqual(partial, answer["partial"] > 0)
            self.assertEqual(partial, "ends inside a bin" in said)
        self.assertIn("from=33.3&to=44.4", self.browser.driver.current_url)

    def test_a_range_that_is_none_says_so(self):
        self.type("From", "70")
        self.type("To below", "60")
        self.browser.wait(lambda: "has to end above 70" in self.browser.text(".range"))
        self.assertEqual(self.browser.field("From").get_attribute("aria-invalid"), "true")
        self.type("To below", "101")
        self.browser.wait(lambda: "within 0 to 100" in self.browser.text(".range"))

    def test_an_open_table_stays_open(self):
        self.browser.find("details:has(.bin-table) summary").click()
        self.browser.choose("Bins", "20")
        self.browser.wait(lambda: len(self.browser.table(BINS)) == 20)
        self.assertIsNotNone(self.browser.find("details:has(.bin-table)").get_attribute("open"))

    def test_the_chart_is_read_with_arrow_keys(self):
        answer = self.ask()
        chart = self.browser.find(".chart")
        self.assertIn(f"50 % are below {figures.estimate(answer['quantiles']['0.5'])}",
                      chart.get_attribute("aria-label"))
        self.browser.script("arguments[0].focus()", chart)
        self.browser.press(Keys.HOME, Keys.ARROW_RIGHT)
        cells = self.rows(answer)[1]
        self.assertEqual(chart.get_attribute("aria-valuetext"),
                         f"{cells[0]}, {cells[1]}, raw {cells[2]} ± {cells[3]}")

    def test_shares_by_least_squares_are_not_made_likely(self):
        control = Select(self.browser.field("Post-processing"))
        self.assertEqual([option.text for option in control.options],
                         ["pop", "norm_sub", "base_cut", "none"])

    def test_the_task_says_its_range(self):
        self.assertIn("numbers from 0 to 100 in 100 bins", self.browser.text(".head"))
        self.assertEqual(
            self.browser.script("""return [...document.querySelectorAll('.definitions div')]
                .find(d => d.children[0].textContent === 'Bins').children[1].textContent"""),
            "100, equally wide")


class Means(Page):
    def test_a_mean_alone_has_no_bins(self):
        self.go(f"task/{WORLD['scores']}", ".answer .hint")
        answer = query("scores")
        said = self.browser.text(".figures")
        for name in ("mean", "sum"):
            self.assertIn(f"{name.title()}\n{figures.estimate(answer[name])}\n", said)
        self.assertIn(f"Counted: {answer['counted']}. The task is about mean and sum alone",
                      self.browser.text(".answer"))
        self.assertEqual(self.browser.all(".chart, .range, .quantiles"), [])
        self.assertIn("mean of numbers from −1 to 1", self.browser.text(".head"))
        self.assertTrue(math.isclose(answer["mean"]["value"] * 2000, answer["sum"]["value"]))
