#!/usr/bin/env python3
"""The guide of docs/deploy.md, command by command, on three hosts; and what crosses the wire then.

Hosts are namespaces: an address, a firewall and files of their own each. `scp` and `systemctl` are
stand-ins (stand_ins/), everything else in the guide is what it says. Skipped (exit code 77) where
namespaces cannot be made.

usage: three_hosts_test.py BIN_DIR [unittest arguments]
"""
import json
import re
import sys
import unittest

import capture
from hosts import ADDRESSES, Hosts, missing
from parties import SKIPPED, SOURCE, until

VALUES = ("aquamarine", "burgundy", "chartreuse", "vermilion")
CONFIG = "$HOME/tombola/tombola.json"
CONNECT = ("/usr/bin/python3 -c 'import socket, sys; "
           "socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=3)' ")


def blocks():
    """[(host, script)]: the guide's commands in its order."""
    guide = (SOURCE / "docs/deploy.md").read_text(encoding="utf-8")
    return re.findall(r"^```sh (\w+)\n(.*?)^```$", guide, re.M | re.S)


class ThreeHosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = Hosts()
        cls.addClassCleanup(cls.hosts.close)
        cls.guide = cls.hosts.listen("guide")
        cls.printed = [cls.hosts.inside(host, script).stdout for host, script in blocks()]
        cls.hosts.hush()
        cls.task = cls.hosts.inside("desk", f"tombola task list --config {CONFIG}").stdout.split()[0]

    def ask(self, words):
        return json.loads(self.hosts.inside("desk", f"tombola {words} --config {CONFIG} --json")
                          .stdout)

    def log(self, party):
        text = (self.hosts.root / f"tombola-{party}.log").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def test_every_block_of_the_guide_names_its_host(self):
        guide = (SOURCE / "docs/deploy.md").read_text(encoding="utf-8")
        fences = re.findall(r"^```(\S.*)$", guide, re.M)
        self.assertEqual(fences.count("sh"), 1)  # ./dev build, which has happened
        self.assertEqual({fence for fence in fences if fence != "sh"},
                         {f"sh {host}" for host in ADDRESSES})

    def test_the_devices_are_counted_and_the_analyst_sees_the_histogram(self):
        answer = self.ask(f"query --task {self.task}")
        self.assertEqual(answer["reports"], 2000)
        self.assertEqual({found["value"] for found in answer["bins"]}, set(VALUES))
        self.assertLessEqual(answer["guarantee"]["epsilon"], 1)
        drawn = [text for text in self.printed if "guarantee: epsilon" in text]
        self.assertEqual(len(drawn), 1)
        for value in VALUES:
            self.assertIn(value, drawn[0])

    def test_the_renewed_certificate_was_taken_over_and_the_restart_was_clean(self):
        events = [line["event"] for line in self.log("shuffler")]
        self.assertEqual(events.count("shuffler_started"), 2)
        self.assertEqual(events.count("shuffler_stopped"), 1)
        reloaded = [line for line in self.log("shuffler") if line["event"] == "reloaded"]
        self.assertEqual(len(reloaded), 1)
        self.assertEqual(reloaded[0]["certificates"], "taken over")
        self.assertGreater(reloaded[0]["generation"], 1)

    def reaches(self, host, target, port):
        return self.hosts.inside(host, CONNECT + f"{target}.example {port}",
                                 check=False).returncode == 0

    def test_the_firewalls_admit_whom_they_should_and_nobody_else(self):
        self.assertTrue(self.reaches("desk", "shuffler", 7001))
        self.assertTrue(self.reaches("shuffler", "collector", 7002))
        self.assertTrue(self.reaches("desk", "collector", 7003))
        self.assertFalse(self.reaches("desk", "collector", 7002))
        self.assertFalse(self.reaches("shuffler", "collector", 7003))
        self.assertFalse(self.reaches("collector", "shuffler", 7001))

    def test_the_wire_shows_who_talks_to_whom_and_not_what_about(self):
        streams = capture.payloads(self.guide)
        desk, shuffler, collector = (ADDRESSES[name] for name in ("desk", "shuffler", "collector"))
        callers = {(way.source, way.target, way.target_port) for way in streams
                   if way.target_port in (7001, 7002, 7003)}
        self.assertEqual(callers, {(desk, shuffler, 7001), (shuffler, collector, 7002),
                                   (desk, collector, 7003)})
        sent = b"".join(streams.values())
        self.assertIn(b"shuffler.example", sent)  # TLS says whom it calls: the capture can see
        self.assertGreater(len(sent), 2000 * 64)
        for word in (*VALUES, "colours", self.task, "tombola.v1", "Submit"):
            self.assertNotIn(word.encode(), sent)
        self.assertNotIn(bytes.fromhex(self.task), sent)

    def test_submissions_have_one_size_whatever_they_say(self):
        # The submission is the last call of a connection, perhaps with a ping behind it. A busy
        # machine writes the time that is left for a call with more digits: so the least of a few.
        sizes = {}
        for value in VALUES * 4:
            path = self.hosts.listen("device")
            self.hosts.inside("desk", f"tombola report --config {CONFIG} --task {self.task} "
                                      f"--value {value}")
            self.hosts.hush()
            streams = [stream for way, stream in capture.payloads(path).items()
                       if way.target_port == 7001]
            self.assertEqual(len(streams), 1)
            lengths = [length for kind, length in capture.records(streams[0]) if kind == 23]
            sizes.setdefault(value, []).append(max(lengths[-2:]))
        self.assertEqual(len({min(found) for found in sizes.values()}), 1, sizes)
        self.assertGreater(min(sizes[VALUES[0]]), 100)
        until(lambda: self.ask(f"status --task {self.task}")["accepted"] == 2000 + 4 * len(VALUES))


if __name__ == "__main__":
    REASON = missing()
    if REASON:
        print(f"skipped: {REASON}", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
