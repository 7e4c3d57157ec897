"""A deployment on this machine, as `tombola up` makes one."""
import json
import os
import pathlib
import select
import signal
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from support.waiting import until

SECONDS = 60


def is_over(pid):
    """Whether a process, of whoever it is the child, has ended, with all of its threads."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        threads = len(os.listdir(f"/proc/{pid}/task"))
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] in "ZX" and threads <= 1


class Deployment:
    """`tombola up` in a directory, as a person would run it, and the command line beside it.
    `environment`: of both, instead of this process's own."""

    def __init__(self, binaries, directory, *arguments, environment=None):
        self.tombola = str(pathlib.Path(binaries) / "tombola")
        self.directory = pathlib.Path(directory)
        self.environment = environment
        self.process = subprocess.Popen(
            [self.tombola, "up", "--dir", str(directory), "--json", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        ready, _, _ = select.select([self.process.stdout], [], [], SECONDS)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            self.process.terminate()
            raise RuntimeError("up did not start: " + self.process.communicate()[1])
        self.ready = json.loads(line)
        self.config = str(self.directory / "tombola.json")
        self.pids = json.loads((self.directory / "tombola.json").read_text(encoding="utf-8"))

    def stop(self):
        """Ends it as a person would; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self._ended()

    def kill(self):
        """kill -9 of everything. When it returns nothing holds a lock any more."""
        daemons = (self.pids["shuffler_pid"], self.pids["collector_pid"])
        for pid in (*daemons, self.process.pid):
            os.kill(pid, signal.SIGKILL)
        self._ended()
        # One that a full disk queue holds up takes its time to die.
        until(lambda: all(map(is_over, daemons)), "a daemon survives its death", SECONDS)

    def _ended(self):
        code = self.process.wait(timeout=SECONDS)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def run(self, *arguments, stdin=None):
        """(exit code, standard output, standard error) of `tombola ARGUMENTS --config ...`. Tests may
        make several tasks of one name, which a person has to ask for."""
        if arguments[:2] == ("task", "create"):
            arguments = *arguments, "--same-name"
        done = subprocess.run([self.tombola, *map(str, arguments), "--config", self.config],
                              input=stdin, capture_output=True, text=True, timeout=300, check=False,
                              env=self.environment)
        return done.returncode, done.stdout, done.stderr

    def ask(self, *arguments, stdin=None):
        """The JSON object that a command prints; it must succeed."""
        code, out, err = self.run(*arguments, "--json", stdin=stdin)
        if code != 0:
            raise AssertionError(f"{arguments} exited {code}: {err}")
        return json.loads(out)

    def http(self, task, path="answer", **question):
        """(status, headers, text) of an answer, or what else a task has, over HTTP, with the page's
        token."""
        page = urllib.parse.urlsplit(self.pids["dashboard"])
        token = urllib.parse.parse_qs(page.fragment).get("token", [page.fragment.split("=")[-1]])[0]
        request = urllib.request.Request(
            f"{page.scheme}://{page.netloc}/v1/tasks/{task}/{path}?"
            + urllib.parse.urlencode(question, doseq=True),
            headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, response.headers, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read().decode()

    def status(self, task):
        return self.ask("status", "--task", task)

    def wait_for(self, task, condition, seconds=120):
        """The first status of a task that meets the condition."""
        last = None

        def look():
            nonlocal last
            last = self.status(task)
            return condition(last) and last
        return until(look, lambda: f"still waiting: {last}", seconds)
