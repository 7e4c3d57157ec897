"""Streams, by the Python device and a Python shuffler, through the daemons. Run by interop_test.py.

Their periods last longer than a test: what becomes of a node in the shuffler when they are over is tested in
C++, on clocks that can be set."""

import secrets

import deployment
import mechanisms
import streams
import tombola_client as client
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from delivery_cases import Deliveries
from device_case import DeviceCase, stub
from grpc import StatusCode
from support.waiting import until
from tombola.v1 import collector_pb2

ACCEPTED, DUPLICATE = 1, 2
HOURS = 3600


class StreamTest(DeviceCase):
    """Four periods in Fenwick's nodes: a device of the first is in nodes 1, 2 and 4."""

    @classmethod
    def setUpClass(cls):
        cls.task = deployment.running.create_task(
            "stream", users=1000, domain=20, kind="stream", interval="2h", periods=4,
            structure="fenwick", mechanism="pure_dump", retry_window="1h")

    def setUp(self):
        self.device = self.connect(self.task)
        until(self.has_keys)

    def has_keys(self):
        """The shuffler may hear of a task a moment before it hears of its keys."""
        try:
            return self.device.recipients()
        except client.Refused:
            return None

    def changed(self, change):
        request = self.device.request([1])
        change(request)
        return request

    def test_submissions_are_taken_in_all_nodes_once(self):
        before = deployment.running.status(self.task["task"])["accepted"]
        request = self.device.request([1, 2, 3])
        self.assertEqual([group.node for group in request.groups], [1, 2, 4])
        self.assertEqual(self.device.send(request), [ACCEPTED] * 3)
        self.assertEqual(self.device.send(request), [DUPLICATE] * 3)
        status = deployment.running.status(self.task["task"])
        self.assertEqual(status["accepted"] - before, 3 * 3, "in each of its nodes")

    def test_one_that_says_nothing_in_some_node_refuses_the_call(self):
        recipients = self.device.recipients()
        [whole, part] = self.device.in_calls([4, 5], recipients)[0]
        part[1] = []
        self.assert_status(StatusCode.INVALID_ARGUMENT, self.device.stub.Submit,
                           self.device.stream_call([whole, part], recipients))
        self.assertEqual(self.device.send(self.device.stream_call([whole], recipients)), [ACCEPTED])

    def test_groups_that_are_not_those_of_the_period(self):
        submit = self.device.stub.Submit

        def swap(request):
            first, second = list(request.groups)[:2]
            request.groups[0].node, request.groups[1].node = second.node, first.node

        def grow(request):
            request.groups[1].sealed_reports += secrets.token_bytes(53)

        general = next(key for key in self.device.key_list.keys if not key.task_id)
        for change in (lambda r: r.groups.pop(), lambda r: r.groups.pop(0), lambda r: r.groups.add(),
                       lambda r: r.groups.append(r.groups[2]), lambda r: r.ClearField("groups"),
                       lambda r: setattr(r.groups[0], "node", 3), swap, grow,
                       lambda r: r.groups[0].report_counts.extend([1, 1]),
                       lambda r: setattr(r, "part", 0), lambda r: setattr(r, "part", 3),
                       lambda r: setattr(r, "part", 5)):
            self.assert_status(StatusCode.INVALID_ARGUMENT, submit, self.changed(change))
        other = self.device.request([1]).groups[1].key_id
        for key_id, code in ((general.key_id, StatusCode.INVALID_ARGUMENT),
                             (other, StatusCode.INVALID_ARGUMENT),
                             (secrets.token_bytes(8), StatusCode.FAILED_PRECONDITION)):
            self.assert_status(code, submit, self.changed(
                lambda r, key_id=key_id: setattr(r.groups[0], "key_id", key_id)))

    def test_other_tasks_have_no_groups_and_no_nodes_keys(self):
        histogram = self.connect(deployment.running.create_task("beside", users=400, domain=20))
        groups = self.device.request([1]).groups
        request = histogram.request([1])
        request.groups.append(groups[0])
        self.assert_status(StatusCode.INVALID_ARGUMENT, histogram.stub.Submit, request)
        request = histogram.request([1])
        request.key_id = groups[0].key_id
        self.assert_status(StatusCode.INVALID_ARGUMENT, histogram.stub.Submit, request)


