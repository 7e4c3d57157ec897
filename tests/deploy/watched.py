"""A deployment with HTTP ports for those who watch it, and what its metrics say."""
import hashlib
import json
import pathlib
import re
import secrets
import ssl
import subprocess
import urllib.error
import urllib.request

from parties import Manager, Parties
from support.programs import BIN, run
from support.waiting import until

NAMES = ("shuffler", "collector")


def has_http(who):
    return "--listen-http" in run(BIN / f"tombola-{who}", "--help")


class Watched(Parties):
    """Both daemons, with a token of the role `monitor` for each of those that have an HTTP port."""

    def __init__(self):
        super().__init__()
        self.http = [who for who in NAMES if has_http(who)]
        self.ports = {}
        self.tokens = {}
        self.managers = {}
        for who in self.http:
            self.settings[who] |= {"listen-http": "127.0.0.1:0",
                                   "http-tokens": str(self.home(who) / "http.tokens")}
            self.tokens[who] = self.add_token(who, "monitor", "prometheus")

    def add_token(self, who, role, name):
        """Adds a line to WHO's file of tokens; the token."""
        token = secrets.token_urlsafe(32)
        path = self.home(who) / "http.tokens"
        with open(path, "a", encoding="utf-8") as file:
            path.chmod(0o600)
            file.write(f"{role} {hashlib.sha256(token.encode()).hexdigest()} {name}\n")
        return token

    def launch(self, who, **changes):
        """Starts WHO and learns its ports from its log."""
        if who not in self.managers:
            self.managers[who] = Manager()
        manager = self.managers[who]
        process, _ = self.start(who, manager=manager, config=self.config(who, **changes))
        event = [line for line in self.log(who) if line["event"] == f"{who}_started"][-1]
        self.ports[who] = {key: value for key, value in event.items() if key.endswith("port")}
        return process

    def launch_both(self):
        self.launch("collector")
        self.settings["shuffler"]["collector"] = f"127.0.0.1:{self.ports['collector']['ingest_port']}"
        self.launch("shuffler")
        certificate = lambda who: {"certificate": f"{who}.pem", "private_key": f"{who}.key"}
        (self.ca / "tombola.json").write_text(json.dumps({
            "shuffler": f"127.0.0.1:{self.ports['shuffler']['port']}",
            "collector_ingest": f"127.0.0.1:{self.ports['collector']['ingest_port']}",
            "collector_query": f"127.0.0.1:{self.ports['collector']['query_port']}",
            "roots": "ca.pem", "shuffler_key": self.public["shuffler"],
            "collector_key": self.public["collector"],
            **{who: certificate(who) for who in ("administrator", "analyst", "operator")}}),
            encoding="utf-8")

    def tombola(self, *words, stdin=None):
        """The JSON object that a command of the command line prints."""
        return json.loads(run(BIN / "tombola", *words, "--config", self.ca / "tombola.json",
                              "--json", input=stdin))

    def collect(self, users=300):
        """A task, one batch of it, and an answer."""
        task = self.tombola("task", "create", "--name", "watched", "--domain", "4", "--epsilon", "4",
                            "--delta", "1e-4", "--users", str(users))["task"]
        values = "".join(f"{i % 4}\n" for i in range(users))
        self.tombola("report", "--task", task, "--input", "-", stdin=values)
        until(lambda: self.tombola("task", "show", "--task", task)["counted_batches"])
        self.tombola("query", "--task", task)
        return task

    def get(self, who, path, token=None, certificate=None):
        """(status, headers, text) of a request over TLS."""
        context = ssl.create_default_context(cafile=str(self.ca / "ca.pem"))
        if certificate is not None:
            context.load_cert_chain(self.ca / f"{certificate}.pem", self.ca / f"{certificate}.key")
        request = urllib.request.Request(
            f"https://127.0.0.1:{self.ports[who]['http_port']}{path}",
            headers={"Authorization": f"Bearer {token}"} if token else {})
        try:
            with urllib.request.urlopen(request, context=context, timeout=30) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read().decode()

    def metrics(self, who):
        """The text of WHO's metrics: over HTTP if it has that, else as the command line shows it."""
        if who in self.http:
            status, _, text = self.get(who, "/metrics", token=self.tokens[who])
            if status != 200:
                raise AssertionError(text)
            return text
        return self.tombola("status", "--metrics")[who]

    def stop(self):
        super().stop()
        for manager in self.managers.values():
            manager.close()


def families(text):
    """name -> (kind, help) of a metrics text."""
    helps = dict(re.findall(r"^# HELP (\S+) (.*)$", text, re.M))
    return {name: (kind, helps[name])
            for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M)}


def samples(text):
    """The samples: name with labels -> value."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def used_in(path):
    """The names of our metrics in a file of deploy/, without the suffixes of a histogram."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    names = set(re.findall(r"\b((?:tombola|process)_[a-z_]+[a-z])", text))
    return {re.sub("_(bucket|sum|count)$", "", name) for name in names}


def promtool(*words, cwd):
    done = subprocess.run(["promtool", *words], cwd=cwd, capture_output=True, text=True, timeout=120,
                          check=False)
    return done.returncode, done.stdout + done.stderr
