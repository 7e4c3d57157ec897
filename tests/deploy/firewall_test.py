#!/usr/bin/env python3
"""The sample firewalls load, and the shuffler's option limits each source by itself.

usage: firewall_test.py BIN_DIR [unittest arguments]
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from parties import DEPLOY
from support.programs import SKIPPED

OPTION, LIMIT = "#limit", 100
# Takes connections and keeps them; says when it does.
LISTEN = """
import socket
server = socket.create_server(("::", 7001), family=socket.AF_INET6, dualstack_ipv6=True, backlog=512)
print("listening", flush=True)
kept = []
while True:
    kept.append(server.accept()[0])
"""
# Connects from an address until it is refused, at most so many times; prints how many came through.
CONNECT = """
import socket, sys
source, target, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
kept = []
try:
    while len(kept) < most:
        kept.append(socket.create_connection((target, 7001), timeout=60, source_address=(source, 0)))
except ConnectionRefusedError:
    pass
print(len(kept), flush=True)
sys.stdin.read()  # keeps them until told to go
"""


def firewall(name, option):
    text = (DEPLOY / "nftables" / f"{name}.nft").read_text(encoding="utf-8")
    return text.replace(OPTION, "") if option else text


class Host:
    """A network namespace of its own."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo held; exec sleep 600"],
                                       stdout=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != "held\n":
            raise AssertionError("no namespace")

    def words(self, *command):
        return ["nsenter", "-t", str(self.holder.pid), "-n", *command]

    def run(self, *command, **options):
        return subprocess.run(self.words(*command), capture_output=True, text=True, timeout=60,
                              check=False, **options)

    def close(self):
        self.holder.kill()
        self.holder.wait()
        self.holder.stdout.close()


class Firewalls(unittest.TestCase):
    def host(self):
        host = Host()
        self.addCleanup(host.close)
        return host

    def load(self, host, text):
        with tempfile.NamedTemporaryFile("w", suffix=".nft") as file:
            file.write(text)
            file.flush()
            done = host.run("nft", "-f", file.name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_every_file_loads_with_and_without_its_option(self):
        host = self.host()
        for name, option in (("shuffler", False), ("shuffler", True), ("collector", False)):
            self.load(host, firewall(name, option))
        self.assertGreater(firewall("shuffler", False).count(OPTION), 5)

    def connect(self, host, source, target, most):
        """How many of so many connections from a source come through; they stay."""
        process = subprocess.Popen(
            host.words(sys.executable, "-c", CONNECT, source, target, str(most)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdin.close)
        return int(process.stdout.readline())

    def test_the_option_limits_each_source_by_itself(self):
        shuffler, devices = self.host(), self.host()
        shuffler.run("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns",
                     str(devices.holder.pid))
        for host, numbers in ((shuffler, (1,)), (devices, (2, 3))):
            for number in numbers:
                host.run("ip", "address", "add", f"192.0.2.{number}/24", "dev", "eth0")
            host.run("ip", "link", "set", "eth0", "up")
        # Two of one network of 64 bits and one of another.
        for host, address in ((shuffler, "2001:db8:0:1::1/48"), (devices, "2001:db8:0:2::1/48"),
                              (devices, "2001:db8:0:2::2/48"), (devices, "2001:db8:0:3::1/48")):
            host.run("ip", "address", "add", address, "dev", "eth0", "nodad")
        self.load(shuffler, firewall("shuffler", True))
        server = subprocess.Popen(shuffler.words(sys.executable, "-c", LISTEN),
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.assertEqual(server.stdout.readline(), "listening\n")
        self.assertEqual(self.connect(devices, "192.0.2.2", "192.0.2.1", LIMIT + 1), LIMIT)
        self.assertEqual(self.connect(devices, "192.0.2.2", "192.0.2.1", 1), 0)
        self.assertEqual(self.connect(devices, "192.0.2.3", "192.0.2.1", 10), 10)
        there = "2001:db8:0:1::1"
        self.assertEqual(self.connect(devices, "2001:db8:0:2::1", there, LIMIT - 1), LIMIT - 1)
        self.assertEqual(self.connect(devices, "2001:db8:0:2::2", there, 2), 1)
        self.assertEqual(self.connect(devices, "2001:db8:0:3::1", there, 10), 10)


def missing():
    """Why there can be no namespaces here, or nothing."""
    if os.geteuid() != 0:
        return "needs root, to make namespaces"
    lacking = [tool for tool in ("ip", "nft", "nsenter", "unshare") if not shutil.which(tool)]
    if lacking:
        return "not installed: " + " ".join(lacking)
    tried = subprocess.run(["unshare", "--net", "nft", "add table inet t"], capture_output=True,
                           text=True, timeout=60, check=False)
    return f"no namespaces: {tried.stderr.strip()}" if tried.returncode else None


if __name__ == "__main__":
    REASON = missing()
    if REASON:
        print(f"skipped: {REASON}", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
