"""A shuffler in Python, as far as the collector sees one: batches with signed manifests. Run by
interop_test.py."""

import hashlib
import secrets

import mechanisms
import tombola_client as client
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from device_case import DeviceCase, stub
from grpc import StatusCode
from tombola.v1 import collector_pb2

DEVICES = 60


class Deliveries(DeviceCase):
    """A task of 60 devices, their reports, and what a shuffler needs to deliver them."""

    mechanism = "local_hash"

    def setUp(self):
        self.signing_key = Ed25519PrivateKey.generate()
        admin = self.channel("collector_query", "administrator")
        info = stub("collector", "CollectorAdmin")(admin).CreateTask(
            collector_pb2.CreateTaskRequest(
                name="delivered", same_name=True, domain_size=20, epsilon=8, delta=1e-6,
                users=DEVICES,
                mechanism=self.mechanism,
                shuffler_key=client.raw_public(self.signing_key)), timeout=30)
        self.query = stub("collector", "CollectorQuery")(admin)
        keys = self.query.ListKeys(collector_pb2.ListKeysRequest(), timeout=30).keys
        self.task = client.parse_task(info.task, info.task_id)
        self.task_id, self.key = info.task_id, [key for key in keys.keys if not key.task_id][-1]
        self.sealed = [self.seal(report) for _ in range(DEVICES)
                       for report in mechanisms.encode(self.task, 3)]
        ingest = self.channel("collector_ingest", "shuffler")
        self.deliver = stub("collector", "CollectorIngest")(ingest).DeliverBatch

    def seal(self, report):
        return client.seal(self.key.public_key,
                           client.report_info(self.task_id, self.key.key_id), report)

    def manifest(self, **changes):
        fields = dict(
            task_id=self.task_id, batch_id=secrets.token_bytes(16), key_id=self.key.key_id,
            submissions=DEVICES, reports_in=len(self.sealed), reports_out=len(self.sealed),
            digest_sum=client.digest_sum(self.task_id, self.key.key_id, self.sealed))
        return collector_pb2.Manifest(**{**fields, **changes}).SerializeToString()

    def batch(self, manifest, chunk_bytes=None, signing_key=None):
        signature = (signing_key or self.signing_key).sign(b"tombola/v1/manifest" + manifest)
        header = collector_pb2.BatchHeader(manifest=manifest, signature=signature)
        return [collector_pb2.BatchChunk(header=header), *self.chunks(chunk_bytes)]

    def chunks(self, chunk_bytes):
        reports = b"".join(self.sealed)
        chunk_bytes = chunk_bytes or 25 * len(self.sealed[0])
        return [collector_pb2.BatchChunk(sealed_reports=reports[i:i + chunk_bytes])
                for i in range(0, len(reports), chunk_bytes)]

    def counted(self):
        request = collector_pb2.GetTaskInfoRequest(task_id=self.task_id)
        return self.query.GetTask(request, timeout=30).messages


