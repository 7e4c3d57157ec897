#!/usr/bin/env python3
"""Records against the running system: purchases of devices, joined with a table of products on the
device, and counts, sums and averages of them.

usage: records_test.py BIN_DIR [--devices N] [unittest arguments]   devices of the task [3000]
"""
import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PARSER = argparse.ArgumentParser()
PARSER.add_argument("binaries")
PARSER.add_argument("--devices", type=int, default=3000)
ARGUMENTS, REST = PARSER.parse_known_args()
sys.argv = [sys.argv[0], ARGUMENTS.binaries, *REST]  # support.programs takes the binaries.

from support.deployment import Deployment
from support.programs import BIN

DEVICES = ARGUMENTS.devices
# Noise grows with the square of how many records a device may have: fewer where devices are few.
MOST = 5 if DEVICES >= 20000 else 3
AT_ONCE = 5000  # Devices of one call of the command line.
KINDS = ["food", "books", "tools", "toys"]
# Ten questions, each with a count, a sum and an average, 40 cells, and five intervals of another task: 75 of
# the collector, which err on the wide side. By the union bound all have the truth but for a probability of
# 75 * 1e-8.
ANY_FAILURE = 1e-8
CONFIDENCE = str(1 - ANY_FAILURE)
SCHEMA = {
    "attributes": [{"name": "age", "low": 16, "high": 80, "bins": 32},
                   {"name": "price", "low": 0, "high": 40, "bins": 20},
                   {"name": "kind", "labels": KINDS}],
    "measures": [{"name": "amount", "low": 0, "high": 10}],
    "max_records": MOST,
    "questions": [{"attributes": ["age"], "measure": "amount", "joined": [2]},
                  {"attributes": ["price", "kind"], "measure": "amount", "joined": [2, 1]},
                  {"attributes": [], "measure": "amount"}],
    "joins": [{"table": "products.csv", "key": "product"}],
}
# Each an --where, and the same of a joined row.
QUESTIONS = [
    ([], lambda row: True),
    (["age=16..32"], lambda row: row["age"] < 32),
    (["age=32..60"], lambda row: 32 <= row["age"] < 60),
    (["age=60.."], lambda row: row["age"] >= 60),
    (["price=..8"], lambda row: row["price"] < 8),
    (["price=8..24"], lambda row: 8 <= row["price"] < 24),
    (["kind=food"], lambda row: row["kind"] == "food"),
    (["kind=books,toys"], lambda row: row["kind"] in ("books", "toys")),
    (["price=4..20", "kind=tools"], lambda row: 4 <= row["price"] < 20 and row["kind"] == "tools"),
    (["price=20..", "kind=food,tools"],
     lambda row: row["price"] >= 20 and row["kind"] in ("food", "tools")),
]


