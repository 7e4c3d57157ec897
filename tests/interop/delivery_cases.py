"""A shuffler in Python, as far as the collector sees one: batches with signed manifests. Run by
interop_test.py."""

import hashlib
import secrets

import tombola_client as client
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from device_case import DeviceCase, stub
from grpc import StatusCode
from tombola.v1 import collector_pb2

REPORTS = 60
SEALED = 58


class DeliveryTest(DeviceCase):
    def setUp(self):
        self.signing_key = Ed25519PrivateKey.generate()
        admin = self.channel("collector_query", "administrator")
        info = stub("collector", "CollectorAdmin")(admin).CreateTask(
            collector_pb2.CreateTaskRequest(
                name="delivered", domain_size=20, epsilon=8, delta=1e-6, users=REPORTS,
                mechanism="local_hash",
                shuffler_key=client.raw_public(self.signing_key)), timeout=30)
        self.query = stub("collector", "CollectorQuery")(admin)
        keys = self.query.ListKeys(collector_pb2.ListKeysRequest(), timeout=30).keys
        self.task = client.parse_task(info.task, info.task_id)
        self.task_id, self.key = info.task_id, keys.keys[-1]
        sealing = client.report_info(self.task_id, self.key.key_id)
        self.sealed = [client.seal(self.key.public_key, sealing, client.encode(self.task, 3))
                       for _ in range(REPORTS)]
        ingest = self.channel("collector_ingest", "shuffler")
        self.deliver = stub("collector", "CollectorIngest")(ingest).DeliverBatch

    def manifest(self, **changes):
        fields = dict(
            task_id=self.task_id, batch_id=secrets.token_bytes(16), key_id=self.key.key_id,
            submissions=REPORTS, reports_in=REPORTS, reports_out=REPORTS,
            digest_sum=client.digest_sum(self.task_id, self.key.key_id, self.sealed))
        return collector_pb2.Manifest(**{**fields, **changes}).SerializeToString()

    def batch(self, manifest, chunk_bytes=25 * SEALED, signing_key=None):
        signature = (signing_key or self.signing_key).sign(b"tombola/v1/manifest" + manifest)
        header = collector_pb2.BatchHeader(manifest=manifest, signature=signature)
        return [collector_pb2.BatchChunk(header=header), *self.chunks(chunk_bytes)]

    def chunks(self, chunk_bytes):
        reports = b"".join(self.sealed)
        return [collector_pb2.BatchChunk(sealed_reports=reports[i:i + chunk_bytes])
                for i in range(0, len(reports), chunk_bytes)]

    def counted(self):
        request = collector_pb2.GetTaskInfoRequest(task_id=self.task_id)
        return self.query.GetTask(request, timeout=30).reports

    def test_a_batch_is_counted_once(self):
        batch_id = secrets.token_bytes(16)
        batch = self.batch(self.manifest(batch_id=batch_id, duplicates=7))
        receipt = self.deliver(iter(batch), timeout=30)
        self.assertEqual(receipt, collector_pb2.BatchReceipt(
            batch_id=batch_id, state=collector_pb2.BATCH_STATE_COUNTED, good=REPORTS))
        self.assertEqual(self.deliver(iter(batch), timeout=30), receipt)
        another = self.batch(self.manifest(batch_id=batch_id))
        self.assert_status(StatusCode.ALREADY_EXISTS, self.deliver, iter(another))
        self.assertEqual(self.counted(), REPORTS)

    def test_a_batch_that_lost_too_many_reports_is_quarantined(self):
        self.sealed[7:] = [bytes(SEALED)] * (REPORTS - 7)
        receipt = self.deliver(iter(self.batch(self.manifest())), timeout=30)
        self.assertEqual(receipt.state, collector_pb2.BATCH_STATE_QUARANTINED)
        self.assertEqual((receipt.good, receipt.bad), (7, REPORTS - 7))
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
                    submissions=REPORTS - 1, reports_in=REPORTS - 1, reports_out=REPORTS - 1))),
                (StatusCode.INVALID_ARGUMENT, self.batch(self.manifest(fakes=1))),
                (StatusCode.INVALID_ARGUMENT, self.batch(self.manifest(submissions=REPORTS + 1))),
                (StatusCode.INVALID_ARGUMENT, self.batch(b"\xff")),
                (StatusCode.INVALID_ARGUMENT, self.batch(good)[1:]),
                (StatusCode.INVALID_ARGUMENT, self.batch(good)[:-1]),
                (StatusCode.INVALID_ARGUMENT, self.batch(good, chunk_bytes=29)),
                (StatusCode.INVALID_ARGUMENT, [])):
            self.assert_status(code, self.deliver, iter(batch))
        self.assertEqual(self.counted(), 0)
