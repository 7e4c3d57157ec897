"""The page of records: what it shows is what the query says. Run by dashboard_test.py."""
import csv
import io

import figures
from browser import Keys, Select
from page import KINDS, WORLD, Page, query

CELLS = "Cells"
SHARES = ("0.05", "0.25", "0.5", "0.75", "0.95")
NAMES = {"0.25": ", lower quartile", "0.5": ", median", "0.75": ", upper quartile"}
FEW = ["–", "too few records"]


def row(cell):
    """The cells of a row of the table."""
    estimates = [cell["count"]] + ([] if cell["sum"] is None else [cell["avg"], cell["sum"]])
    return cell["values"] + [text for one in estimates for text in (
        FEW if one is None else [figures.estimate(one), figures.cells(one)[2]])]


class Records(Page):
    def open(self, view=""):
        self.go(f"task/{WORLD['purchases']}{view}", ".bin-table")

    def expect(self, *arguments):
        """Waits until the table has what the command line answers; that answer."""
        answer = query("purchases", *arguments)
        self.browser.wait(lambda: self.browser.table(CELLS) == [row(one) for one in answer["cells"][:25]])
        return answer

    def type(self, label, text):
        """What the field has from then on."""
        field = self.browser.field(label)
        field.send_keys(Keys.CONTROL + "a")
        field.send_keys(text or Keys.DELETE)

    def labels(self):
        """Of the fields that are seen."""
        return [label.text for label in self.browser.all(".controls label") if label.is_displayed()]

    def test_one_number_with_its_quantiles(self):
        self.open()
        answer = self.expect("--by", "age", "--quantile", ",".join(SHARES))
        self.assertEqual(len(answer["cells"]), 16)
        self.assertEqual(self.browser.table("Quantiles"), [
            [f"{float(share) * 100:g} %{NAMES.get(share, '')}", figures.estimate(answer["quantiles"][share]),
             figures.cells(answer["quantiles"][share])[2]] for share in SHARES])
        self.assertIn(f"Records\n{figures.estimate(answer['count'])}\n", self.browser.text(".figures"))
        self.assertIn(f"Counted: {answer['counted']}.", self.browser.text(".answer"))
        self.type("Quantiles at, in %", "90")
        answer = query("purchases", "--by", "age", "--quantile", "0.9")
        self.browser.wait(lambda: self.browser.table("Quantiles") == [
            ["90 %", figures.estimate(answer["quantiles"]["0.9"]),
             figures.cells(answer["quantiles"]["0.9"])[2]]])
        self.assertEqual(self.labels()[:3], ["Question", "Quantiles at, in %", "Only age"])

    def test_two_attributes_as_a_heat_map(self):
        self.open()
        self.browser.choose("Question", "2")
        answer = self.expect("--by", "price,kind", "--measure", "amount", "--independence")
        self.assertEqual(len(answer["cells"]), 40)
        said = self.browser.text(".independence")
        self.assertLess(answer["independence"]["p_value"], 0.01)  # the data depend strongly
        self.assertIn("price and kind depend on each other. Chi-square", said)
        self.assertIn(f"with {answer['independence']['degrees_of_freedom']} degrees of freedom", said)
        for name, one in (("Records", answer["count"]), ("Average amount", answer["avg"]),
                          ("Sum of amount", answer["sum"])):
            self.assertIn(f"{name}\n{figures.estimate(one)}\n", self.browser.text(".figures"))
        self.assertIn("view=2", self.browser.driver.current_url)

    def test_a_cell_is_read_with_the_keyboard_and_the_mouse(self):
        self.open("?view=2")
        answer = query("purchases", "--by", "price,kind", "--measure", "amount")
        cells = {tuple(one["values"]): one for one in answer["cells"]}
        chart = self.browser.find(".heat-map")

        def told(price, kind):
            one = cells[(price, kind)]
            words = [figures.estimate(one[part]) if one[part] else "too few records"
                     for part in ("count", "avg", "sum")]
            return (f"price {price.replace('..', ' to ')}, kind {kind}, records: {words[0]}, "
                    f"average amount: {words[1]}, sum of amount: {words[2]}")

        self.assertEqual(chart.get_attribute("aria-valuemax"), "39")
        self.assertEqual(chart.get_attribute("aria-valuetext"), told("0..4", KINDS[0]))
        self.browser.script("arguments[0].focus()", chart)
        self.browser.press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        self.assertEqual(chart.get_attribute("aria-valuetext"), told("4..8", KINDS[2]))
        self.assertEqual(chart.get_attribute("aria-valuenow"), "21")
        self.assertIn(figures.estimate(cells[("4..8", KINDS[2])]["count"]),
                      self.browser.text(".chart-tip"))
        self.browser.press(Keys.END, Keys.PAGE_DOWN)
        self.assertEqual(chart.get_attribute("aria-valuetext"), told("36..40", KINDS[3]))
        self.browser.press(Keys.ESCAPE)
        self.assertFalse(self.browser.find(".chart-tip").is_displayed())
        self.browser.script("""
            const canvas = arguments[0].querySelector('canvas');
            const box = canvas.getBoundingClientRect();
            canvas.dispatchEvent(new PointerEvent('pointermove', {bubbles: true,
                clientX: box.right - 20, clientY: box.top + 30}));""", chart)
        self.assertEqual(chart.get_attribute("aria-valuetext"), told("36..40", KINDS[0]))

    def test_the_map_follows_what_is_told(self):
        self.open("?view=2")
        painted = "return document.querySelector('.heat-map canvas').toDataURL()"
        before = self.browser.script(painted)
        self.browser.choose("Show", "avg")
        self.browser.wait(lambda: "Average amount:" in self.browser.text(".legend"))
        self.assertNotEqual(self.browser.script(painted), before)
        self.assertIn("told=avg", self.browser.driver.current_url)

    def test_two_of_three_attributes_and_a_condition_on_the_third(self):
        self.open("?view=3")
        self.browser.choose("By", "kind")
        self.browser.choose("And by", "age")
        self.expect("--by", "kind,age")
        self.type("Only price", "8..24")
        answer = self.expect("--by", "kind,age", "--where", "price=8..24")
        self.assertEqual((len(answer["cells"]), answer["partial"]), (16, 0))
        self.browser.find(".independence")
        self.type("Only kind", "books,toys & games")
        self.expect("--by", "kind,age", "--where", "price=8..24", "--where", "kind=books,toys & games")
        self.browser.wait(lambda: not self.browser.all(".independence"))
        address = self.browser.driver.current_url
        self.browser.open(address)
        self.expect("--by", "kind,age", "--where", "price=8..24", "--where", "kind=books,toys & games")
        self.assertEqual(self.browser.field("Only price").get_attribute("value"), "8..24")

    def test_a_condition_that_cuts_cells_says_so(self):
        self.open("?where=age%3D21..50")
        answer = self.expect("--by", "age", "--where", "age=21..50")
        self.assertGreater(answer["partial"], 0)
        self.assertIn("is a guess", self.browser.text(".warnings"))

    def test_what_the_server_refuses_is_shown_until_it_is_put_right(self):
        self.open()
        self.type("Only age", "90..99")
        self.browser.wait(lambda: "where: age" in self.browser.text(".failure"))
        self.assertIn("[16, 80]", self.browser.text(".failure"))
        self.type("Only age", "20..40")
        self.expect("--by", "age", "--where", "age=20..40")
        self.assertEqual(self.browser.all(".failure"), [])
        self.assertTrue(all("400" in line for line in self.browser.complaints()))

    def test_a_view_of_labels_has_dots_of_averages_and_no_quantiles(self):
        self.open("?view=4&told=avg")
        answer = self.expect("--by", "kind", "--measure", "amount")
        self.assertEqual(self.browser.all("table caption")[0].get_attribute("textContent")[:5], CELLS)
        self.assertEqual(self.labels()[:3], ["Question", "Show", "Only kind"])
        best = max(answer["cells"], key=lambda one: one["avg"]["value"])
        self.assertIn(f"The largest is that of {best['values'][0]} with {figures.estimate(best['avg'])}",
                      self.browser.find(".chart").get_attribute("aria-label"))

    def test_a_file_has_the_cells_that_are_shown(self):
        self.open("?view=2&where=kind%3Dfood")
        for one in self.browser.downloads.glob("purchases*"):
            one.unlink()
        self.browser.script("[...document.querySelectorAll('.downloads button')][0].click()")
        file = self.browser.wait(lambda: next(self.browser.downloads.glob("purchases*.csv"), None))
        rows = list(csv.reader(io.StringIO(file.read_text(encoding="utf-8"))))
        self.assertEqual(rows[0][:3], ["price", "kind", "count"])
        self.assertEqual({line[1] for line in rows[1:]}, {"food"})
        self.assertEqual(len(rows), 11)

    def test_the_task_says_its_questions(self):
        self.open()
        parameters = dict(self.browser.script("""return [...document.querySelectorAll('.definitions div')]
            .map(d => [d.children[0].textContent, d.children[1].textContent])"""))
        self.assertIn("kind, 4 labels", parameters["Attributes"])
        self.assertEqual(parameters["Records of a device"], "at most 1")
        options = [option.text for option in Select(self.browser.field("Question")).options]
        self.assertEqual(options, ["age", "price by kind, with amount", "age by price by kind",
                                   "kind, with amount"])
        self.assertEqual("; ".join(options), parameters["Questions"])
