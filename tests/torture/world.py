"""A deployment for one sequence: two daemons, each with a disk and a clock, and a proxy a line.

Keys, certificates and tasks are made once, by `tombola up`, and copied.
"""

import importlib
import os
import pathlib

import grpc
from books import whole_counts
from daemons import Daemon
from devices import IMPATIENT, Devices
from disk import Disk, Shared
from proxy import Proxy
from support.daemons import identity
from support.deployment import Deployment
from wire_messages import messages

DOMAIN = 1024
# Planned and smallest batch, and the interval at whose end what is held may leave; of the last,
# which has periods, it must leave then or expire.
TASKS = ({"users": 8, "min-batch": 8, "domain": DOMAIN},
         {"users": 12, "min-batch": 4, "interval": "1h", "merge-periods": None, "domain": DOMAIN},
         {"users": 20, "min-batch": 10, "domain": DOMAIN},
         {"users": 12, "min-batch": 8, "interval": "1s", "lifetime": "30d", "domain": DOMAIN})
# Of a stream: some periods, most of which have about as many submissions as they need.
STREAM = {"kind": "stream", "structure": "fenwick", "periods": 6, "interval": "2h", "retry-window": "1h",
          "mechanism": "pure_dump", "epsilon": 8, "delta": "1e-6", "users": 8, "min-batch": 4, "domain": 2,
          "trusted-totals": "epsilon=5"}
USUAL = {"mechanism": "grr", "epsilon": 40, "delta": "1e-9"}
CALL_SECONDS = 10
AGE_SECONDS = 10 * 86400


def make_template(binaries, directory, clockjump, tasks=TASKS, age=AGE_SECONDS):
    """Starts and stops a deployment in `directory` and leaves its state there; the tasks made.
    They, keys and certificates are made some days ago, so that clocks can jump back; but not where
    machines sleep, which were started later than that."""
    directory.mkdir()
    clock = Shared(directory / "clock", 8)
    clock.put("q", 0, -age)
    up = Deployment(binaries, directory, environment={
        **os.environ, "LD_PRELOAD": str(clockjump), "TORTURE_CLOCK": clock.path})
    try:
        made = []
        for number, task in enumerate(tasks):
            flags = [word for key, value in {**USUAL, **task}.items()
                     for word in ([f"--{key}"] if value is None else [f"--{key}", str(value)])]
            made.append(up.ask("task", "create", "--name", f"torture {number}", *flags))
    finally:
        up.stop()
        clock.close()
    for kept in directory.glob("*/clock"):  # the daemons' own: their clocks are right from now on
        kept.unlink()
    return made


