"""The parties of a deployment as deploy/ sets them up, and a stand-in for systemd.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile

from support.programs import BIN, SOURCE, run

DEPLOY = SOURCE / "deploy"


class Manager:
    """What systemd is to a daemon: a socket that it tells how far it is."""

    def __init__(self, directory=None):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        if directory is None:  # an abstract name, chosen by the kernel
            self.socket.bind("")
            self.name = "@" + self.socket.getsockname()[1:].decode()
        else:
            self.name = str(pathlib.Path(directory) / "notify")
            self.socket.bind(self.name)

    def next(self, seconds=60):
        """The next message as a dictionary."""
        self.socket.settimeout(seconds)
        return dict(line.split("=", 1) for line in
                    self.socket.recv(4096).decode().splitlines())

    def close(self):
        self.socket.close()


class Parties:
    """Keys, certificates and configuration files of both daemons in a directory of their own."""

    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tombola-deploy-"))
        self.ca = self.root / "authority"
        self.processes = []
        run(DEPLOY / "certificates", "ca", self.ca)
        for who in ("shuffler", "collector"):
            run(DEPLOY / "certificates", "issue", self.ca, who, "127.0.0.1", "localhost")
        for who in ("operator", "analyst", "administrator", "monitor"):
            run(DEPLOY / "certificates", "issue", self.ca, who)
        self.public = {}
        for who in ("shuffler", "collector"):
            home = self.home(who)
            home.mkdir(mode=0o755)
            for name in ("ca.pem", "revoked.pem", f"{who}.pem", f"{who}.key"):
                shutil.copy(self.ca / name, home / name)
            out = run(BIN / "tombola", "keys", "generate", "--out", home / f"{who}.seed", "--json")
            self.public[who] = json.loads(out)["public_key"]
        (self.home("shuffler") / "collector.pub").write_text(self.public["collector"] + "\n",
                                                             encoding="utf-8")
        self.settings = {
            "collector": {"listen-ingest": "127.0.0.1:0", "listen-query": "127.0.0.1:0"},
            "shuffler": {"listen": "127.0.0.1:0", "collector": "127.0.0.1:1"}}

    def home(self, who):
        return self.root / who

    def config(self, who, **changes):
        """Writes WHO's file: the sample of deploy/config with other places. Its path."""
        text = (DEPLOY / "config" / f"{who}.toml").read_text(encoding="utf-8")
        text = text.replace(f"/etc/tombola/{who}/", f"{self.home(who)}/")
        text = text.replace(f"/var/lib/tombola-{who}", str(self.root / f"data-{who}"))
        for key, value in {**self.settings[who], **changes}.items():
            key = key.replace("_", "-")
            shown = f'"{value}"' if isinstance(value, str) else str(value).lower()
            text, count = re.subn(f"^{key} = .*$", f"{key} = {shown}", text, flags=re.M)
            if count != 1:
                raise AssertionError(f"{key} is not in the sample")
        path = self.root / f"{who}.toml"
        path.write_text(text, encoding="utf-8")
        return path

    def start(self, who, *flags, manager, config=None, command=None):
        """Starts WHO and waits until it says that it is ready; the process and its message."""
        command = command or [BIN / f"tombola-{who}", "--config", config or self.config(who)]
        environment = {**os.environ, "NOTIFY_SOCKET": manager.name}
        with open(self.root / f"{who}.log", "ab") as log:
            process = subprocess.Popen([str(word) for word in [*command, *flags]],
                                       env=environment, stderr=log)
        self.processes.append(process)
        return process, manager.next()

    def log(self, who):
        """The lines that WHO has logged."""
        lines = (self.root / f"{who}.log").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def stop(self):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=60)
        shutil.rmtree(self.root, ignore_errors=True)
