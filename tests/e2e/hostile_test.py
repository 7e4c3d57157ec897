#!/usr/bin/env python3
"""Hostile devices against the real daemons: what they send is refused and counted exactly, moves an
answer no further than it says, and floods are warned of.

usage: hostile_test.py BIN_DIR [unittest arguments]
"""
import json
import pathlib
import random
import secrets
import shutil
import socket
import stat
import tempfile
import time
import unittest

from support.deployment import Deployment
from support.programs import BIN
from support.python_device import ACCEPTED, DUPLICATE, REJECTED
from support.waiting import until

import grpc
import mechanisms
import tombola_client as client
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from grpc import StatusCode

HONEST, FLOOD, DOMAIN = 1500, 200, 20
CONFIDENCE = 1 - 1e-9  # Of one bin; of all 20, and both floods, below 1e-7.
NOTHING = {"unopened": 0, "malformed": 0, "out_of_range": 0}


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="tombola-hostile-")
        cls.deployment = Deployment(BIN, cls.directory)
        cls.roots = pathlib.Path(cls.deployment.ready["roots"]).read_bytes()

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    def log(self, who):
        """The lines of a log, each of which must be JSON."""
        text = (pathlib.Path(self.directory) / f"{who}.log").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def failures_told(self, who, wanted):
        """The counts of broken handshakes in a daemon's log, once there are so many together."""
        counts = [line["count"] for line in self.log(who) if line["event"] == "handshakes_failed"]
        return counts if sum(counts) >= wanted else None

    def test_broken_handshakes_are_counted_in_a_line_a_second_at_most(self):
        for who, address in (("shuffler", self.deployment.ready["shuffler"]),
                             ("collector", self.deployment.ready["collector_query"])):
            host, port = address.rsplit(":", 1)
            began = time.monotonic()
            for _ in range(300):
                with socket.create_connection((host, int(port)), timeout=60) as peer:
                    peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
                    while peer.recv(4096):  # until the server ends it
                        pass
            counts = until(lambda: self.failures_told(who, 300), seconds=120)
            self.assertEqual(sum(counts), 300)
            self.assertLessEqual(len(counts), time.monotonic() - began + 1)

    def test_the_logs_of_up_are_their_owners_alone(self):
        for who in ("shuffler", "collector"):
            mode = (pathlib.Path(self.directory) / f"{who}.log").stat().st_mode
            self.assertEqual(stat.S_IMODE(mode), 0o600, who)

    def create(self, name, users, *arguments):
        return self.deployment.ask(
            "task", "create", "--name", name, "--domain", str(DOMAIN), "--epsilon", "8", "--delta",
            "1e-6", "--users", str(users), *arguments)["task"]

    def connect(self, task):
        device = client.Client(self.deployment.ready["shuffler"], self.roots, bytes.fromhex(task))
        self.addCleanup(device.close)
        return device

    def report_honestly(self, task, seed, devices):
        """Devices of the SDK; how many hold each value."""
        values = random.Random(seed).choices(range(DOMAIN), [1 / (i + 1) for i in range(DOMAIN)],
                                             k=devices)
        outcome = self.deployment.ask("report", "--task", task, "--input", "-",
                                      stdin="".join(f"{v}\n" for v in values))
        self.assertEqual(outcome, {"accepted": devices, "duplicates": 0, "rejected": 0})
        return [values.count(v) for v in range(DOMAIN)]

    def refused(self, codes, device, request):
        with self.assertRaises(grpc.RpcError) as raised:
            device.stub.Submit(request, timeout=30)
        self.assertIn(raised.exception.code(), codes, raised.exception.details())

    def counters(self):
        """The shuffler's own: calls refused as a whole, and submissions rejected."""
        lines = self.deployment.ask("status", "--metrics")["shuffler"].splitlines()
        values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        calls = sum(float(value) for name, value in values.items()
                    if name.startswith("tombola_shuffler_refused_total{"))
        return (calls,
                float(values['tombola_shuffler_submissions_total{outcome="rejected"}']))

    def query(self, task):
        return self.deployment.ask("query", "--task", task, "--postprocess", "none",
                                   "--confidence", repr(CONFIDENCE))

    def check_unharmed(self, answer, holders, flood, flooded):
        """Every bin is within its interval plus what the flood's devices could do, wherever their
        own values are; and the flooded one shows that they did."""
        n, shift = answer["reports"], answer["quality"]["shift_per_dishonest"]
        for entry, held in zip(answer["bins"], holders):
            half = (entry["high"] - entry["low"]) / 2
            self.assertLessEqual(abs(entry["raw"] - held / n), half + flood * shift, entry)
        moved = answer["bins"][flooded]["raw"] - holders[flooded] / n
        self.assertGreater(moved, flood * shift / 4, "the flood is no attack")

    def test_honest_devices_raise_no_warning(self):
        # A false alarm has probability 1e-6 at most.
        task = self.create("honest", HONEST, "--mechanism", "local_hash")
        self.report_honestly(task, 1, HONEST)
        self.deployment.wait_for(task, lambda s: s["forwarded"] == HONEST)
        answer = self.query(task)
        quality = answer["quality"]
        self.assertEqual(quality["warnings"], [])
        self.assertEqual(answer["rejected_by_cause"], NOTHING)
        self.assertEqual((quality["duplicates"], quality["dishonest"]), (0, 0))
        self.assertEqual(quality["shift_at_dishonest_share"], 0)

    def send_what_is_refused_at_the_door(self, device):
        def changed(**fields):
            request = device.request([1])
            for name, value in fields.items():
                setattr(request, name, value)
            return request

        malformed = (StatusCode.INVALID_ARGUMENT,)
        whole = device.request([1]).sealed_reports
        for request in (
                changed(task_id=b"short"), changed(key_id=b"short"), changed(submission_ids=b""),
                changed(submission_ids=secrets.token_bytes(15)), changed(sealed_reports=b""),
                changed(sealed_reports=whole[:-1]), changed(sealed_reports=whole + b"\0"),
                changed(window=2**40),
                changed(submission_ids=secrets.token_bytes(16 * 10_001),
                        sealed_reports=bytes(len(whole) * 10_001))):
            self.refused(malformed, device, request)
        self.refused((StatusCode.NOT_FOUND,), device, changed(task_id=secrets.token_bytes(32)))
        self.refused((StatusCode.FAILED_PRECONDITION,), device,
                     changed(key_id=secrets.token_bytes(8)))
        self.refused((StatusCode.RESOURCE_EXHAUSTED,), device,
                     changed(sealed_reports=bytes((8 << 20) + 1)))
        # Several reports where the task has one.
        request = device.request([1, 2])
        request.submission_ids = request.submission_ids[:16]
        request.report_counts[:] = [2]
        self.assertEqual(device.send(request), [REJECTED])

    def bad_reports(self, device, key, other):
        """Of the right length, so that only the collector can tell."""
        info = client.report_info(device.task_id, key.key_id)
        q = device.task.mechanism.local_hash.range
        good = mechanisms.plane_report(1, 1)

        def sealed(plaintext, public_key=key.public_key, sealed_info=info):
            return client.seal(public_key, sealed_info, plaintext)

        length = len(sealed(good))
        wrong_key = client.raw_public(X25519PrivateKey.generate())
        unopened = [sealed(good, wrong_key),
                    sealed(good, sealed_info=client.report_info(bytes.fromhex(other), key.key_id)),
                    sealed(good, sealed_info=client.report_info(device.task_id, bytes(8))),
                    sealed(good[:-1]) + b"\0", sealed(good)[:-16] + bytes(16), bytes(length),
                    secrets.token_bytes(length)]
        malformed = [sealed(bytes(10)), sealed(good[5:] + good[:5]), sealed(b"\x08" + good[1:]),
                     sealed(secrets.token_bytes(4) + bytes(6))]
        out_of_range = [sealed(mechanisms.plane_report(function, bucket)) for function, bucket in
                        ((q + 1, 0), (0, q), (2**32 - 1, 0), (0, 2**32 - 1), (q + 1, q))]
        return {"unopened": unopened, "malformed": malformed, "out_of_range": out_of_range}

    def test_what_is_bad_is_counted_exactly_and_a_flood_is_bounded_and_warned_of(self):
        other = self.create("another", 1000, "--mechanism", "local_hash")
        bad_number = 16
        users = HONEST + FLOOD + bad_number
        task = self.create("hostile", users, "--min-batch", "1600", "--dishonest", "0.15",
                           "--mechanism", "local_hash")
        holders = self.report_honestly(task, 2, HONEST)
        device = self.connect(task)
        key = device.current_key()
        calls, rejected = self.counters()
        self.send_what_is_refused_at_the_door(device)
        # All but the call that gRPC itself refuses as too long.
        self.assertEqual(self.counters(), (calls + 11, rejected + 1))
        self.assertEqual(self.deployment.status(task)["waiting"], HONEST)

        bad = self.bad_reports(device, key, other)
        self.assertEqual(sum(map(len, bad.values())), bad_number)
        request = device.call_of([[report] for reports in bad.values() for report in reports], key)
        self.assertEqual(device.send(request), [ACCEPTED] * bad_number)

        # All to one bucket of one function, where value 13 is.
        hashing = device.task.mechanism.local_hash
        self.assertEqual(hashing.family, client.messages("task").HASH_FAMILY_PLANE)
        bucket = mechanisms.hash_value(hashing, DOMAIN, 2, 13)
        info = client.report_info(device.task_id, key.key_id)
        flood = [[client.seal(key.public_key, info, mechanisms.plane_report(2, bucket))]
                 for _ in range(FLOOD)]
        first = device.call_of(flood[:50], key)
        self.assertEqual(device.send(first), [ACCEPTED] * 50)
        # Replayed as it is, its reports under new ids, and its ids with new reports.
        for _ in range(3):
            self.assertEqual(device.send(first), [DUPLICATE] * 50)
        self.assertEqual(device.send(device.call_of(flood[:50], key)), [DUPLICATE] * 50)
        renewed = device.request([5] * 50, key)
        renewed.submission_ids = first.submission_ids
        self.assertEqual(device.send(renewed), [DUPLICATE] * 50)
        self.assertEqual(device.send(device.call_of(flood[50:], key)), [ACCEPTED] * (FLOOD - 50))

        self.deployment.wait_for(task, lambda s: s["forwarded"] == users)
        answer = self.query(task)
        quality = answer["quality"]
        self.assertEqual(answer["rejected_by_cause"],
                         {cause: len(reports) for cause, reports in bad.items()})
        self.assertEqual(quality["duplicates"], 5 * 50)
        self.assertEqual(answer["reports"], HONEST + FLOOD)
        self.assertEqual(quality["dishonest"], 255)  # 15 % of what was counted
        self.assertAlmostEqual(quality["shift_at_dishonest_share"],
                               255 * quality["shift_per_dishonest"])
        self.check_unharmed(answer, holders, FLOOD, flooded=13)
        # An eighth of the reports with one function: beyond chance by far.
        kinds = {warning["kind"] for warning in quality["warnings"]}
        self.assertIn("seeds", kinds, quality)
        code, text, _ = self.deployment.run("query", "--task", task)
        self.assertEqual(code, 0)
        self.assertIn("WARNING (seeds)", text)
        self.assertIn("7 unopened, 4 malformed, 5 out of range; 250 duplicates", text)
        # What is after the batch is replayed in vain as well, and changes no answer.
        self.assertEqual(device.send(first), [DUPLICATE] * 50)
        self.assertEqual(self.query(task), answer)

    def test_a_flood_of_messages_is_bounded_and_warned_of(self):
        devices, hostile = 300, 15
        task = self.create("messages", devices + hostile, "--min-batch", "300", "--dishonest",
                           "0.06", "--mechanism", "pure_dump")
        holders = self.report_honestly(task, 3, devices)
        device = self.connect(task)
        key = device.current_key()
        info = client.report_info(device.task_id, key.key_id)
        most = mechanisms.most_reports(device.task.mechanism)

        def of(reports):
            return [client.seal(key.public_key, info, mechanisms.value_report(7))
                    for _ in range(reports)]
        self.assertEqual(device.send(device.call_of([of(most + 1)], key)), [REJECTED])
        flood = device.call_of([of(most) for _ in range(hostile)], key)
        self.assertEqual(device.send(flood), [ACCEPTED] * hostile)
        self.deployment.wait_for(task, lambda s: s["forwarded"] == devices + hostile)
        answer = self.query(task)
        self.assertEqual(answer["reports"], devices + hostile)
        self.assertAlmostEqual(answer["quality"]["shift_per_dishonest"],
                               most / (devices + hostile))
        self.check_unharmed(answer, holders, hostile, flooded=7)
        # Ten deviations of the honest devices' messages or more.
        kinds = {warning["kind"] for warning in answer["quality"]["warnings"]}
        self.assertIn("messages", kinds, answer["quality"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
