"""Files that an earlier program wrote are read by the present one, and gone on with.

    golden_test.py BINARIES CLOCKJUMP           reads every golden deployment
    golden_test.py BINARIES CLOCKJUMP --write V makes the golden deployment of format version V

A golden deployment is the directory of `tombola up` after a `kill -9` of everything, with one batch
counted, one in the outbox and a part of a third held, and the ledger of a device that has spent its
submission. `expected.json` says what is in it and when it was made. The programs are run with their
clocks set to that day (tests/torture/clockjump.c), because tasks, keys and certificates have an end.
"""

import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

from support.jumping import Jumping
from support.waiting import until

HERE = pathlib.Path(__file__).resolve().parent
COUNTED, OUTBOX, HELD = ["red", "red", "green", "blue"], ["blue", "blue", "green", "blue"], ["red"]
REST = ["green", "green"]  # with HELD and the device's value a whole batch
DEVICE = "green"


def write(binaries, clockjump, version):
    with tempfile.TemporaryDirectory(prefix="tombola-golden-") as scratch:
        directory = pathlib.Path(scratch) / "deployment"
        made = int(time.time())
        deployment = Jumping(binaries, clockjump, directory, 0)
        task = deployment.create_task("golden", "--users", "4", "--min-batch", "4")
        deployment.report(task, COUNTED)
        deployment.counted(task, COUNTED)
        os.kill(deployment.pids["collector_pid"], signal.SIGSTOP)
        deployment.report(task, OUTBOX)
        until(lambda: list((directory / "shuffler/store/outbox").glob("[0-9a-f]*/batch")),
              "the batch was not made")
        deployment.report(task, HELD)
        deployment.ask("report", "--task", task, "--value", DEVICE, "--ledger",
                       str(directory / "device"))
        deployment.kill()
        # What is made anew at every start, or is about this machine.
        for pattern in ("*-shm", "*lock", "*.log", "tombola.json", "http-tokens", "clock"):
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
        go_on(Jumping(binaries, clockjump, directory, ahead), task)
        print(f"read {golden.name}")


def go_on(deployment, task):
    device = str(deployment.directory / "device")
    with deployment:
        deployment.counted(task, COUNTED, OUTBOX)
        status = deployment.ask("status", "--task", task)
        assert status["waiting"] == len(HELD) + 1, status
        code, _, err = deployment.run("report", "--task", task, "--value", DEVICE, "--ledger",
                                      device)
        assert code != 0 and "submission" in err, (code, err)
        deployment.report(task, REST)
        deployment.counted(task, COUNTED, OUTBOX, HELD, [DEVICE], REST)
        assert deployment.stop() == 0


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
