#!/usr/bin/env python3
"""What flags refuse, with exit code 2 and a message that names the flag: whole numbers, of all
commands and daemons as their --help lists them, what is none; flags with a default an empty text.

usage: flag_values_test.py BIN_DIR [unittest arguments]
"""
import os
import re
import subprocess
import tempfile
import unittest

from support.programs import BIN

WRONG = ("2.5", "2.0", "-1", "+1", "1e3", "1x", "0x10", "010", " 1", "", "99999999999999999999")
# A command that could do harm never gets so far: flags are read before any is needed.
FLAG = re.compile(r"^\s+(?:-\w,)?(--[\w-]+) U?INT\b", re.MULTILINE)


def run(command, *arguments):
    return subprocess.run([str(BIN / command[0]), *command[1:], *arguments], capture_output=True,
                          text=True, timeout=60, check=False)


def commands(command=("tombola",)):
    """The command and all below it, with their help."""
    text = run(command, "--help").stdout
    yield command, text
    if "Subcommands:" in text:
        for line in text.split("Subcommands:\n")[1].splitlines():
            name = re.match(r"  (\w\S*)", line)
            if name:
                yield from commands((*command, name[1]))


class WholeNumbers(unittest.TestCase):
    def check(self, command, text, least):
        flags = FLAG.findall(text)
        self.assertGreaterEqual(len(flags), least, (command, text))
        for flag in flags:
            for value in WRONG:
                done = run(command, f"{flag}={value}")
                self.assertEqual(done.returncode, 2, (command, flag, value, done.stderr))
                self.assertIn(flag, done.stderr, (command, value))
                self.assertNotIn("is required", done.stderr, (command, flag, value))
        return len(flags)

    def test_of_all_commands(self):
        # `task supersede` has the flags of `task create`, by the same code.
        found = {command: self.check(command, text, 0) for command, text in commands()
                 if command[-1] != "supersede"}
        for command in ("account", "audit", "plan", "simulate", "query", "report", "up", "demo"):
            self.assertGreater(found["tombola", command], 0, command)
        self.assertEqual(found["tombola", "account"], 8)
        self.assertEqual(found["tombola", "task", "create"], 19)

    def test_of_the_daemons(self):
        for daemon in ("tombola-shuffler", "tombola-collector"):
            self.check((daemon,), run((daemon,), "--help").stdout, 3)


class EmptyTexts(unittest.TestCase):
    """As from an unset variable of a script: never taken for a flag that was not given."""

    def check(self, command, flag):
        done = run(command, flag, "")
        self.assertEqual((done.returncode, done.stdout), (2, ""), (command, flag, done.stderr))
        self.assertIn(f"{flag}: must not be empty", done.stderr, command)

    def test_of_the_commands(self):
        for flag in ("--interval", "--retry-window", "--lifetime", "--key-list-age", "--mechanism"):
            self.check(("tombola", "task", "create"), flag)
        self.check(("tombola", "token", "create"), "--expires")
        self.check(("tombola", "report"), "--token")

    def test_of_the_collector(self):
        for flag in ("--backup", "--restore"):
            self.check(("tombola-collector",), flag)


class Contradictions(unittest.TestCase):
    def test_a_check_of_the_configuration_makes_no_backup(self):
        with tempfile.TemporaryDirectory(prefix="tombola-flags-") as home:
            needed = ["--data-dir", f"{home}/data"]
            for flag in ("--cert", "--key", "--roots", "--signing-key"):
                needed += [flag, f"{home}/none"]
            for flag in ("--backup", "--restore"):
                done = run(("tombola-collector",), "--check-config", flag, f"{home}/copy", *needed)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn("go without --check-config", done.stderr)
                self.assertEqual(os.listdir(home), [])


class TaskFiles(unittest.TestCase):
    def test_up_makes_nothing_for_a_file_that_it_refuses(self):
        with tempfile.TemporaryDirectory(prefix="tombola-flags-") as home:
            for text in ("{", '{"colour": "red"}', '{"name": "neither values nor a domain"}'):
                with open(f"{home}/task.json", "w", encoding="utf-8") as file:
                    file.write(text)
                done = run(("tombola", "up"), "--dir", f"{home}/up", "--task", f"{home}/task.json")
                self.assertEqual((done.returncode, done.stdout), (2, ""), (text, done.stderr))
                self.assertEqual(os.listdir(home), ["task.json"], text)
            done = run(("tombola", "up"), "--dir", f"{home}/up", "--task", f"{home}/none")
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertEqual(os.listdir(home), ["task.json"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
