#!/usr/bin/env python3
"""The systemd units: verified, as hard as they claim, and their command lines start the daemons.

usage: units_test.py BIN_DIR [unittest arguments]
"""
import configparser
import os
import pathlib
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest

from parties import DEPLOY, Manager, Parties
from support.programs import BIN, run

UNITS = DEPLOY / "systemd"
PARTIES = ("shuffler", "collector")
# In tenths, as systemd-analyze counts; today both have 14.
MOST_EXPOSURE = 20
ROOT = os.geteuid() == 0


def unit(party):
    """The unit as {(section, key): last value}; a key may come more than once."""
    parser = configparser.RawConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(UNITS / f"tombola-{party}.service")
    return {(section, key): value for section in parser.sections()
            for key, value in parser[section].items()}


def here(command, party, parties):
    """A command line of a unit with this test's places in it."""
    return [word.replace("/usr/bin/", f"{parties.root}/bin/")
                .replace(f"/etc/tombola/{party}.toml", str(parties.config(party)))
            for word in command.split()]


class Units(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tombola-units-"))
        self.addCleanup(shutil.rmtree, self.home)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_systemd_has_nothing_to_say_about_them(self):
        for party in PARTIES:
            text = (UNITS / f"tombola-{party}.service").read_text(encoding="utf-8")
            path = self.home / f"tombola-{party}.service"
            path.write_text(text.replace("/usr/bin/tombola-", f"{BIN.resolve()}/tombola-"),
                            encoding="utf-8")
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(path)],
                                  capture_output=True, text=True, timeout=60, check=False)
            said = [line for line in done.stderr.splitlines() if path.name in line]
            self.assertEqual((done.returncode, said), (0, []), done.stderr)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_they_expose_little(self):
        for party in PARTIES:
            run("systemd-analyze", "security", "--no-pager", "--offline=true",
                f"--threshold={MOST_EXPOSURE}", UNITS / f"tombola-{party}.service")

    def test_what_must_be_in_them(self):
        for party in PARTIES:
            found = unit(party)
            for key, value in {"Type": "notify", "User": f"tombola-{party}",
                               "StateDirectory": f"tombola-{party}", "ProtectSystem": "strict",
                               "NoNewPrivileges": "yes", "PrivateTmp": "yes",
                               "PrivateDevices": "yes", "CapabilityBoundingSet": "",
                               "Restart": "on-failure", "UMask": "0077",
                               "ExecReload": "/bin/kill -HUP $MAINPID"}.items():
                self.assertEqual(found["Service", key], value)
            for key in ("MemoryMax", "TasksMax", "LimitNOFILE", "SystemCallFilter"):
                self.assertTrue(found["Service", key])

    @unittest.skipUnless(ROOT and shutil.which("systemd-sysusers"), "needs root and systemd")
    def test_users_and_directories_are_made_as_the_daemons_want_them(self):
        for party in PARTIES:
            (self.home / "etc").mkdir(exist_ok=True)
            run("systemd-sysusers", f"--root={self.home}", UNITS / f"tombola-{party}.sysusers")
            keys = self.home / "etc/tombola" / party
            keys.mkdir(parents=True)
            (keys / f"{party}.key").touch(0o644)
            run("systemd-tmpfiles", f"--root={self.home}", "--create",
                UNITS / f"tombola-{party}.tmpfiles")
            lines = (self.home / "etc/passwd").read_text(encoding="utf-8").splitlines()
            users = {line.split(":")[0]: line.split(":") for line in lines}
            user = users[f"tombola-{party}"]
            self.assertEqual(user[5], f"/var/lib/tombola-{party}")
            self.assertTrue(user[6].endswith("nologin"))
            info, directory = os.stat(keys / f"{party}.key"), os.stat(keys)
            self.assertEqual((info.st_uid, stat.S_IMODE(info.st_mode)), (int(user[2]), 0o600))
            self.assertEqual((directory.st_uid, directory.st_gid, stat.S_IMODE(directory.st_mode)),
                             (0, int(user[3]), 0o750))

    def test_their_command_lines_start_reload_and_stop_the_daemons(self):
        parties = Parties()
        self.addCleanup(parties.stop)
        manager = Manager(parties.root)
        self.addCleanup(manager.close)
        (parties.root / "bin").mkdir()
        other = pwd.getpwnam("nobody") if ROOT else None
        for party in PARTIES:
            shutil.copy(BIN / f"tombola-{party}", parties.root / "bin")
            state = parties.root / f"data-{party}"
            state.mkdir(mode=0o700)
            keys = [parties.home(party) / f"{party}.{kind}" for kind in ("key", "seed")]
            command = here(unit(party)["Service", "ExecStart"], party, parties)
            if other:  # as a user of its own, like the units: only state and keys are its
                parties.root.chmod(0o711)
                os.chmod(manager.name, 0o777)
                for path in (state, *keys):
                    os.chown(path, other.pw_uid, other.pw_gid)
                parties.config(party).chmod(0o644)
                command = ["setpriv", f"--reuid={other.pw_uid}", f"--regid={other.pw_gid}",
                           "--clear-groups", "--no-new-privs", "--bounding-set=-all", *command]
            process, ready = parties.start(party, command=command, manager=manager)
            self.assertEqual(ready["READY"], "1")
            for path in state.rglob("*"):
                self.assertFalse(os.lstat(path).st_mode & 0o077, path)
            words = unit(party)["Service", "ExecReload"].replace("$MAINPID", str(process.pid))
            run(*words.split())
            self.assertEqual(manager.next()["RELOADING"], "1")
            self.assertEqual(manager.next()["READY"], "1")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(manager.next()["STOPPING"], "1")
            self.assertEqual(process.wait(timeout=60), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
