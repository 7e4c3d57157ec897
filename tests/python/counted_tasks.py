"""A deployment with a counted task of every kind, for tests of the Python package, which must be there."""
import json
import pathlib
import shutil
import tempfile
import unittest

from support import periods
from support.deployment import Deployment
from support.programs import BIN
from tombola_query import Client

LABELS = ["red", "green, light", 'the "blue" one', "東京", "<b>&amp;"]
USERS, DOMAIN = 400, 120
LENGTH = 6  # seconds of a period


class CountedTasks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="tombola-python-")
        cls.deployment = Deployment(BIN, cls.directory)
        names = pathlib.Path(cls.directory) / "labels.txt"
        names.write_text("".join(name + "\n" for name in LABELS), encoding="utf-8")
        cls.labelled = cls.make("labelled", "--values", str(names))
        cls.numbered = cls.make("numbered", "--domain", str(DOMAIN))
        cls.empty = cls.make("empty", "--domain", "4", report=False)
        cls.each = cls.make_with_periods()
        cls.held = cls.make_items("held", names, [["red", "東京"], []], "--kind", "set")
        cls.rated = cls.make_items("rated", names, [{"red": 1, "東京": -0.5}, {"red": 0.5}], "--kind",
                                   "key_value", "--value-range", "-1:1")
        cls.timed = cls.make_numbers()
        cls.bought = cls.make_records()
        cls.client = Client.from_config(cls.deployment.config)

    @classmethod
    def make_numbers(cls):
        """A task about numbers from 0 to 10, spread evenly, of which one in five is missing."""
        task = cls.deployment.ask("task", "create", "--name", "timed", "--kind", "number", "--value-range",
                                  "0:10", "--resolution", "20", "--missing", "--epsilon", "2", "--delta",
                                  "1e-6", "--users", str(USERS), "--mechanism", "pure_dump")["task"]
        lines = "".join("null\n" if i % 5 == 0 else f"{10 * i / USERS}\n" for i in range(USERS))
        cls.deployment.ask("report", "--task", task, "--input", "-", stdin=lines)
        cls.deployment.wait_for(task, lambda status: status["counted_batches"] == 1)
        return task

    @classmethod
    def make_records(cls):
        """A task about purchases at ages from 0 to 40, one a device."""
        schema = pathlib.Path(cls.directory) / "schema.json"
        schema.write_text(json.dumps({
            "attributes": [{"name": "age", "low": 0, "high": 40, "bins": 8}, {"name": "city", "labels": LABELS}],
            "measures": [{"name": "amount", "low": 0, "high": 10}], "max_records": 1,
            "questions": [["age"], {"attributes": ["age", "city"], "measure": "amount", "joined": [4, 1]}]}),
            encoding="utf-8")
        task = cls.deployment.ask("task", "create", "--name", "bought", "--kind", "records", "--schema",
                                  str(schema), "--epsilon", "2", "--delta", "1e-6", "--users", str(USERS),
                                  "--mechanism", "pure_dump")["task"]
        lines = "".join(json.dumps({"age": i % 40, "city": LABELS[i % 2], "amount": 10 * (i % 2)}) + "\n"
                        for i in range(USERS))
        cls.deployment.ask("report", "--task", task, "--input", "-", stdin=lines)
        cls.deployment.wait_for(task, lambda status: status["counted_batches"] == 1)
        return task

    @classmethod
    def make_with_periods(cls):
        """A task with one counted period, whose number is `cls.period`."""
        task = cls.deployment.ask("task", "create", "--name", "each", "--domain", "4", "--epsilon",
                                  "8", "--delta", "1e-6", "--users", "50", "--mechanism",
                                  "local_hash", "--interval", f"{LENGTH}s")
        cls.period = periods.early(cls.deployment, task)
        cls.deployment.ask("report", "--task", task["task"], "--input", "-", stdin="1\n" * 50)
        cls.deployment.wait_for(task["task"], lambda status: status["counted_batches"] == 1)
        return task

    @classmethod
    def make_items(cls, name, labels, records, *kind):
        """A task about several things, with as many devices of each record."""
        task = cls.deployment.ask("task", "create", "--name", name, *kind, "--values", str(labels),
                                  "--max-items", "2", "--epsilon", "2", "--delta", "1e-6", "--users",
                                  str(USERS), "--mechanism", "pure_dump")["task"]
        lines = "".join(f"{json.dumps(records[i % len(records)])}\n" for i in range(USERS))
        cls.deployment.ask("report", "--task", task, "--input", "-", stdin=lines)
        cls.deployment.wait_for(task, lambda status: status["counted_batches"] == 1)
        return task

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    @classmethod
    def make(cls, name, *domain, report=True):
        task = cls.deployment.ask("task", "create", "--name", name, *domain, "--epsilon", "8",
                                  "--delta", "1e-6", "--users", str(USERS), "--mechanism",
                                  "local_hash")["task"]
        if report:
            values = LABELS if domain[0] == "--values" else range(DOMAIN)
            lines = "".join(f"{values[i * i % 7 % len(values)]}\n" for i in range(USERS))
            cls.deployment.ask("report", "--task", task, "--input", "-", stdin=lines)
            cls.deployment.wait_for(task, lambda status: status["counted_batches"] == 1)
        return task
