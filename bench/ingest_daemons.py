"""The real daemons on this machine, with flags of a benchmark's choosing."""
import json
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "e2e"))
import daemon_process  # noqa: E402


class Daemons:
    """Both daemons in a directory, with keys and certificates made by `tombola up`, and the server
    that discards what it is sent. Every process is ended, by its id, when the `with` is left."""

    def __init__(self, build, directory, *shuffler_flags):
        self.bin, self.bench = pathlib.Path(build) / "bin", pathlib.Path(build) / "bench"
        self.directory = pathlib.Path(directory)
        self.config = self.directory / "tombola.json"
        self.shuffler_flags = shuffler_flags
        self.processes = []

    def __enter__(self):
        try:
            shuffler, collector = self.commands()
            ports = self.start(collector, "collector.log")
            shuffler[shuffler.index("--collector") + 1] = f"127.0.0.1:{ports['ingest_port']}"
            port = self.start([*shuffler, *self.shuffler_flags], "shuffler.log")["port"]
            config = json.loads(self.config.read_text(encoding="utf-8"))
            config["shuffler"] = f"127.0.0.1:{port}"
            config["collector_ingest"] = f"127.0.0.1:{ports['ingest_port']}"
            config["collector_query"] = f"127.0.0.1:{ports['query_port']}"
            self.config.write_text(json.dumps(config), encoding="utf-8")
            tls = [part for name in ("--cert", "--key", "--roots")
                   for part in shuffler[shuffler.index(name):][:2]]
            discarding = self.start([str(self.bench / "tombola-discard"), *tls], "discard.log")
            self.discarding = f"127.0.0.1:{discarding['port']}"
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        codes = self.stop()
        if any(codes):
            raise RuntimeError(f"the daemons exited {codes}")

    def commands(self):
        """How `tombola up` starts the shuffler and the collector, without --ready-fd."""
        up = subprocess.Popen([self.bin / "tombola", "up", "--dir", self.directory, "--json"],
                              stdout=subprocess.PIPE, text=True)
        try:
            if not up.stdout.readline():
                raise RuntimeError("tombola up did not start")
            pids = json.loads(self.config.read_text(encoding="utf-8"))
            return [daemon_process.command_of(pids[name]) for name in ("shuffler_pid", "collector_pid")]
        finally:
            up.send_signal(signal.SIGTERM)
            up.wait(timeout=60)
            up.stdout.close()

    def start(self, command, log):
        """Starts a daemon; what it says when it is ready."""
        process, ready = daemon_process.start(command, self.directory / log)
        self.processes.append(process)
        return ready

    def stop(self):
        """The exit codes, the last one started first."""
        codes = []
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                codes.append(process.wait(timeout=60))
            except subprocess.TimeoutExpired:
                process.kill()
                codes.append(process.wait())
        self.processes = []
        return codes

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
