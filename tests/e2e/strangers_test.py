#!/usr/bin/env python3
"""Strangers: what somebody without a certificate, or with one that is worth little, can make the
daemons hold. Their messages are not inflated, and calls that they leave open and answers that they do
not read are in nobody's way.

usage: strangers_test.py BIN_DIR [unittest arguments]
"""
import os
import pathlib
import shutil
import tempfile
import unittest

from support import http2_wire
from support.deployment import Deployment
from support.programs import BIN
from support.python_device import ACCEPTED

import grpc
import tombola_client as client

MIB = 1 << 20
INFLATED = 64 * MIB
ROOM = 24 * MIB  # What the allocator may take meanwhile for other reasons.


class Strangers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="tombola-strangers-")
        cls.deployment = Deployment(BIN, cls.directory)
        cls.folder = pathlib.Path(cls.directory) / "certificates"
        cls.roots = (cls.folder / "ca.pem").read_bytes()

    @classmethod
    def tearDownClass(cls):
        code = cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)
        if code != 0:
            raise AssertionError(f"`tombola up` exited {code}")

    def channel(self, port, role=None):
        key = certificate = None
        if role:
            key, certificate = ((self.folder / f"{role}.{end}").read_bytes()
                                for end in ("key", "pem"))
        channel = grpc.secure_channel(self.deployment.ready[port], grpc.ssl_channel_credentials(
            self.roots, key, certificate))
        self.addCleanup(channel.close)
        return channel

    def most_memory(self, daemon):
        """Bytes that a daemon has had in memory at once, so far."""
        status = pathlib.Path(f"/proc/{self.deployment.pids[daemon + '_pid']}/status")
        line = next(line for line in status.read_text(encoding="utf-8").splitlines()
                    if line.startswith("VmHWM:"))
        return int(line.split()[1]) << 10

    def test_a_message_that_swells_is_refused_on_every_port(self):
        """64 MiB of zeros are 64 KiB on the line, and gRPC would inflate them before it looks at the
        limit of 8 MiB."""
        for port, daemon, role, method in (
                ("shuffler", "shuffler", None, "Shuffler/Submit"),
                ("shuffler", "shuffler", None, "ShufflerOperator/GetStatus"),
                ("collector_query", "collector", None, "CollectorQuery/ListTasks"),
                ("collector_query", "collector", None, "CollectorAdmin/CreateTask"),
                ("collector_ingest", "collector", "shuffler", "CollectorIngest/GetCatalog"),
                ("collector_ingest", "collector", "shuffler", "CollectorIngest/ReportProgress")):
            call = self.channel(port, role).unary_unary("/tombola.v1." + method)
            for algorithm in (grpc.Compression.Gzip, grpc.Compression.Deflate):
                before = self.most_memory(daemon)
                with self.assertRaises(grpc.RpcError) as caught:
                    call(bytes(INFLATED), timeout=60, compression=algorithm)
                self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED,
                                 f"{method}: {caught.exception.details()}")
                self.assertIn(algorithm.name.lower(), caught.exception.details())
                if "TOMBOLA_SANITIZED" not in os.environ:  # whose runtime keeps what was freed
                    self.assertLess(self.most_memory(daemon) - before, ROOM, f"{method} swelled")

    def test_a_stream_that_swells_is_refused(self):
        deliver = self.channel("collector_ingest", "shuffler").stream_unary(
            "/tombola.v1.CollectorIngest/DeliverBatch")
        before = self.most_memory("collector")
        with self.assertRaises(grpc.RpcError) as caught:
            deliver(iter([bytes(INFLATED)] * 2), timeout=60, compression=grpc.Compression.Gzip)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED,
                         caught.exception.details())
        if "TOMBOLA_SANITIZED" not in os.environ:
            self.assertLess(self.most_memory("collector") - before, ROOM)

    def wire(self, port, role=None, **options):
        certificate = role and tuple(str(self.folder / f"{role}.{end}") for end in ("pem", "key"))
        connection = http2_wire.Connection(self.deployment.ready[port], self.roots, certificate,
                                           **options)
        self.addCleanup(connection.close)
        return connection

    def test_calls_that_strangers_leave_open_lock_nobody_out(self):
        """On one connection a port, without a certificate: streams on which nothing is said, calls
        whose body never comes, calls whose answer is not read."""
        half = http2_wire.message(bytes(100))[:50]
        for port, services in (
                ("shuffler", ("ShufflerOperator/GetStatus", "ShufflerOperator/GetMetrics",
                              "Shuffler/Submit", "Shuffler/GetTask")),
                ("collector_query", ("CollectorQuery/ListTasks", "CollectorQuery/GetAnswer",
                                     "CollectorAdmin/CreateTask", "CollectorAdmin/GetMetrics"))):
            # Who never agrees to the server's settings is not bound by its limit on streams.
            connection = self.wire(port, window=0, agree=False)
            for _ in range(100):
                connection.start("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
            for _ in range(100):
                connection.start("/grpc.health.v1.Health/Watch", http2_wire.message(b""), end=False)
                for service in services:
                    connection.start("/tombola.v1." + service, half, end=False)
                    connection.start("/tombola.v1." + service, http2_wire.message(b""))
            # Those that are whole have been answered, each with trailers at least.
            self.assertGreaterEqual(connection.wait_for(http2_wire.HEADERS, 400), 400)
        for arguments in (("status", "--metrics"), ("task", "list"), ("keys", "list")):
            code, _, errors = self.deployment.run(*arguments)
            self.assertEqual(code, 0, f"{arguments}: {errors}")
        self.deployment.ask("task", "create", "--name", "meanwhile", "--domain", "4", "--epsilon",
                            "8", "--delta", "1e-6", "--users", "1000")

    def test_a_connection_has_only_so_many_calls_whether_it_agrees_or_not(self):
        """Of 10,000 calls without a body, left or given up at once: gRPC would keep as many as come,
        12 KiB each, for a peer that acknowledges no limit."""
        headers = http2_wire.call_headers("/tombola.v1.Shuffler/Submit")

        def reset(stream):
            return http2_wire.frame(http2_wire.RST_STREAM, 0, stream, bytes(4))
        for port, daemon, role in (("shuffler", "shuffler", None),
                                   ("collector_query", "collector", None),
                                   ("collector_ingest", "collector", "shuffler")):
            for name, further in (("left", lambda _: b""), ("given up", reset)):
                with self.subTest(f"{port}: {name}"):
                    connection = self.wire(port, role, agree=False)
                    before = self.most_memory(daemon)
                    for first in range(1, 20_000, 400):
                        connection.send(b"".join(
                            http2_wire.frame(http2_wire.HEADERS, http2_wire.END_HEADERS, stream,
                                             headers) + further(stream)
                            for stream in range(first, first + 400, 2)))
                    # What follows is read after all of that, and refused too.
                    last = connection.next_stream = 20_001
                    connection.start("/grpc.health.v1.Health/Check", http2_wire.message(b""))
                    with connection.changed:
                        self.assertTrue(connection.changed.wait_for(
                            lambda: last in connection.seen[http2_wire.HEADERS]
                            + connection.seen[http2_wire.RST_STREAM], 60))
                    if name == "given up":  # then nobody need be told
                        continue
                    self.assertGreater(len(connection.seen[http2_wire.HEADERS]), 5_000)
                    if "TOMBOLA_SANITIZED" not in os.environ:
                        self.assertLess(self.most_memory(daemon) - before, 2 * ROOM)

    def test_calls_that_are_over_are_counted_no_more(self):
        """However they ended: answered, refused, or for a method that there is not."""
        for port, role in (("shuffler", None), ("collector_query", None),
                           ("collector_ingest", "shuffler")):
            channel = self.channel(port, role)
            for method in ("/grpc.health.v1.Health/Check", "/tombola.v1.Shuffler/GetTask",
                           "/tombola.v1.CollectorQuery/ListTasks",
                           "/tombola.v1.CollectorIngest/GetCatalog", "/there.is/None"):
                call = channel.unary_unary(method)
                for _ in range(300):
                    error = call.future(b"", timeout=60).exception()
                    self.assertTrue(error is None
                                    or error.code() != grpc.StatusCode.RESOURCE_EXHAUSTED, method)

    def test_answers_that_an_analyst_does_not_read_are_in_no_administrators_way(self):
        connection = self.wire("collector_query", "analyst", window=0, agree=False)
        for _ in range(300):
            connection.start("/tombola.v1.CollectorQuery/ListKeys", http2_wire.message(b""))
        self.assertGreaterEqual(connection.wait_for(http2_wire.HEADERS, 300), 300)
        self.deployment.ask("task", "create", "--name", "unread", "--domain", "4", "--epsilon", "8",
                            "--delta", "1e-6", "--users", "1000")
        self.assertEqual(self.deployment.run("status", "--metrics")[0], 0)

    def device(self, task):
        """An honest one, which never asks twice."""
        device = client.Client(self.deployment.ready["shuffler"], self.roots, bytes.fromhex(task),
                               retry=client.Retry(attempts=1))
        self.addCleanup(device.close)
        return device

    def served(self, task, device, calls=40):
        for _ in range(calls):
            self.assertEqual(device.submit([1] * 5), [ACCEPTED] * 5)
        # One that comes only now asks for the task and the keys first.
        self.assertEqual(self.device(task).submit([2]), [ACCEPTED])

    def test_answers_that_nobody_reads_starve_no_task(self):
        task = self.deployment.ask(
            "task", "create", "--name", "starved", "--domain", "20", "--epsilon", "8", "--delta",
            "1e-6", "--mechanism", "local_hash", "--users", "1000000", "--min-batch", "1000")["task"]
        device = self.device(task)
        lookup = http2_wire.message(
            client.messages("shuffler").GetTaskRequest(task_id=device.task_id).SerializeToString())
        with self.subTest("lookups, on a few connections"):
            for _ in range(6):
                connection = self.wire("shuffler", window=0)
                for _ in range(100):
                    connection.start("/tombola.v1.Shuffler/GetTask", lookup)
                self.assertGreaterEqual(connection.wait_for(http2_wire.HEADERS, 100), 100)
            self.served(task, device)
        with self.subTest("lookups, on as many as they need"):
            for _ in range(80):
                connection = self.wire("shuffler", window=0)
                for _ in range(16):
                    connection.start("/tombola.v1.Shuffler/GetTask", lookup)
                self.assertGreaterEqual(connection.wait_for(http2_wire.HEADERS, 16), 16)
            self.served(task, device)
        with self.subTest("submissions"):
            key = device.current_key()
            for _ in range(6):
                connection = self.wire("shuffler", window=0, agree=False)
                for _ in range(250):
                    connection.start("/tombola.v1.Shuffler/Submit", http2_wire.message(
                        device.request([3], key).SerializeToString()))
                self.assertGreaterEqual(connection.wait_for(http2_wire.HEADERS, 250), 250)
            self.served(task, device)


if __name__ == "__main__":
    unittest.main(verbosity=2)
