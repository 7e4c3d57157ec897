#!/usr/bin/env python3
"""A task's whole life on the command line: planned, made, shown, and refused where nobody wants it.

usage: task_test.py BIN_DIR [unittest arguments]
"""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support.deployment import Deployment
from support.programs import BIN, TOMBOLA

DELTA, USERS = "1e-6", 400


class TaskTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tombola-task-"))
        cls.deployment = Deployment(BIN, cls.folder / "up")

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def run_plain(self, *words, stdin=None):
        """As a person would: without what the test deployment adds."""
        done = subprocess.run([TOMBOLA, *map(str, words), "--config", self.deployment.config],
                              input=stdin, capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    def create(self, name, *more, users=USERS):
        return ("task", "create", "--name", name, "--domain", "5", "--epsilon", "8", "--delta", DELTA,
                "--users", str(users), *more)

    def made(self, *words):
        code, out, err = self.run_plain(*words, "--json")
        self.assertEqual(code, 0, err)
        return json.loads(out)

    def test_a_dry_run_shows_the_task_and_makes_nothing(self):
        before = self.made("task", "list")["tasks"]
        planned = self.made(*self.create("planned", "--dry-run"))
        self.assertEqual((planned["task"], planned["state"], planned["dry_run"]), (None, "planned", True))
        code, text, err = self.run_plain(*self.create("planned", "--dry-run"))
        self.assertEqual(code, 0, err)
        self.assertTrue(text.startswith("a dry run: nothing is made\nname      planned"), text)
        self.assertEqual(self.made("task", "list")["tasks"], before)
        task = self.made(*self.create("planned"))
        for member in ("mechanism", "parameters", "needed", "total_epsilon", "predicted_half_width"):
            self.assertEqual(task[member], planned[member], member)
        words = ("--users", str(USERS), "--domain", "5", "--epsilon", "8", "--delta", DELTA)
        for wish in ((), ("--dishonest", "0.1"), ("--max-local-epsilon", "6")):
            plan = json.loads(subprocess.run(
                [TOMBOLA, "plan", *words, *wish, "--min-batch", str(planned["min_batch"]), "--json"],
                capture_output=True, timeout=120, check=True).stdout)
            same = self.made(*self.create("wished", "--dry-run", *wish))
            self.assertEqual(plan["recommended"], same["mechanism"], wish)
            best = next(row for row in plan["candidates"] if row["mechanism"] == plan["recommended"])
            self.assertEqual({name: best["parameters"][name] for name in ("range", "local_epsilon")},
                             {name: same["parameters"][name] for name in ("range", "local_epsilon")})

    def test_a_name_in_use_is_refused_by_the_collector_unless_asked_for(self):
        first = self.made(*self.create("colours"))
        for more in ((), ("--dry-run",)):
            code, out, err = self.run_plain(*self.create("colours", *more))
            self.assertEqual((code, out), (2, ""), err)
            self.assertIn(first["task"], err)
            self.assertIn("--same-name", err)
        second = self.made(*self.create("colours", "--same-name"))
        self.assertNotEqual(second["task"], first["task"])
        for task in (first, second):
            self.made("task", "close", "--task", task["task"])
        self.made(*self.create("colours"))

    def test_what_nobody_wants_is_said_before_it_is_made(self):
        code, out, err = self.run_plain(
            "task", "create", "--name", "unwise", "--domain", "300", "--epsilon", "5", "--delta", "0.01",
            "--users", "200", "--interval", "48h", "--lifetime", "24h", "--max-local-epsilon", "0.3",
            "--dry-run", "--json")
        self.assertEqual(code, 0, err)
        planned = json.loads(out)
        said = "\n".join(planned["remarks"])
        for words in ("delta 0.01 is not below 1/users", "the interval of 48h is longer than the lifetime of 24h",
                      "95 % half-width"):
            self.assertIn(words, said)
            self.assertIn(words, err)
        code, out, err = self.run_plain("task", "create", "--name", "dear", "--domain", "5", "--epsilon", "5",
                                        "--delta", DELTA, "--users", "400", "--dry-run", "--json")
        self.assertEqual(code, 0, err)
        self.assertIn("the guarantee is epsilon 5, delta 1e-06", json.loads(out)["warning"])
        self.assertIn(json.loads(out)["warning"], err)

    def test_show_and_status_say_what_a_person_wants_to_know(self):
        task = self.made(*self.create("shown", "--interval", "24h", "--submissions-per-device", "3"))
        _, text, _ = self.run_plain("task", "show", "--task", "shown")
        half = f"{100 * task['predicted_half_width']:.3g} % in a batch of the planned {USERS}"
        least = f"{100 * task['smallest_batch_half_width']:.3g} % in the smallest of {task['needed']}"
        for words in (half, least, "95 % half-width", f"up to 3 submissions, from {task['begins']} to {task['ends']}",
                      "over the 3 submissions a device may make in the task's life"):
            self.assertIn(words, text)
        self.assertGreater(task["smallest_batch_half_width"], task["predicted_half_width"])
        self.deployment.ask("report", "--task", "shown", "--input", "-", stdin="1\n2\n")
        status = self.deployment.status("shown")
        self.assertGreater(status["interval_ends"], task["begins"])
        _, text, _ = self.run_plain("status", "--task", "shown")
        self.assertIn(f"missing   {task['needed'] - 2} submissions until the target holds; the interval ends "
                      f"{status['interval_ends']}", text)

    def test_an_answer_that_is_mostly_noise_says_so_everywhere(self):
        task = self.made("task", "create", "--name", "noisy", "--domain", "60", "--epsilon", "1", "--delta", DELTA,
                         "--users", "200")["task"]
        self.deployment.ask("report", "--task", task, "--input", "-",
                            stdin="".join(f"{i % 60}\n" for i in range(200)))
        self.deployment.wait_for(task, lambda status: status["counted_batches"] == 1)
        answer = self.deployment.ask("query", "--task", task)
        said = [w["text"] for w in answer["quality"]["warnings"] if w["kind"] == "noise"]
        self.assertEqual(len(said), 1, answer["quality"])
        self.assertTrue(said[0].startswith("with 200 devices these shares are mostly noise"), said)
        for form in ("table", "svg"):
            _, out, err = self.run_plain("query", "--task", task, "--format", form)
            self.assertIn("are mostly noise", out + err)
        self.assertIn("noise", self.deployment.http(task, format="csv")[1]["Tombola-Warnings"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
