"""From a seed to the steps of a sequence. Pure: the same seed gives the same plan."""

import random
from dataclasses import dataclass, field

BOTH = ("shuffler", "collector")
HOUR, DAY = 3600, 86400
ENDS = ("kill", "stop", "power", "brownout")  # what World.end knows


@dataclass(frozen=True)
class Step:
    kind: str
    arguments: dict = field(default_factory=dict)

    def __str__(self):
        return " ".join([self.kind, *(f"{key}={value}" for key, value in self.arguments.items())])


@dataclass(frozen=True)
class Plan:
    task: int            # which of the prepared tasks, by its place
    steps: tuple
    close: bool          # end by closing the task instead of filling up its batches
    end: str             # how both daemons end before the last calls
    order: tuple         # and in which order they come back
    retried: float       # the share of calls in doubt that devices try again at the end


def make_plan(seed, tasks):
    """`tasks` is the number of prepared tasks."""
    draw = random.Random(seed)
    steps = [Step("submit", {"calls": 1, "size": draw.randint(1, 6)})]
    for _ in range(draw.randint(14, 24)):
        kind = draw.choices(list(KINDS), [weight for weight, _ in KINDS.values()])[0]
        steps.append(Step(kind, KINDS[kind][1](draw)))
    return Plan(task=draw.randrange(tasks), steps=tuple(steps), close=draw.random() < 0.25,
                end=draw.choice(ENDS), order=order(draw),
                retried=draw.choice((0, 0.5, 1)))


def order(draw):
    return tuple(draw.sample(BOTH, 2))


def submit(draw):
    return {"calls": draw.randint(1, 3), "size": draw.randint(1, 8)}


def soon(draw):
    """Disk operations: a commit has 2, a new log 8, a release some 25."""
    return draw.randint(0, draw.choice((2, 8, 30)))


def crash(draw):
    """With calls under way, for some milliseconds, or without."""
    return {"who": draw.choice(BOTH), "again": draw.random() < 0.6,
            "calls": draw.choice((0, 1, 4)), "size": draw.randint(1, 8),
            "milliseconds": draw.randint(0, 12)}


def power_cut(draw):
    return {**crash(draw), "how": draw.choice(("power", "brownout"))}


def die(draw):
    """Killed in place of a disk operation while calls come in."""
    return {"who": draw.choice(BOTH), "operations": 1 + soon(draw),
            "how": draw.choice(("kill", "power", "brownout")), **submit(draw)}


def disk(draw):
    fault = draw.choice(("full", "full", "read_only", "sync", "sync_names", "sync_lost"))
    return {"who": draw.choice(BOTH), "fault": fault, "after": soon(draw),
            "count": draw.choice((1, 1, 2, 5, None))}


def doubtful_sync(draw):
    """A sync fails under a call, and everything that follows from it in practice."""
    return {"who": draw.choice(BOTH), "fault": draw.choice(("sync", "sync_names", "sync_lost")),
            "after": soon(draw), "count": draw.choice((1, 1, 3)),
            "how": draw.choice(("kill", "stop")), "then": draw.choice(("power", "brownout")),
            "calls": draw.randint(1, 3), "size": draw.randint(1, 8)}


def jump(draw):
    size = draw.choice((draw.randint(1, 90), draw.randint(60, DAY), draw.randint(DAY, 6 * DAY)))
    return {"who": draw.choice(BOTH), "seconds": draw.choice((-1, 1, 1)) * size,
            "restart": draw.random() < 0.5}


def nothing(_draw):
    return {}


# How often each comes, and what it draws.
KINDS = {
    "submit": (30, submit),
    "retry": (8, lambda draw: {"newest": draw.random() < 0.5}),
    "drop_request": (4, lambda draw: {"size": draw.randint(1, 6)}),
    "drop_response": (8, lambda draw: {"size": draw.randint(1, 6)}),
    "drop_receipt": (5, lambda draw: {"size": draw.randint(1, 12)}),
    "partition": (4, lambda draw: {"side": draw.choice(("devices", "link"))}),
    "mend_lines": (6, nothing),
    "kill": (7, crash),
    "power_cut": (8, power_cut),
    "stop": (2, crash),
    "die": (10, die),
    "restart": (4, lambda draw: {"order": order(draw), "how": draw.choice(ENDS)}),
    "start": (6, lambda draw: {"order": order(draw)}),
    "jump": (6, jump),
    "right_clock": (9, lambda draw: {"who": draw.choice(BOTH)}),
    "rotate": (4, nothing),
    "disk": (9, disk),
    "doubtful_sync": (5, doubtful_sync),
    "slow": (3, lambda draw: {"who": draw.choice(BOTH), "microseconds": draw.randint(500, 20000)}),
    "mend_disk": (7, lambda draw: {"who": draw.choice(BOTH)}),
    "observe": (5, nothing),
    "deliver": (5, nothing),
    "end_period": (6, nothing),
}
