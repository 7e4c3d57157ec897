"""What the Python client does without a network: the worked example, RFC 9180, and what it refuses.

Usage: wire_example_test.py PROTO_DIR
"""

import json
import os
import sys
import tempfile
import unittest

import requirements

requirements.exit_if_missing()

import tombola_client as client
import wire_example
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def leaves(value):
    if isinstance(value, (dict, list)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from leaves(entry)
    else:
        yield str(value)


class ExampleTest(unittest.TestCase):
    def test_the_stored_example_is_what_the_client_computes(self):
        stored = json.loads(read("tests", "data", "wire_example.json"))
        self.assertEqual(stored, wire_example.compute())

    def test_the_page_shows_every_value(self):
        section = read("docs", "wire-format.md").split("\n## A worked example\n")[1]
        shown = "".join(section.split())
        for value in leaves(wire_example.compute()):
            self.assertIn(value, shown)

    def test_the_sum_of_the_example_wraps(self):
        digests = [int(entry["digest"], 16) for entry in wire_example.compute()["plane"]["reports"]]
        self.assertGreaterEqual(sum(digests), 1 << 256)


class HpkeTest(unittest.TestCase):
    """RFC 9180, appendix A.1.1: the first encryption."""

    def setUp(self):
        self.recipient = X25519PrivateKey.from_private_bytes(bytes.fromhex(
            "4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8"))
        self.ephemeral = X25519PrivateKey.from_private_bytes(bytes.fromhex(
            "52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736"))
        self.info = b"Ode on a Grecian Urn"
        self.sealed = client.seal(client.raw_public(self.recipient), self.info,
                                  b"Beauty is truth, truth beauty", b"Count-0", self.ephemeral)

    def test_seals_as_published(self):
        self.assertEqual(self.sealed.hex(),
                         "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431"
                         "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a9"
                         "6d8770ac83d07bea87e13c512a")

    def test_opens_for_the_same_info_alone(self):
        opened = client.open_sealed(self.recipient, self.info, self.sealed, b"Count-0")
        self.assertEqual(opened, b"Beauty is truth, truth beauty")
        with self.assertRaises(InvalidTag):
            client.open_sealed(self.recipient, b"another", self.sealed, b"Count-0")

    def test_every_seal_is_fresh(self):
        public_key = client.raw_public(self.recipient)
        first, second = (client.seal(public_key, b"", b"x") for _ in range(2))
        self.assertNotEqual(first[:32], second[:32])

    def test_refuses_a_key_of_low_order(self):
        with self.assertRaises(client.Refused):
            client.seal(bytes(32), b"", b"x")


class RefusalTest(unittest.TestCase):
    def refused(self, change, family="plane"):
        task = client.messages("task").Task.FromString(
            bytes.fromhex(wire_example.compute()[family]["task"]))
        change(task)
        data = task.SerializeToString()
        with self.assertRaises(client.Refused):
            client.parse_task(data, client.task_id_of(data))

    def test_a_task_with_another_id(self):
        data = bytes.fromhex(wire_example.compute()["plane"]["task"])
        with self.assertRaises(client.Refused):
            client.parse_task(data + b"\x40\x02", client.task_id_of(data))

    def test_tasks_with_one_field_out_of_bounds(self):
        def put(path, value):
            *parents, last = path.split(".")

            def change(task):
                for parent in parents:
                    task = getattr(task, parent)
                setattr(task, last, value)
            return change

        nan = float("nan")
        for path, values in {
                "version": (0, 2, 4), "kind": (0, 2, 3, 4), "name": ("", "x" * 129, "a\nb", "\x7f"),
                "domain.size": (0, 1, 50, (1 << 24) + 1), "domain.other": (20,),
                "target.epsilon": (0, -1, 101, nan), "target.delta": (0, 1, nan),
                "batch_policy.planned_submissions": (1, 899, (1 << 40) + 1),
                "batch_policy.smallest_batch": (0, 1, 1001),
                "batch_policy.dishonest_share": (-0.1, 1, nan),
                "batch_policy.interval": (316_224_001,),
                "batch_policy.retry_window": (0, 3599, 31_622_401),
                "submissions_per_device": (0, 1001), "key_list_age": (0, 3599, 31_622_401), "collector_key": (b"", bytes(33)),
                "shuffler_key": (b"", bytes(31)), "not_before": (-1, wire_example.NOT_AFTER),
                "not_after": (0, 253_402_300_800), "nonce": (b"", bytes(15)),
                "mechanism.local_hash.family": (0, 2), "mechanism.local_hash.range": (0, 3, 9),
                "mechanism.local_hash.blanket_threshold": (0,),
                "mechanism.local_hash.lane_bits": (32,)}.items():
            for value in values:
                with self.subTest(path=path, value=value):
                    self.refused(put(path, value))
        for path, values in {
                "mechanism.local_hash.family": (1,), "mechanism.local_hash.lane_bits": (0, 16, 33),
                "mechanism.local_hash.range": (0, 1, 7, 1 << 22, 1 << 32)}.items():
            for value in values:
                with self.subTest(path=path, value=value):
                    self.refused(put(path, value), "affine")
        self.refused(lambda task: task.ClearField("mechanism"))
        self.refused(lambda task: task.domain.labels.extend(map(str, range(19))))
        self.refused(lambda task: task.domain.labels.extend(["same"] * 20))

    def signed(self, *spans, serial=5):
        pb = client.messages("report")
        keys = []
        for not_before, not_after in spans:
            public_key = client.raw_public(X25519PrivateKey.generate())
            keys.append(pb.HpkeKey(key_id=client.key_id_of(public_key), public_key=public_key,
                                   not_before=not_before, not_after=not_after))
        return self.sign(pb.KeyList(serial=serial, keys=keys, issued=50))

    def sign(self, key_list):
        data = key_list.SerializeToString()
        return client.messages("report").SignedKeyList(
            key_list=data, signature=wire_example.COLLECTOR.sign(b"tombola/v1/keys" + data))

    def test_key_lists(self):
        collector = client.raw_public(wire_example.COLLECTOR)
        good = self.signed((0, 100), (100, 200))
        key_list = client.parse_key_list(good, collector)
        client.parse_key_list(good, collector, key_list)
        client.parse_key_list(self.signed((0, 100), serial=6), collector, key_list)
        self.assertEqual(client.key_at(key_list, 100, 100), key_list.keys[1])
        for now, interval in ((200, 100), (100, 101)):
            with self.assertRaises(client.Refused):
                client.key_at(key_list, now, interval)
        forged = self.signed((0, 100))
        forged.signature = good.signature
        misnamed = client.messages("report").KeyList.FromString(good.key_list)
        misnamed.keys[0].key_id = bytes(8)
        # Older than one that was seen, and another one of its serial.
        for signed in (self.signed((0, 100), serial=4), self.signed((0, 100), (100, 200))):
            with self.assertRaises(client.Refused):
                client.parse_key_list(signed, collector, key_list)
        for signed in (forged, self.signed((0, 101), (100, 200)), self.signed((100, 100)),
                       self.sign(misnamed)):
            with self.assertRaises(client.Refused):
                client.parse_key_list(signed, collector)
        with self.assertRaises(client.Refused):
            client.parse_key_list(good, client.raw_public(wire_example.SHUFFLER))
        key_list.ClearField("issued")
        with self.assertRaises(client.Refused):
            client.parse_key_list(self.sign(key_list), collector)

    def test_keys_of_nodes(self):
        pb = client.messages("report")
        collector = client.raw_public(wire_example.COLLECTOR)

        def key(fill, task_id=b"", part=0, **life):
            return pb.HpkeKey(public_key=fill * 32, key_id=client.key_id_of(fill * 32),
                              task_id=task_id, part=part,
                              **{"not_before": 100, "not_after": 200, **life})

        def parse(*keys):
            return client.parse_key_list(self.sign(pb.KeyList(serial=1, issued=50, keys=keys)),
                                         collector)

        stream = b"t" * 32
        general, node = key(b"a"), key(b"b", stream, 2, closes=300)
        key_list = parse(general, node, key(b"c", stream, 3), key(b"d", b"u" * 32, 2))
        self.assertEqual(client.key_at(key_list, 150, 100), general)
        # The documents' example.
        self.assertEqual(
            client.keys_digest(parse(general, node)).hex(),
            "cb5d02689c10cadbfaecd39ff23051218bf4d47225e100462e5cd3ad51fe0e24")
        for bad in (key(b"e", stream[1:], 2), key(b"e", stream), key(b"e", b"", 2),
                    key(b"e", stream, 2, not_before=199, not_after=250)):
            with self.assertRaises(client.Refused):
                parse(general, node, bad)

    def test_the_age_of_a_key_list(self):
        task = client.messages("task").Task(key_list_age=7200)
        key_list = client.messages("report").KeyList(issued=10_000)
        for now in (6400, 10_000, 17_200):
            client.check_age(key_list, task, now)
        for now in (6399, 17_201):
            with self.assertRaises(client.Refused):
                client.check_age(key_list, task, now)

    def test_when_a_key_closes(self):
        collector = client.raw_public(wire_example.COLLECTOR)
        key_list = client.messages("report").KeyList.FromString(self.signed((0, 100)).key_list)
        key = key_list.keys[0]
        self.assertTrue(client.is_open(key, 10**9))
        for closes in (100, 500):
            key.closes = closes
            client.parse_key_list(self.sign(key_list), collector)
            self.assertTrue(client.is_open(key, closes - 1))
            self.assertFalse(client.is_open(key, closes))
        for closes in (99, -1):
            key.closes = closes
            with self.assertRaises(client.Refused):
                client.parse_key_list(self.sign(key_list), collector)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tombola_stubs_") as stubs:
        requirements.generate_stubs(sys.argv[1], stubs)
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