class World:
    """Nothing runs until `start`. `mounted`: whether this process may mount."""

    def __init__(self, template, directory, binaries, shims, mounted, domain=DOMAIN):
        self.template, self.domain = pathlib.Path(template), domain
        self.disks, self.clocks = {}, {}
        for who in ("shuffler", "collector"):
            self.disks[who] = Disk(directory / who, directory / f"{who}-beside", mounted,
                                   self.template / who)
            self.clocks[who] = Shared(directory / f"{who}-clock", 8)
        self.lines = {"devices": Proxy(patient=False), "link": Proxy(patient=True)}
        self.daemons = {
            "collector": self._daemon(
                "collector", binaries, shims, directory,
                ["--listen-ingest", "127.0.0.1:0", "--listen-query", "127.0.0.1:0",
                 "--open-threads", "1"]),
            "shuffler": self._daemon(
                "shuffler", binaries, shims, directory,
                ["--listen", "127.0.0.1:0", "--collector", self.lines["link"].address(),
                 "--collector-key", self.template / "keys/collector.pub"])}
        self.channels = {}
        self.roots = (self.template / "certificates/ca.pem").read_bytes()

    def _daemon(self, who, binaries, shims, directory, arguments):
        arguments += identity(self.template, who)
        return Daemon(binaries / f"tombola-{who}", arguments, self.disks[who], self.clocks[who],
                      shims, directory / f"{who}.log")

    def close(self):
        for daemon in self.daemons.values():
            daemon.kill()
        for line in self.lines.values():
            line.close()
        for channel in self.channels.values():
            channel.close()
        for disk in self.disks.values():
            disk.remove()
        for clock in self.clocks.values():
            clock.close()

    # --- Up and down ------------------------------------------------------------------------------

    def start(self, who):
        """Whether it started."""
        self.disks[who].live_on()
        daemon = self.daemons[who]
        if not daemon.start():
            return False
        line, port = ("devices", "port") if who == "shuffler" else ("link", "ingest_port")
        self.lines[line].set_upstream(daemon.ports[port])
        return True

    def end(self, who, how, draw=None):
        """`how`: kill, stop, power (all that was not synced is gone) or brownout (`draw` decides
        how much of it). True unless a stop went wrong."""
        daemon = self.daemons[who]
        line = self.lines["devices" if who == "shuffler" else "link"]
        line.set_upstream(None)
        if channel := self.channels.pop(who, None):
            channel.close()
        # Idle connections keep a server that drains waiting: Python's end them only when asked.
        good = daemon.stop(line.cut) if how == "stop" else True
        daemon.kill()
        if how in ("power", "brownout"):
            self.disks[who].cut_power(draw if how == "brownout" else None)
        return good

    # --- Questions --------------------------------------------------------------------------------

    def stub(self, who, service):
        if who not in self.channels:
            role = "operator" if who == "shuffler" else "administrator"
            stem = self.template / "certificates" / role
            credentials = grpc.ssl_channel_credentials(
                self.roots, stem.with_suffix(".key").read_bytes(),
                stem.with_suffix(".pem").read_bytes())
            port = self.daemons[who].ports["port" if who == "shuffler" else "query_port"]
            self.channels[who] = grpc.secure_channel(f"127.0.0.1:{port}", credentials, IMPATIENT)
        module = importlib.import_module(f"tombola.v1.{who}_pb2_grpc")
        return getattr(module, service + "Stub")(self.channels[who])

    def status(self, task_id):
        request = messages("shuffler").GetShufflerStatusRequest(task_id=task_id)
        answer = self.stub("shuffler", "ShufflerOperator").GetStatus(request, timeout=CALL_SECONDS)
        return answer.tasks[0]

    def histogram(self, task_id):
        """(counts of all values, the smallest batch); zeros and None before the first batch."""
        collector = messages("collector")
        request = collector.GetAnswerRequest(
            task_id=task_id, confidence=0.5, postprocess=collector.POSTPROCESS_NONE,
            histogram=collector.HistogramQuestion())
        try:
            answer = self.stub("collector", "CollectorQuery").GetAnswer(request,
                                                                        timeout=CALL_SECONDS)
        except grpc.RpcError as error:
            if error.code() == grpc.StatusCode.FAILED_PRECONDITION:
                return [0] * self.domain, None
            raise
        counts = whole_counts(answer.histogram.raw, answer.reports)
        if sum(counts) != answer.reports or answer.rejected.ByteSize():
            raise ValueError(f"{sum(counts)} counted of {answer.reports} reports, "
                             f"rejected: {answer.rejected}")
        return counts, answer.guarantee.users

    def rotate_keys(self):
        stub = self.stub("collector", "CollectorAdmin")
        stub.RotateKeys(messages("collector").RotateKeysRequest(), timeout=CALL_SECONDS)

    def close_task(self, task_id):
        stub = self.stub("collector", "CollectorAdmin")
        stub.CloseTask(messages("collector").CloseTaskRequest(task_id=task_id),
                       timeout=CALL_SECONDS)

    def task_bytes(self, task_id):
        request = messages("collector").GetTaskInfoRequest(task_id=task_id)
        return self.stub("collector", "CollectorQuery").GetTask(request, timeout=CALL_SECONDS).task

    def devices(self, task_id):
        return Devices(self.lines["devices"].address(), self.roots, task_id,
                       self.task_bytes(task_id))
