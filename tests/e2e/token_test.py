#!/usr/bin/env python3
"""`tombola token`: what it prints, what it writes, and what it refuses.

usage: token_test.py BIN_DIR [unittest arguments]
"""
import hashlib
import json
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import unittest

from support.programs import TOMBOLA


class Tokens(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tombola-tokens-"))
        self.addCleanup(shutil.rmtree, self.home)
        self.file = self.home / "tokens"

    def run_token(self, verb, *arguments):
        done = subprocess.run([TOMBOLA, "token", verb, "--tokens", str(self.file), *arguments],
                              capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def good(self, verb, *arguments):
        code, out, err = self.run_token(verb, *arguments)
        self.assertEqual((code, err), (0, ""), arguments)
        return out

    def refused(self, verb, *arguments):
        """One line that says what."""
        code, out, err = self.run_token(verb, *arguments)
        self.assertEqual((code, out, err.count("\n")), (2, "", 1), (arguments, err))
        return err

    def test_create_prints_the_token_and_writes_its_digest(self):
        token = self.good("create", "--role", "analyst", "--name", "Ada L.").strip()
        self.assertRegex(token, r"^[A-Za-z0-9_-]{43}$")
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o600)
        lines = self.file.read_text(encoding="utf-8").splitlines()
        digest = hashlib.sha256(token.encode()).hexdigest()
        self.assertEqual(lines[1:], [f"analyst {digest} Ada L."])
        made = json.loads(self.good("create", "--role", "monitor", "--name", "bob", "--json"))
        self.assertEqual((made["name"], made["role"]), ("bob", "monitor"))
        self.assertNotIn(made["token"], self.file.read_text(encoding="utf-8"))
        self.assertNotEqual(made["token"], token)

    def test_list_and_revoke(self):
        for role in ("analyst", "administrator", "operator", "monitor"):
            self.good("create", "--role", role, "--name", f"the {role}")
        listed = json.loads(self.good("list", "--json"))["tokens"]
        self.assertEqual([entry["role"] for entry in listed],
                         ["analyst", "administrator", "operator", "monitor"])
        self.assertIn("operator       the operator\n", self.good("list"))
        self.assertEqual(self.good("revoke", "--name", "the operator"), "")
        self.assertEqual(json.loads(self.good("revoke", "--name", "the monitor", "--json")),
                         {"revoked": "the monitor"})
        listed = json.loads(self.good("list", "--json"))["tokens"]
        self.assertEqual([entry["name"] for entry in listed], ["the analyst", "the administrator"])

    def test_a_token_may_expire_and_be_for_some_tasks(self):
        one, two = "1" * 64, "2" * 64
        made = json.loads(self.good("create", "--role", "analyst", "--name", "ada", "--expires",
                                    "2999-12-31", "--tasks", f"{one},{two}", "--json"))
        self.assertEqual((made["expires"], made["tasks"]), ("2999-12-31T00:00:00Z", [one, two]))
        self.assertIn(f" expires=2999-12-31T00:00:00Z tasks={one},{two} ada\n",
                      self.file.read_text(encoding="utf-8"))
        self.good("create", "--role", "monitor", "--name", "bob", "--expires", "30d")
        self.good("create", "--role", "monitor", "--name", "eve", "--expires",
                  "2999-01-01T08:00:00+02:00")
        listed = json.loads(self.good("list", "--json"))["tokens"]
        self.assertEqual([entry["tasks"] for entry in listed], [[one, two], None, None])
        self.assertEqual(listed[2]["expires"], "2999-01-01T06:00:00Z")
        text = self.file.read_text(encoding="utf-8")
        digest = "0" * 64
        self.file.write_text(text + f"monitor {digest} expires=2001-01-01T00:00:00Z old\n",
                             encoding="utf-8")
        shown = self.good("list")
        self.assertIn(f"ada, expires 2999-12-31T00:00:00Z\n               task {one}\n", shown)
        self.assertIn("old, expired 2001-01-01T00:00:00Z\n", shown)
        for expires in ("soon", "2999-13-01", "-5d", "2001-01-01", "0s"):
            self.assertIn("--expires must be", self.refused("create", "--role", "analyst", "--name",
                                                            "x", f"--expires={expires}"))
        self.assertIn("each task must be an id", self.refused(
            "create", "--role", "analyst", "--name", "x", "--tasks", one[1:]))
        self.assertIn("only the role analyst", self.refused(
            "create", "--role", "administrator", "--name", "x", "--tasks", one))

    def test_bad_input_is_refused_in_one_line_and_changes_nothing(self):
        self.assertIn("the role must be", self.refused("create", "--role", "device", "--name", "x"))
        self.assertIn("the name must be",
                      self.refused("create", "--role", "analyst", "--name", "a\nb"))
        self.refused("create", "--role", "analyst")
        self.refused("list", "--nonsense")
        self.refused("list")  # there is no file
        self.assertFalse(self.file.exists())
        self.good("create", "--role", "analyst", "--name", "ada")
        before = self.file.read_bytes()
        self.assertIn("already", self.refused("create", "--role", "monitor", "--name", "ada"))
        self.assertIn("no token with the name bob", self.refused("revoke", "--name", "bob"))
        self.assertEqual(self.file.read_bytes(), before)
        self.file.write_bytes(before + b"nonsense\n")
        self.assertIn("line 3: ", self.refused("list"))

    def test_a_file_that_others_may_read_is_not_used(self):
        self.good("create", "--role", "analyst", "--name", "ada")
        self.file.chmod(0o640)
        code, _, err = self.run_token("list")
        self.assertEqual(code, 1)
        self.assertIn("chmod", err)


if __name__ == "__main__":
    unittest.main()
