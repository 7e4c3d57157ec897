"""Files that an earlier program wrote are read by the present one, and gone on with.

    golden_test.py BINARIES CLOCKJUMP           reads every golden deployment
    golden_test.py BINARIES CLOCKJUMP --write V makes the golden deployment of format version V

A golden deployment is the directory of `tombola up` after a `kill -9` of everything, with one batch
counted, one in the outbox and a part of a third held, and the ledger of a device that has spent its
submission. `expected.json` says what is in it and when it was made. The programs are run with their
clocks set to that day (tests/torture/clockjump.c), because tasks, keys and certificates have an end.
"""

import json
import mmap
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 60
COUNTED, OUTBOX, HELD = ["red", "red", "green", "blue"], ["blue", "blue", "green", "blue"], ["red"]
REST = ["green", "green"]  # with HELD and the device's value a whole batch
DEVICE = "green"


class Deployment:
    """`tombola up` on a directory, with the clock `ahead` of true time by some seconds."""

    def __init__(self, binaries, clockjump, directory, ahead):
        self.tombola, self.directory = str(binaries / "tombola"), directory
        clock = directory.parent / "clock"
        clock.write_bytes(bytes(8))
        with open(clock, "r+b") as file:
            with mmap.mmap(file.fileno(), 8) as memory:
                struct.pack_into("q", memory, 0, ahead)
        self.environment = {**os.environ, "LD_PRELOAD": str(clockjump), "TORTURE_CLOCK": str(clock)}
        self.up = subprocess.Popen([self.tombola, "up", "--dir", str(directory), "--json"],
                                   stdout=subprocess.PIPE, env=self.environment)
        line = self.up.stdout.readline()
        assert line, "tombola up did not start on the directory"
        self.config = json.loads(line)["config"]

    def run(self, *words):
        return subprocess.run([self.tombola, *words, "--config", self.config, "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment,
                              timeout=SECONDS, check=False)

    def ask(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, (words, done.returncode, done.stderr.decode())
        return json.loads(done.stdout)

    def report(self, task, values):
        path = self.directory.parent / "values"
        path.write_text("".join(f"{value}\n" for value in values), encoding="utf-8")
        assert self.ask("report", "--task", task, "--input", str(path))["accepted"] == len(values)

    def children(self):
        """Process ids of the daemons by name."""
        path = f"/proc/{self.up.pid}/task/{self.up.pid}/children"
        pids = pathlib.Path(path).read_text(encoding="ascii").split()
        names = {pid: pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="utf-8") for pid in pids}
        return {"shuffler" if "shuf" in name else "collector": int(pid)
                for pid, name in names.items()}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.up.poll() is None:
            self.kill()

    def kill(self):
        for pid in [*self.children().values(), self.up.pid]:
            os.kill(pid, signal.SIGKILL)
        self.up.wait()
        self.up.stdout.close()

    def stop(self):
        self.up.terminate()
        assert self.up.wait(SECONDS) == 0
        self.up.stdout.close()


def until(what, condition):
    end = time.monotonic() + SECONDS
    while not (found := condition()):
        assert time.monotonic() < end, what
        time.sleep(0.05)
    return found


def counts(answer):
    return {row["value"]: round(row["raw"] * answer["reports"]) for row in answer["bins"]}


def tally(*lists):
    values = [value for one in lists for value in one]
    return {value: values.count(value) for value in ("red", "green", "blue")}


def counted(deployment, task, *lists):
    """Waits until the answer counts exactly these."""
    def look():
        done = deployment.run("query", "--task", task, "--postprocess", "none")
        return done.returncode == 0 and json.loads(done.stdout)["reports"] == sum(map(len, lists))
    until("the answer never had all batches", look)
    answer = deployment.ask("query", "--task", task, "--postprocess", "none")
    assert counts(answer) == tally(*lists), counts(answer)
    return answer


def write(binaries, clockjump, version):
    with tempfile.TemporaryDirectory(prefix="tombola-golden-") as scratch:
        directory = pathlib.Path(scratch) / "deployment"
        made = int(time.time())
        deployment = Deployment(binaries, clockjump, directory, 0)
        values = pathlib.Path(scratch) / "domain"
        values.write_text("red\ngreen\nblue\n", encoding="utf-8")
        task = deployment.ask(
            "task", "create", "--name", "golden", "--values", str(values), "--mechanism", "grr",
            "--epsilon", "40", "--delta", "1e-9", "--users", "4", "--min-batch", "4")["task"]
        deployment.report(task, COUNTED)
        counted(deployment, task, COUNTED)
        os.kill(deployment.children()["collector"], signal.SIGSTOP)
        deployment.report(task, OUTBOX)
        until("the batch was not made",
              lambda: list((directory / "shuffler/store/outbox").glob("[0-9a-f]*/batch")))
        deployment.report(task, HELD)
        deployment.ask("report", "--task", task, "--value", DEVICE, "--ledger",
                       str(directory / "device"))
        deployment.kill()
        # What is made anew at every start.
        for pattern in ("*-shm", "*lock", "*.log", "tombola.json", "http-tokens"):
            for path in directory.rglob(pattern):
                if "held" not in path.parts:
                    path.unlink()
        target = HERE / f"v{version}"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(directory, target / "deployment")
        (target / "expected.json").write_text(json.dumps({"made": made, "task": task}, indent=2)
                                              + "\n", encoding="utf-8")
        print(f"wrote {target}")


def read(binaries, clockjump, golden):
    expected = json.loads((golden / "expected.json").read_text(encoding="utf-8"))
    task = expected["task"]
    with tempfile.TemporaryDirectory(prefix="tombola-golden-") as scratch:
        directory = pathlib.Path(scratch) / "deployment"
        shutil.copytree(golden / "deployment", directory)
        # A checkout does not keep modes.
        for path in [directory, *directory.rglob("*")]:
            path.chmod(0o700 if path.is_dir() else 0o600)
        ahead = expected["made"] + 3600 - int(time.time())
        go_on(Deployment(binaries, clockjump, directory, ahead), task)
        print(f"read {golden.name}")


def go_on(deployment, task):
    device = str(deployment.directory / "device")
    with deployment:
        counted(deployment, task, COUNTED, OUTBOX)
        status = deployment.ask("status", "--task", task)
        assert status["waiting"] == len(HELD) + 1, status
        spent = deployment.run("report", "--task", task, "--value", DEVICE, "--ledger", device)
        assert spent.returncode != 0 and b"submission" in spent.stderr, (spent.returncode,
                                                                         spent.stderr)
        deployment.report(task, REST)
        counted(deployment, task, COUNTED, OUTBOX, HELD, [DEVICE], REST)
        deployment.stop()


def main():
    binaries, clockjump = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    if sys.argv[3:4] == ["--write"]:
        write(binaries, clockjump, int(sys.argv[4]))
        return
    versions = sorted(HERE.glob("v[0-9]*"))
    assert versions, "no golden deployment is here"
    for golden in versions:
        read(binaries, clockjump, golden)


if __name__ == "__main__":
    main()
