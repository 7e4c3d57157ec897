"""Both daemons on this machine, the shuffler with limits of the test's choosing, and devices that
send what a real one would not. Needs the stubs of the .proto files.
"""
import importlib
import os
import pathlib
import secrets
import socket
import threading

import grpc
from google.protobuf import any_pb2, duration_pb2
from support.daemons import Daemons
from support.deployment import Deployment
from support.programs import BIN
from wire_messages import messages

RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"


class Limited(Daemons):
    """Both daemons, the shuffler with further flags."""

    def __init__(self, directory, *flags):
        Deployment(BIN, directory).stop()  # makes keys and certificates
        super().__init__(BIN, directory, shuffler_flags=flags)
        self.address = self.addresses["shuffler"]
        self.roots = (self.directory / "certificates" / "ca.pem").read_bytes()

    def shuffler_rss(self):
        """Bytes that the shuffler has in memory."""
        status = pathlib.Path(f"/proc/{self.shuffler.pid}/status").read_text(encoding="utf-8")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) << 10

    def shuffler_threads(self):
        return len(os.listdir(f"/proc/{self.shuffler.pid}/task"))

    def refused(self):
        """tombola_shuffler_refused_total, by cause."""
        code, out, err = self.run("status", "--metrics")
        if code != 0:
            raise AssertionError(err)
        return {line.split('"')[1]: float(line.rsplit(" ", 1)[1]) for line in out.splitlines()
                if line.startswith("tombola_shuffler_refused_total{")}

    def create_task(self, name, users=1_000_000_000):
        """The id of a task that goes on holding what it is given."""
        made = self.ask("task", "create", "--name", name, "--domain", "20", "--epsilon", "8",
                           "--delta", "1e-6", "--mechanism", "local_hash", "--users", str(users),
                           "--min-batch", "1000")
        return bytes.fromhex(made["task"])

    def channel(self):
        return grpc.secure_channel(
            self.address, grpc.ssl_channel_credentials(self.roots),
            options=[("grpc.use_local_subchannel_pool", 1)])

    def connect_raw(self):
        host, port = self.address.split(":")
        return socket.create_connection((host, int(port)), timeout=10)


def retry_seconds(error):
    """What google.rpc.RetryInfo in the status details says; None if there is none."""
    details = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")
    if details is None:
        return None
    # Field 3 of google.rpc.Status, read by hand: the published messages need not be installed.
    at = 0
    while at < len(details):
        key, at = varint(details, at)
        if key & 7 == 0:
            _, at = varint(details, at)
            continue
        size, at = varint(details, at)
        value, at = details[at:at + size], at + size
        if key >> 3 != 3:
            continue
        packed = any_pb2.Any.FromString(value)
        if packed.type_url == RETRY_INFO:
            size, start = varint(packed.value, 1)
            return duration_pb2.Duration.FromString(
                packed.value[start:start + size]).ToTimedelta().total_seconds()
    return None


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


class Flood:
    """Keeps `calls` Submit calls of one task under way on several connections, and never waits as
    long as it is asked to."""

    def __init__(self, limited, make_request, calls, connections=4):
        self.make_request = make_request
        self.lock = threading.Lock()
        self.done = threading.Condition(self.lock)
        self.running, self.stopping = 0, False
        self.accepted_calls, self.codes, self.waits = 0, {}, set()
        self.channels = [limited.channel() for _ in range(connections)]
        services = importlib.import_module("tombola.v1.shuffler_pb2_grpc")
        self.stubs = [services.ShufflerStub(channel) for channel in self.channels]
        for i in range(calls):
            self.send(i % connections)

    def send(self, connection):
        with self.lock:
            if self.stopping:
                return
            self.running += 1
        call = self.stubs[connection].Submit.future(self.make_request(), timeout=30)
        call.add_done_callback(lambda done: self.ended(done, connection))

    def ended(self, call, connection):
        error = call.exception()
        with self.lock:
            self.running -= 1
            if error is None:
                self.accepted_calls += 1
            else:
                code = error.code().name
                self.codes[code] = self.codes.get(code, 0) + 1
                if code == "RESOURCE_EXHAUSTED":
                    self.waits.add(retry_seconds(error))
            self.done.notify_all()
        self.send(connection)

    def total(self):
        with self.lock:
            return self.accepted_calls + sum(self.codes.values())

    def stop(self):
        with self.lock:
            self.stopping = True
            if not self.done.wait_for(lambda: self.running == 0, timeout=60):
                raise AssertionError(f"{self.running} calls have not ended")
        for channel in self.channels:
            channel.close()


def junk(device, key, submissions):
    """A call that the shuffler cannot tell from an honest one: it cannot open reports."""
    size = device.sealed_bytes
    blob = secrets.token_bytes((16 + size) * submissions)
    return messages("shuffler").SubmitRequest(
        task_id=device.task_id, key_id=key.key_id, window=device.window(),
        submission_ids=blob[:16 * submissions], sealed_reports=blob[16 * submissions:])
