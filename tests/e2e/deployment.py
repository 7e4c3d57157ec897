"""A deployment on this machine, as `tombola up` makes one. The first argument of the program that
imports this is the folder of the binaries.
"""
import json
import pathlib
import signal
import subprocess
import sys
import time

BIN = pathlib.Path(sys.argv.pop(1))
TOMBOLA = str(BIN / "tombola")


class Deployment:
    """`tombola up` in a directory, as a person would run it."""

    def __init__(self, directory, *arguments):
        self.directory = pathlib.Path(directory)
        self.process = subprocess.Popen(
            [TOMBOLA, "up", "--dir", str(directory), "--json", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("up did not start: " + self.process.stderr.read())
        self.ready = json.loads(line)
        self.config = str(self.directory / "tombola.json")
        self.pids = json.loads((self.directory / "tombola.json").read_text(encoding="utf-8"))

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def run(self, *arguments, stdin=None):
        """(exit code, standard output, standard error) of `tombola ARGUMENTS --config ...`."""
        done = subprocess.run([TOMBOLA, *arguments, "--config", self.config], input=stdin,
                              capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr

    def ask(self, *arguments, stdin=None):
        """The JSON object that a command prints; it must succeed."""
        code, out, err = self.run(*arguments, "--json", stdin=stdin)
        if code != 0:
            raise AssertionError(f"{arguments} exited {code}: {err}")
        return json.loads(out)

    def status(self, task):
        return self.ask("status", "--task", task)

    def wait_for(self, task, condition, seconds=120):
        deadline = time.monotonic() + seconds
        while True:
            status = self.status(task)
            if condition(status):
                return status
            if time.monotonic() > deadline:
                raise AssertionError(f"still waiting: {status}")
            time.sleep(0.05)
