#!/usr/bin/env python3
"""The whole path over real processes, real TLS and real disk, driven by the command line.

usage: e2e_test.py BIN_DIR [unittest arguments]
"""
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from support.deployment import Deployment
from support.programs import BIN, TOMBOLA


def three_free_ports():
    """The first of three, below the range from which the system takes ports by itself."""
    while True:
        base = random.randrange(20000, 32000)
        try:
            for port in range(base, base + 3):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
            return base
        except OSError:
            continue


class EndToEnd(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="tombola-e2e-")
        self.deployment = Deployment(BIN, self.directory)

    def tearDown(self):
        self.deployment.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def create(self, *arguments):
        return self.deployment.ask("task", "create", "--name", "t", *arguments)["task"]

    def restart(self):
        self.deployment.stop()
        self.deployment = Deployment(BIN, self.directory)

    def test_a_hundred_thousand_devices_are_counted_exactly_and_within_their_intervals(self):
        devices, values = 100_000, [f"value {i}" for i in range(20)]
        labels = pathlib.Path(self.directory) / "labels.txt"
        labels.write_text("".join(v + "\n" for v in values), encoding="utf-8")
        task = self.create("--values", str(labels), "--epsilon", "1", "--delta", "1e-6",
                           "--users", str(devices), "--mechanism", "local_hash")
        rng = random.Random(20261116)
        drawn = rng.choices(values, weights=[1 / (i + 1) for i in range(20)], k=devices)
        reports = pathlib.Path(self.directory) / "reports.txt"
        reports.write_text("".join(v + "\n" for v in drawn), encoding="utf-8")
        outcome = self.deployment.ask("report", "--task", task, "--input", str(reports))
        self.assertEqual(outcome, {"accepted": devices, "duplicates": 0, "rejected": 0})

        status = self.deployment.wait_for(task, lambda s: s["counted_batches"] == 1)
        status = self.deployment.wait_for(task, lambda s: s["forwarded"] == devices)
        self.assertEqual([status[k] for k in ("accepted", "duplicates", "forwarded", "expired",
                                              "waiting", "waiting_delivery", "reports", "rejected",
                                              "quarantined_batches")],
                         [devices, 0, devices, 0, 0, 0, devices, 0, 0])

        # Failure of one bin at most 4e-8, of any of 20 at most 8e-7.
        answer = self.deployment.ask("query", "--task", task, "--confidence", str(1 - 4e-8))
        self.assertEqual(answer["reports"], devices)
        self.assertEqual(answer["rejected"], 0)
        for bin_ in answer["bins"]:
            truth = drawn.count(bin_["value"]) / devices
            self.assertLessEqual(bin_["low"], truth, bin_)
            self.assertGreaterEqual(bin_["high"], truth, bin_)
            self.assertAlmostEqual((bin_["low"] + bin_["high"]) / 2, bin_["raw"])
            self.assertGreater(bin_["stderr"], 0)
            self.assertLess(bin_["high"] - bin_["low"], 0.02, "the interval says something")
        self.assertAlmostEqual(sum(b["frequency"] for b in answer["bins"]), 1, places=9)
        guarantee = answer["guarantee"]
        self.assertLessEqual(guarantee["epsilon"], 1)
        self.assertGreater(guarantee["epsilon"], 0.8)
        self.assertEqual(guarantee["delta"], 1e-6)
        self.assertEqual(guarantee["users"], devices)
        self.assertEqual(guarantee["method"], "tight")
        self.assertLess(guarantee["epsilon"], guarantee["epsilon_foreign_10"])
        self.assertLess(guarantee["epsilon_foreign_10"], guarantee["epsilon_foreign_50"])
        self.assertLess(guarantee["epsilon_foreign_50"], guarantee["local_epsilon"])

        top = self.deployment.ask("query", "--task", task, "--top", "3")["bins"]
        self.assertEqual([b["value"] for b in top], values[:3])
        self.assertEqual(self.deployment.status(task)["reports"], devices)

    def test_nothing_leaves_below_the_needed_number_and_status_says_how_many_are_missing(self):
        task = self.create("--domain", "10", "--epsilon", "1", "--delta", "1e-6", "--users", "2000",
                           "--min-batch", "1900", "--interval", "1s", "--merge-periods")
        needed = self.deployment.status(task)["needed"]
        self.assertEqual(needed, 1900)
        lines = "".join(f"{i % 10}\n" for i in range(needed - 1))
        self.deployment.ask("report", "--task", task, "--input", "-", stdin=lines)
        # Interval after interval ends, and the batch is held on.
        start = time.monotonic()
        while time.monotonic() - start < 3:
            status = self.deployment.status(task)
            self.assertEqual(status["waiting"], needed - 1)
            self.assertEqual(status["missing"], 1)
            self.assertGreater(status["epsilon"], 1)
            self.assertEqual(status["released_batches"], 0)
        self.assertIn("1 more", status["reason"])
        code, out, err = self.deployment.run("query", "--task", task, "--json")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("no batch", err)
        # One more, and the next interval's end releases all of them together.
        self.deployment.ask("report", "--task", task, "--value", "3")
        status = self.deployment.wait_for(task, lambda s: s["counted_batches"] == 1)
        self.assertEqual(status["reports"], needed)
        guarantee = self.deployment.ask("query", "--task", task)["guarantee"]
        self.assertLessEqual(guarantee["epsilon"], 1)
        self.assertEqual(guarantee["users"], needed)

    def test_what_never_met_its_guarantee_is_destroyed_when_the_task_closes(self):
        task = self.create("--domain", "4", "--epsilon", "1", "--delta", "1e-6", "--users", "1000")
        self.deployment.ask("report", "--task", task, "--input", "-", stdin="1\n2\n3\n")
        self.assertEqual(self.deployment.status(task)["waiting"], 3)
        self.deployment.ask("task", "close", "--task", task)
        # It has waited until the shuffler knows.
        code, _, err = self.deployment.run("report", "--task", task, "--value", "1", "--json")
        self.assertEqual(code, 1)
        self.assertIn("closed", err)
        status = self.deployment.wait_for(task, lambda s: s["expired"] == 3)
        self.assertEqual((status["waiting"], status["forwarded"], status["reports"]), (0, 0, 0))

    def test_who_is_no_operator_closes_a_task_and_is_told_that_nobody_waited(self):
        path = pathlib.Path(self.deployment.config)
        config = json.loads(path.read_text(encoding="utf-8"))
        for missing in ({"certificate": "none.pem", "private_key": "none.key"}, config["analyst"]):
            task = self.create("--domain", "4", "--epsilon", "8", "--delta", "1e-6", "--users", "10")
            other = path.parent / "no-operator.json"
            other.write_text(json.dumps(dict(config, operator=missing)), encoding="utf-8")
            done = subprocess.run([TOMBOLA, "task", "close", "--config", str(other), "--task", task,
                                   "--json"], capture_output=True, text=True, timeout=60, check=True)
            self.assertEqual(json.loads(done.stdout)["state"], "closed")
            self.assertIn("only its operator can wait", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_kill_nine_of_either_daemon_loses_and_doubles_nothing(self):
        task = self.create("--domain", "4", "--epsilon", "8", "--delta", "1e-6", "--users", "300",
                           "--min-batch", "300")
        lines = "".join(f"{i % 4}\n" for i in range(100))
        self.deployment.ask("report", "--task", task, "--input", "-", stdin=lines)
        for victim in ("shuffler_pid", "collector_pid"):
            os.kill(self.deployment.pids[victim], signal.SIGKILL)
            self.assertEqual(self.deployment.process.wait(timeout=60), 1)
            self.restart()
            self.assertEqual(self.deployment.status(task)["waiting"], 100)
        self.deployment.ask("report", "--task", task, "--input", "-", stdin=lines * 2)
        status = self.deployment.wait_for(task, lambda s: s["forwarded"] == 300)
        self.assertEqual(status["reports"], 300)
        self.restart()
        self.assertEqual(self.deployment.ask("query", "--task", task)["reports"], 300)

    def test_devices_go_on_reporting_over_a_restart_of_the_shuffler(self):
        self.deployment.stop()
        base = str(three_free_ports())
        self.deployment = Deployment(BIN, self.directory, "--port-base", base)
        task = self.create("--domain", "4", "--epsilon", "8", "--delta", "1e-6", "--users", "100000")
        reports = pathlib.Path(self.directory) / "reports.txt"
        reports.write_text("1\n" * 30_000, encoding="utf-8")
        running = subprocess.Popen(
            [TOMBOLA, "report", "--config", self.deployment.config, "--task", task, "--input",
             str(reports), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.deployment.wait_for(task, lambda s: s["waiting"] > 0)
        os.kill(self.deployment.pids["shuffler_pid"], signal.SIGKILL)
        self.assertEqual(self.deployment.process.wait(timeout=60), 1)
        self.deployment.stop()
        self.deployment = Deployment(BIN, self.directory, "--port-base", base)
        out, err = running.communicate(timeout=120)
        self.assertEqual(running.returncode, 0, err)
        outcome = json.loads(out)
        self.assertEqual(outcome["accepted"] + outcome["duplicates"], 30_000)
        self.assertEqual(self.deployment.status(task)["waiting"], 30_000)

    def test_an_interrupted_command_ends(self):
        task = self.create("--domain", "4", "--epsilon", "8", "--delta", "1e-6", "--users", "100")
        for number in (signal.SIGINT, signal.SIGTERM):
            waiting = subprocess.Popen(
                [TOMBOLA, "report", "--config", self.deployment.config, "--task", task, "--input",
                 "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            waiting.send_signal(number)
            self.assertEqual(waiting.wait(timeout=30), -number)
            for pipe in (waiting.stdin, waiting.stdout, waiting.stderr):
                pipe.close()

    def test_one_collector_at_a_time_in_a_directory(self):
        second = subprocess.run([TOMBOLA, "up", "--dir", self.directory], capture_output=True,
                                text=True, timeout=60, check=False)
        self.assertEqual(second.returncode, 1)
        self.assertIn("in use by another process", second.stderr)

    def test_a_batch_holds_one_key_and_stragglers_wait_for_their_own(self):
        task = self.create("--domain", "4", "--epsilon", "8", "--delta", "1e-6", "--users", "100",
                           "--min-batch", "100")
        self.deployment.ask("report", "--task", task, "--input", "-", stdin="1\n" * 40)
        first = self.deployment.ask("keys", "list")["keys"]
        time.sleep(1.1)  # a key lives at least a second
        keys = self.deployment.ask("keys", "rotate")["keys"]
        self.assertEqual([k["state"] for k in keys], ["retired", "active"])
        self.assertEqual(keys[0]["key"], first[0]["key"])
        new = keys[1]["key"]

        def reported_under_new_key(status):
            return any(h["key"] == new for h in status["held"])
        deadline = time.monotonic() + 60
        sent = 40
        while not reported_under_new_key(self.deployment.status(task)):
            self.deployment.ask("report", "--task", task, "--value", "2")
            sent += 1
            self.assertLess(time.monotonic(), deadline)
        status = self.deployment.status(task)
        self.assertEqual(len(status["held"]), 2)
        self.assertEqual(status["waiting"], sent)
        self.assertEqual(status["released_batches"], 0)
        # Fill the new key's batch: only that one leaves, and it opens.
        held_new = [h["waiting"] for h in status["held"] if h["key"] == new][0]
        self.deployment.ask("report", "--task", task, "--input", "-",
                            stdin="3\n" * (100 - held_new))
        status = self.deployment.wait_for(task, lambda s: s["counted_batches"] == 1)
        self.assertEqual((status["reports"], status["rejected"]), (100, 0))
        self.assertEqual(status["waiting"], sent - held_new)

    def test_a_device_with_a_ledger_reports_once(self):
        task = self.create("--domain", "4", "--epsilon", "8", "--delta", "1e-6", "--users", "100")
        ledger = str(pathlib.Path(self.directory) / "device")
        self.deployment.ask("report", "--task", task, "--value", "1", "--ledger", ledger)
        code, out, err = self.deployment.run("report", "--task", task, "--value", "1", "--ledger",
                                             ledger, "--json")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("1 submission(s)", err)
        # A token that was delivered before is no second submission, and is not said to be one.
        other = ["--ledger", ledger + "-2", "--token", "survey"]
        outcomes = [self.deployment.ask("report", "--task", task, "--value", "1", *other)
                    for _ in range(2)]
        self.assertEqual([(o["accepted"], o["duplicates"]) for o in outcomes], [(1, 0), (0, 1)])
        self.assertEqual(self.deployment.status(task)["waiting"], 2)
        # Its own policy decides last.
        code, _, err = self.deployment.run("report", "--task", task, "--value", "1",
                                           "--max-epsilon", "1")
        self.assertEqual(code, 1)
        self.assertIn("its epsilon for a batch is 8, --max-epsilon is 1", err)

    def test_bad_usage_and_bad_input_exit_with_two_and_one_line(self):
        task = self.create("--domain", "4", "--epsilon", "8", "--delta", "1e-6", "--users", "100")
        create = ["task", "create", "--name", "x", "--domain", "4", "--epsilon", "1", "--delta",
                  "1e-6", "--users", "1000"]

        def changed(flag, value):
            words = list(create)
            words[words.index(flag) + 1] = value
            return words
        table = [
            (["task", "create", "--name", "x"], "required"),
            (changed("--epsilon", "0"), "--epsilon must be"),
            (changed("--epsilon", "nan"), "--epsilon must be"),
            (changed("--delta", "1"), "--delta must be"),
            (changed("--domain", "0"), "--domain"),
            (changed("--users", "1"), "--users must be"),
            (changed("--name", "x" * 129), "--name must be"),
            (create + ["--dishonest", "1"], "--dishonest must be"),
            (create + ["--min-batch", "1"], "--min-batch must be between 2 and --users"),
            (create + ["--mechanism", "magic"], "--mechanism must be"),
            (create + ["--interval", "soon"], "--interval"),
            (create + ["--retry-window", "59m"], "--retry-window must be"),
            (create + ["--submissions-per-device", "0"], "--submissions-per-device must be"),
            (["task", "show", "--task", "xyz"], "--task"),
            (["task", "show", "--task", "00" * 32], "--task names no task"),
            (["report", "--task", task, "--value", "7"], "between 0 and 3"),
            (["report", "--task", task, "--value", "seven"], "between 0 and 3"),
            (["report", "--task", task], "--value"),
            (["report", "--task", task, "--value", "1", "--max-total-epsilon", "-1"],
             "--max-total-epsilon: must be a number above 0"),
            (["report", "--task", task, "--value", "1", "--max-delta", "1.5"],
             "--max-delta: must be a number above 0 and at most 1"),
            (["report", "--task", task, "--input", "/nowhere"], "/nowhere"),
            (["query", "--task", task, "--confidence", "1"], "--confidence must be in (0, 1)"),
            (["query", "--task", task, "--postprocess", "magic"], "postprocess"),
            (["frobnicate"], "frobnicate"),
            (["query", "--task", task, "--values", "9"], "--values"),
            (["report", "--task", task, "--input", self.directory], "directory"),
            (["report", "--task", task, "--input", "/dev/null"], "nothing was sent"),
        ]
        for words, says in table:
            code, out, err = self.deployment.run(*words)
            self.assertEqual(code, 2, f"{words}: {err}")
            self.assertEqual(out, "", words)
            self.assertEqual(err.count("\n"), 1, f"{words}: {err}")
            self.assertIn(says, err, words)
        # A line that is no value harms only itself.
        outcome = self.deployment.ask("report", "--task", task, "--input", "-", stdin="1\nx\n9\n3\n")
        self.assertEqual(outcome, {"accepted": 2, "duplicates": 0, "rejected": 2})

    def test_devices_come_as_json_lines_and_bad_ones_are_named_by_their_lines(self):
        labels = pathlib.Path(self.directory) / "labels.txt"
        labels.write_text('red\n{odd}\n7\n', encoding="utf-8")
        task = self.create("--values", str(labels), "--epsilon", "2", "--delta", "1e-6",
                           "--users", "1000", "--mechanism", "pure_dump")
        good = ['{"value": "red"}', '"{odd}"', "red", '{"value": 7}', "7"]
        bad = ['{"value": "blue"}', "{odd}", '{"value": 7.5}', "blue", '{"colour": "red"}']
        lines = [*good * 190, *bad, *good * 10]
        code, out, err = self.deployment.run("report", "--task", task, "--input", "-", "--json",
                                             stdin="\ufeff" + "".join(line + "\n" for line in lines) + "\n \t\n")
        self.assertEqual(code, 0, err)
        self.assertEqual(json.loads(out), {"accepted": 1000, "duplicates": 0, "rejected": 5})
        for line, says in ((951, "must be one of the task's 3 labels"), (952, "begins as JSON"),
                           (953, "a text or a whole number"), (954, "must be one of the task's 3 labels"),
                           (955, "the member value and no other")):
            self.assertRegex(err, f"tombola: line {line}: .*{says}")
        self.assertIn("5 lines were not sent", err)
        # Everybody else was counted once, as what they said.
        self.deployment.wait_for(task, lambda s: s["forwarded"] == 1000)
        truth = pathlib.Path(self.directory) / "truth.jsonl"
        truth.write_text("\ufeff" + "".join(line + "\n\n" for line in good), encoding="utf-8")
        # Of one bin the interval fails with probability 1e-6.
        answer = self.deployment.ask("query", "--task", task, "--truth", str(truth),
                                     "--confidence", str(1 - 1e-6))
        self.assertEqual(answer["reports"], 1000)
        self.assertEqual([b["truth"] for b in answer["bins"]], [0.4, 0.2, 0.4])
        for bin_ in answer["bins"]:
            self.assertTrue(bin_["low"] < bin_["truth"] < bin_["high"], bin_)
            self.assertLess(bin_["high"] - bin_["low"], 0.35, "the interval says something")
        code, out, err = self.deployment.run("report", "--task", task, "--input", "-",
                                             stdin='{"value": \n')
        self.assertEqual((code, out), (2, ""))
        self.assertIn("nothing was sent; line 1: it begins as JSON", err)
        code, _, err = self.deployment.run("report", "--task", task, "--input", "-",
                                           stdin="red\n" + "[red]\n" * 14)
        self.assertEqual(code, 0, err)
        self.assertEqual(err.count("begins as JSON"), 10)
        self.assertIn("tombola: and 4 more\n", err)

    def test_a_task_file_makes_its_task_once(self):
        self.deployment.stop()
        file = pathlib.Path(self.directory) / "task.json"
        file.write_text(json.dumps({"name": "colours", "values": ["red", "green", "blue"],
                                    "epsilon": 2, "delta": 1e-6, "users": 500}), encoding="utf-8")
        self.deployment = Deployment(BIN, self.directory, "--task", str(file))
        first = self.deployment.ready["task"]
        self.assertIsNone(self.deployment.ready["warning"])
        self.deployment.stop()
        self.deployment = Deployment(BIN, self.directory, "--task", str(file))
        self.assertEqual(self.deployment.ready["task"], first)
        shown = self.deployment.ask("task", "show", "--task", first)
        self.assertEqual((shown["retry_window_seconds"], shown["key_list_age_seconds"]),
                         (24 * 3600, 14 * 24 * 3600))
        self.assertIn("retries are recognised for 24h; devices seal by key lists of up to 336h",
                      self.deployment.run("task", "show", "--task", first)[1])
        self.assertEqual(shown["labels"], ["red", "green", "blue"])
        self.assertEqual((shown["name"], shown["domain"], shown["users"], shown["min_batch"]),
                         ("colours", 3, 500, 450))
        # The same name with other parameters is no quiet change.
        self.deployment.stop()
        file.write_text(json.dumps({"name": "colours", "values": ["red", "green", "blue"],
                                    "epsilon": 3, "delta": 1e-6, "users": 500}), encoding="utf-8")
        changed = subprocess.run([TOMBOLA, "up", "--dir", self.directory, "--task", str(file)],
                                 capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(changed.returncode, 2)
        self.assertIn("other parameters", changed.stderr)
        # What its devices give away in all is said as `task create` says it.
        file.write_text(json.dumps({"name": "often", "values": ["red", "green", "blue"],
                                    "epsilon": 2, "delta": 1e-6, "users": 500,
                                    "submissions_per_device": 10}), encoding="utf-8")
        self.deployment = Deployment(BIN, self.directory, "--task", str(file))
        self.assertIn("10 submissions", self.deployment.ready["warning"])

    def test_a_second_start_keeps_tokens_and_ports(self):
        tokens = str(pathlib.Path(self.directory) / "keys/http-tokens")

        def names():
            done = subprocess.run([TOMBOLA, "token", "list", "--tokens", tokens, "--json"],
                                  capture_output=True, text=True, timeout=60, check=True)
            return sorted(entry["name"] for entry in json.loads(done.stdout)["tokens"])
        subprocess.run([TOMBOLA, "token", "create", "--tokens", tokens, "--role", "analyst",
                        "--name", "ada"], capture_output=True, timeout=60, check=True)
        address, shuffler = self.deployment.ready["dashboard"], self.deployment.ready["shuffler"]
        self.deployment.stop()
        self.deployment = Deployment(BIN, self.directory)
        self.assertEqual(names(), ["ada", "dashboard"])
        # So do the address of the page and the daemons' own, unless somebody has taken a port.
        self.assertEqual(self.deployment.ready["dashboard"], address)
        self.assertEqual(self.deployment.ready["shuffler"], shuffler)
        self.deployment.stop()
        self.deployment = Deployment(BIN, self.directory, "--new-token")
        self.assertEqual(names(), ["ada", "dashboard"])
        self.assertNotEqual(self.deployment.ready["dashboard"].split("#")[1],
                            address.split("#")[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
