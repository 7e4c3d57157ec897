#!/usr/bin/env python3
"""Configuration files of both daemons: read, overridden, printed, checked, refused.

usage: config_test.py BIN_DIR [unittest arguments]
"""
import os
import re
import subprocess
import unittest

from parties import DEPLOY, Parties
from support.programs import BIN, run


def settings(text):
    """key -> (value, origin) of what --print-config prints."""
    found = re.findall(r"^([a-z-]+) = (.*)  # (default|file|flag)$", text, re.M)
    return {key: (value, origin) for key, value, origin in found}


class Config(unittest.TestCase):
    def setUp(self):
        self.parties = Parties()
        self.addCleanup(self.parties.stop)

    def daemon(self, who, *flags):
        """(exit code, standard output, lines of standard error that are no log)."""
        done = subprocess.run([str(BIN / f"tombola-{who}"), *map(str, flags)], capture_output=True,
                              text=True, timeout=60, check=False)
        said = [line for line in done.stderr.splitlines() if not line.startswith("{")]
        return done.returncode, done.stdout, said

    def test_what_is_printed_is_the_same_when_read_back(self):
        for who in ("shuffler", "collector"):
            config = self.parties.config(who)
            printed = run(BIN / f"tombola-{who}", "--config", config, "--print-config")
            again = self.parties.root / "again.toml"
            again.write_text(printed, encoding="utf-8")
            self.assertEqual(run(BIN / f"tombola-{who}", "--config", again, "--print-config"),
                             printed)

    def test_the_sample_has_every_key_and_the_true_defaults(self):
        places = {"shuffler": ("--listen", "--collector", "--collector-key"),
                  "collector": ("--listen-ingest", "--listen-query")}
        for who, further in places.items():
            needed = ("--data-dir", "--cert", "--key", "--roots", "--signing-key", *further)
            flags = [word for flag in needed for word in (flag, "a:1")]
            defaults = settings(run(BIN / f"tombola-{who}", *flags, "--print-config"))
            sample = settings(run(BIN / f"tombola-{who}", "--config",
                                  DEPLOY / "config" / f"{who}.toml", "--print-config"))
            self.assertEqual(sample.keys(), defaults.keys())
            for key, (value, origin) in sample.items():
                self.assertEqual(origin, "file", f"{key} is missing in the sample of {who}")
                default, by = defaults[key]
                if by == "default" and not key.startswith("key-") and key != "revoked":
                    self.assertEqual(value, default, key)
            # And every flag that is no key is one of these.
            named = set(re.findall(r"^  (?:-h,)?--([a-z-]+)", run(BIN / f"tombola-{who}", "--help"),
                                   re.M))
            instead = {"backup", "restore"} if who == "collector" else set()
            self.assertEqual(named - sample.keys(),
                             {"help", "version", "config", "print-config", "check-config",
                              "ready-fd"} | instead)
            self.assertLessEqual(sample.keys(), named)
        # Durations may be written in several ways: 365d is 8760h.
        sample = settings(run(BIN / "tombola-collector", "--config",
                              DEPLOY / "config/collector.toml", "--print-config"))
        hours = {key: int(re.fullmatch(r'"(\d+)d"', value)[1]) * 24
                 for key, (value, _) in sample.items() if key.startswith("key-")}
        flags = [word for flag in ("--data-dir", "--cert", "--key", "--roots", "--signing-key",
                                   "--listen-ingest", "--listen-query") for word in (flag, "a:1")]
        defaults = settings(run(BIN / "tombola-collector", *flags, "--print-config"))
        for key, value in hours.items():
            self.assertEqual(defaults[key][0], f'"{value}h"', key)

    def test_a_flag_overrides_the_file(self):
        config = self.parties.config("shuffler", max_calls=7)
        printed = settings(run(BIN / "tombola-shuffler", "--config", config, "--print-config",
                               "--max-calls", "9", "--plain-text-on-loopback"))
        self.assertEqual(printed["max-calls"], ("9", "flag"))
        self.assertEqual(printed["max-fakes"], ("1000000", "file"))
        self.assertEqual(printed["plain-text-on-loopback"], ("true", "flag"))

    def test_refuses_what_is_not_known_or_not_right_in_one_line(self):
        config = self.parties.config("collector")
        good = config.read_text(encoding="utf-8")
        line = good.count("\n") + 1
        for addition, says in (("max-delivery = 3\n", f"{config}:{line}: unknown key max-delivery"),
                               ("ready-fd = 3\n", f"{config}:{line}: unknown key ready-fd"),
                               ("[limits]\n", "no sections"),
                               ("open-threads = 3\n", f"{config}:{line}: "),  # twice
                               ("what is this\n", f"{config}:{line}: ")):
            config.write_text(good + addition, encoding="utf-8")
            code, out, said = self.daemon("collector", "--config", config)
            self.assertEqual((code, out, len(said)), (2, "", 1), addition)
            self.assertIn(says, said[0])
        for changes, says in (({"max_deliveries": 0}, "max-deliveries"),
                              ({"max_deliveries": "4"}, "max-deliveries must be a whole number"),
                              ({"key_lifetime": "soon"}, "key-lifetime: must be a duration"),
                              ({"key_lifetime": 3}, "key-lifetime must be a text")):
            code, out, said = self.daemon("collector", "--config",
                                          self.parties.config("collector", **changes))
            self.assertEqual((code, out, len(said)), (2, "", 1), changes)
            self.assertRegex(said[0], f"^tombola-collector: {config}:[0-9]+: {says}")
        code, _, said = self.daemon("collector", "--config", "/nowhere.toml")
        self.assertEqual((code, len(said)), (2, 1))
        self.assertIn("/nowhere.toml", said[0])

    def test_check_config_says_ok_and_starts_nothing(self):
        for who in ("shuffler", "collector"):
            config = self.parties.config(who)
            self.assertEqual(self.daemon(who, "--config", config, "--check-config"),
                             (0, "OK\n", []))
            self.assertFalse((self.parties.root / f"data-{who}").exists())

    def test_check_config_names_the_problem(self):
        home = {who: self.parties.home(who) for who in ("shuffler", "collector")}

        def refused(who, says, *flags, **changes):
            config = self.parties.config(who, **changes)
            code, out, said = self.daemon(who, "--config", config, "--check-config", *flags)
            self.assertEqual((code, out, len(said)), (2, "", 1), f"{says}: {said}")
            self.assertIn(says, said[0])
        refused("shuffler", "nonsense is not host:port", "--listen", "nonsense")
        refused("shuffler", "the port must be", listen="127.0.0.1:70000")
        refused("shuffler", "needs a port", collector="c:0")
        refused("shuffler", "loopback", "--plain-text-on-loopback", listen="[::]:7001")
        refused("shuffler", "--max-held-reports-per-task", max_held_reports=5)
        refused("shuffler", "does not name the role shuffler", "--cert",
                self.parties.ca / "operator.pem", "--key", self.parties.ca / "operator.key")
        refused("shuffler", "64 hexadecimal digits", "--collector-key", home["shuffler"] / "ca.pem")
        refused("collector", "--key-announce", key_announce="400d")
        refused("collector", "absent.pem", "--cert", home["collector"] / "absent.pem")
        refused("collector", "is not a directory", "--data-dir", home["collector"] / "ca.pem" / "x")
        refused("collector", "not that of the private key", "--cert",
                home["shuffler"] / "shuffler.pem")
        refused("collector", "collector.pub", "--roots", home["shuffler"] / "collector.pub")
        for who in ("collector", "shuffler"):
            refused(who, "--revoked: ", "--revoked", home[who] / "absent.pem")
            refused(who, "must hold whole revocation lists", "--revoked", home[who] / "ca.pem")
            run(DEPLOY / "certificates", "ca", self.parties.root / f"other-{who}")
            refused(who, "has signed", revoked=str(self.parties.root / f"other-{who}/revoked.pem"))
            config = self.parties.config(who, revoked=str(self.parties.ca / "revoked.pem"))
            self.assertEqual(self.daemon(who, "--config", config, "--check-config"),
                             (0, "OK\n", []))
        for who, name in (("collector", "collector.key"), ("shuffler", "shuffler.seed")):
            path = home[who] / name
            os.chmod(path, 0o640)
            refused(who, "chmod")
            os.chmod(path, 0o600)
        os.chmod(home["collector"], 0o777)
        refused("collector", "chmod")
        os.chmod(home["collector"], 0o755)
        (home["collector"] / "collector.seed").write_bytes(b"short")
        refused("collector", "collector.seed")


if __name__ == "__main__":
    unittest.main(verbosity=2)
