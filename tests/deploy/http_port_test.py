#!/usr/bin/env python3
"""The shuffler's HTTP port: who may read what, when it is ready, and what a reload changes.

usage: http_port_test.py BIN_DIR [unittest arguments]
"""
import signal
import socket
import subprocess
import unittest

import grpc
from support.programs import BIN
from support.waiting import until
from watched import Watched


class HttpPort(unittest.TestCase):
    def setUp(self):
        self.watched = Watched()
        self.addCleanup(self.watched.stop)

    def status(self, path, **who):
        return self.watched.get("shuffler", path, **who)[0]

    def test_metrics_are_for_monitors_and_operators_the_rest_for_everybody(self):
        self.watched.launch("shuffler")
        analyst = self.watched.add_token("shuffler", "analyst", "somebody")
        for path in ("/healthz", "/readyz"):
            self.assertIn(self.status(path), (200, 503))
        self.assertEqual(self.status("/metrics"), 401)
        self.assertEqual(self.status("/metrics", token="wrong"), 401)
        self.assertEqual(self.status("/metrics", token=analyst), 403)
        self.assertEqual(self.status("/metrics", certificate="analyst"), 403)
        # One authority makes the monitors' certificates of both daemons.
        self.assertEqual(self.status("/metrics", certificate="monitor"), 401)
        for who in ({"token": self.watched.tokens["shuffler"]}, {"certificate": "operator"}):
            status, headers, text = self.watched.get("shuffler", "/metrics", **who)
            self.assertEqual(status, 200)
            self.assertEqual(headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertIn("\ntombola_shuffler_held_submissions 0\n", text)
        for path in ("/", "/v1/tasks", "/openapi.json", "/metrics/more"):
            self.assertEqual(self.status(path, certificate="operator"), 404)

    def test_it_is_alive_at_once_and_ready_once_it_has_catalogue_and_keys(self):
        self.watched.launch("shuffler")  # no collector is there
        self.assertEqual(self.watched.get("shuffler", "/healthz")[::2], (200, "ok\n"))
        status, _, why = self.watched.get("shuffler", "/readyz")
        self.assertEqual((status, why),
                         (503, "no catalogue yet: the collector has not answered\n"))

    def test_it_stays_ready_without_the_collector_with_what_it_has_on_disk(self):
        self.watched.launch_both()
        until(lambda: self.status("/readyz") == 200)
        collector, shuffler = self.watched.processes
        for process in (collector, shuffler):
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=60), 0)
        self.watched.managers["shuffler"].next()  # STOPPING
        self.watched.launch("shuffler")
        self.assertEqual(self.watched.get("shuffler", "/readyz")[::2], (200, "ready\n"))

    def test_it_is_not_ready_while_it_drains(self):
        self.watched.launch_both()
        until(lambda: self.status("/readyz") == 200)
        credentials = grpc.ssl_channel_credentials((self.watched.ca / "ca.pem").read_bytes())
        port = self.watched.ports["shuffler"]["port"]
        with grpc.secure_channel(f"127.0.0.1:{port}", credentials) as channel:
            # A call that does not end by itself, so that draining takes its time.
            watch = channel.unary_stream("/grpc.health.v1.Health/Watch")(b"", timeout=60)
            next(watch)
            self.watched.processes[-1].send_signal(signal.SIGTERM)
            status, _, why = until(self.when_not_ready)
            self.assertEqual((status, why), (503, "not taking calls: starting or draining\n"))
            self.assertEqual(self.watched.get("shuffler", "/healthz")[0], 200)
        self.assertEqual(self.watched.processes[-1].wait(timeout=60), 0)

    def when_not_ready(self):
        answer = self.watched.get("shuffler", "/readyz")
        return answer if answer[0] != 200 else None

    def test_a_token_is_noticed_without_a_restart_and_a_bad_file_is_refused(self):
        process = self.watched.launch("shuffler")
        fresh = self.watched.add_token("shuffler", "operator", "another")
        self.assertEqual(self.status("/metrics", token=fresh), 200)
        path = self.watched.home("shuffler") / "http.tokens"
        path.write_text("nonsense\n", encoding="utf-8")
        self.assertEqual(self.status("/metrics", token=fresh), 200)
        process.send_signal(signal.SIGHUP)
        reloaded = until(lambda: [line for line in self.watched.log("shuffler")
                                  if line["event"] == "reloaded"])
        self.assertEqual(reloaded[0]["tokens"], "refused")
        self.assertTrue([line for line in self.watched.log("shuffler")
                         if line["event"] == "tokens_refused"])

    def test_the_log_level_is_taken_over_by_a_reload(self):
        process = self.watched.launch("shuffler")
        for level in ("error", "info"):
            self.watched.config("shuffler", log_level=level)
            process.send_signal(signal.SIGHUP)
            self.watched.managers["shuffler"].next()  # RELOADING
            self.watched.managers["shuffler"].next()  # READY
        events = [line["event"] for line in self.watched.log("shuffler")]
        self.assertEqual(events.count("reloaded"), 1)
        self.assertNotIn("needs_restart", events)

    def test_plain_text_needs_loopback_and_says_so(self):
        self.watched.launch("shuffler", http_plaintext=True)
        port = self.watched.ports["shuffler"]["http_port"]
        with socket.create_connection(("127.0.0.1", port), timeout=30) as plain:
            plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            self.assertTrue(plain.makefile("rb").readline().startswith(b"HTTP/1.1 200"))
        for changes, words in (({"listen_http": "192.0.2.1:7005", "http_plaintext": True},
                                "loopback"),
                               ({"listen_http": "nowhere"}, "nowhere"),
                               ({"listen_http": "", "http_plaintext": True}, "--listen-http"),
                               ({"http_tokens": "/nowhere/tokens"}, "/nowhere")):
            config = self.watched.config("shuffler", **changes)
            done = subprocess.run([str(BIN / "tombola-shuffler"), "--config", str(config),
                                   "--check-config"], capture_output=True, text=True, timeout=60,
                                  check=False)
            said = [line for line in done.stderr.splitlines() if not line.startswith("{")]
            self.assertEqual((done.returncode, len(said)), (2, 1), done.stderr)
            self.assertIn(words, said[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
