"""Ports, roles and what is no message at all. Run by interop_test.py."""

import deployment
import grpc
import health_pb2
import health_pb2_grpc
import tombola_client as client
from device_case import DeviceCase, stub
from grpc import StatusCode


class TransportTest(DeviceCase):
    def test_health_answers_on_every_port_and_nobody_lists_services(self):
        for port, role in (("shuffler", None), ("collector_query", "analyst"),
                           ("collector_ingest", "shuffler")):
            channel = self.channel(port, role)
            checked = health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(), timeout=30)
            self.assertEqual(checked.status, health_pb2.HealthCheckResponse.SERVING)
            reflection = channel.stream_stream(
                "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
            self.assert_status(StatusCode.UNIMPLEMENTED,
                               lambda request, timeout: list(reflection(iter([request]),
                                                                        timeout=timeout)), b"")

    def test_roles(self):
        shuffler = stub("shuffler", "ShufflerOperator")
        status = client.messages("shuffler").GetShufflerStatusRequest()
        shuffler(self.channel("shuffler", "operator")).GetStatus(status, timeout=30)
        query = stub("collector", "CollectorQuery")
        tasks = client.messages("collector").ListTasksRequest()
        query(self.channel("collector_query", "administrator")).ListTasks(tasks, timeout=30)
        admin = stub("collector", "CollectorAdmin")
        metrics = client.messages("collector").GetCollectorMetricsRequest()
        ingest = stub("collector", "CollectorIngest")
        catalog = client.messages("collector").GetCatalogRequest()
        device = stub("shuffler", "Shuffler")
        keys = client.messages("shuffler").GetKeyListRequest()
        for code, method, request in (
                (StatusCode.PERMISSION_DENIED,
                 device(self.channel("shuffler", "operator")).GetKeyList, keys),
                (StatusCode.UNAUTHENTICATED, shuffler(self.channel("shuffler")).GetStatus, status),
                (StatusCode.PERMISSION_DENIED,
                 shuffler(self.channel("shuffler", "analyst")).GetStatus, status),
                (StatusCode.UNAUTHENTICATED,
                 query(self.channel("collector_query")).ListTasks, tasks),
                (StatusCode.PERMISSION_DENIED,
                 query(self.channel("collector_query", "operator")).ListTasks, tasks),
                (StatusCode.PERMISSION_DENIED,
                 admin(self.channel("collector_query", "analyst")).GetMetrics, metrics),
                (StatusCode.UNAVAILABLE,
                 ingest(self.channel("collector_ingest")).GetCatalog, catalog),
                (StatusCode.PERMISSION_DENIED,
                 ingest(self.channel("collector_ingest", "analyst")).GetCatalog, catalog)):
            self.assert_status(code, method, request)

    def test_what_is_no_message(self):
        for port, role, method in (
                ("shuffler", None, "Shuffler/Submit"),
                ("collector_ingest", "shuffler", "CollectorIngest/GetCatalog"),
                ("shuffler", "operator", "ShufflerOperator/GetStatus"),
                ("collector_query", "analyst", "CollectorQuery/GetTask"),
                ("collector_query", "administrator", "CollectorAdmin/CloseTask")):
            raw = self.channel(port, role).unary_unary("/tombola.v1." + method)
            self.assert_status(StatusCode.UNIMPLEMENTED, raw, b"\xff\xff\xff")

    def test_what_is_no_tls(self):
        plain = grpc.insecure_channel(deployment.running.ready["shuffler"])
        self.addCleanup(plain.close)
        self.assert_status(StatusCode.UNAVAILABLE, stub("shuffler", "Shuffler")(plain).GetKeyList,
                           client.messages("shuffler").GetKeyListRequest())
