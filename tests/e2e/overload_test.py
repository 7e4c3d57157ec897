"""A flood of ten times the shuffler's limits: memory stays within bounds, honest devices of another
task are served during it, and everything is as before at once after it.

usage: overload_test.py BINARIES PROTO_DIR [--seconds N]   how long the flood lasts [8]
"""
import argparse
import os
import sys
import tempfile
import time
import unittest

import requirements

requirements.exit_if_missing()

import wire_messages

PARSER = argparse.ArgumentParser()
PARSER.add_argument("binaries")
PARSER.add_argument("protos")
PARSER.add_argument("--seconds", type=float, default=8)
ARGUMENTS, REST = PARSER.parse_known_args()
sys.argv = [sys.argv[0], ARGUMENTS.binaries, *REST]  # flooded.py takes the binaries.
STUBS = tempfile.TemporaryDirectory(prefix="tombola_overload_")
wire_messages.generate_stubs(ARGUMENTS.protos, STUBS.name)
sys.path.insert(0, STUBS.name)

import flooded
import grpc
import tombola_client
from support import http2_wire

MIB = 1 << 20
CALLS, CALLS_MIB, CONNECTIONS, CONNECTIONS_MIB = 16, 32, 400, 32
HELD_PER_TASK, HELD = 30_000, 100_000
DIGESTS = 200_000
FLOOD = 10  # times the limit
# A flood's call: 2,000 submissions, with their entry in the store's queue about 0.6 MiB.
SUBMISSIONS = 2000


class OverloadTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="tombola_overload_")
        cls.limited = flooded.Limited(
            cls.directory.name, "--max-calls", str(CALLS), "--max-calls-mib", str(CALLS_MIB),
            "--max-connections", str(CONNECTIONS), "--max-connections-mib", str(CONNECTIONS_MIB),
            "--max-held-reports", str(HELD), "--max-held-reports-per-task", str(HELD_PER_TASK),
            "--max-digests", str(DIGESTS))
        cls.honest_task = cls.limited.create_task("honest")

    @classmethod
    def tearDownClass(cls):
        code = cls.limited.stop()
        cls.directory.cleanup()
        if code != 0:
            raise AssertionError(f"a daemon exited {code}")

    def device(self, task, **retry):
        device = tombola_client.Client(self.limited.address, self.limited.roots, task,
                                       retry=tombola_client.Retry(**retry))
        self.addCleanup(device.close)
        device.sealed_bytes = len(device.request([1]).sealed_reports)
        return device

    def bound(self, idle):
        """What the shuffler may have in memory, from its flags: calls in flight, gRPC's quota and
        the digests (58 bytes each while a set grows). gRPC's quota is no wall: what a connection
        reads at once, and a message that has arrived and not been looked at, come on top; and what
        is free in the allocator's arenas is not given back at once. Hence twice."""
        return idle + 2 * (CALLS_MIB + CONNECTIONS_MIB) * MIB + 58 * DIGESTS

    def serve(self, device, seconds, each=20):
        """Honest submissions, a few a call, for a while: their latencies. All must succeed."""
        latencies, end = [], time.monotonic() + seconds
        while time.monotonic() < end or not latencies:
            start = time.monotonic()
            outcomes = device.submit([1] * each)
            # Accepted; a duplicate if the answer to an earlier attempt was lost.
            self.assertIn(outcomes, ([1] * each, [2] * each))
            latencies.append(time.monotonic() - start)
        return latencies

    def test_a_flood_of_one_task_is_refused_and_the_others_are_served(self):
        honest = self.device(self.honest_task, attempts=40, first_pause=0.05, longest_pause=0.5)
        calm = self.serve(honest, 1)
        idle = self.limited.shuffler_rss()
        threads = self.limited.shuffler_threads()
        noisy = self.device(self.limited.create_task("noisy"))
        key = noisy.current_key()
        flood = flooded.Flood(self.limited,
                              lambda: flooded.junk(noisy, key, SUBMISSIONS), FLOOD * CALLS)
        most, busy, end = 0, [], time.monotonic() + ARGUMENTS.seconds
        while time.monotonic() < end:
            busy += self.serve(honest, 0.2)
            most = max(most, self.limited.shuffler_rss())
        flood.stop()
        after = self.serve(honest, 1)
        status = self.limited.status(noisy.task_id.hex())
        refused = self.limited.refused()
        print(f"flood: {flood.total()} calls of {SUBMISSIONS} in {ARGUMENTS.seconds:.0f} s, "
              f"{flood.accepted_calls} accepted, codes {flood.codes}, causes {refused}; "
              f"memory {idle / MIB:.0f} MiB idle, {most / MIB:.0f} at most, bound "
              f"{self.bound(idle) / MIB:.0f}; honest calls {len(busy)} during it, all accepted, "
              f"slowest {max(busy):.2f} s; median calm/flood/after {middle(calm) * 1e3:.0f}/"
              f"{middle(busy) * 1e3:.0f}/{middle(after) * 1e3:.0f} ms", flush=True)
        # The task holds what it may, exactly, and the rest was asked to wait.
        self.assertEqual(flood.accepted_calls, HELD_PER_TASK // SUBMISSIONS)
        self.assertEqual(status["waiting"], HELD_PER_TASK)
        self.assertEqual(set(flood.codes), {"RESOURCE_EXHAUSTED"})
        self.assertNotIn(None, flood.waits)
        self.assertGreater(flood.codes["RESOURCE_EXHAUSTED"], FLOOD * CALLS)
        self.assertGreater(refused.get("held_task", 0), 0)
        self.assertGreater(refused.get("share", 0) + refused.get("calls", 0)
                           + refused.get("bytes", 0), 0)
        if "TOMBOLA_SANITIZED" not in os.environ:  # whose runtime keeps what was freed
            self.assertLess(most, self.bound(idle))
        self.assertLess(self.limited.shuffler_threads(), threads + 64)
        # At once after it: nothing has to recover first.
        self.assertLess(after[0], 2 + 20 * middle(calm))

    def test_stalled_connections_do_not_hold_up_an_honest_device(self):
        honest = self.device(self.honest_task)
        idle = self.limited.shuffler_rss()
        before = self.limited.shuffler_threads()
        stalled = [self.limited.connect_raw() for _ in range(200)]  # no handshake
        for connection in stalled[:50]:
            connection.sendall(b"\x16\x03\x01")  # the beginning of one
        stalled += [self.half_a_call() for _ in range(100)]
        try:
            self.serve(honest, 2)
            self.assertLess(self.limited.shuffler_rss(), self.bound(idle))
            self.assertLess(self.limited.shuffler_threads(), before + 64)
            # The handshakes are given up after ten seconds: the server closes.
            stalled[199].settimeout(30)
            self.assertEqual(stalled[199].recv(1), b"")
        finally:
            for connection in stalled:
                connection.close()
        self.serve(honest, 0.5)

    def test_connections_beyond_the_limit_are_closed_and_the_rest_goes_on(self):
        honest = self.device(self.honest_task)
        taken = [self.limited.connect_raw() for _ in range(FLOOD * CONNECTIONS)]
        try:
            # The last ones are beyond the limit: the server closes them at once, and not after the
            # ten seconds that a handshake may take.
            taken[-1].settimeout(5)
            self.assertEqual(closed_byte(taken[-1]), b"")
            self.serve(honest, 1)
        finally:
            for connection in taken:
                connection.close()
        self.serve(self.device(self.honest_task, attempts=20), 0)  # a connection of its own

    def half_a_call(self):
        """A connection with a Submit call that says that 4 MiB follow, and sends their first byte."""
        connection = http2_wire.Connection(self.limited.address, self.limited.roots)
        connection.start("/tombola.v1.Shuffler/Submit", http2_wire.message(bytes(4 * MIB))[:6],
                         end=False)
        return connection

    def test_a_message_that_is_too_large_is_refused(self):
        device = self.device(self.honest_task)
        request = device.request([1])
        request.sealed_reports = bytes(9 * MIB)
        with self.assertRaises(grpc.RpcError) as caught:
            device.stub.Submit(request, timeout=30)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.serve(device, 0)

    def test_too_many_submissions_a_call_are_refused(self):
        device = self.device(self.honest_task)
        request = flooded.junk(device, device.current_key(), 10_001)
        with self.assertRaises(grpc.RpcError) as caught:
            device.stub.Submit(request, timeout=30)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
        self.assertIn("submission_ids", caught.exception.details())
        self.serve(device, 0)

    def test_a_full_task_acknowledges_retries_and_the_tool_says_how_long_to_wait(self):
        device = self.device(self.limited.create_task("full"))
        key = device.current_key()
        requests = [flooded.junk(device, key, 5000) for _ in range(HELD_PER_TASK // 5000)]
        for request in requests:
            self.assertEqual(device.send(request), [1] * 5000)
        with self.assertRaises(grpc.RpcError) as caught:
            device.stub.Submit(flooded.junk(device, key, 1), timeout=30)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.assertEqual(flooded.retry_seconds(caught.exception), 5)
        self.assertEqual(device.send(requests[0]), [2] * 5000)
        code, _, err = self.limited.run("report", "--task", device.task_id.hex(), "--value", "1")
        self.assertEqual(code, 1)
        self.assertIn("asks to wait 5s", err)


def closed_byte(connection):
    try:
        return connection.recv(1)
    except ConnectionResetError:
        return b""


def middle(numbers):
    return sorted(numbers)[len(numbers) // 2]


if __name__ == "__main__":
    unittest.main()
