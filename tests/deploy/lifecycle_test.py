#!/usr/bin/env python3
"""What a daemon tells systemd, and what it does at SIGHUP and SIGTERM.

usage: lifecycle_test.py BIN_DIR [unittest arguments]
"""
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
import unittest

from parties import DEPLOY, Manager, Parties
from support.programs import BIN, run


class Lifecycle(unittest.TestCase):
    def setUp(self):
        self.parties = Parties()
        self.addCleanup(self.parties.stop)
        self.manager = Manager(self.parties.root)
        self.addCleanup(self.manager.close)

    def events(self, who, name):
        return [line for line in self.parties.log(who) if line["event"] == name]

    def port(self, message):
        return int(message["STATUS"].split()[-1])

    def reload(self, process):
        process.send_signal(signal.SIGHUP)
        reloading = self.manager.next()
        self.assertEqual(reloading["RELOADING"], "1")
        self.assertLess(abs(int(reloading["MONOTONIC_USEC"]) - time.monotonic_ns() // 1000), 60e6)
        self.assertEqual(self.manager.next()["READY"], "1")

    def served(self, port):
        return ssl.get_server_certificate(("127.0.0.1", port)).strip()

    def test_ready_when_calls_are_taken_stopping_when_told_to_end(self):
        for who in ("collector", "shuffler"):
            process, ready = self.parties.start(who, manager=self.manager)
            self.assertEqual(ready["READY"], "1")
            with open(self.parties.home(who) / f"{who}.pem", encoding="utf-8") as own:
                self.assertEqual(self.served(self.port(ready)), own.read().strip())
            process.send_signal(signal.SIGTERM)
            self.assertEqual(self.manager.next()["STOPPING"], "1")
            self.assertEqual(process.wait(timeout=60), 0)
            self.assertEqual(len(self.events(who, f"{who}_stopped")), 1)

    def test_an_abstract_socket_is_told_as_well(self):
        manager = Manager()
        self.addCleanup(manager.close)
        _, ready = self.parties.start("collector", manager=manager)
        self.assertEqual(ready["READY"], "1")

    def test_a_daemon_that_cannot_start_never_says_that_it_is_ready(self):
        os.chmod(self.parties.home("shuffler") / "shuffler.key", 0o644)
        done = subprocess.run([str(BIN / "tombola-shuffler"), "--config",
                               str(self.parties.config("shuffler"))], capture_output=True,
                              env={**os.environ, "NOTIFY_SOCKET": self.manager.name}, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 2)
        with self.assertRaises(BlockingIOError):
            self.manager.next(seconds=0)

    def test_sighup_takes_new_certificates_and_goes_on_with_the_old_ones_if_they_are_bad(self):
        for who in ("collector", "shuffler"):
            home = self.parties.home(who)
            process, ready = self.parties.start(who, manager=self.manager)
            port = self.port(ready)
            self.reload(process)
            self.assertEqual(self.events(who, "reloaded")[-1]["generation"], 1)
            run(DEPLOY / "certificates", "renew", self.parties.ca, who)
            for name in (f"{who}.key", f"{who}.pem"):
                shutil.copy(self.parties.ca / name, home / "fresh")
                os.replace(home / "fresh", home / name)
            self.reload(process)
            last = self.events(who, "reloaded")[-1]
            self.assertEqual(last["certificates"], "taken over")
            self.assertGreater(last["generation"], 1)
            new = (home / f"{who}.pem").read_text(encoding="utf-8").strip()
            self.assertEqual(self.served(port), new)
            os.chmod(home / f"{who}.key", 0o644)
            self.reload(process)
            self.assertEqual(self.events(who, "reloaded")[-1]["certificates"], "refused")
            self.assertIn("chmod", self.events(who, "certificate_refused")[-1]["status"])
            self.assertEqual(self.served(port), new)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            self.assertEqual(self.manager.next()["STOPPING"], "1")
            self.assertEqual(process.wait(timeout=60), 0)

    def test_a_revoked_certificate_is_refused_without_a_restart(self):
        home = self.parties.home("collector")
        process, ready = self.parties.start("collector", manager=self.manager)
        query = int(re.search(r"questions on port (\d+)", ready["STATUS"])[1])
        config = self.parties.root / "tombola.json"
        config.write_text(json.dumps({
            "collector_query": f"localhost:{query}", "roots": str(self.parties.ca / "ca.pem"),
            "shuffler": "localhost:1", "collector_ingest": "localhost:1",
            "shuffler_key": self.parties.public["shuffler"],
            "collector_key": self.parties.public["collector"],
            **{who: {"certificate": str(self.parties.ca / f"{who}.pem"),
                     "private_key": str(self.parties.ca / f"{who}.key")}
               for who in ("administrator", "analyst", "operator")}}), encoding="utf-8")

        def ask():
            done = subprocess.run([str(BIN / "tombola"), "keys", "list", "--config", str(config)],
                                  capture_output=True, text=True, timeout=60, check=False)
            return done.returncode, done.stderr

        self.assertEqual(ask(), (0, ""))
        run(DEPLOY / "certificates", "revoke", self.parties.ca, "analyst")
        shutil.copy(self.parties.ca / "revoked.pem", home / "fresh")
        os.replace(home / "fresh", home / "revoked.pem")
        code, said = ask()
        self.assertEqual(code, 1)
        self.assertIn("the certificate is revoked", said)
        self.assertEqual([event["certificates"] for event in
                          self.events("collector", "revocation_taken_over")], [1])
        # Whoever takes the list away lets nobody in.
        os.remove(home / "revoked.pem")
        self.assertEqual(ask()[0], 1)
        self.reload(process)
        self.assertEqual(self.events("collector", "reloaded")[-1]["revoked"], "refused")
        self.assertIn("revoked.pem", self.events("collector", "revocation_refused")[-1]["status"])
        run(DEPLOY / "certificates", "renew", self.parties.ca, "analyst")
        self.assertEqual(ask(), (0, ""))

    def test_sighup_says_which_settings_need_a_restart(self):
        process, _ = self.parties.start("shuffler", "--max-fakes", "5", manager=self.manager)
        self.reload(process)
        self.assertEqual(self.events("shuffler", "needs_restart"), [])
        self.parties.config("shuffler", max_calls=77, memory_limit_mib=9, max_fakes=6)
        self.reload(process)
        said = self.events("shuffler", "needs_restart")
        self.assertEqual(len(said), 1)
        # Not max-fakes: a flag overrides it.
        self.assertEqual(said[0]["keys"], "memory-limit-mib max-calls")
        config = self.parties.config("shuffler")
        with open(config, "a", encoding="utf-8") as file:
            file.write("bogus = 1\n")
        self.reload(process)
        self.assertIn("unknown key bogus", self.events("shuffler", "config_refused")[0]["cause"])

    def silent_peer(self, who, port):
        """A connection that has said hello as HTTP/2 wants it and never answers again."""
        context = ssl.create_default_context(cafile=self.parties.ca / "ca.pem")
        context.set_alpn_protocols(["h2"])
        peer = context.wrap_socket(socket.create_connection(("127.0.0.1", port)),
                                   server_hostname="localhost")
        self.addCleanup(peer.close)
        peer.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\4" + bytes(5))
        self.assertTrue(peer.recv(9), who)  # its settings: it takes calls
        return peer

    def test_an_idle_connection_does_not_delay_the_end(self):
        for who in ("collector", "shuffler"):
            process, ready = self.parties.start(who, manager=self.manager)
            self.silent_peer(who, self.port(ready))
            start = time.monotonic()
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=60), 0)
            if "TOMBOLA_SANITIZED" not in os.environ:  # whose runtime looks for leaks at the end
                self.assertLess(time.monotonic() - start, 4)  # it would be given five seconds
            self.assertEqual(self.manager.next()["STOPPING"], "1")


if __name__ == "__main__":
    unittest.main(verbosity=2)
