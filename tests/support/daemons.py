"""Both daemons of a deployment that was made, each started by its own command line."""
import json
import pathlib
import signal

from support import daemon_process
from support.deployment import Deployment


class Daemons(Deployment):
    """Both daemons by their own command lines, in the directory of a deployment that was made."""

    def __init__(self, binaries, directory, *collector_flags, shuffler_flags=()):
        # pylint: disable=super-init-not-called
        self.binaries = pathlib.Path(binaries)
        self.tombola, self.environment = str(self.binaries / "tombola"), None
        self.directory = pathlib.Path(directory)
        self.config = str(self.directory / "tombola.json")
        config = json.loads(pathlib.Path(self.config).read_text(encoding="utf-8"))
        self.collector, ports = self.start("collector", "--listen-ingest", "127.0.0.1:0",
                                           "--listen-query", "127.0.0.1:0", *collector_flags)
        ingest = f"127.0.0.1:{ports['ingest_port']}"
        self.shuffler, shuffler_ports = self.start(
            "shuffler", "--listen", "127.0.0.1:0", "--collector", ingest, "--collector-key",
            str(self.directory / "keys/collector.pub"),
            *shuffler_flags)
        config.update(shuffler=f"127.0.0.1:{shuffler_ports['port']}", collector_ingest=ingest,
                      collector_query=f"127.0.0.1:{ports['query_port']}")
        pathlib.Path(self.config).write_text(json.dumps(config), encoding="utf-8")
        self.addresses = config

    def command(self, party, *flags):
        return [str(self.binaries / f"tombola-{party}"), "--data-dir", str(self.directory / party),
                *identity(self.directory, party), *flags]

    def start(self, party, *flags):
        return daemon_process.start(self.command(party, *flags), self.directory / f"{party}.log")

    def stop(self):
        """Ends both; the first exit code that is not 0, or 0."""
        codes = []
        for process in (self.shuffler, self.collector):
            process.send_signal(signal.SIGTERM)
            codes.append(process.wait(timeout=60))
        return next(filter(None, codes), 0)

    def start_collector(self):
        """Once more, where the shuffler and people look for it."""
        self.collector, _ = self.start(
            "collector", "--listen-ingest", self.addresses["collector_ingest"],
            "--listen-query", self.addresses["collector_query"])

    def kill_collector(self):
        self.collector.kill()
        self.collector.wait(timeout=60)


def identity(directory, party):
    """The flags that name the keys and certificates which `tombola up` made for a party."""
    certificates = pathlib.Path(directory) / "certificates"
    return ["--cert", str(certificates / f"{party}.pem"), "--key", str(certificates / f"{party}.key"),
            "--roots", str(certificates / "ca.pem"), "--signing-key",
            str(pathlib.Path(directory) / f"keys/{party}.seed")]
