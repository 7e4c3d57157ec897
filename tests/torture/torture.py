#!/usr/bin/env python3
"""Random fault sequences over the real daemons: nothing lost, nothing twice.

usage: torture.py --binaries DIR --shims DIR [--sequences N] [--seed S] [--jobs J] [--load]

Sequence i of a run uses the seed S + i. Progress goes to standard error; the last line on standard
output is `lost L, doubled D, sequences N`. Exits 0 only if nothing was lost or doubled and every
sequence could be judged.
"""

import argparse
import json
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SEQUENCE_SECONDS = 240  # After that a sequence hangs.
SKIPPED = 77


def read_arguments():
    parser = argparse.ArgumentParser(prog="./dev torture", description=__doc__.splitlines()[0])
    parser.add_argument("--binaries", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--shims", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--sequences", type=int, default=1000, help="how many [1000]")
    parser.add_argument("--seed", type=int, help="of the first one [drawn and printed]")
    parser.add_argument("--jobs", type=int, default=2, help="sequences at a time [2]")
    parser.add_argument("--verbose", action="store_true", help="the steps of every sequence")
    parser.add_argument("--load", action="store_true",
                        help="100,000 submissions with the shuffler killed every second instead")
    parser.add_argument("--submissions", type=int, default=100_000, help="of --load [100000]")
    parser.add_argument("--plant", choices=("", "loss", "double"), default="",
                        help=argparse.SUPPRESS)  # for controls_test.py: these must be noticed
    arguments = parser.parse_args()
    for name in ("sequences", "jobs", "submissions"):
        if getattr(arguments, name) < 1:
            parser.error(f"--{name} must be 1 or more")
    return arguments


def scratch_directory():
    """On a tmpfs, as powercut.c demands."""
    for parent in ("/dev/shm", None):
        try:
            return pathlib.Path(tempfile.mkdtemp(prefix="tombola-torture-", dir=parent))
        except OSError:
            continue
    raise SystemExit("no place for temporary files")


class Worker:
    """A process that runs sequences, started again if one of them hangs."""

    def __init__(self, setting):
        self.setting = json.dumps(setting)
        self.process = None

    def run(self, seed):
        if self.process is None:
            self.process = subprocess.Popen(
                ["/usr/bin/python3", "-B", str(HERE / "worker.py"), self.setting],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        watch = threading.Timer(SEQUENCE_SECONDS, self.process.kill)
        watch.start()
        try:
            self.process.stdin.write(f"{seed}\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            line = ""
        watch.cancel()
        if line:
            return json.loads(line)
        self.stop()
        return {"seed": seed, "good": False, "error": "the sequence hung or its process died",
                "verdict": {"lost": [], "doubled": [], "wrong": []}, "history": [], "logs": "",
                "seconds": 0, "submissions": 0, "expired": 0, "starts": 0}

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
        self.process = None


def describe(report):
    verdict = report["verdict"]
    lines = [f"sequence {report['seed']} failed: lost {verdict['lost']}, doubled "
             f"{verdict['doubled']}", *verdict["wrong"], report["error"],
             *("  " + step for step in report["history"]), report["logs"],
             f"replay: ./dev torture --seed {report['seed']} --sequences 1"]
    return "\n".join(line for line in lines if line)


class Run:
    """All sequences of a run over a few workers."""

    def __init__(self, arguments, setting):
        self.arguments = arguments
        self.setting = setting
        self.seeds = queue.SimpleQueue()
        for i in range(arguments.sequences):
            self.seeds.put(arguments.seed + i)
        self.lock = threading.Lock()
        self.reports = []

    def work(self):
        worker = Worker(self.setting)
        while True:
            try:
                seed = self.seeds.get_nowait()
            except queue.Empty:
                break
            self.take(worker.run(seed))
        worker.stop()

    def take(self, report):
        with self.lock:
            self.reports.append(report)
            done, failed = len(self.reports), sum(not r["good"] for r in self.reports)
            if not report["good"]:
                print(describe(report), file=sys.stderr)
            elif self.arguments.verbose:
                print(f"sequence {report['seed']}: {report['seconds']:.2f} s", *report["history"],
                      sep="\n  ", file=sys.stderr)
            if done % 20 == 0 or done == self.arguments.sequences:
                print(f"{done} sequences, {failed} failed", file=sys.stderr)

    def all(self):
        threads = [threading.Thread(target=self.work, daemon=True)
                   for _ in range(self.arguments.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.reports


def total(reports, part):
    return sum(len(report["verdict"][part]) for report in reports)


def main():
    arguments = read_arguments()
    import requirements  # pylint: disable=import-outside-toplevel
    requirements.exit_if_missing()
    if arguments.seed is None:
        arguments.seed = time.time_ns() % 1_000_000_000
        print(f"seed {arguments.seed}", file=sys.stderr)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # tidies up on the way
    scratch = scratch_directory()
    try:
        (scratch / "stubs").mkdir()
        requirements.generate_stubs(str(HERE.parent.parent / "proto"), str(scratch / "stubs"))
        import world  # pylint: disable=import-outside-toplevel
        if arguments.load:
            import load  # pylint: disable=import-outside-toplevel
            return load.run(arguments, scratch)
        began = time.monotonic()
        clockjump = arguments.shims / "clockjump.so"
        tasks = world.make_template(arguments.binaries, scratch / "template", clockjump)
        [stream] = world.make_template(arguments.binaries, scratch / "streams", clockjump,
                                       [world.STREAM], age=0)
        # What is planted is of a value, and a stream's answers have noise.
        setting = {"template": str(scratch / "template"), "tasks": tasks,
                   "stream": {} if arguments.plant else {"template": str(scratch / "streams"), "task": stream},
                   "binaries": str(arguments.binaries.resolve()), "stubs": str(scratch / "stubs"),
                   "shims": [str((arguments.shims / name).resolve())
                             for name in ("powercut.so", "clockjump.so")],
                   "scratch": str(scratch), "plant": arguments.plant}
        reports = Run(arguments, setting).all()
        took = time.monotonic() - began
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    failed = [report["seed"] for report in reports if not report["good"]]
    print(f"{sum(r['submissions'] for r in reports)} acknowledged submissions, "
          f"{sum(r['expired'] for r in reports)} expired, "
          f"{sum(r['starts'] for r in reports)} starts of daemons, {took:.0f} s"
          + (f"; failed seeds: {sorted(failed)}" if failed else ""), file=sys.stderr)
    print(f"lost {total(reports, 'lost')}, doubled {total(reports, 'doubled')}, "
          f"sequences {len(reports)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
