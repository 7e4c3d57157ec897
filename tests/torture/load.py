"""100,000 acknowledged submissions with the shuffler killed every second: all counted once.

Devices run in processes of their own and send calls of CALL_SIZE submissions, each again with the
same bytes until it is acknowledged. The shuffler is killed (kill -9) a second after each start.
With domain d = 2^17 and kappa = e^40 - 1 a report is randomised with probability d / (kappa + d),
5.6e-13: a false alarm among 100,000 has probability 5.6e-8.
"""

import concurrent.futures
import json
import pathlib
import subprocess
import sys
import threading
import time

import world as worlds
from books import Books
from devices import Devices
from support.waiting import until

HERE = pathlib.Path(__file__).resolve().parent
TASK = {"users": 2000, "domain": 1 << 17}
CALL_SIZE = 50
CALLS_UNDER_WAY = 4   # Of each process
KILL_SECONDS = 1.0    # From one start to the next kill
PROCESSES = 2
END_SECONDS = 120


def report(order):
    """One process of devices: seals and sends a range of values; prints how often calls failed."""
    sys.path.insert(0, order["stubs"])
    devices = Devices(order["address"], pathlib.Path(order["roots"]).read_bytes(),
                      bytes.fromhex(order["task"]), bytes.fromhex(order["task_bytes"]))
    while not devices.fetch_keys():
        pass
    room = threading.Semaphore(2 * CALLS_UNDER_WAY)

    def deliver(sent):
        failures = 0
        while not devices.send(sent):
            failures += 1
        room.release()
        return failures

    with concurrent.futures.ThreadPoolExecutor(CALLS_UNDER_WAY) as pool:
        calls = []
        for begin in range(order["first"], order["last"], CALL_SIZE):
            room.acquire()
            values = range(begin, min(begin + CALL_SIZE, order["last"]))
            calls.append(pool.submit(deliver, devices.seal(values)))
        print(json.dumps({"failed_calls": sum(call.result() for call in calls)}))


def start_devices(world, task_id, stubs, submissions):
    share = -(-submissions // PROCESSES)
    shared = {"stubs": str(stubs), "address": world.lines["devices"].address(),
              "roots": str(world.template / "certificates/ca.pem"), "task": task_id.hex(),
              "task_bytes": world.task_bytes(task_id).hex()}
    return [subprocess.Popen(["/usr/bin/python3", "-B", str(HERE / "load.py"), json.dumps(
        {**shared, "first": first, "last": min(first + share, submissions)})],
        stdout=subprocess.PIPE, text=True) for first in range(0, submissions, share)]


def kill_until_done(world, processes):
    """How often the shuffler was killed while the devices were at it."""
    kills = 0
    while True:
        try:
            next(p for p in processes if p.poll() is None).wait(KILL_SECONDS)
        except StopIteration:
            return kills
        except subprocess.TimeoutExpired:
            world.end("shuffler", "kill")
            kills += 1
            if not world.start("shuffler"):
                raise RuntimeError("the shuffler did not start again") from None


def fill_up(world, devices, books, planned, task_id):
    """What is still held leaves with as many submissions as it lacks."""
    def look():
        status = world.status(task_id)
        if status.accepted == status.forwarded + status.expired and not status.waiting_delivery:
            return status
        for held in status.held:
            if (missing := planned - held.waiting) > 0:
                sent = devices.seal(books.fresh(missing))
                if devices.send(sent):
                    books.acknowledge(sent.values)
        return None
    return until(look, lambda: f"the shuffler still holds:\n{world.status(task_id)}", END_SECONDS)


def run(arguments, scratch):
    """The exit code."""
    task = worlds.make_template(arguments.binaries, scratch / "template",
                                arguments.shims / "clockjump.so", [TASK])[0]
    task_id = bytes.fromhex(task["task"])
    world = worlds.World(scratch / "template", scratch, arguments.binaries.resolve(), (), False,
                         TASK["domain"])
    books = Books(TASK["domain"])
    try:
        for who in ("collector", "shuffler"):
            if not world.start(who):
                raise RuntimeError(f"the {who} did not start")
        sys.path.insert(0, str(scratch / "stubs"))
        books.acknowledge(books.fresh(arguments.submissions))
        began = time.monotonic()
        processes = start_devices(world, task_id, scratch / "stubs", arguments.submissions)
        kills = kill_until_done(world, processes)
        took = time.monotonic() - began
        failed = [json.loads(p.stdout.read())["failed_calls"] for p in processes]
        devices = world.devices(task_id)
        while not devices.fetch_keys():
            pass
        status = fill_up(world, devices, books, TASK["users"], task_id)
        devices.close()
        counts, _ = world.histogram(task_id)
    finally:
        world.close()
    verdict = books.compare(counts, 0)
    if status.accepted != sum(counts):
        verdict.wrong.append(f"accepted {status.accepted}, counted {sum(counts)}")
    if kills == 0:
        verdict.wrong.append("the shuffler was never killed: --submissions must be more")
    print(f"{arguments.submissions} submissions in {took:.0f} s, the shuffler killed {kills} "
          f"times, {sum(failed)} calls failed and were repeated", *verdict.wrong, sep="\n",
          file=sys.stderr)
    print(f"lost {len(verdict.lost)}, doubled {len(verdict.doubled)}, "
          f"submissions {arguments.submissions}")
    return 0 if verdict.good() else 1


if __name__ == "__main__":
    report(json.loads(sys.argv[1]))