class StreamDeliveryTest(Deliveries):
    """Node 2 of a stream, as a shuffler in Python delivers it."""

    def create(self, admin):
        return stub("collector", "CollectorAdmin")(admin).CreateTask(
            collector_pb2.CreateTaskRequest(
                name="delivered", same_name=True, domain_size=20, epsilon=8, delta=1e-6, users=60,
                kind=client.messages("task").KIND_STREAM, mechanism="pure_dump",
                interval=2 * HOURS, lifetime=4 * 2 * HOURS, retry_window=HOURS,
                stream=collector_pb2.StreamRequest(periods=4, structure="fenwick"),
                shuffler_key=client.raw_public(self.signing_key)), timeout=30)

    def setUp(self):
        self.signing_key = Ed25519PrivateKey.generate()
        admin = self.channel("collector_query", "administrator")
        info = self.create(admin)
        self.query = stub("collector", "CollectorQuery")(admin)
        self.task, self.task_id = client.parse_task(info.task, info.task_id), info.task_id
        self.keys = self.query.ListKeys(collector_pb2.ListKeysRequest(), timeout=30).keys
        self.node = 2
        self.key = streams.node_key(self.keys, self.task, self.task_id, self.node, period=1)
        self.devices = self.task.stream.nodes[self.node - 1].smallest_batch
        self.sealed = self.sealed_for(self.key, self.node)
        ingest = self.channel("collector_ingest", "shuffler")
        self.deliver = stub("collector", "CollectorIngest")(ingest).DeliverBatch

    def sealed_for(self, key, node):
        mechanism = self.task.stream.nodes[self.node - 1].mechanism
        return [client.seal(key.public_key, client.report_info(self.task_id, key.key_id, node),
                            report)
                for _ in range(self.devices)
                for report in mechanisms.encode(self.task, 3, mechanism=mechanism)]

    def of_node(self, **changes):
        fields = {"part": self.node, "submissions": self.devices,
                  "reports_in": len(self.sealed), "reports_out": len(self.sealed),
                  "digest_sum": client.digest_sum(
                      self.task_id, changes.get("key_id", self.key.key_id), self.sealed)}
        return self.batch(self.manifest(**{**fields, **changes}), chunk_bytes=53 * 10_000)

    def test_a_node_is_counted_once_under_its_own_key_alone(self):
        general = next(key for key in self.keys.keys if not key.task_id)
        other = streams.node_key(self.keys, self.task, self.task_id, 4, period=1)
        for key in (general, other):
            self.sealed = self.sealed_for(key, self.node)
            self.assert_status(StatusCode.INVALID_ARGUMENT, self.deliver,
                               iter(self.of_node(key_id=key.key_id)))
        self.sealed = self.sealed_for(self.key, self.node)
        for part in (0, 1, 4, 5):
            self.assert_status(StatusCode.INVALID_ARGUMENT, self.deliver,
                               iter(self.of_node(part=part)))
        self.assert_status(StatusCode.INVALID_ARGUMENT, self.deliver,
                           iter(self.of_node(submissions=self.devices - 1)))
        self.assertEqual(self.counted(), 0)
        batch = self.of_node(batch_id=secrets.token_bytes(16))
        receipt = self.deliver(iter(batch), timeout=30)
        self.assertEqual(receipt.state, collector_pb2.BATCH_STATE_COUNTED)
        self.assertEqual((receipt.good, receipt.bad), (len(self.sealed), 0))
        self.assertEqual(self.deliver(iter(batch), timeout=30), receipt)
        self.assertEqual(self.counted(), len(self.sealed))

    def test_reports_for_another_node_do_not_open(self):
        self.sealed = self.sealed_for(self.key, 4)
        receipt = self.deliver(iter(self.of_node()), timeout=30)
        self.assertEqual(receipt.state, collector_pb2.BATCH_STATE_QUARANTINED)
        self.assertEqual(receipt.good, 0)
