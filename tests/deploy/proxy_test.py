#!/usr/bin/env python3
"""nginx in front of the shuffler, as deploy/nginx has it: devices report through it, what strangers
send ends there, and nothing of anybody is written down.

usage: proxy_test.py BIN_DIR [unittest arguments]
"""
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
if not NGINX:
    print("skipped: nginx is not installed")
    sys.exit(77)

from support import http2_wire
from support.deployment import Deployment
from support.ports import free_port
from support.programs import BIN
from support.python_device import ACCEPTED

import grpc
import tombola_client as client

SAMPLE = HERE.parent.parent / "deploy" / "nginx" / "shuffler.conf"


class Proxy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="tombola-proxy-"))
        cls.deployment = Deployment(BIN, cls.directory / "up")
        cls.folder = cls.directory / "up" / "certificates"
        cls.roots = (cls.folder / "ca.pem").read_bytes()
        cls.task = cls.deployment.ask(
            "task", "create", "--name", "proxied", "--domain", "20", "--epsilon", "8", "--delta",
            "1e-6", "--mechanism", "local_hash", "--users", "100000", "--min-batch", "1000")["task"]
        cls.home = cls.directory / "nginx"
        cls.home.mkdir()
        port = free_port()
        cls.address = f"127.0.0.1:{port}"
        cls.config = cls.home / "nginx.conf"
        cls.config.write_text(cls.here(port), encoding="utf-8")
        cls.command = [NGINX, "-p", str(cls.home), "-c", str(cls.config), "-g",
                       f"daemon off; pid {cls.home}/pid;"]
        cls.process = None

    @classmethod
    def here(cls, port):
        """The sample with this test's places in it, each of which it must name."""
        text = SAMPLE.read_text(encoding="utf-8")
        for old, new in (
                ("listen 7001 ssl", f"listen 127.0.0.1:{port} ssl"),
                ("    listen [::]:7001 ssl http2;\n", ""),
                ("server 127.0.0.1:7011;", f"server {cls.deployment.ready['shuffler']};"),
                ("grpc_ssl_name shuffler.example;", "grpc_ssl_name localhost;"),
                ("/etc/tombola/shuffler/", f"{cls.folder}/")):
            if old not in text:
                raise AssertionError(f"{SAMPLE} has no {old}")
            text = text.replace(old, new)
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        own = "".join(f"  {kind}_temp_path {cls.home}/temp;\n" for kind in kinds)
        return text.replace("http {\n", "http {\n" + own)

    @classmethod
    def tearDownClass(cls):
        if cls.process is not None:
            cls.process.terminate()
            cls.process.wait(timeout=30)
        code = cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)
        if code != 0:
            raise AssertionError(f"`tombola up` exited {code}")

    def setUp(self):
        """nginx, started with the first test that wants it."""
        if type(self).process is None:
            checked = subprocess.run([*self.command, "-t"], capture_output=True, text=True,
                                     timeout=60, check=False)
            self.assertEqual(checked.returncode, 0, checked.stderr)
            type(self).process = subprocess.Popen(self.command, stderr=subprocess.DEVNULL)
            channel = self.channel()
            grpc.channel_ready_future(channel).result(timeout=60)

    def channel(self, role=None):
        key = certificate = None
        if role:
            key, certificate = ((self.folder / f"{role}.{end}").read_bytes()
                                for end in ("key", "pem"))
        channel = grpc.secure_channel(self.address, grpc.ssl_channel_credentials(
            self.roots, key, certificate))
        self.addCleanup(channel.close)
        return channel

    def device(self):
        device = client.Client(self.address, self.roots, bytes.fromhex(self.task))
        self.addCleanup(device.close)
        return device

    def wire(self, **options):
        connection = http2_wire.Connection(self.address, self.roots, **options)
        self.addCleanup(connection.close)
        return connection

    def test_devices_report_through_it(self):
        device = self.device()
        for _ in range(20):
            self.assertEqual(device.submit([1] * 50), [ACCEPTED] * 50)
        # The largest call: whole, and not by a file.
        request = device.call_of([[bytes(len(device.request([1]).sealed_reports))]] * 10_000,
                                 device.current_key())
        self.assertEqual(len(device.send(request)), 10_000)

    def test_what_the_shuffler_says_comes_through(self):
        device = self.device()
        request = device.request([1])
        request.task_id = bytes(32)
        with self.assertRaises(grpc.RpcError) as caught:
            device.stub.Submit(request, timeout=30)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.NOT_FOUND)
        self.assertIn("task_id", caught.exception.details())
        with self.assertRaises(grpc.RpcError) as caught:
            device.stub.Submit(request, timeout=30, compression=grpc.Compression.Gzip)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED)

    def test_nobody_but_devices_is_served(self):
        for method in ("/tombola.v1.ShufflerOperator/GetStatus", "/grpc.health.v1.Health/Watch",
                       "/elsewhere"):
            with self.assertRaises(grpc.RpcError) as caught:
                self.channel("operator").unary_unary(method)(b"", timeout=30)
            self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED, method)

    def test_headers_without_end_are_cut_off(self):
        """gRPC 1.51 reads each of these for ever, at a cost that grows with the square of it."""
        start = http2_wire.call_headers("/tombola.v1.Shuffler/GetKeyList")
        for name, block, fill in (
                ("a string", start + b"\x00\x01x\x7f\xff\xff\xff\x7f", b"a"),
                ("a number", start + b"\x00\x01x\x7f\x80\x80\x80\x80\x80", b"\x80"),
                ("many fields", start, http2_wire.literal(b"x-field", b"v" * 100))):
            with self.subTest(name):
                connection = self.wire()
                piece = (fill * 1024)[:1024 // len(fill) * len(fill)]
                try:
                    connection.send(http2_wire.frame(http2_wire.HEADERS, 0, 1, block))
                    for _ in range(1024):  # A mebibyte at most: it ends long before.
                        connection.send(http2_wire.frame(http2_wire.CONTINUATION, 0, 1, piece))
                except OSError:
                    pass
                connection.wait_for(http2_wire.GOAWAY, 1)
                self.assertTrue(connection.closed or connection.seen[http2_wire.GOAWAY], name)
        self.assertEqual(self.device().submit([2]), [ACCEPTED])

    def test_streams_without_number_are_refused(self):
        connection = self.wire(agree=False)
        for _ in range(400):
            connection.start("/tombola.v1.Shuffler/Submit")
        self.assertGreaterEqual(connection.wait_for(http2_wire.RST_STREAM, 272), 272)
        self.assertEqual(self.device().submit([2]), [ACCEPTED])

    def test_it_speaks_nothing_older_than_tls_1_3(self):
        context = http2_wire.ssl.create_default_context(cadata=self.roots.decode())
        context.maximum_version = http2_wire.ssl.TLSVersion.TLSv1_2
        host, port = self.address.split(":")
        with socket.create_connection((host, int(port)), timeout=30) as plain:
            with self.assertRaises(OSError):
                context.wrap_socket(plain, server_hostname="localhost")

    def test_nothing_is_written_down(self):
        """No log, no file of a body; and the sample has nothing that could."""
        self.assertEqual(self.device().submit([3]), [ACCEPTED])
        written = sorted(path.name for path in self.home.rglob("*") if path.is_file())
        self.assertEqual(written, ["nginx.conf", "pid"])
        directives = re.sub(r"#.*", "", SAMPLE.read_text(encoding="utf-8"))
        self.assertEqual(re.findall(r"\b(?:access_log|error_log|log_format)\b[^;]*", directives),
                         ["error_log /dev/null emerg", "access_log off"])
        for word in ("remote_addr", "X-Forwarded-For $", "proxy_add_x_forwarded_for"):
            self.assertNotIn(word, directives)


if __name__ == "__main__":
    unittest.main(verbosity=2)
