"""Both daemons in a directory of their own, by `tombola up`, and the command line beside them."""

import json
import os
import select
import subprocess
import tempfile
import time

import grpc

START_SECONDS = 60
COUNT_SECONDS = 120

running = None  # The deployment of this run, set by interop_test.py.


class Deployment:
    """Started by the constructor; `stop` ends it and removes its directory."""

    def __init__(self, binaries):
        self.tombola = os.path.join(binaries, "tombola")
        self.directory = tempfile.TemporaryDirectory(prefix="tombola_interop_")
        self.process = subprocess.Popen(
            [self.tombola, "up", "--dir", self.directory.name, "--json"], stdout=subprocess.PIPE)
        ready, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        line = self.process.stdout.readline() if ready else b""
        if not line:
            self.stop()
            raise RuntimeError("`tombola up` did not say that it is ready")
        self.paths = json.loads(line)
        self.roots = self.read(self.paths["roots"])

    def stop(self):
        self.process.terminate()
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        self.directory.cleanup()
        return code

    def logs(self):
        return "".join(self.read(os.path.join(self.directory.name, name)).decode()
                       for name in ("shuffler.log", "collector.log"))

    @staticmethod
    def read(path):
        with open(path, "rb") as file:
            return file.read()

    def run(self, *arguments):
        """`tombola <arguments> --json` on this deployment; what it printed."""
        command = [self.tombola, *arguments, "--config", self.paths["config"], "--json"]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120)
        return json.loads(done.stdout)

    def create_task(self, name, users, epsilon=8, **options):
        """What `tombola task create` answers; further flags are keywords."""
        fixed = {"users": users, "epsilon": epsilon, "delta": 1e-6, "mechanism": "local_hash"}
        flags = [part for key, value in {**fixed, **options}.items()
                 for part in ("--" + key.replace("_", "-"), str(value))]
        return self.run("task", "create", "--name", name, *flags)

    def wait_until_counted(self, task, batches=1):
        """The status of `task` once that many batches were counted and delivered."""
        deadline = time.monotonic() + COUNT_SECONDS
        while True:
            status = self.run("status", "--task", task)
            if status["counted_batches"] >= batches and status["waiting_delivery"] == 0:
                return status
            if status["quarantined_batches"] or time.monotonic() > deadline:
                raise RuntimeError(f"not counted: {status}")
            time.sleep(0.1)

    def channel(self, port, role=None):
        """A TLS channel to "shuffler", "collector_ingest" or "collector_query"."""
        key = certificate = None
        if role:
            stem = os.path.join(self.directory.name, "certificates", role)
            key, certificate = self.read(stem + ".key"), self.read(stem + ".pem")
        credentials = grpc.ssl_channel_credentials(self.roots, key, certificate)
        unlimited = [("grpc.max_receive_message_length", -1)]  # ListTasks has all tasks' bytes.
        return grpc.secure_channel(self.paths[port], credentials, unlimited)
