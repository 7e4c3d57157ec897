#!/usr/bin/env python3
"""A curious operator reads everything that the two daemons write, keep open or report while devices
of many addresses submit, are released, forwarded, restarted and killed: nothing tells who sent,
when, or what, and once a batch is released nothing tells in which order.

usage: observer_test.py BIN_DIR [unittest arguments]

Of what is searched, less than 4 KiB are random and not known to the test (salts, checksums, keys,
signatures). The shortest needles have four bytes: nine addresses and at most thirty seconds, each
in two orders. That one of them is there by chance has a probability below 4096 * 78 / 2^32 = 8e-5;
all else is rarer by far.
"""
import hashlib
import json
import math
import os
import pathlib
import random
import re
import struct
import tempfile
import time
import unittest

from observed import Secrets, Submission, files_under, open_files
from observed_deployment import DEVICES, ObservedDeployment
from support.waiting import until

# What a daemon may log, all of it about itself and whole batches.
EVENTS = {"collector_started", "collector_stopped", "shuffler_started", "shuffler_stopped",
          "task_created", "handshakes_failed", "catalog_updated", "collector_away", "collector_back", "batch_released",
          "batch_delivered", "batch_stored", "delivery_failed", "delivery_begun", "stopping",
          "page_missing"}


class Observer(ObservedDeployment):
    def digests(self):
        """Of submission ids and of sealed reports, as docs/store-format.md says."""
        ids = {hashlib.sha256(b"tombola/v1/submission" + self.task_id + s.submission_id).digest()
               [:16] for s in self.submissions if s.sealed}
        reports = {hashlib.sha256(self.task_id + self.key_id + sealed).digest()[:16]
                   for s in self.submissions for sealed in s.sealed}
        return ids, reports

    def everything(self):
        """{name: bytes} of all that there is to see, but for the daemons' logs."""
        seen = self.metrics()
        for who in ("shuffler", "collector"):
            for name, data in files_under(self.directory / who).items():
                seen[f"{who}/{name}"] = data
            if who in self.daemons:
                for name, data in open_files(self.daemons[who].process.pid).items():
                    if not name.startswith(self.inside(f"{who}.log")):
                        seen[f"{who} holds open {name}"] = data
        return seen

    def look(self, moment, sealed_in=(), ids_in=(), reports_in=()):
        """Searches everything. Sealed reports may be in files whose names contain one of
        `sealed_in`, digests of ids and of reports in those of the others; nothing else may be
        anywhere."""
        ids, reports = self.digests()
        secrets = Secrets.of(self.submissions, masked=sorted(ids | reports))
        everything = self.everything()
        self.assertTrue(any(name.startswith("collector/") for name in everything))
        self.assertTrue(any(name.startswith("shuffler/") for name in everything))
        for name, data in everything.items():
            self.assertEqual(secrets.found_in(data), set(), f"{moment}: {name}")
            for what, needles, allowed in (
                    ("a sealed report", {s[i:i + 24] for sealed in self.arrivals for s in sealed
                                         for i in (0, 24)}, sealed_in),
                    ("a digest of an id", ids, ids_in), ("a digest of a report", reports,
                                                         reports_in)):
                if any(part in name for part in allowed):
                    continue
                self.assertFalse(any(needle in data for needle in needles),
                                 f"{moment}: {name} holds {what}")
        for who in ("shuffler", "collector"):
            for line in self.lines(who):
                if line.startswith(b"{"):
                    entry = json.loads(line)
                    self.assertIn(entry.pop("event"), EVENTS, moment)
                    del entry["time"]  # Of the daemon's own doing.
                    text = json.dumps(entry).encode()
                else:  # gRPC's, of a broken handshake, with the time of the line and the error.
                    text = re.sub(rb'created_time:"[^"]*"', b"", line.split(b"]", 1)[-1])
                self.assertEqual(secrets.found_in(text), set(), f"{moment}: {who}.log: {line}")
        return everything

    def lines(self, who):
        return pathlib.Path(self.inside(f"{who}.log")).read_bytes().splitlines()

    def check_order(self, reports):
        """The order in the outbox is none of arrival. Inversions of a uniform permutation are a sum
        of independent numbers, uniform on 0 to i - 1: further than t from their mean with
        probability 2 exp(-2 t^2 / sum of (i - 1)^2) at most (Hoeffding), here 1e-9."""
        order = [reports.index(sealed) for arrived in self.arrivals for sealed in arrived]
        n = len(order)
        self.assertEqual(len(reports), n * len(self.arrivals[0][0]))
        inversions = sum(order[i] > order[j] for i in range(n) for j in range(i + 1, n))
        squares = sum(i * i for i in range(n))
        t = math.sqrt(squares * math.log(2e9) / 2)
        self.assertLess(t, n * (n - 1) / 4, "the test has no power")
        self.assertLessEqual(abs(inversions - n * (n - 1) / 4), t)

    def check_seen(self, everything):
        names = [name for name in everything if name.startswith("shuffler/store/seen/")]
        self.assertEqual(len(names), 1)
        body = everything[names[0]][68:]
        digests = [body[i:i + 16] for i in range(0, len(body), 16)]
        self.assertEqual(digests, sorted(digests))
        ids, reports = self.digests()
        self.assertEqual(set(digests), ids | reports)

    def check_that_plants_are_seen(self, seen):
        """What was not found would have been, in either directory and in a log."""
        some = self.submissions[7]
        for who in ("shuffler", "collector"):
            for planted in (some.address.encode(), some.submission_id, some.plaintexts[0],
                            some.sealed[0], int(some.begun * 1e6).to_bytes(8, "little")):
                path = self.directory / who / "planted"
                path.write_bytes(b"some words " + planted + b" and others")
                with self.assertRaises(AssertionError, msg=(who, planted)):
                    self.look("planted", ids_in=seen, reports_in=seen)
                path.unlink()
            log = self.directory / f"{who}.log"
            kept = log.read_bytes()
            for line in ('{"time": "now", "event": "batch_stored", "peer": "%s"}' % some.address,
                         '{"time": "now", "event": "submission_accepted"}',
                         "E0101 00:00:00 1 server.cc:1] refused ipv4:%s" % some.address):
                log.write_bytes(kept + line.encode() + b"\n")
                with self.assertRaises(AssertionError, msg=(who, line)):
                    self.look("planted", ids_in=seen, reports_in=seen)
            log.write_bytes(kept)

    def test_nothing_tells_who_sent_what_when_or_in_which_order(self):
        self.create_task()
        self.roots = pathlib.Path(self.inside("certificates/ca.pem")).read_bytes()
        self.start("collector")
        self.start("shuffler")
        self.submissions, self.arrivals = [], []
        # The task's and the keys' own times are written down: devices come seconds later.
        made = time.time()
        until(lambda: time.time() >= made + 2)
        before = {who: self.lines(who) for who in ("shuffler", "collector")}
        for number in range(DEVICES // 2):
            self.submit(number)
        for who, lines in before.items():
            self.assertEqual(self.lines(who), lines, "devices leave no line in a log")
        self.knock("127.251.13.77")
        held = ("store/held/",)
        everything = self.look("held", sealed_in=held, ids_in=held)
        self.assertTrue(any("store/held/" in name for name in everything))

        self.kill("shuffler")
        self.look("held, the shuffler killed", sealed_in=held, ids_in=held)
        self.start("shuffler")
        for number in range(DEVICES // 2, DEVICES - 1):
            self.submit(number)
        self.look("held, after a restart", sealed_in=held, ids_in=held)

        self.kill("collector")
        self.submit(DEVICES - 1)
        self.wait_for(lambda s: s.waiting_delivery == 1 and not s.held)
        seen = ("store/seen/",)
        everything = self.look("released, the collector away", sealed_in=("store/outbox/",),
                               ids_in=seen, reports_in=seen)
        # No held log is left; the collector's audit log is of people.
        self.assertEqual([name for name in everything if name.endswith(".log")],
                         ["collector/audit.log"])
        outbox = [name for name in everything if name.endswith("/reports")
                  and name.startswith("shuffler/store/outbox/")]
        self.assertEqual(len(outbox), 1)
        self.check_order(everything[outbox[0]])
        self.check_seen(everything)

        self.start("collector")
        self.wait_for(lambda s: s.waiting_delivery == 0 and s.forwarded == DEVICES)
        everything = self.look("forwarded", ids_in=seen, reports_in=seen)
        self.assertFalse([name for name in everything if "outbox/" in name or "held/" in name])
        self.check_seen(everything)

        for who in ("shuffler", "collector"):
            self.kill(who)
            self.look(f"forwarded, the {who} killed", ids_in=seen, reports_in=seen)
        self.start("collector")
        self.start("shuffler")
        self.look("started again", ids_in=seen, reports_in=seen)
        self.stop("shuffler")
        self.stop("collector")
        everything = self.look("stopped", ids_in=seen, reports_in=seen)
        self.check_seen(everything)
        self.check_that_plants_are_seen(seen)


class ObserverFindsTest(unittest.TestCase):
    """The observer's own eyes: what is planted is found, so that finding nothing says something."""

    def setUp(self):
        self.submission = Submission("127.100.17.201", 45678, random.Random(1).randbytes(16),
                                     [b"\x0d\x03\0\0\0\x15\x02\0\0\0"],
                                     [random.Random(2).randbytes(58)], 1794834000.25, 1794834004.5)
        self.secrets = Secrets.of([self.submission])

    def found(self, planted):
        noise = random.Random(3)
        return self.secrets.found_in(noise.randbytes(1000) + planted + noise.randbytes(1001))

    def test_each_kind_is_found_wherever_it_is_planted(self):
        self.assertEqual(self.found(b""), set())
        self.assertEqual(self.found(self.submission.sealed[0]), set())
        octets = bytes([127, 100, 17, 201])
        moment = 1794834002
        plants = [("address", b"127.100.17.201"), ("address", octets), ("address", octets[::-1]),
                  ("address", b"7f6411c9"), ("port", b"ipv4:10.0.0.1:45678"),
                  ("submission id", self.submission.submission_id),
                  ("submission id", self.submission.submission_id.hex().encode()),
                  ("plaintext", self.submission.plaintexts[0]),
                  ("plaintext", self.submission.plaintexts[0].hex().encode()),
                  ("time", b"1794834002"), ("time", b"1794834002123456789"), ("time", b"13:00:02"),
                  ("time", moment.to_bytes(4, "little")), ("time", moment.to_bytes(8, "big"))]
        for scale in (10**3, 10**6, 10**9):
            word = int((moment + 0.123) * scale).to_bytes(8, "big")
            plants += [("time", word), ("time", word[::-1])]
        plants += [("time", struct.pack("<d", moment + 0.5)),
                   ("time", struct.pack(">d", moment + 0.5))]
        for kind, planted in plants:
            self.assertIn(kind, self.found(planted), (kind, planted))
        # A second too early or too late is no time of the devices.
        for other in (1794833999, 1794834006):
            for scale in (10**3, 10**6, 10**9):
                self.assertEqual(self.found((other * scale).to_bytes(8, "little")), set())

    def test_files_and_deleted_files_that_are_held_open_are_read(self):
        with tempfile.TemporaryDirectory() as directory:
            inner = pathlib.Path(directory) / "a" / "b"
            inner.mkdir(parents=True)
            (inner / "left").write_bytes(b"planted here")
            self.assertEqual(files_under(directory), {"a/b/left": b"planted here"})
            with open(inner / "gone", "wb") as file:
                file.write(b"planted there")
                file.flush()
                os.unlink(inner / "gone")
                deleted = [data for name, data in open_files(os.getpid()).items()
                           if name.endswith("gone (deleted)")]
                self.assertEqual(deleted, [b"planted there"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