class Records(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="tombola-records-"))
        cls.deployment = Deployment(BIN, cls.directory / "up")
        draw = random.Random(16)
        cls.products = {number: (round(draw.uniform(0, 40), 2), draw.choice(KINDS))
                        for number in range(100)}
        (cls.directory / "products.csv").write_text(
            "product,price,kind\n" + "".join(f"{number},{price},{kind}\n" for number, (price, kind)
                                             in cls.products.items()), encoding="utf-8")
        cls.schema = cls.directory / "schema.json"
        cls.schema.write_text(json.dumps(SCHEMA), encoding="utf-8")
        cls.lines, cls.rows = [], []
        for _ in range(DEVICES):
            age = draw.randint(16, 79)
            # Products from 100 on are in no table.
            bought = [{"product": min(int(draw.expovariate(0.03)), 105),
                       "amount": round(draw.triangular(0, 10, 2), 2)}
                      for _ in range(draw.choice([0, 0, 1, 1, 2, 3, MOST]))]
            cls.lines.append({"profile": {"age": age}, "rows": bought})
            for row in bought:
                if row["product"] not in cls.products:
                    continue
                price, kind = cls.products[row["product"]]
                cls.rows.append({"age": age, "price": price, "kind": kind,
                                 "amount": row["amount"]})

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    def make(self, schema=None, devices=DEVICES):
        return self.deployment.ask(
            "task", "create", "--kind", "records", "--schema", schema or self.schema, "--name",
            "purchases", "--epsilon", "1", "--delta", "1e-6", "--users", devices, "--min-batch", devices)

    def refused(self, *words):
        code, out, err = self.deployment.run(*words)
        self.assertEqual((code, out), (2, ""), err)
        self.assertEqual(err.count("\n"), 1, err)
        return err

    def check(self, name, estimate, truth):
        self.assertTrue(estimate["low"] <= truth <= estimate["high"], (name, estimate, truth))

    def test_purchases_joined_on_the_device(self):
        task = self.make()
        self.assertEqual(task["kind"], "records")
        self.assertEqual(task["records"]["max_records"], MOST)
        self.assertEqual(task["parameters"]["units"], MOST)
        file = self.directory / "lines"
        begun = time.monotonic()
        for first in range(0, DEVICES, AT_ONCE):
            part = self.lines[first:first + AT_ONCE]
            file.write_text("".join(f"{json.dumps(line)}\n" for line in part), encoding="utf-8")
            code, out, err = self.deployment.run("report", "--task", task["task"], "--input", file,
                                                 "--schema", self.schema, "--json")
            self.assertEqual(code, 0, err)
            self.assertEqual(json.loads(out), {"accepted": len(part), "duplicates": 0, "rejected": 0})
            without = sum(row["product"] not in self.products for line in part for row in line["rows"])
            self.assertIn(f"{without} rows have keys that a table does not have", err)
        sent = time.monotonic()
        self.deployment.wait_for(task["task"], lambda s: s["counted_batches"] == 1, seconds=600)
        print(f"{task['mechanism']}: {DEVICES} devices with {len(self.rows)} records and "
              f"{task['messages_per_user']:.1f} messages each sent in {sent - begun:.1f} s, counted "
              f"{time.monotonic() - sent:.1f} s later", file=sys.stderr)
        self.questions(task["task"])
        self.beside_the_truth(task["task"])
        self.cells(task["task"])
        self.independence(task["task"])
        self.words(task["task"])

    def ask(self, task, *words):
        return self.deployment.ask("query", "--task", task, "--confidence", CONFIDENCE, *words)

    def questions(self, task):
        for where, meets in QUESTIONS:
            words = [word for condition in where for word in ("--where", condition)]
            answer = self.ask(task, "--measure", "amount", *words)
            amounts = [row["amount"] for row in self.rows if meets(row)]
            self.assertEqual(answer["partial"], 0, where)
            self.check((where, "count"), answer["count"], len(amounts))
            self.check((where, "sum"), answer["sum"], sum(amounts))
            self.check(("all", "records"), answer["records"], len(self.rows))
            if answer["avg"] is not None:
                self.check((where, "avg"), answer["avg"], sum(amounts) / len(amounts))
            self.assertLessEqual(answer["guarantee"]["epsilon"], 1)
            self.assertEqual([warning for warning in answer["quality"]["warnings"]
                              if warning["kind"] != "noise"], [])

    def beside_the_truth(self, task):
        """What the program takes for the truth of lines that it joins as `report` does."""
        file = self.directory / "all"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in self.lines), encoding="utf-8")
        answer = self.ask(task, "--where", "kind=books,toys", "--measure", "amount", "--by", "kind",
                          "--truth", file, "--schema", self.schema)
        amounts = [row["amount"] for row in self.rows if row["kind"] in ("books", "toys")]
        self.assertEqual(answer["count"]["truth"], len(amounts))
        self.assertAlmostEqual(answer["sum"]["truth"], sum(amounts), places=6)
        for cell in answer["cells"]:
            self.assertEqual(cell["count"]["truth"],
                             sum(row["kind"] == cell["values"][0] for row in self.rows))
        # The lines themselves are no records of the task.
        self.assertIn("--truth", self.refused("query", "--task", task, "--truth", file))
        self.assertIn("--schema requires --truth", self.refused("query", "--task", task, "--schema", self.schema))

    def cells(self, task):
        answer = self.ask(task, "--by", "price,kind")
        self.assertEqual(answer["by"], ["price", "kind"])
        self.assertEqual(len(answer["cells"]), 40)
        for cell in answer["cells"]:
            low, high = cell["low_edges"][0], cell["high_edges"][0]
            truth = sum(low <= row["price"] < high and row["kind"] == cell["values"][1]
                        for row in self.rows)
            self.check(cell["values"], cell["count"], truth)

    def independence(self, task):
        answer = self.ask(task, "--by", "price,kind", "--independence")
        prices = len({cell["values"][0] for cell in answer["cells"]})
        self.assertEqual(answer["independence"]["degrees_of_freedom"], (prices - 1) * (len(KINDS) - 1))
        self.assertTrue(0 <= answer["independence"]["p_value"] <= 1, answer["independence"])
        self.assertIsNone(self.ask(task, "--by", "price,kind")["independence"])
        status, _, text = self.deployment.http(task, by="price,kind", independence="true",
                                               confidence=CONFIDENCE)
        self.assertEqual(status, 200, text)
        self.assertEqual(json.loads(text), answer)
        table = self.deployment.run("query", "--task", task, "--by", "price,kind", "--independence")[1]
        self.assertIn("independence of price and kind: chi-square ", table)
        self.assertIn("`by`", self.refused("query", "--task", task, "--by", "price", "--independence"))
        status, _, text = self.deployment.http(task, by="price", independence="true")
        self.assertEqual(status, 400, text)

    def words(self, task):
        table = self.deployment.run("query", "--task", task, "--by", "kind", "--measure", "amount")[1]
        self.assertIn("books", table)
        self.assertIn("avg", table)
        csv = self.deployment.run("query", "--task", task, "--by", "kind", "--format", "csv")[1]
        self.assertEqual(csv.splitlines()[0], "kind,count,count_stderr,count_low,count_high")
        self.assertEqual(len(csv.splitlines()), 1 + len(KINDS))
        self.assertIn("<svg", self.deployment.run("query", "--task", task, "--by", "kind", "--format",
                                                  "svg")[1])
        for words, word in ((("--where", "age=90..99"), "age"), (("--where", "age=20..20"), "age"),
                            (("--where", "height=1..2"), "height"), (("--where", "kind=cars"), "cars"),
                            (("--measure", "price"), "price"), (("--by", "age,kind"), "no view")):
            self.assertIn(word, self.refused("query", "--task", task, *words))

    def test_records_that_are_alike_are_counted_once(self):
        """By correlated noise, which a device has where none of its cells is filled twice. The kind of
        a device's every record is a truth of its own: whatever it bought of one kind counts once."""
        devices = 400
        schema = self.directory / "once.json"
        schema.write_text(json.dumps({
            "attributes": [{"name": "kind", "labels": KINDS}], "max_records": 2, "max_alike": 1,
            "questions": [{"attributes": ["kind"]}]}), encoding="utf-8")
        task = self.make(schema, devices)
        self.assertEqual((task["mechanism"], task["records"]["max_alike"]), ("correlated", 1))
        draw = random.Random(17)
        bought = [draw.choices(KINDS, [8, 4, 2, 1], k=draw.randint(0, 2)) for _ in range(devices)]
        file = self.directory / "once"
        file.write_text("".join(f"{json.dumps([{'kind': kind} for kind in kinds])}\n" for kinds in bought),
                        encoding="utf-8")
        self.deployment.ask("report", "--task", task["task"], "--input", file)
        self.deployment.wait_for(task["task"], lambda s: s["counted_batches"] == 1)
        answer = self.ask(task["task"], "--by", "kind")
        for cell in answer["cells"]:
            self.check(cell["values"], cell["count"],
                       sum(cell["values"][0] in kinds for kinds in bought))
        self.check("all", answer["records"], sum(len(set(kinds)) for kinds in bought))

    def open_schema(self, name, most="auto"):
        schema = self.directory / name
        schema.write_text(json.dumps({
            "attributes": [{"name": "kind", "labels": KINDS}, {"name": "age", "low": 16, "high": 80, "bins": 8}],
            "max_records": most, "questions": [["kind"], ["age", "kind"]]}), encoding="utf-8")
        return schema

    def planned(self, sizes, devices):
        """What `plan` says of every max_records, where so many of the devices have 0, 1, ... records."""
        file = self.directory / "sizes.csv"
        file.write_text("".join(f"{records},{held}\n" for records, held in enumerate(sizes)), encoding="utf-8")
        plan = subprocess.run(
            [f"{BIN}/tombola", "plan", "--kind", "records", "--schema", self.open_schema("open.json"), "--sizes",
             file, "--users", str(devices), "--epsilon", "1", "--delta", "1e-6", "--json"],
            capture_output=True, check=True)
        return file, json.loads(plan.stdout)

    def chosen(self, devices, *words):
        """max_records of a task that chooses it, and what is said about it."""
        code, out, err = self.deployment.run(
            "task", "create", "--kind", "records", "--schema", self.open_schema("open.json"), "--name", "chosen",
            "--epsilon", "1", "--delta", "1e-6", "--users", devices, "--min-batch", devices, *words, "--json")
        self.assertEqual(code, 0, err)
        return json.loads(out)["records"]["max_records"], err

    def test_max_records_is_chosen_by_the_error_of_counts(self):
        sizes = [50, 400, 200, 100, 80, 60, 40, 30, 20, 10, 10]
        records = sum(number * held for number, held in enumerate(sizes))
        best = set()
        for devices in (300, 3000, 100000):
            file, plan = self.planned(sizes, devices)
            limits = plan["limits"]
            self.assertEqual([limit["max_records"] for limit in limits], list(range(1, len(limits) + 1)))
            for limit in limits:
                cut = sum(max(0, number - limit["max_records"]) * held
                          for number, held in enumerate(sizes)) / records
                self.assertAlmostEqual(limit["cut"], cut)
                self.assertAlmostEqual(limit["error"], (cut ** 2 + limit["noise"] ** 2) ** 0.5)
            least = min(limits, key=lambda limit: limit["error"])
            self.assertEqual((plan["max_records"], plan["best_max_records"]), (least["max_records"],) * 2)
            taken, said = self.chosen(devices, "--sizes", file)
            self.assertEqual(taken, least["max_records"], said)
            self.assertIn(f"max_records {taken}: by \"{file}\" {100 * least['cut']:.3g} %", said)
            best.add(taken)
        self.assertGreaterEqual(len(best), 2)

    def test_max_records_is_chosen_by_what_an_earlier_task_learnt(self):
        """With this much epsilon a share of the pilot is off by some 0.1 %: what it chooses is, by the truth, as
        good as the best within a hundredth, unless shares are off by some tenfold."""
        pilots, devices, edges = 1000, 3000, self.directory / "counts"
        sizes = [50, 400, 200, 100, 80, 60, 40, 30, 20, 10, 10]
        _, plan = self.planned(sizes, devices)
        edges.write_text("".join(f"{edge}\n" for edge in range(len(sizes) + 1)), encoding="utf-8")
        held = [number for number, times in enumerate(sizes) for _ in range(times)]
        file = self.directory / "held"
        file.write_text("".join(f"{number}\n" for number in held), encoding="utf-8")
        for kind, *words in (("histogram", "--domain", len(sizes), "--other", len(sizes) - 1),
                             ("number", "--edges", edges, "--branching", "0")):
            pilot = self.deployment.ask(
                "task", "create", "--kind", kind, "--name", f"{kind} of sizes", "--users", pilots, "--epsilon", "12",
                "--delta", "0.5", "--mechanism", "pure_dump", *words)["task"]
            self.assertIn("no batch of this task has been counted", self.refused(
                "task", "create", "--kind", "records", "--schema", self.open_schema("open.json"), "--name", "next",
                "--epsilon", "1", "--delta", "1e-6", "--users", devices, "--sizes-of", pilot))
            self.deployment.ask("report", "--task", pilot, "--input", file)
            self.deployment.wait_for(pilot, lambda status: status["counted_batches"] == 1)
            taken, said = self.chosen(devices, "--sizes-of", pilot)
            self.assertIn(f'max_records {taken}: by "{kind} of sizes" ', said)
            self.assertIn("% of the devices have 10 records or more", said)
            errors = {limit["max_records"]: limit["error"] for limit in plan["limits"]}
            self.assertLess(errors[taken], 1.01 * min(errors.values()), said)

    def test_what_tells_no_number_of_records_is_refused(self):
        create = ("task", "create", "--kind", "records", "--name", "next", "--epsilon", "1", "--delta", "1e-6",
                  "--users", "3000", "--schema")
        auto, three = self.open_schema("open.json"), self.open_schema("three.json", 3)
        sizes = self.directory / "sizes.txt"
        sizes.write_text("1,3\n2,x\n", encoding="utf-8")
        task = self.make()["task"]
        for words, said in (((auto,), 'max_records is "auto" in --schema, which needs --sizes'),
                            ((three, "--sizes", sizes), "--sizes and --sizes-of are for"),
                            ((auto, "--sizes", sizes), "line 2 must be two numbers"),
                            ((auto, "--sizes", self.directory), "--sizes: "),
                            ((auto, "--sizes", sizes, "--sizes-of", task), "not both"),
                            ((auto, "--sizes-of", task), '"purchases" is a records task, must be histogram'),
                            ((auto, "--sizes-of", "0" * 64), "--sizes-of: ")):
            self.assertIn(said, self.refused(*create, *words), words)

    def test_what_does_not_fit_is_refused_with_its_name(self):
        task = self.make()["task"]
        good = {"age": 20, "price": 3, "kind": "food", "amount": 1}
        for change, word in (({"age": 90}, "age"), ({"kind": "cars"}, "kind"), ({"amount": -1}, "amount")):
            line = json.dumps([{**good, **change}])
            self.assertIn(word, self.refused("report", "--task", task, "--value", line))
        del good["price"]
        self.assertIn("price", self.refused("report", "--task", task, "--value", json.dumps(good)))

    def test_the_plan_says_what_a_question_costs(self):
        plan = subprocess.run(
            [f"{BIN}/tombola", "plan", "--kind", "records", "--schema", self.schema, "--users", "100000",
             "--epsilon", "1", "--delta", "1e-6", "--json"], capture_output=True, check=True)
        views = json.loads(plan.stdout)["views"]
        self.assertEqual(len(views), 3)
        self.assertAlmostEqual(sum(view["share"] for view in views), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