class DeliveryTest(Deliveries):
    def test_a_batch_is_counted_once(self):
        batch_id = secrets.token_bytes(16)
        batch = self.batch(self.manifest(batch_id=batch_id, duplicates=7))
        receipt = self.deliver(iter(batch), timeout=30)
        self.assertEqual(receipt, collector_pb2.BatchReceipt(
            batch_id=batch_id, state=collector_pb2.BATCH_STATE_COUNTED, good=DEVICES))
        self.assertEqual(self.deliver(iter(batch), timeout=30), receipt)
        another = self.batch(self.manifest(batch_id=batch_id))
        self.assert_status(StatusCode.ALREADY_EXISTS, self.deliver, iter(another))
        self.assertEqual(self.counted(), DEVICES)

    def test_a_batch_that_lost_too_many_reports_is_quarantined(self):
        self.sealed[7:] = [bytes(len(self.sealed[0]))] * (DEVICES - 7)
        receipt = self.deliver(iter(self.batch(self.manifest())), timeout=30)
        self.assertEqual(receipt.state, collector_pb2.BATCH_STATE_QUARANTINED)
        self.assertEqual((receipt.good, receipt.bad), (7, DEVICES - 7))
        self.assertEqual(self.counted(), 0)

    def test_refusals(self):
        good = self.manifest()
        unknown = hashlib.sha256(b"no such thing").digest()
        for code, batch in (
                (StatusCode.UNAUTHENTICATED,
                 self.batch(good, signing_key=Ed25519PrivateKey.generate())),
                (StatusCode.NOT_FOUND, self.batch(self.manifest(task_id=unknown))),
                (StatusCode.NOT_FOUND, self.batch(self.manifest(key_id=unknown[:8]))),
                (StatusCode.INVALID_ARGUMENT, self.batch(self.manifest(task_id=unknown[1:]))),
                (StatusCode.INVALID_ARGUMENT, self.batch(self.manifest(digest_sum=unknown))),
                (StatusCode.INVALID_ARGUMENT, self.batch(self.manifest(
                    submissions=DEVICES - 1, reports_in=DEVICES - 1, reports_out=DEVICES - 1))),
                (StatusCode.INVALID_ARGUMENT, self.batch(self.manifest(fakes=1))),
                (StatusCode.INVALID_ARGUMENT, self.batch(self.manifest(submissions=DEVICES + 1))),
                (StatusCode.INVALID_ARGUMENT, self.batch(b"\xff")),
                (StatusCode.INVALID_ARGUMENT, self.batch(good)[1:]),
                (StatusCode.INVALID_ARGUMENT, self.batch(good)[:-1]),
                (StatusCode.INVALID_ARGUMENT, self.batch(good, chunk_bytes=29)),
                (StatusCode.INVALID_ARGUMENT, [])):
            self.assert_status(code, self.deliver, iter(batch))
        self.assertEqual(self.counted(), 0)


class FakesTest(Deliveries):
    """The shuffler's own reports, drawn in Python from all reports of the task."""

    mechanism = "murs"

    def test_a_batch_has_as_many_fakes_as_the_task_says(self):
        murs = self.task.mechanism.murs
        q = murs.local_hash.range
        self.assertEqual(murs.local_hash.family, client.messages("task").HASH_FAMILY_PLANE)
        self.sealed += [
            self.seal(mechanisms.plane_report(secrets.randbelow(q + 1), secrets.randbelow(q)))
            for _ in range(murs.fakes)]
        for fakes in (0, murs.fakes - 1, murs.fakes + 1):
            manifest = self.manifest(reports_in=len(self.sealed) - fakes, fakes=fakes)
            self.assert_status(StatusCode.INVALID_ARGUMENT, self.deliver,
                               iter(self.batch(manifest)))
        batch = self.batch(self.manifest(reports_in=DEVICES, fakes=murs.fakes))
        receipt = self.deliver(iter(batch), timeout=30)
        self.assertEqual(receipt.state, collector_pb2.BATCH_STATE_COUNTED)
        self.assertEqual((receipt.good, receipt.bad), (DEVICES + murs.fakes, 0))


class SeveralReportsTest(Deliveries):
    mechanism = "pure_dump"

    def test_no_more_reports_than_the_submissions_may_have(self):
        enough = -(-len(self.sealed) // mechanisms.most_reports(self.task.mechanism))
        for submissions in (0, 1, enough - 1, len(self.sealed) + 1):
            manifest = self.manifest(submissions=submissions)
            self.assert_status(StatusCode.INVALID_ARGUMENT, self.deliver,
                               iter(self.batch(manifest)))
        receipt = self.deliver(iter(self.batch(self.manifest())), timeout=30)
        self.assertEqual(receipt.state, collector_pb2.BATCH_STATE_COUNTED)
        self.assertEqual((receipt.good, receipt.bad), (len(self.sealed), 0))
