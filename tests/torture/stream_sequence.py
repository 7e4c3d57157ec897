"""A sequence about a stream: some periods of hours, in each of which devices report while things break, and
between which the machines sleep. Everything is decided by numbers of submissions, for a stream's answers have
noise: every node is counted once with all of its submissions, or is void and says so.
"""

import random
import time
from types import SimpleNamespace

import grpc
import plan as planning
import proxy
from books import Verdict
from support import periods, waiting
from tombola_client import Client, Retry
from wire_messages import Refused, messages
from world import CALL_SECONDS, World

END_SECONDS = 60
ACKNOWLEDGED = (1, 2)  # OUTCOME_ACCEPTED, OUTCOME_DUPLICATE
HOW = ("kill", "stop", "power", "brownout")


class StreamSequence:
    """Drawn from the seed while it runs, but for what daemons do in which millisecond."""

    def __init__(self, seed, setting, directory, history):
        self.draw = random.Random(f"stream {seed}")
        self.history = history
        self.world = World(setting.stream["template"], directory, setting.binaries, setting.shims,
                           setting.mounted)
        for daemon in self.world.daemons.values():
            daemon.environment["TORTURE_ASLEEP"] = "1"
        self.task = setting.stream["task"]
        self.task_id = bytes.fromhex(self.task["task"])
        self.nodes = {node["node"]: node for node in self.task["stream"]["nodes"]}
        self.ahead = 0
        self.device = None
        self.acknowledged = dict.fromkeys(self.nodes, 0)  # by period
        self.in_doubt = dict.fromkeys(self.nodes, 0)
        self.published = []  # totals with noise that somebody has read
        self.books = SimpleNamespace(acknowledged=())

    def close(self):
        if self.device is not None:
            self.device.close()
        self.world.close()

    def run(self):
        """The verdict, and how many submissions have expired, once for each node."""
        for period in self.nodes:
            self.sleep_into(period)
            self.live(period)
        self.sleep_until(self.begins(len(self.nodes) + 1) + 4 * 3600)
        status = self.until("the shuffler holds nothing", self.settled)
        for who in planning.BOTH:
            self.world.end(who, "power")
        self.start_both()
        self.books.acknowledged = range(sum(self.acknowledged.values()))
        return self.judge(status), status.expired

    # --- The clock --------------------------------------------------------------------------------

    def now(self):
        return time.time() + self.ahead

    def begins(self, period):
        return periods.begins(self.task, period).timestamp()

    def sleep_into(self, period):
        self.sleep_until(self.begins(period + self.draw.uniform(0.2, 0.8)))

    def sleep_until(self, moment):
        """Both end, in whatever way, and wake up then. What was due meanwhile is done at once, and the
        shuffler may die of it."""
        ends = {who: self.draw.choice(HOW) for who in planning.BOTH}
        for who, how in ends.items():
            self.world.end(who, how, self.draw)
        self.ahead = round(moment - time.time())
        for daemon in self.world.daemons.values():
            daemon.jump(self.ahead)
        self.history.append(f"sleep until {moment - self.begins(1):.0f} {ends}")
        while self.draw.random() < 0.6:
            self.die_at_work()
        self.start_both()

    def die_at_work(self):
        """Of an operation on its disk: a period is scattered with some 15 of them, a node leaves with 25."""
        who = self.draw.choice(("shuffler", "shuffler", "collector"))
        operations = self.draw.randint(1, self.draw.choice((10, 40, 120)))
        how = self.draw.choice(("kill", "power", "brownout"))
        self.history.append(f"  {who} dies after {operations} operations: {how}")
        self.world.disks[who].die_in(operations)
        for each in self.draw.sample(planning.BOTH, 2):
            self.world.start(each)  # it may die of that
        deadline = time.monotonic() + self.draw.choice((0.1, 0.5, 1.5))
        while self.world.daemons[who].running() and time.monotonic() < deadline:
            time.sleep(0.01)
        for each in planning.BOTH:
            self.world.end(each, how, self.draw)

    def start_both(self):
        for who in self.draw.sample(planning.BOTH, 2):
            if not self.world.daemons[who].running() and not self.world.start(who):
                raise RuntimeError(f"the {who} does not start")

    # --- Devices ----------------------------------------------------------------------------------

    def connect(self):
        if self.device is not None:
            self.device.close()
        self.device = None
        self.device = Client(self.world.lines["devices"].address(), self.world.roots, self.task_id,
                             Retry(attempts=4), clock=self.now)
        return self.device.recipients()

    def connected(self):
        """The shuffler hears of the present nodes' keys from the collector."""
        try:
            return self.connect()
        except (grpc.RpcError, Refused):
            return None

    def live(self, period):
        doubtful = []
        for _ in range(self.draw.choice((0, 1, 2, 3, 3))):
            self.until("devices find the keys of nodes", self.connected)
            size = self.draw.randint(1, 6)
            request = self.device.request([self.draw.randint(0, 1) for _ in range(size)])
            if request.part != period:
                raise RuntimeError(f"period {request.part} instead of {period}")
            if not self.send(request, size, period):
                doubtful.append((request, size))
        for request, size in doubtful:
            if self.draw.random() < 0.7:
                self.until("devices find the keys of nodes", self.connected)
                if self.submit(request):
                    self.in_doubt[period] -= size
                    self.acknowledged[period] += size
        self.look()

    def send(self, request, size, period):
        """With whatever goes wrong meanwhile; whether it is acknowledged. Else it is in doubt."""
        event = self.draw.choice(("", "", "drop", "kill", "kill", "power", "restart"))
        line = self.world.lines["devices"]
        if event == "drop":
            line.set_mode(proxy.DROP_RESPONSE)
        call = self.device.stub.Submit.future(request, timeout=5)
        if event in ("kill", "power", "restart"):
            time.sleep(self.draw.randint(0, 15) / 1000)
            for who in planning.BOTH if event == "restart" else (self.draw.choice(planning.BOTH),):
                self.world.end(who, "power" if event == "power" else "kill", self.draw)
        good = self.answered(call)
        line.set_mode(proxy.PASS)
        self.start_both()
        self.history.append(f"  period {period}: {size} {'acknowledged' if good else 'in doubt'} {event}")
        (self.acknowledged if good else self.in_doubt)[period] += size
        return good

    def submit(self, request):
        return self.answered(self.device.stub.Submit.future(request, timeout=CALL_SECONDS))

    @staticmethod
    def answered(call):
        try:
            outcomes = list(call.result().outcomes)
        except grpc.RpcError:
            return False
        if any(outcome not in ACKNOWLEDGED for outcome in outcomes):
            raise AssertionError(f"a well-formed call was answered {outcomes}")
        return True

    # --- The verdict ------------------------------------------------------------------------------

    def until(self, what, condition):
        return waiting.until(condition, f"after {END_SECONDS} s still not: {what}", END_SECONDS)

    def settled(self):
        try:
            status = self.world.status(self.task_id)
        except grpc.RpcError:
            return None
        whole = status.accepted == status.forwarded + status.expired
        return status if whole and not status.held and not status.waiting_delivery else None

    def query(self, request, method):
        stub = self.world.stub("collector", "CollectorQuery")
        try:
            return getattr(stub, method)(request, timeout=CALL_SECONDS)
        except grpc.RpcError as error:
            if error.code() == grpc.StatusCode.FAILED_PRECONDITION:
                return None
            raise

    def look(self):
        """Totals that were published with noise are published once: each is read again the same."""
        collector = messages("collector")
        totals = self.query(collector.GetTotalsRequest(
            task_id=self.task_id, of=collector.TOTALS_QUANTITY_PARTICIPANTS, confidence=0.5), "GetTotals")
        rows = list(totals.totals) if totals else []
        if rows[:len(self.published)] != self.published:
            raise AssertionError(f"totals {self.published} are {rows} now")
        self.published = rows

    def answer(self, first, last):
        collector = messages("collector")
        return self.query(collector.GetAnswerRequest(
            task_id=self.task_id, confidence=0.5, postprocess=collector.POSTPROCESS_NONE,
            first_period=first, last_period=last, stream=collector.StreamQuestion()), "GetAnswer")

    def judge(self, status):
        self.until("all totals are published", self.all_published)
        verdict = Verdict()
        counted = {}
        for node, about in self.nodes.items():
            covered = range(about["first"], node + 1)
            least = sum(self.acknowledged[period] for period in covered)
            most = least + sum(self.in_doubt[period] for period in covered)
            answer = self.answer(about["first"], node)
            void = answer is None or node in answer.stream.void_nodes
            self.history.append(f"  node {node}: {least} to {most}, needs {about['needed']}: "
                                + ("void" if void else str(answer.stream.totals[0].submissions)))
            if void:
                if least >= about["needed"]:
                    verdict.lost += [node] * least
                continue
            counted[node] = answer.stream.totals[0].submissions
            verdict.lost += [node] * (least - counted[node])
            verdict.doubled += [node] * (counted[node] - most)
            if counted[node] < about["needed"]:
                verdict.wrong.append(f"node {node} has {counted[node]}, below {about['needed']}")
        verdict.wrong += self.in_some_nodes_only(counted)
        if (status.forwarded, status.accepted) != (sum(counted.values()),
                                                   sum(counted.values()) + status.expired):
            verdict.wrong.append(f"the shuffler accepted {status.accepted}, forwarded {status.forwarded} and "
                                 f"expired {status.expired}; the collector counted {counted}")
        return verdict

    def all_published(self):
        self.look()
        return len(self.published) == len(self.nodes)

    def in_some_nodes_only(self, counted):
        """A submission is in all nodes over its period: what a node has beyond those within it is its own
        period's, and no other number than that period's may have been."""
        wrong = []
        for node, about in self.nodes.items():
            within, own = node - 1, counted.get(node)
            while own is not None and within >= about["first"]:
                own = None if within not in counted else own - counted[within]
                within = self.nodes[within]["first"] - 1
            if own is None:
                continue
            least = self.acknowledged[node]
            if not least <= own <= least + self.in_doubt[node]:
                wrong.append(f"period {node} has {own} submissions of node {node}, not {least} to "
                             f"{least + self.in_doubt[node]}")
        return wrong
