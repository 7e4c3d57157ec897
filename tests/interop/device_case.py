"""What the tests against the daemons share."""

import importlib
import math
import unittest

import deployment
import grpc
import tombola_client as client

ANY_FAILURE = 1e-9  # Of one recovered histogram, all its bins together.


def stub(file, service):
    """The stub class of a service of tombola/v1/<file>.proto."""
    return getattr(importlib.import_module(f"tombola.v1.{file}_pb2_grpc"), service + "Stub")


class DeviceCase(unittest.TestCase):
    def connect(self, task, **options):
        device = client.Client(deployment.running.ready["shuffler"], deployment.running.roots,
                               bytes.fromhex(task["task"]), **options)
        self.addCleanup(device.close)
        return device

    def channel(self, port, role=None):
        channel = deployment.running.channel(port, role)
        self.addCleanup(channel.close)
        return channel

    def assert_status(self, code, method, request):
        with self.assertRaises(grpc.RpcError) as raised:
            method(request, timeout=30)
        self.assertEqual(raised.exception.code(), code, raised.exception.details())

    def assert_recovered(self, task_message, truth, bins):
        """Every bin's raw estimate is within Bernstein's bound of its true frequency.

        A report supports value v if its function takes v to its bucket. It does so with
        probability p1 = 1 - gamma + gamma / m if v is its device's value, m being the number of
        buckets, and with p0 = (1 - gamma) c + gamma / m if not, where c is the chance that two
        values share a bucket: 1 / (q + 1) for the plane, 1 / g for the affine family. The raw
        estimate is (supports / n - p0) / (p1 - p0). The values are fixed here and the reports are
        independent, so the number of supports is a sum of n independent indicators of variance V:
        it is t or more away from its mean with probability at most 2 exp(-t^2 / (2 (V + t / 3))).
        t makes that ANY_FAILURE / bins, so that a right client fails here with probability at
        most ANY_FAILURE.
        """
        hashing = task_message.mechanism.local_hash
        gamma = hashing.blanket_threshold / 2**64
        plane = hashing.family == client.messages("task").HASH_FAMILY_PLANE
        collision = 1 / (hashing.range + 1) if plane else 1 / hashing.range
        p1 = 1 - gamma + gamma / hashing.range
        p0 = (1 - gamma) * collision + gamma / hashing.range
        n = sum(truth.values())
        log_failure = math.log(2 * len(bins) / ANY_FAILURE)
        for entry in bins:
            own = truth.get(entry["value"], 0)
            variance = own * p1 * (1 - p1) + (n - own) * p0 * (1 - p0)
            t = log_failure / 3 + math.sqrt((log_failure / 3) ** 2 + 2 * variance * log_failure)
            bound = t / n / (p1 - p0)
            self.assertLess(bound, 0.25, "the test has no power")
            self.assertLessEqual(abs(entry["raw"] - own / n), bound, entry)

    def query(self, task, *flags):
        return deployment.running.ask("query", "--task", task["task"], "--postprocess", "none",
                                      *flags)
