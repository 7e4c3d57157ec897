#!/usr/bin/env python3
"""Each role by itself: with no more than its own certificate, and tasks by their names.

usage: roles_test.py BIN_DIR [unittest arguments]
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support.deployment import Deployment
from support.programs import BIN

TOMBOLA = str(pathlib.Path(BIN) / "tombola")
ROLES = ("administrator", "analyst", "operator")
COLOURS = ["red", "green", "blue"]


class Roles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="tombola-roles-"))
        cls.deployment = Deployment(BIN, cls.directory / "up")
        (cls.directory / "values").write_text("\n".join(COLOURS) + "\n", encoding="utf-8")
        cls.first = cls.create("colours")
        cls.deployment.ask("report", "--task", cls.first, "--input", "-",
                           stdin="\n".join(COLOURS * 200) + "\n")
        cls.deployment.wait_for(cls.first, lambda status: status["counted_batches"] == 1)

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    @classmethod
    def create(cls, name):
        return cls.deployment.ask("task", "create", "--name", name, "--values",
                                  cls.directory / "values", "--epsilon", 2, "--delta", 1e-6,
                                  "--users", 600)["task"]

    def config_of(self, *roles, listed=ROLES):
        """A tombola.json in which these roles have certificates and the listed ones are named."""
        config = json.loads(pathlib.Path(self.deployment.config).read_text(encoding="utf-8"))
        own = {member: config[member] for member in config if member not in ROLES}
        for role in listed:
            own[role] = config[role] if role in roles else {"certificate": "absent.pem",
                                                            "private_key": "absent.key"}
        file = pathlib.Path(tempfile.mkdtemp(dir=self.directory)) / "tombola.json"
        file.write_text(json.dumps(own), encoding="utf-8")
        return file

    def run_as(self, config, *words, environment=None):
        done = subprocess.run([TOMBOLA, *map(str, words), *(("--config", config) if config else ())],
                              capture_output=True, text=True, timeout=120, check=False,
                              env=environment)
        return done.returncode, done.stdout, done.stderr

    def ask_as(self, config, *words):
        code, out, err = self.run_as(config, *words, "--json")
        self.assertEqual(code, 0, err)
        return json.loads(out)

    def test_analysts_and_administrators_ask_the_collector(self):
        for role in ("analyst", "administrator"):
            for listed in (ROLES, (role,)):
                config = self.config_of(role, listed=listed)
                self.assertEqual(self.ask_as(config, "task", "list")["tasks"][0]["name"], "colours")
                self.assertEqual(len(self.ask_as(config, "query", "--task", "colours")["bins"]), 3)
                self.assertTrue(self.ask_as(config, "keys", "list")["keys"])
                status = self.ask_as(config, "status", "--task", "colours")
                self.assertEqual((status["reports"], status["accepted"]), (600, None))
                code, out, err = self.run_as(config, "status")
                self.assertEqual(code, 0, err)
                self.assertIn("collector 600 reports", out)
                self.assertNotIn("shuffler", out)
                self.assertIn("for its operator", err)

    def test_an_operator_sees_what_the_shuffler_holds(self):
        config = self.config_of("operator", listed=("operator",))
        status = self.ask_as(config, "status", "--task", "colours")
        self.assertEqual((status["accepted"], status["reports"], status["state"]), (600, None, "open"))
        self.assertIn("tombola_shuffler_", self.ask_as(config, "status", "--metrics")["shuffler"])
        code, out, err = self.run_as(config, "query", "--task", "colours")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("must have the member analyst", err)

    def test_a_file_that_cannot_be_read_is_named(self):
        config = self.config_of()
        for words, role in ((("query", "--task", self.first), "analyst"),
                            (("task", "list"), "analyst"), (("status",), "operator"),
                            (("keys", "rotate"), "administrator")):
            code, out, err = self.run_as(config, *words)
            self.assertEqual((code, out), (2, ""), err)
            self.assertIn(f"the role {role}", err)
            self.assertIn("absent.pem", err)

    def test_says_what_is_wrong_with_an_address(self):
        good = json.loads(pathlib.Path(self.deployment.config).read_text(encoding="utf-8"))
        page = good["dashboard"].split("//")[1].split("/")[0]
        for change, why in (
                ({"collector_query": "127.0.0.1:1"}, "nobody listens at 127.0.0.1:1"),
                ({"roots": good["analyst"]["certificate"]}, "is none that the file `roots`"),
                ({"collector_query": page}, f"what listens at {page} does not speak TLS")):
            file = self.directory / "wrong.json"
            file.write_text(json.dumps({**good, **change}), encoding="utf-8")
            code, out, err = self.run_as(file, "task", "list")
            self.assertEqual((code, out), (1, ""))
            self.assertIn(why, err)
            self.assertEqual(err.count("\n"), 1, err)
        # A device goes on trying for a while, and it is said meanwhile why that is of no use.
        file.write_text(json.dumps({**good, "roots": good["analyst"]["certificate"]}), encoding="utf-8")
        code, out, err = self.run_as(file, "report", "--task", self.first, "--value", "red")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("is none that the file `roots`", err)

    def test_a_device_reports_with_no_certificate_at_all(self):
        config = self.config_of(listed=())
        task = self.create("anybody")
        code, _, err = self.run_as(config, "report", "--task", task, "--value", "red")
        self.assertEqual(code, 0, err)
        code, _, err = self.run_as(config, "report", "--task", "anybody", "--value", "red")
        self.assertEqual(code, 2)
        self.assertIn("no certificate at hand", err)

    def test_the_file_is_found_without_being_named(self):
        config = self.config_of("analyst")
        named = {**os.environ, "TOMBOLA_CONFIG": str(config)}
        self.assertEqual(self.run_as(None, "task", "list", environment=named)[0], 0)
        home = self.directory / "home"
        (home / ".config/tombola").mkdir(parents=True)
        shutil.copy(config, home / ".config/tombola/tombola.json")
        at_home = {key: value for key, value in os.environ.items()
                   if key not in ("TOMBOLA_CONFIG", "XDG_CONFIG_HOME")}
        at_home["HOME"] = str(home)
        # What it names relative to itself is not there: the file was found, and said to be so.
        code, _, err = self.run_as(None, "task", "list", environment=at_home)
        self.assertEqual(code, 0, err)

    def test_a_task_goes_by_its_name_or_the_beginning_of_its_id(self):
        twin = self.create("twins")
        self.create("twins")
        for text in ("colours", self.first[:8], self.first):
            self.assertEqual(self.deployment.ask("task", "show", "--task", text)["task"], self.first)
        for text, why in (("twins", "2 of them"), ("trips", "no task has the name trips")):
            code, out, err = self.deployment.run("task", "show", "--task", text)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(why, err)
        self.deployment.ask("task", "close", "--task", twin[:16])
        self.assertNotEqual(self.deployment.ask("task", "show", "--task", "twins")["task"], twin)

    def test_a_query_waits_for_its_answer(self):
        task = self.create("later")
        waiting = subprocess.Popen([TOMBOLA, "query", "--task", "later", "--wait", "--json", "--config",
                                    self.deployment.config], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        # It has asked once, and was told that there is none.
        self.assertIn("waiting: 0 %", waiting.stderr.readline())
        self.deployment.ask("report", "--task", task, "--input", "-",
                            stdin="\n".join(COLOURS * 200) + "\n")
        out, err = waiting.communicate(timeout=120)
        self.assertEqual(waiting.returncode, 0, err)
        self.assertEqual(json.loads(out)["reports"], 600)


if __name__ == "__main__":
    unittest.main(verbosity=2)
