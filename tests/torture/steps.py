"""What the steps of plan.py do to a world."""

import random
import time

import grpc
import plan as planning
import proxy
from books import Books
from disk import FOREVER
from periods import Periods
from world import DOMAIN, World

POLL_SECONDS = 0.02
DELIVER_SECONDS = 2
PATIENCE_STEPS = 2
RECEIPT_SECONDS = 0.3  # For a batch to be delivered and its receipt to be dropped.


class Broken(Exception):
    """The sequence cannot be judged: a daemon does not do what it must, whatever the faults."""


class Steps:
    """The state of a sequence, and a method `do_<kind>` for each kind of step."""

    def __init__(self, seed, setting, directory, history):
        self.plan = planning.make_plan(seed, len(setting.tasks))
        self.draw = random.Random(f"run {seed}")  # what is left to chance while it runs
        self.history = history
        self.books = Books(DOMAIN)
        self.sent = []
        self.up = set()          # who is to be running
        self.down = dict.fromkeys(planning.BOTH, 0)  # for how many steps
        self.armed = {}          # who may die at a disk operation -> how
        self.faulty = set()      # whose disk has a fault
        self.broken_lines = set()
        self.world = World(setting.template, directory, setting.binaries, setting.shims,
                           setting.mounted)
        self.plant = setting.plant
        self.task = setting.tasks[self.plan.task]
        self.task_id = bytes.fromhex(self.task["task"])
        self.devices = self.periods = None
        self.clock_is_true = True  # the shuffler's, all the time

    def meet_devices(self):
        self.devices = self.world.devices(self.task_id)
        self.periods = Periods(self.devices.task)

    # --- Who is up --------------------------------------------------------------------------------

    def start(self, who):
        if who in self.up:
            return
        if self.world.start(who):
            self.up.add(who)
            self.reconnect(who)
        elif who not in self.faulty:
            raise Broken(f"the {who} does not start though its disk is sound")
        else:
            self.history.append(f"  the {who} did not start")

    def must_start(self, who):
        if not self.world.start(who):
            raise Broken(f"the {who} does not start")
        self.up.add(who)
        self.reconnect(who)

    def reconnect(self, who):
        """The devices' channel learns only by a call that its line is gone."""
        if who == "shuffler" and self.devices is not None and self.reachable():
            for _ in range(3):
                if self.devices.fetch_keys(1):
                    break

    def end(self, who, how):
        running = who in self.up
        code = self.world.daemons[who].ended_with() if running else None
        if code not in (None, -9):
            raise Broken(f"the {who} ended by itself with {code}")
        good = self.world.end(who, how, self.draw)
        self.up.discard(who)
        if how == "stop" and running and not good and who not in self.armed:
            raise Broken(f"the {who} did not stop as told")
        self.armed.pop(who, None)

    def bury(self):
        """Notices who has died of an armed operation. Nothing else may end a daemon."""
        for who in sorted(self.up):
            code = self.world.daemons[who].ended_with()
            if code is None:
                continue
            if who not in self.armed or code != -9:
                raise Broken(f"the {who} ended by itself with {code}")
            self.history.append(f"  the {who} has died: {self.armed[who]}")
            self.end(who, self.armed[who])

    def raise_the_dead(self):
        """Nobody is down for long, or nothing would happen."""
        for who in planning.BOTH:
            self.down[who] = 0 if who in self.up else self.down[who] + 1
            if self.down[who] > PATIENCE_STEPS:
                self.do_mend_disk(who)
                self.start(who)

    # --- Devices ----------------------------------------------------------------------------------

    def reachable(self):
        return "shuffler" in self.up and "devices" not in self.broken_lines

    def send(self, sent, waits=True):
        return self.finish(*self.begin(sent, waits))

    def begin(self, sent, waits=True):
        waits = waits and self.reachable() and "shuffler" not in self.armed
        return sent, self.devices.begin(sent, wait=waits)

    def finish(self, sent, call):
        good = self.devices.outcome(sent, call)
        if good:
            self.books.acknowledge(sent.values)
            self.periods.acknowledge(sent, time.time())
        else:
            self.history.append(f"  {len(sent.values)} in doubt: {self.devices.last_error}")
        return good

    def seal(self, size, key=None):
        sent = self.devices.seal(self.books.fresh(size), key)
        self.sent.append(sent)
        return sent

    def submit_new(self, size, key=None, waits=True):
        return self.send(self.seal(size, key), waits)

    def do_submit(self, calls, size):
        """All at once."""
        sealed = [self.seal(size) for _ in range(calls)]
        under_way = [self.begin(sent) for sent in sealed]
        for sent, call in under_way:
            self.finish(sent, call)

    def do_retry(self, newest):
        self.send(self.sent[-1] if newest else self.draw.choice(self.sent))

    def do_drop_request(self, size):
        self.dropping("devices", proxy.DROP_REQUEST, size)

    def do_drop_response(self, size):
        self.dropping("devices", proxy.DROP_RESPONSE, size)

    def do_drop_receipt(self, size):
        """The collector counts, the shuffler never hears of it and delivers again."""
        self.dropping("link", proxy.DROP_RESPONSE, size)

    def dropping(self, side, mode, size):
        if side in self.broken_lines or not self.reachable():
            return
        self.devices.fetch_keys(1)  # so that there is a line to lose something on
        line = self.world.lines[side]
        line.set_mode(mode)
        self.submit_new(size, waits=side == "link")
        if side == "link":
            line.wait_dropped(RECEIPT_SECONDS)
        line.set_mode(proxy.PASS)

    def task_users(self):
        return self.devices.task.batch_policy.planned_submissions

    # --- Lines ------------------------------------------------------------------------------------

    def do_partition(self, side):
        self.world.lines[side].set_mode(proxy.PARTITION)
        self.broken_lines.add(side)

    def do_mend_lines(self):
        for side in sorted(self.broken_lines):
            self.world.lines[side].set_mode(proxy.PASS)
        self.broken_lines.clear()

    # --- Crashes ----------------------------------------------------------------------------------

    def crash(self, who, how, again, calls, size, milliseconds):
        sealed = [self.seal(size) for _ in range(calls)]
        under_way = [self.begin(sent, waits=False) for sent in sealed]
        if calls:
            time.sleep(milliseconds / 1000)  # whatever they have come to by then
        self.end(who, how)
        if again:
            self.start(who)
        for sent, call in under_way:
            self.finish(sent, call)

    def do_kill(self, **arguments):
        self.crash(how="kill", **arguments)

    def do_power_cut(self, **arguments):
        self.crash(**arguments)

    def do_stop(self, **arguments):
        self.crash(how="stop", **arguments)

    def do_die(self, who, operations, how, calls, size):
        if who in self.up:
            self.armed[who] = how
            self.world.disks[who].die_in(operations)
        self.do_submit(calls, size)

    def do_restart(self, order, how):
        for who in planning.BOTH:
            self.end(who, how)
        self.do_start(order)

    def do_start(self, order):
        for who in order:
            self.start(who)

    # --- Clocks, keys, disks ----------------------------------------------------------------------

    def do_jump(self, who, seconds, restart=False):
        """Abseil looks at the system's clock every other second only, and at a start."""
        self.world.daemons[who].jump(seconds)
        if who == "shuffler" and seconds:
            self.clock_is_true = False
        if restart and who in self.up:
            self.end(who, "kill")
            self.start(who)

    def do_right_clock(self, who):
        self.do_jump(who, 0)

    def do_rotate(self):
        if "collector" not in self.up:
            return
        try:
            self.world.rotate_keys()
        except grpc.RpcError as error:
            self.history.append(f"  not rotated: {error.code().name}: {error.details()}")
        if self.reachable() and not self.armed:
            self.devices.fetch_keys(seconds=1)

    def do_disk(self, who, fault, after, count):
        self.world.disks[who].fail(fault, after, FOREVER if count is None else count)
        self.faulty.add(who)

    def do_doubtful_sync(self, who, fault, after, count, how, then, calls, size):
        """Devices repeat their calls after the restart; what they are told then must hold."""
        if self.armed:
            return
        first = len(self.sent)
        self.do_disk(who, fault, after, count)
        self.do_submit(calls, size)
        self.end(who, how)
        self.do_mend_disk(who)
        self.start(who)
        for sent in self.sent[first:]:
            self.send(sent)
        if who == "collector":
            self.do_deliver()
        self.end(who, then)
        self.start(who)

    def do_slow(self, who, microseconds):
        self.world.disks[who].slow(microseconds)

    def do_mend_disk(self, who):
        self.world.disks[who].heal()
        self.faulty.discard(who)

    # --- Looking ----------------------------------------------------------------------------------

    def do_observe(self):
        if "collector" not in self.up:
            return
        try:
            counts, _ = self.world.histogram(self.task_id)
        except grpc.RpcError:
            return  # it may have died of an armed operation
        if problems := self.books.observe(counts):
            raise Broken("; ".join(problems))

    def do_deliver(self):
        """Gives a batch the time to arrive, if it can."""
        if len(self.up) < 2 or self.armed or self.faulty or self.broken_lines:
            return
        deadline = time.monotonic() + DELIVER_SECONDS
        while time.monotonic() < deadline:
            try:
                if self.world.status(self.task_id).waiting_delivery == 0:
                    return
            except grpc.RpcError:
                return  # by a clock that jumped, no certificate may be valid
            time.sleep(POLL_SECONDS)

    def do_end_period(self):
        """The present period closes, whatever is broken then."""
        now = time.time()
        if closes := self.periods.closes(now):
            time.sleep(closes - now)
