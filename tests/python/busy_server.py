"""A collector that has no time, or means harm: it answers questions and lists of tasks with
RESOURCE_EXHAUSTED and single tasks with what swells, over TLS with the collector's own certificate.
"""
from concurrent import futures

import grpc
from google.protobuf import any_pb2, duration_pb2
from tombola_query.wire import collector_pb2, collector_pb2_grpc, status_details_pb2


class BusyServer(collector_pb2_grpc.CollectorQueryServicer):
    """Asks to wait so many seconds, or says what `details` has. A context manager: it serves inside."""

    def __init__(self, certificates, wait):
        delay = duration_pb2.Duration()
        delay.FromNanoseconds(int(wait * 1e9))
        info = status_details_pb2.RetryInfo(retry_delay=delay)
        self.details = status_details_pb2.StatusDetails(
            code=8, message="too many questions",
            details=[any_pb2.Any(type_url="type.googleapis.com/google.rpc.RetryInfo",
                                 value=info.SerializeToString())]).SerializeToString()
        self.server = grpc.server(futures.ThreadPoolExecutor(max_workers=1))
        collector_pb2_grpc.add_CollectorQueryServicer_to_server(self, self.server)
        roots, key, certificate = ((certificates / name).read_bytes()
                                   for name in ("ca.pem", "collector.key", "collector.pem"))
        port = self.server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials(
            [(key, certificate)], roots, require_client_auth=True))
        self.address = f"127.0.0.1:{port}"

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.stop(None).wait()

    def refuse(self, context):
        if self.details is not None:
            context.set_trailing_metadata((("grpc-status-details-bin", self.details),))
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many questions")

    def GetAnswer(self, request, context):
        self.refuse(context)

    def ListTasks(self, request, context):
        self.refuse(context)

    def GetTask(self, request, context):
        """16 MiB of zeros, which are some kilobytes on the line."""
        context.set_compression(grpc.Compression.Gzip)
        return collector_pb2.TaskInfo(task=bytes(16 << 20))
