#!/usr/bin/env python3
"""A task's whole life on the command line: planned, made, shown, and refused where nobody wants it.

usage: task_life_test.py BIN_DIR [unittest arguments]
"""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support.deployment import Deployment
from support.programs import BIN, TOMBOLA
from support.waiting import until

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

    def report(self, task, values):
        """A batch of a task, counted."""
        self.deployment.ask("report", "--task", task, "--input", "-",
                            stdin="".join(f"{values[i % len(values)]}\n" for i in range(USERS)))
        self.deployment.wait_for(task, lambda status: status["counted_batches"] == 1)

    def test_a_closed_task_is_archived_and_comes_back(self):
        task = self.made(*self.create("season"))["task"]
        code, _, err = self.run_plain("task", "archive", "--task", "season")
        self.assertEqual(code, 2)
        self.assertIn("close it before", err)
        self.made("task", "close", "--task", "season")
        listed = lambda *more: {one["task"] for one in self.made("task", "list", *more)["tasks"]}
        self.assertTrue(self.made("task", "archive", "--task", "season")["archived"])
        self.assertNotIn(task, listed())
        self.assertEqual(listed("--archived"), {task})
        self.assertNotIn(task, {one["task"] for one in self.made("status")["tasks"]})
        self.assertEqual(self.made("task", "show", "--task", "season")["task"], task, "by its name all the same")
        self.assertFalse(self.made("task", "archive", "--restore", "--task", task[:8])["archived"])
        self.assertIn(task, listed())

    def test_a_task_that_supersedes_another_has_one_lineage_of_answers(self):
        first = self.made(*self.create("menu"))["task"]
        self.report(first, [1, 2])
        second = self.made("task", "supersede", "--task", "menu", "--domain", "6", "--epsilon", "8", "--delta",
                           DELTA, "--users", str(USERS))
        self.assertEqual((second["name"], second["supersedes"]), ("menu", first))
        before = self.made("task", "show", "--task", first)
        self.assertEqual((before["state"], before["superseded_by"]), ("closed", second["task"]))
        _, text, _ = self.run_plain("task", "show", "--task", first)
        self.assertIn(f"lineage   superseded by {second['task']}", text)
        self.report(second["task"], [5])
        for task in (first, second["task"]):
            lineage = self.deployment.ask("query", "--task", task, "--lineage")["lineage"]
            self.assertEqual([one["task"] for one in lineage], [first, second["task"]])
            self.assertEqual([len(one["bins"]) for one in lineage], [5, 6])
        code, text, err = self.run_plain("query", "--task", first, "--lineage")
        self.assertEqual(code, 0, err)
        self.assertIn(f"1. {first}", text)
        self.assertIn(f"lineage: superseded by task {second['task']}", text)
        self.assertIn(f"lineage: supersedes task {first}", text)
        code, _, err = self.run_plain("task", "supersede", "--task", first, "--domain", "6", "--epsilon", "8",
                                      "--delta", DELTA, "--users", str(USERS))
        self.assertEqual(code, 2)
        self.assertIn(second["task"], err)

    def test_exports_say_what_they_are_of(self):
        task = self.made(*self.create("exported"))["task"]
        self.report(task, [1, 1, 3])
        answer = self.deployment.ask("query", "--task", task, "--confidence", "0.9", "--postprocess", "none")
        self.assertEqual((answer["name"], answer["confidence"], answer["postprocess"]), ("exported", 0.9, "none"))
        self.assertRegex(answer["as_of"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$")
        plain = self.run_plain("query", "--task", task, "--format", "csv")[1]
        _, described, _ = self.run_plain("query", "--task", task, "--format", "csv", "--describe")
        lines = described.split("\n")
        notes = [line for line in lines if line.startswith("# ")]
        self.assertEqual("\n".join(lines[len(notes):]), plain, "and then the very same rows")
        for said in ("# name: exported", f"# task: {task}", f"# as of: {answer['as_of']}", "# confidence: 95 %",
                     "# post-processing: pop"):
            self.assertIn(said, notes)
        self.assertIn("# guarantee: epsilon ", described)
        svg = self.run_plain("query", "--task", task, "--format", "svg")[1]
        for said in ("<title>exported</title>", f"Task {task}, as of {answer['as_of']}", "Guarantee over"):
            self.assertIn(said, svg)

    def test_messages_say_how_far_a_task_is_and_which_line_is_wrong(self):
        task = self.made(*self.create("early"))["task"]
        code, _, err = self.run_plain("query", "--task", task)
        self.assertEqual(code, 1)
        self.assertIn(f"about 0 % of the planned {USERS} submissions", err)
        lines = "1\nseven\n2\n9\n"
        code, out, err = self.run_plain("report", "--task", task, "--input", "-", stdin=lines)
        self.assertEqual((code, out), (0, "accepted 2, duplicates 0, rejected 2\n"), err)
        code, out, err = self.run_plain("report", "--task", task, "--input", "-", "--strict", stdin=lines)
        self.assertEqual((code, out), (2, "accepted 2, duplicates 0, rejected 2\n"), err)
        for said in ("line 2", "line 4", "--strict: 2 lines"):
            self.assertIn(said, err)
        self.made("task", "close", "--task", task)
        self.deployment.wait_for(task, lambda status: status["expired"] == 4)

        def refused():
            said = self.run_plain("query", "--task", task)[2]
            return "4 submissions were destroyed" in said and said
        until(refused, lambda: "the collector has not heard of them")
        doubled = self.folder / "doubled"
        doubled.write_text("red\nblue\nred\n", encoding="utf-8")
        code, _, err = self.run_plain("task", "create", "--name", "doubled", "--values", doubled, "--epsilon", "8",
                                      "--delta", DELTA, "--users", "400")
        self.assertEqual(code, 2)
        self.assertIn('--values must be distinct: "red" is there twice', err)

    def test_a_shell_is_told_what_may_follow(self):
        script = subprocess.run([TOMBOLA, "completion", "bash"], capture_output=True, text=True, timeout=60,
                                check=True).stdout

        def offered(line):
            words = line.split(" ")
            asked = (f"COMP_WORDS=({' '.join(map(repr, words))}); COMP_CWORD={len(words) - 1}; _tombola; "
                     'printf "%s\\n" "${COMPREPLY[@]}"')
            return subprocess.run(["bash", "-c", script + asked], capture_output=True, text=True, timeout=60,
                                  check=True).stdout.split()
        self.assertIn("completion", offered("tombola "))
        self.assertEqual(offered("tombola task cr"), ["create"])
        self.assertIn("--min-batch", offered("tombola task create --mi"))
        self.assertEqual(offered("tombola task create --structure f"), ["fenwick"])
        self.assertEqual(offered("tombola task create --values "), [], "a file")
        self.assertEqual(offered("tombola nothing --str"), ["--version"][:0])
        page = subprocess.run([TOMBOLA, "--man-page"], capture_output=True, text=True, timeout=60, check=True).stdout
        self.assertIn(".SS tombola task create\n", page)
        self.assertIn(".B \\-\\-min\\-batch", page)
        for daemon in ("shuffler", "collector"):
            page = subprocess.run([f"{BIN}/tombola-{daemon}", "--man-page"], capture_output=True, text=True, timeout=60,
                                  check=True).stdout
            self.assertTrue(page.startswith(f".TH TOMBOLA\\-{daemon.upper()} 8 ") or
                            page.startswith(f".TH TOMBOLA-{daemon.upper()} 8 "), page[:80])
            self.assertIn(".B \\-\\-data\\-dir", page)

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
