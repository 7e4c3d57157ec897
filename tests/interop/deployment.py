"""Both daemons in a directory of their own, and channels to their ports."""

import pathlib
import tempfile

import grpc
from support.deployment import Deployment

running = None  # The deployment of this run, set by interop_test.py.


class Reachable(Deployment):
    """Started by the constructor; `stop` ends it and removes its directory."""

    def __init__(self, binaries):
        self.scratch = tempfile.TemporaryDirectory(prefix="tombola_interop_")
        super().__init__(binaries, self.scratch.name)
        self.roots = self.read(self.ready["roots"])

    def stop(self):
        code = super().stop()
        self.scratch.cleanup()
        return code

    def logs(self):
        return "".join(self.read(self.directory / name).decode()
                       for name in ("shuffler.log", "collector.log"))

    @staticmethod
    def read(path):
        return pathlib.Path(path).read_bytes()

    def create_task(self, name, users, epsilon=8, **options):
        """What `tombola task create` answers; further flags are keywords, True a flag by itself."""
        fixed = {"users": users, "epsilon": epsilon, "delta": 1e-6, "mechanism": "local_hash"}
        flags = [part for key, value in {**fixed, **options}.items()
                 for part in ("--" + key.replace("_", "-"), str(value))[:1 if value is True else 2]]
        return self.ask("task", "create", "--name", name, *flags)

    def wait_until_counted(self, task, batches=1):
        """The status of `task` once that many batches were counted and delivered."""
        def counted(status):
            if status["quarantined_batches"]:
                raise RuntimeError(f"not counted: {status}")
            return status["counted_batches"] >= batches and status["waiting_delivery"] == 0
        return self.wait_for(task, counted)

    def channel(self, port, role=None):
        """A TLS channel to "shuffler", "collector_ingest" or "collector_query"."""
        key = certificate = None
        if role:
            stem = self.directory / "certificates" / role
            key, certificate = self.read(f"{stem}.key"), self.read(f"{stem}.pem")
        credentials = grpc.ssl_channel_credentials(self.roots, key, certificate)
        unlimited = [("grpc.max_receive_message_length", -1)]  # ListTasks has all tasks' bytes.
        return grpc.secure_channel(self.ready[port], credentials, unlimited)
