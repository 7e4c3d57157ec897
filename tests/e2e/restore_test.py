#!/usr/bin/env python3
"""A collector that is lost and brought back from a copy, over real processes.

usage: restore_test.py BIN_DIR [unittest arguments]
"""
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import unittest

from support.daemons import Daemons
from support.deployment import Deployment
from support.programs import BIN
from support.waiting import until

VALUES = ("red", "green", "blue")
SECONDS = 120


def collector(*arguments):
    return subprocess.run([str(BIN / "tombola-collector"), *map(str, arguments)],
                          capture_output=True, text=True, timeout=SECONDS, check=False)


class Load(threading.Thread):
    """Whole batches of one value, one after the other, until it is told to end."""

    def __init__(self, daemons, task):
        super().__init__()
        self.daemons, self.task, self.batches, self.ending = daemons, task, 0, threading.Event()

    def run(self):
        while not self.ending.is_set():
            self.daemons.ask("report", "--task", self.task, "--input", "-", stdin="red\n" * 4)
            self.batches += 1

    def end(self):
        self.ending.set()
        self.join()
        return self.batches


class RestoreEndToEnd(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="tombola-restore-"))
        self.assertEqual(Deployment(BIN, self.directory).stop(), 0)  # makes keys and certificates
        self.copy = self.directory / "copy"
        self.data = self.directory / "collector"
        self.daemons = Daemons(BIN, self.directory)

    def tearDown(self):
        self.daemons.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def create(self, name):
        """Four devices a batch, and an epsilon with which every answer is exact."""
        path = self.directory / "values"
        path.write_text("".join(value + "\n" for value in VALUES), encoding="utf-8")
        return self.daemons.ask("task", "create", "--name", name, "--values", str(path),
                                "--mechanism", "grr", "--epsilon", "40", "--delta", "1e-9",
                                "--users", "4", "--min-batch", "4")["task"]

    def report(self, task, values):
        outcome = self.daemons.ask("report", "--task", task, "--input", "-",
                                   stdin="".join(value + "\n" for value in values))
        self.assertEqual(outcome["accepted"], len(values))

    def answer(self, task):
        code, _, err = self.daemons.run("query", "--task", task, "--postprocess", "none")
        if code != 0:
            return {"counts": {}, "err": err}
        answer = self.daemons.ask("query", "--task", task, "--postprocess", "none")
        answer["counts"] = {row["value"]: round(row["raw"] * answer["reports"])
                            for row in answer["bins"]}
        return answer

    def counted(self, task, red, green, blue):
        want = {"red": red, "green": green, "blue": blue}
        return until(lambda: (a := self.answer(task))["counts"] == want and a, want, SECONDS)

    def backup(self):
        done = collector("--data-dir", self.data, "--backup", self.copy)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("backed up", done.stdout)

    def restore(self):
        """The collector's disk is gone, and comes back out of the copy."""
        self.daemons.kill_collector()
        shutil.rmtree(self.data)
        done = collector("--data-dir", self.data, "--restore", self.copy)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.daemons.start_collector()

    def logged(self, party):
        return (self.directory / f"{party}.log").read_text(encoding="utf-8")

    def test_what_is_lost_is_what_was_counted_since_and_nothing_counts_twice(self):
        task = self.create("restored")
        self.report(task, ["green"] * 4)
        self.counted(task, 0, 4, 0)
        load = Load(self.daemons, task)
        load.start()
        until(lambda: load.batches >= 2, "no load", SECONDS)
        self.backup()
        load.end()
        # As many as the copy says, each of four reds but for the first.
        with sqlite3.connect(f"file:{self.copy}/batches.db?mode=ro&immutable=1", uri=True) as copy:
            copied = copy.execute("SELECT COUNT(*) FROM batches").fetchone()[0] - 1
        self.counted(task, 4 * load.batches, 4, 0)
        # Counted after the copy, and erased at the shuffler: lost.
        self.report(task, ["blue"] * 4)
        self.counted(task, 4 * load.batches, 4, 4)
        self.assertNotIn("restored", [w["kind"] for w in self.answer(task)["quality"]["warnings"]])
        # On its way when the collector dies, and held: both come through.
        self.daemons.kill_collector()
        self.report(task, ["blue", "blue", "green", "green"])
        outbox = self.directory / "shuffler/store/outbox"
        until(lambda: list(outbox.glob("[0-9a-f]*/batch")), "no batch", SECONDS)
        self.report(task, ["red", "blue"])
        self.restore()
        answer = self.counted(task, 4 * copied, 4 + 2, 2)
        self.assertIn("restored", [w["kind"] for w in answer["quality"]["warnings"]])
        self.report(task, ["blue", "green"])
        self.counted(task, 4 * copied + 1, 4 + 2 + 1, 2 + 2)
        until(lambda: self.daemons.status(task)["restores"], "the shuffler was not told", SECONDS)
        status = self.daemons.status(task)
        self.assertEqual(len(status["restores"]), 1, status)
        self.assertEqual(status["waiting_delivery"], 0)
        self.assertIn('"collector_restored"', self.logged("shuffler"))
        self.assertIn('"restored_from_copy"', self.logged("collector"))
        # A restart changes nothing of that.
        self.daemons.kill_collector()
        self.daemons.start_collector()
        self.counted(task, 4 * copied + 1, 4 + 2 + 1, 2 + 2)
        self.assertEqual(self.logged("shuffler").count('"collector_restored"'), 1)

    def test_keys_and_tasks_made_since_are_gone_and_the_others_go_on(self):
        task = self.create("kept")
        device = ["--ledger", str(self.directory / "device")]
        self.daemons.ask("report", "--task", task, "--value", "green", *device)
        self.backup()
        # A key and a task that no copy has, and a submission to each.
        self.daemons.ask("keys", "rotate")
        later = self.create("later")
        until(lambda: len({key["key"] for key in self.daemons.ask("keys", "list")["keys"]}) == 2,
              "the shuffler does not have the new key")

        def held_under_both():
            self.report(task, ["blue"])
            return len(self.daemons.status(task)["held"]) == 2
        until(held_under_both, "nothing was sealed to the new key", SECONDS)
        self.report(later, ["blue"])
        before = self.daemons.status(task)
        lost = before["held"][-1]["waiting"] if before["held"] else 0
        self.assertGreater(lost, 0)
        self.restore()
        until(lambda: '"collector_restored"' in self.logged("shuffler"),
              "the shuffler did not hear of it")
        # What is sealed to the lost key expires, what is sealed to the other stays.
        status = self.daemons.wait_for(task, lambda s: s["expired"] > 0)
        self.assertEqual(status["expired"] + status["waiting"], before["waiting"])
        self.assertEqual(len(status["held"]), 1)
        code, _, err = self.daemons.run("report", "--task", later, "--value", "blue")
        self.assertNotEqual(code, 0)
        self.assertIn("task", err)
        # Devices, also one with a ledger, take the new list, and the task goes on.
        serial = self.daemons.ask("keys", "list")["serial"]
        self.assertGreater(serial, 2 ** 40)
        while self.daemons.status(task)["counted_batches"] == 0:
            self.report(task, ["red"])

    def test_a_changed_bit_in_a_log_is_said_and_nothing_is_lost_in_silence(self):
        task = self.create("kept")
        for _ in range(3):
            self.report(task, ["green"] * 4)
        self.counted(task, 0, 12, 0)
        self.daemons.kill_collector()
        for name in ("keys/keys.db", "catalog.db", "batches.db"):  # the last one is opened last
            log = self.data / f"{name}-wal"
            whole = log.read_bytes()
            changed = bytearray(whole)
            changed[32 + 24 + 2000] ^= 1  # in the first page of the log
            log.write_bytes(changed)
            with self.assertRaises(RuntimeError):
                self.daemons.start_collector()
            self.assertIn(f"{name}-wal is damaged", self.logged("collector"))
            self.assertEqual(log.read_bytes(), changed, "it was left for who can mend it")
            log.write_bytes(whole)
        self.daemons.start_collector()
        self.counted(task, 0, 12, 0)

    def test_a_copy_is_never_overwritten_and_a_restore_replaces_nothing(self):
        self.create("one")
        self.backup()
        again = collector("--data-dir", self.data, "--backup", self.copy)
        self.assertEqual(again.returncode, 2)
        self.assertIn("is there already", again.stderr)
        over = collector("--data-dir", self.data, "--restore", self.copy)
        self.assertEqual(over.returncode, 2)
        self.assertIn("must be empty", over.stderr)
        (self.copy / "backup").unlink()
        half = collector("--data-dir", self.directory / "new", "--restore", self.copy)
        self.assertEqual(half.returncode, 2)
        self.assertIn("never finished", half.stderr)
        self.assertFalse((self.directory / "new").exists())


if __name__ == "__main__":
    unittest.main()
