#!/usr/bin/env python3
"""Keys, certificates and their files, over real processes.

usage: keys_e2e_test.py BIN_DIR [unittest arguments]
"""
import os
import pathlib
import shutil
import ssl
import subprocess
import tempfile
import unittest

from support.daemons import Daemons
from support.deployment import Deployment
from support.programs import BIN
from support.waiting import until


class KeysEndToEnd(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="tombola-keys-")
        self.assertEqual(Deployment(BIN, self.directory).stop(), 0)  # makes keys and certificates
        for party in ("collector", "shuffler"):  # whose first key has the usual times
            shutil.rmtree(pathlib.Path(self.directory) / party)
        self.daemons = None

    def tearDown(self):
        if self.daemons:
            self.daemons.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def states(self):
        return [key["state"] for key in self.daemons.ask("keys", "list")["keys"]]

    def create(self, users):
        return self.daemons.ask("task", "create", "--name", "t", "--domain", "4", "--epsilon", "8",
                                "--delta", "1e-6", "--users", str(users), "--min-batch",
                                str(users))["task"]

    def test_keys_rotate_by_themselves_and_what_is_left_under_an_old_one_expires(self):
        self.daemons = Daemons(BIN, self.directory, "--key-lifetime", "10s", "--key-announce", "4s",
                               "--key-window", "6s", "--key-delivery", "3s")
        task = self.create(100)
        self.daemons.ask("report", "--task", task, "--input", "-", stdin="1\n" * 40)
        held = self.daemons.status(task)["held"]
        self.assertEqual(sum(h["waiting"] for h in held), 40)
        first = held[0]["key"]
        seen = set()

        def destroyed():
            keys = self.daemons.ask("keys", "list")["keys"]
            self.assertEqual([k["state"] for k in keys].count("active"), 1, keys)
            state = [k["state"] for k in keys if k["key"] == first][0]
            seen.add(state)
            return state == "destroyed"
        until(destroyed, seconds=90)
        self.assertIn("retired", seen)
        status = self.daemons.wait_for(task, lambda s: s["expired"] == 40)
        self.assertEqual((status["accepted"], status["forwarded"], status["reports"]), (40, 0, 0))
        keys = pathlib.Path(self.directory) / "collector/keys"
        self.assertFalse((keys / f"{first}.key").exists())
        # And devices go on under the present key.
        self.daemons.ask("report", "--task", task, "--value", "1")

    def test_rotate_later_and_destroy_by_the_command_line(self):
        self.daemons = Daemons(BIN, self.directory)
        first = self.daemons.ask("keys", "list")["keys"][0]["key"]
        keys = self.daemons.ask("keys", "rotate", "--in", "3s")["keys"]
        self.assertEqual([k["state"] for k in keys], ["active", "pending"])
        until(lambda: self.states() == ["retired", "active"])
        code, _, err = self.daemons.run("keys", "destroy", "--key", keys[1]["key"])
        self.assertEqual(code, 1)
        self.assertIn("rotate first", err)
        keys = self.daemons.ask("keys", "destroy", "--key", first)["keys"]
        self.assertEqual([k["state"] for k in keys], ["destroyed", "active"])
        self.assertIsNone(keys[0]["public_key"])
        code, out, _ = self.daemons.run("keys", "list")
        self.assertEqual(code, 0)
        self.assertRegex(out.splitlines()[0], f"^{first}  destroyed  .* destroyed ")
        for words, says in ((("rotate", "--at", "yesterday"), "--at"),
                            (("rotate", "--at", "2001-01-01T00:00:00Z"), "future"),
                            (("rotate", "--in", "0s"), "--in"),
                            (("rotate", "--in", "1s", "--at", "2101-01-01T00:00:00Z"), "--in"),
                            (("rotate", "--at", "2101-01-01T00:00:00Z"), "present key's end"),
                            (("destroy", "--key", "xyz"), "--key"),
                            (("destroy", "--key", "00" * 8), "--key names no key")):
            code, out, err = self.daemons.run("keys", *words)
            self.assertEqual((code, out), (2, ""), f"{words}: {err}")
            self.assertIn(says, err)

    def server_certificate(self, address):
        host, port = address.split(":")
        return ssl.get_server_certificate((host, int(port))).strip()

    def test_certificates_change_without_a_restart(self):
        self.daemons = Daemons(BIN, self.directory)
        task = self.create(100)
        certificates = pathlib.Path(self.directory) / "certificates"
        old = {name: (certificates / name).read_bytes() for name in os.listdir(certificates)}
        address = self.daemons.addresses["shuffler"]
        self.assertEqual(self.server_certificate(address), old["shuffler.pem"].decode().strip())
        # A whole new authority, as another deployment makes one, goes over the old one's files. In
        # between, pairs do not fit: the old ones stay in service.
        with tempfile.TemporaryDirectory(prefix="tombola-other-") as other:
            self.assertEqual(Deployment(BIN, other).stop(), 0)
            for name in sorted(old):
                fresh = certificates / (name + ".fresh")
                shutil.copy(pathlib.Path(other) / "certificates" / name, fresh)
                os.replace(fresh, certificates / name)
        new = (certificates / "shuffler.pem").read_text(encoding="utf-8").strip()
        until(lambda: self.server_certificate(address) == new)
        # Devices, people and the shuffler's own link to the collector all use the new ones.
        self.daemons.ask("report", "--task", task, "--input", "-", stdin="1\n" * 100)
        status = self.daemons.wait_for(task, lambda s: s["forwarded"] == 100)
        self.assertEqual(status["reports"], 100)
        # A key that others may read is not taken over, and counted.
        for name in ("shuffler.pem", "shuffler.key"):
            (certificates / name).write_bytes(old[name])
        os.chmod(certificates / "shuffler.key", 0o644)

        def counted():
            self.assertEqual(self.server_certificate(address), new)
            metrics = self.daemons.ask("status", "--metrics")["shuffler"]
            return "tombola_shuffler_certificates_refused_total" in metrics
        until(counted)

    def test_a_key_that_others_could_read_or_exchange_stops_the_start(self):
        self.daemons = Daemons(BIN, self.directory)
        collector = self.daemons.command("collector", "--listen-ingest", "127.0.0.1:0",
                                         "--listen-query", "127.0.0.1:0")
        shuffler = self.daemons.command("shuffler", "--listen", "127.0.0.1:0", "--collector",
                                        "127.0.0.1:1", "--collector-key",
                                        str(pathlib.Path(self.directory) / "keys/collector.pub"))
        self.daemons.stop()
        self.daemons = None
        root = pathlib.Path(self.directory)
        hpke = next((root / "collector/keys").glob("*.key"))
        for command, path, bad, good in (
                (collector, root / "certificates/collector.key", 0o640, 0o600),
                (collector, root / "keys/collector.seed", 0o604, 0o600),
                (collector, hpke, 0o644, 0o600),
                (collector, root / "collector/keys", 0o770, 0o700),
                (collector, root / "certificates", 0o777, 0o755),
                (shuffler, root / "certificates/shuffler.key", 0o640, 0o600),
                (shuffler, root / "keys/shuffler.seed", 0o604, 0o600),
                (shuffler, root / "keys", 0o775, 0o755)):
            os.chmod(path, bad)
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            os.chmod(path, good)
            self.assertEqual(done.returncode, 2, f"{path}: {done.stderr}")
            said = [line for line in done.stderr.splitlines() if not line.startswith("{")]
            self.assertEqual(len(said), 1, done.stderr)
            self.assertIn("chmod", said[0])
            self.assertIn(str(path), said[0])
        done = subprocess.run([*collector, "--key-lifetime", "soon"], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--key-lifetime", done.stderr)
        done = subprocess.run([*collector, "--key-announce", "9000h"], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--key-announce", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
