"""What the dashboard's tests share: one deployment with tasks and reports, and a browser that looks at it."""
import contextlib
import json
import pathlib
import random
import sys
import tempfile
import unittest
import urllib.parse

from browser import Browser
from support import periods
from support.deployment import Deployment
from support.programs import BIN

AXE = pathlib.Path(sys.argv.pop(1))
APPS = ["mail", "maps", "camera", "music", "chat", "web browser", "photos", "calendar", "notes",
        '<b>a "quoted", name</b>', "clock", "Größe"]
WORDS = 42178
URLS = 120000  # more than the page asks for
KINDS = ["food", "books", "tools", "toys & games"]
PURCHASES = {
    "attributes": [{"name": "age", "low": 16, "high": 80, "bins": 16},
                   {"name": "price", "low": 0, "high": 40, "bins": 10},
                   {"name": "kind", "labels": KINDS}],
    "measures": [{"name": "amount", "low": 0, "high": 10}],
    "max_records": 1,
    "questions": [["age"], {"attributes": ["price", "kind"], "measure": "amount", "joined": [1, 1]},
                  {"attributes": ["age", "price", "kind"], "joined": [4, 2, 1]},
                  {"attributes": ["kind"], "measure": "amount"}],
}
# Which strings how many devices hold, of which nobody has a list.
SEARCHES = {"maps": 900, "möwe": 600}
WORLD = {}


@contextlib.contextmanager
def world():
    """The deployment, with tasks and reports; it ends with the browsers, and badly with an AssertionError."""
    with tempfile.TemporaryDirectory() as folder:
        WORLD["up"] = Deployment(BIN, pathlib.Path(folder) / "up")
        try:
            fill(pathlib.Path(folder))
            yield
        finally:
            for browser in Page.browsers.values():
                browser.close()
            code = WORLD["up"].stop()
            if code != 0:
                raise AssertionError(f"up exited {code}")


def fill(folder):
    """Makes the tasks and reports to them."""
    address = urllib.parse.urlparse(json.loads(
        pathlib.Path(WORLD["up"].config).read_text(encoding="utf-8"))["dashboard"])
    WORLD["origin"] = f"{address.scheme}://{address.netloc}/"
    WORLD["token"] = address.fragment.removeprefix("token=")
    values = folder / "apps.txt"
    values.write_text("\n".join(APPS) + "\n", encoding="utf-8")
    WORLD["apps"] = create("apps", 2000, "--values", str(values))
    WORLD["words"] = create("words", 20000, "--domain", str(WORDS))
    WORLD["urls"] = create("urls", 2000, "--domain", str(URLS))
    WORLD["waiting"] = create("waiting", 5000, "--domain", "3")
    WORLD["weekly"] = create("weekly", 2000, "--domain", "3", "--submissions-per-device", "7")
    items = ("--values", str(values), "--max-items", "4", "--mechanism", "pure_dump")
    WORLD["held"] = create("held", 2000, "--kind", "set", *items)
    WORLD["rated"] = create("rated", 2000, "--kind", "key_value", "--value-range", "-1:1", *items)
    WORLD["loads"] = create("loads", 2000, "--kind", "number", "--value-range", "0:100",
                            "--resolution", "100", "--missing", "--branching", "4",
                            "--mechanism", "pure_dump")
    WORLD["scores"] = create("scores", 2000, "--kind", "number", "--value-range=-1:1", "--mean-only",
                             "--mechanism", "pure_dump")
    schema = folder / "purchases.json"
    schema.write_text(json.dumps(PURCHASES), encoding="utf-8")
    WORLD["purchases"] = create("purchases", 4000, "--kind", "records", "--schema", str(schema),
                                "--mechanism", "correlated")
    WORLD["searches"] = create("searches", 2000, "--kind", "strings", "--alphabet",
                               "abcdefghijklmnopqrstuvwxyzö", "--length", "4", "--step", "2")
    each = WORLD["up"].ask("task", "create", "--name", "each", "--epsilon", "8", "--delta", "1e-6",
                           "--users", "50", "--domain", "4", "--mechanism", "local_hash",
                           "--interval", "6s")
    WORLD["each"] = each["task"]
    draw = random.Random(1)
    weights = [1 / (i + 1) for i in range(len(APPS))]
    for batch in range(2):
        report("apps", draw.choices(APPS, weights, k=2000), batch + 1)
    WORLD["period"] = periods.early(WORLD["up"], each)
    report("each", ["1"] * 50, 1)
    report("weekly", draw.choices("012", k=2000), 1)
    report("held", [json.dumps(APPS[:4] if i % 3 == 0 else APPS[:2]) for i in range(2000)], 1)
    report("rated", [json.dumps({APPS[0]: 1, APPS[1]: -0.5} if i % 2 else {APPS[0]: 0.5})
                     for i in range(2000)], 1)
    report("loads", ["null" if i % 10 == 0 else f"{draw.triangular(0, 100, 30):.3f}"
                     for i in range(2000)], 1)
    report("scores", [f"{draw.uniform(-0.5, 1):.3f}" for _ in range(2000)], 1)
    report("purchases", [json.dumps(purchase(draw)) for _ in range(4000)], 1)
    report("searches", [*(text for text, count in SEARCHES.items() for _ in range(count)),
                        *("".join(draw.choices("abcdefgh", k=4)) for _ in range(500))], 1)
    report("urls", [str(draw.choice((7, 7, 110000))) for _ in range(2000)], 1)
    report("words", [str(min(WORDS - 1, int(draw.paretovariate(0.6)))) for _ in range(20000)], 1)


def purchase(draw):
    """What people pay depends on what they buy, and what they buy on how old they are."""
    age = draw.triangular(16, 80, 30)
    kind = draw.choices(KINDS, [6, 2, 2, 1] if age > 35 else [3, 3, 1, 4])[0]
    price = min(39.9, draw.expovariate(0.15) + 6 * KINDS.index(kind))
    return {"age": round(age, 2), "price": round(price, 2), "kind": kind,
            "amount": round(draw.triangular(0, 10, 2 if kind == "tools" else 6), 2)}


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
    # Of another deployment than WORLD's, if not None.
    origin = token = None

    @classmethod
    def setUpClass(cls):
        size = tuple(cls.size.items())
        if size not in cls.browsers:
            cls.browsers[size] = Browser(**cls.size)
            list(cls.browsers[size].requests())  # of the window's own first page
        cls.browser = cls.browsers[size]
        cls.origin = cls.origin or WORLD["origin"]
        cls.browser.open(f"{cls.origin}#token={cls.token or WORLD['token']}")
        cls.browser.find(".task")

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
        for address in self.browser.requests():
            self.assertTrue(address.startswith((self.origin, "about:", "data:", "blob:")), address)

    def go(self, route, selector):
        """Loads a page and waits until it has what the selector names, and no more to come."""
        self.browser.open(f"{self.origin}#/{route}")
        self.browser.find(selector)
        self.browser.wait(lambda: not self.browser.all("[aria-busy]") and
                          not self.browser.text(".told").startswith("Computing"))

    def shown(self):
        """The rows of the histogram's table."""
        return self.browser.table("Bins of the histogram")

    def names(self):
        return [cells[0] for cells in self.shown() or []]
