"""Two daemons on this machine and the devices that submit to them, for a test that reads all they leave."""
import importlib
import os
import pathlib
import re
import shutil
import signal
import socket
import tempfile
import time
import unittest

from observed import Submission
from relay import Relay
from support import daemon_process
from support.deployment import Deployment
from support.ports import free_port
from support.programs import BIN
from support.python_device import ACCEPTED, DUPLICATE
from support.waiting import until

import grpc
import mechanisms
import tombola_client as client

DEVICES, DOMAIN = 80, 20
# Times in metrics: what the clock says, when the daemon and its keys began, when it last heard of
# the collector, and when a whole batch left or came.
OWN_TIMES = re.compile(rb"^(tombola_time_seconds|process_start_time_seconds|"
                       rb"[a-z_]+_timestamp_seconds) .*$", re.M)


class Daemon:
    """One of the two programs, with a log of its own; as talkative as it can be."""

    def __init__(self, program, log, arguments):
        self.log = log
        self.process, self.ready = daemon_process.start(
            [BIN / program, *arguments, "--log-level", "debug"], log,
            {**os.environ, "GRPC_VERBOSITY": "DEBUG"})

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(timeout=60)


class ObservedDeployment(unittest.TestCase):
    """Both daemons, and devices whose addresses, ids, reports and times are written down: `submissions` has
    who connected, `arrivals` the sealed reports in the order in which they came."""

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="tombola-observer-"))
        self.daemons = {}
        self.ports = {"ingest": free_port(), "query": free_port(), "shuffler": free_port()}

    def tearDown(self):
        for daemon in self.daemons.values():
            if daemon.process.poll() is None:
                daemon.end(signal.SIGKILL)
        shutil.rmtree(self.directory, ignore_errors=True)

    # --- the deployment ---

    def inside(self, name):
        return str(self.directory / name)

    def create_task(self):
        deployment = Deployment(BIN, self.directory)
        try:
            made = deployment.ask("task", "create", "--name", "observed", "--domain", str(DOMAIN),
                                  "--epsilon", "8", "--delta", "1e-6", "--users", str(DEVICES),
                                  "--mechanism", "local_hash")
        finally:
            deployment.stop()
        self.task_id = bytes.fromhex(made["task"])

    def start(self, who):
        common = ["--data-dir", self.inside(who), "--cert", self.inside(f"certificates/{who}.pem"),
                  "--key", self.inside(f"certificates/{who}.key"), "--roots",
                  self.inside("certificates/ca.pem"), "--signing-key",
                  self.inside(f"keys/{who}.seed")]
        ingest = "127.0.0.1:%d" % self.ports["ingest"]
        own = {"collector": ["--listen-ingest", ingest, "--listen-query",
                             "127.0.0.1:%d" % self.ports["query"]],
               "shuffler": ["--listen", "127.0.0.1:%d" % self.ports["shuffler"], "--collector",
                            ingest, "--collector-key", self.inside("keys/collector.pub")]}[who]
        self.daemons[who] = Daemon(f"tombola-{who}", self.inside(f"{who}.log"), common + own)

    def kill(self, who):
        self.assertEqual(self.daemons.pop(who).end(signal.SIGKILL), -signal.SIGKILL)

    def stop(self, who):
        self.assertEqual(self.daemons.pop(who).end(signal.SIGTERM), 0)

    def call(self, port, role, file, service, method, request):
        stem = self.inside(f"certificates/{role}")
        credentials = grpc.ssl_channel_credentials(
            pathlib.Path(self.inside("certificates/ca.pem")).read_bytes(),
            pathlib.Path(stem + ".key").read_bytes(), pathlib.Path(stem + ".pem").read_bytes())
        with grpc.secure_channel("127.0.0.1:%d" % self.ports[port], credentials) as channel:
            services = importlib.import_module(f"tombola.v1.{file}_pb2_grpc")
            stub = getattr(services, service + "Stub")(channel)
            return getattr(stub, method)(request, timeout=30, wait_for_ready=True)

    def status(self):
        request = client.messages("shuffler").GetShufflerStatusRequest(task_id=self.task_id)
        return self.call("shuffler", "operator", "shuffler", "ShufflerOperator", "GetStatus",
                         request).tasks[0]

    def wait_for(self, condition):
        until(lambda: condition(self.status()), self.status)

    def metrics(self):
        texts = {}
        if "shuffler" in self.daemons:
            texts["shuffler metrics"] = self.call(
                "shuffler", "operator", "shuffler", "ShufflerOperator", "GetMetrics",
                client.messages("shuffler").GetShufflerMetricsRequest()).text.encode()
        if "collector" in self.daemons:
            texts["collector metrics"] = self.call(
                "query", "administrator", "collector", "CollectorAdmin", "GetMetrics",
                client.messages("collector").GetCollectorMetricsRequest()).text.encode()
        return {name: OWN_TIMES.sub(b"", text) for name, text in texts.items()}

    # --- the devices ---

    def submit(self, number):
        """One device, from one of eight addresses; it repeats itself, and sends what is refused."""
        address = "127.%d.%d.%d" % (100 + number % 8, 17 + number % 8, 201 - number % 8)
        # The daemons' own ports are in their logs, and not because a device had the same.
        relay = Relay(address, ("127.0.0.1", self.ports["shuffler"]), self.ports.values())
        device = client.Client(relay.address, self.roots, self.task_id)
        try:
            key = device.current_key()
            info = client.report_info(self.task_id, key.key_id)
            plaintexts = mechanisms.encode(device.task, number % DOMAIN)
            sealed = [client.seal(key.public_key, info, report) for report in plaintexts]
            request = device.call_of([sealed], key)
            begun = time.time()
            self.assertEqual(device.send(request), [ACCEPTED])
            ended = time.time()
            if number < DEVICES - 1:
                self.assertEqual(device.send(request), [DUPLICATE])
                broken = client.messages("shuffler").SubmitRequest()
                broken.CopyFrom(request)
                broken.sealed_reports = request.sealed_reports[:-1]
                with self.assertRaises(grpc.RpcError):
                    device.stub.Submit(broken, timeout=30)
        finally:
            device.close()
            relay.close()
        self.key_id = key.key_id
        self.submissions += [Submission(address, port, request.submission_ids, plaintexts, sealed,
                                        begun, ended) for port in relay.ports]
        self.arrivals.append(sealed)

    def knock(self, address):
        """A connection that is no TLS: what a server says about a broken handshake."""
        with socket.create_connection(("127.0.0.1", self.ports["shuffler"]),
                                      source_address=(address, 0)) as knocking:
            now = time.time()
            self.submissions.append(Submission(address, knocking.getsockname()[1], os.urandom(16),
                                               [], [], now, now))
            knocking.sendall(b"GET / HTTP/1.1\r\n\r\n")
            knocking.settimeout(30)
            try:
                while knocking.recv(4096):
                    pass
            except OSError:
                pass
