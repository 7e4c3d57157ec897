"""The real daemons on this machine, with flags of a benchmark's choosing."""
import json
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
from support import daemon_process  # noqa: E402
from support.daemons import Daemons, identity  # noqa: E402
from support.deployment import Deployment  # noqa: E402


class Bench:
    """Both daemons in a directory, with keys and certificates made by `tombola up`, and the server
    that discards what it is sent. Every process is ended, by its id, when the `with` is left."""

    def __init__(self, build, directory, *shuffler_flags):
        self.bin, self.bench = pathlib.Path(build) / "bin", pathlib.Path(build) / "bench"
        self.directory = pathlib.Path(directory)
        self.config = self.directory / "tombola.json"
        self.shuffler_flags = shuffler_flags
        self.daemons = self.discard = None

    def __enter__(self):
        Deployment(self.bin, self.directory).stop()
        self.daemons = Daemons(self.bin, self.directory, shuffler_flags=self.shuffler_flags)
        try:
            tls = identity(self.directory, "shuffler")[:6]  # without the signing key
            self.discard, ready = daemon_process.start([self.bench / "tombola-discard", *tls],
                                                       self.directory / "discard.log")
            self.discarding = f"127.0.0.1:{ready['port']}"
        except BaseException:
            self.daemons.stop()
            raise
        return self

    def __exit__(self, *_):
        self.discard.send_signal(signal.SIGTERM)
        codes = self.discard.wait(timeout=60), self.daemons.stop()
        if any(codes):
            raise RuntimeError(f"the daemons exited {codes}")

    def run(self, *command):
        """The JSON object that a program prints; it must succeed."""
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              timeout=900, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{command} exited {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def tombola(self, *arguments):
        return self.run(self.bin / "tombola", *arguments, "--config", self.config, "--json")

    def load(self, command, *arguments):
        """Runs tombola-load; a call that was refused is an error here."""
        needs_config = () if command == "open" else ("--config", self.config)
        result = self.run(self.bench / "tombola-load", command, *arguments, *needs_config)
        if result.get("refused") or result.get("duplicates") or result.get("rejected"):
            raise RuntimeError(f"not everything was accepted: {result}")
        return result
