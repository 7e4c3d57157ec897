"""The Python device against the real daemons. Usage: interop_test.py BINARIES PROTO_DIR"""

import secrets
import sys
import tempfile
import time
import unittest

import requirements

requirements.exit_if_missing()

import deployment
import grpc
import mechanisms
import tombola_client as client
from device_case import DeviceCase
from grpc import StatusCode
from support.waiting import until

ACCEPTED, DUPLICATE, REJECTED = 1, 2, 3


class RecoveryTest(DeviceCase):
    """Values go in, three of four one value and the rest another; their shares come out."""

    def check(self, task, values, *query_flags):
        device = self.connect(task)
        n = task["users"]
        truth = {values[0]: n - n // 4, values[1]: n // 4}
        held = [value for value, count in truth.items() for _ in range(count)]
        # All but one, so that what is sent twice is still held; then the last one.
        request = device.request(held[:-1])
        self.assertEqual(device.send(request), [ACCEPTED] * (n - 1))
        self.assertEqual(device.send(request), [DUPLICATE] * (n - 1))
        self.assertEqual(device.submit(held[-1:]), [ACCEPTED])
        status = deployment.running.wait_until_counted(task["task"])
        self.assertEqual((status["accepted"], status["duplicates"]), (n, n - 1))
        answer = self.query(task, *query_flags)
        self.assertLessEqual(set(values), {entry["value"] for entry in answer["bins"]})
        self.assertEqual(answer["reports"], n)
        self.assertEqual(answer["rejected"], 0)
        self.assertEqual(answer["guarantee"]["users"], n)
        self.assert_recovered(device.task, truth, answer["bins"])
        return device.task.mechanism.local_hash

    def test_plane(self):
        task = deployment.running.create_task("plane", users=400, domain=20)
        self.assertEqual(task["parameters"]["family"], "plane")
        self.check(task, (3, 7))

    def test_affine_in_lanes_of_32_bits(self):
        task = deployment.running.create_task("affine", users=3000, domain=2000,
                                              max_local_epsilon=2)
        self.assertEqual(task["parameters"]["family"], "affine")
        self.assertEqual(self.check(task, (1999, 0)).lane_bits, 32)

    def test_affine_in_lanes_of_64_bits(self):
        task = deployment.running.create_task("wide", users=100, epsilon=12, domain=1 << 22,
                                              range=2048)
        self.assertEqual(task["parameters"]["family"], "affine")
        chosen = (4_194_303, 12_345)
        hashing = self.check(task, chosen, "--values", "12345,12346,4194302,4194303")
        self.assertEqual(hashing.lane_bits, 64)


class SubmissionTest(DeviceCase):
    @classmethod
    def setUpClass(cls):
        cls.task = deployment.running.create_task("held", users=100_000, domain=20)

    def setUp(self):
        self.device = self.connect(self.task)
        self.submit = self.device.stub.Submit

    def changed(self, values=(1,), **fields):
        request = self.device.request(list(values))
        for name, value in fields.items():
            setattr(request, name, value)
        return request

    def test_an_answer_that_is_lost_is_asked_for_again_unchanged(self):
        sent, pauses = [], []

        def lossy(request, timeout):
            response = self.submit(request, timeout=timeout)
            sent.append(request.SerializeToString())
            if len(sent) < 4:
                raise Lost()
            return response

        device = self.connect(self.task, sleep=pauses.append)
        device.stub.Submit = lossy
        self.assertEqual(device.submit([3, 4]), [DUPLICATE, DUPLICATE])
        self.assertEqual(len(set(sent)), 1)
        self.assertEqual(len(sent), 4)
        self.assertEqual(pauses, sorted(set(pauses)))

    def test_what_cannot_succeed_is_not_tried_again(self):
        device = self.connect(self.task, sleep=lambda _: self.fail("waited"))
        with self.assertRaises(grpc.RpcError):
            device.send(self.changed(key_id=secrets.token_bytes(8)))

    def test_duplicates_are_known_by_id_and_by_report(self):
        first = self.device.request([1])
        self.assertEqual(self.device.send(first), [ACCEPTED])
        same_report = self.changed(sealed_reports=first.sealed_reports)
        self.assertEqual(self.device.send(same_report), [DUPLICATE])
        same_id = self.changed(submission_ids=first.submission_ids)
        self.assertEqual(self.device.send(same_id), [DUPLICATE])
        twins = self.device.request([1, 1])
        twins.submission_ids = 2 * twins.submission_ids[:16]
        self.assertEqual(self.device.send(twins), [ACCEPTED, DUPLICATE])

    def test_submissions_with_a_wrong_number_of_reports_are_rejected_alone(self):
        request = self.device.request([1, 2, 3])
        ids = secrets.token_bytes(3 * 16)
        request.submission_ids = ids
        request.report_counts[:] = [2, 1, 0]
        self.assertEqual(self.device.send(request), [REJECTED, ACCEPTED, REJECTED])

    def test_a_task_id_of_the_wrong_length(self):
        for length in (0, 31, 33):
            bad = secrets.token_bytes(length)
            self.assert_status(StatusCode.INVALID_ARGUMENT, self.submit, self.changed(task_id=bad))
            request = client.messages("shuffler").GetTaskRequest(task_id=bad)
            self.assert_status(StatusCode.INVALID_ARGUMENT, self.device.stub.GetTask, request)

    def test_an_unknown_task(self):
        unknown = secrets.token_bytes(32)
        self.assert_status(StatusCode.NOT_FOUND, self.submit, self.changed(task_id=unknown))
        request = client.messages("shuffler").GetTaskRequest(task_id=unknown)
        self.assert_status(StatusCode.NOT_FOUND, self.device.stub.GetTask, request)

    def test_lengths_that_do_not_fit(self):
        whole = self.device.request([1, 2])
        for name, value in (
                ("sealed_reports", whole.sealed_reports[:-1]),
                ("sealed_reports", whole.sealed_reports[:58]),
                ("sealed_reports", whole.sealed_reports + whole.sealed_reports),
                ("sealed_reports", b""),
                ("submission_ids", whole.submission_ids[:-1]),
                ("submission_ids", whole.submission_ids[:16]),
                ("submission_ids", b""),
                ("key_id", b""),
                ("key_id", whole.key_id[:7]),
                ("key_id", whole.key_id + b"\0")):
            request = self.changed((1, 2), **{name: value})
            self.assert_status(StatusCode.INVALID_ARGUMENT, self.submit, request)
        for counts in ([1], [1, 1, 1], [2, 1]):
            request = self.changed((1, 2))
            request.report_counts[:] = counts
            self.assert_status(StatusCode.INVALID_ARGUMENT, self.submit, request)

    def test_windows_ahead_of_the_shufflers_clock(self):
        self.assertEqual(self.device.send(self.changed(window=1)), [ACCEPTED])
        for window in (2, 2**32, 2**32 + 1, 2**63, 2**64 - 1):
            self.assert_status(StatusCode.INVALID_ARGUMENT, self.submit,
                               self.changed(window=window))

    def test_a_key_that_is_none_of_the_collectors(self):
        self.assert_status(StatusCode.FAILED_PRECONDITION, self.submit,
                           self.changed(key_id=secrets.token_bytes(8)))

    def test_a_retired_key_is_taken_and_a_destroyed_one_is_not(self):
        old = self.device.current_key()
        late = self.device.request([1], key=old)
        time.sleep(max(0.0, old.not_before + 1.1 - time.time()))  # a key lives at least a second
        deployment.running.ask("keys", "rotate")
        until(lambda: self.device.current_key().key_id != old.key_id)
        self.assertTrue(client.is_open(old, time.time()))
        self.assertEqual(self.device.send(late), [ACCEPTED])
        keys = deployment.running.ask("keys", "destroy", "--key", old.key_id.hex())["keys"]
        self.assertEqual([k["state"] for k in keys if k["key"] == old.key_id.hex()], ["destroyed"])

        def refusal():  # comes once the shuffler has heard of it
            try:
                self.device.send(self.device.request([1], key=old))
            except grpc.RpcError as error:
                return error.code()
            return None
        self.assertEqual(until(refusal), StatusCode.FAILED_PRECONDITION)

    def test_a_closed_task(self):
        task = deployment.running.create_task("closed", users=400, domain=20)
        device = self.connect(task)
        request = device.request([1])
        self.assertEqual(device.send(request), [ACCEPTED])
        deployment.running.ask("task", "close", "--task", task["task"])
        with self.assertRaises(grpc.RpcError) as raised:
            device.stub.Submit(request, timeout=30)
        self.assertEqual(raised.exception.code(), StatusCode.FAILED_PRECONDITION)

    def test_a_task_above_grpcs_usual_limit_of_4_mib(self):
        labels = [f"{value:0250}" for value in range(20_000)]
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("\n".join(labels))
            file.flush()
            task = deployment.running.create_task("long", users=400, values=file.name)
        self.assertEqual(self.connect(task).task.domain.labels, labels)

    def test_too_many_and_too_much(self):
        self.assert_status(StatusCode.INVALID_ARGUMENT, self.submit, self.changed(
            submission_ids=secrets.token_bytes(16 * 10_001),
            sealed_reports=secrets.token_bytes(58 * 10_001)))
        self.assert_status(StatusCode.RESOURCE_EXHAUSTED, self.submit,
                           self.changed(sealed_reports=bytes((8 << 20) + 1)))


class Lost(grpc.RpcError):
    def code(self):
        return StatusCode.UNAVAILABLE


class RejectionTest(DeviceCase):
    """What the shuffler cannot see and the collector drops, by cause."""

    def test_bad_reports_are_counted_as_rejected(self):
        n = 400
        task = deployment.running.create_task("rejected", users=n, domain=20)
        other = deployment.running.create_task("other", users=n, domain=20)
        device = self.connect(task)
        key = device.current_key()
        info = client.report_info(device.task_id, key.key_id)
        q = device.task.mechanism.local_hash.range

        def sealed(plaintext, sealed_info=info):
            return client.seal(key.public_key, sealed_info, plaintext)

        def flipped(position):
            record = bytearray(sealed(mechanisms.plane_report(0, 0)))
            record[position] ^= 1
            return bytes(record)

        good = mechanisms.plane_report(0, 0)
        foreign = client.report_info(bytes.fromhex(other["task"]), key.key_id)
        unopened = [flipped(0), flipped(32), flipped(57), sealed(good, foreign),
                    sealed(good, b""), bytes(58), secrets.token_bytes(58)]
        malformed = [sealed(bytes(10)), sealed(good[5:] + good[:5]), sealed(b"\x08" + good[1:])]
        out_of_range = [sealed(mechanisms.plane_report(function, bucket))
                        for function, bucket in ((q + 1, 0), (0, q), (2**32 - 1, 2**32 - 1))]
        bad = unopened + malformed + out_of_range
        request = device.request([5] * (n - len(bad)), key)
        request.submission_ids += secrets.token_bytes(16 * len(bad))
        request.sealed_reports += b"".join(bad)
        self.assertEqual(device.send(request), [ACCEPTED] * n)
        deployment.running.wait_until_counted(task["task"])
        answer = self.query(task)
        self.assertEqual(answer["rejected_by_cause"], {
            "unopened": len(unopened), "malformed": len(malformed),
            "out_of_range": len(out_of_range)})
        self.assertEqual(answer["reports"], n - len(bad))
        self.assert_recovered(device.task, {5: n - len(bad)}, answer["bins"])


def load_tests(loader, _tests, _pattern):
    # Imported late, because they import what was generated.
    import delivery_cases
    import item_cases
    import mechanism_cases
    import number_cases
    import stream_cases
    import string_cases
    import transport_cases
    suite = unittest.TestSuite()
    for case in (RecoveryTest, mechanism_cases.MechanismTest, mechanism_cases.SeveralReportsTest,
                 item_cases.ItemsTest, item_cases.RecordTest, number_cases.NumbersTest, SubmissionTest, RejectionTest,
                 stream_cases.StreamTest, stream_cases.StreamDeliveryTest, string_cases.StringsTest,
                 transport_cases.TransportTest,
                 delivery_cases.DeliveryTest, delivery_cases.FakesTest,
                 delivery_cases.SeveralReportsTest):
        suite.addTests(loader.loadTestsFromTestCase(case))
    return suite


def main():
    binaries, proto_dir = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="tombola_stubs_") as stubs:
        requirements.generate_stubs(proto_dir, stubs)
        deployment.running = deployment.Reachable(binaries)
        try:
            tests = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2, exit=False)
            if not tests.result.wasSuccessful():
                print(deployment.running.logs(), file=sys.stderr)
        finally:
            code = deployment.running.stop()
        if code != 0:
            sys.exit(f"`tombola up` ended with {code}")
        sys.exit(not tests.result.wasSuccessful())


if __name__ == "__main__":
    main()
