"""When the periods of a task begin, for tests that report in them."""
import datetime
import time

from support.waiting import until


def begins(task, period=1):
    """The time at which a period begins; `task` as `task create --json` prints it."""
    first = datetime.datetime.fromisoformat(task["begins"].replace("Z", "+00:00"))
    return first + datetime.timedelta(seconds=(period - 1) * task["interval_seconds"])


def moment(task, period):
    """The same as a text."""
    return begins(task, period).strftime("%Y-%m-%dT%H:%M:%SZ")


def present(deployment, task):
    return deployment.ask("task", "show", "--task", task["task"])["present_period"]


def early(deployment, task):
    """Waits for the first half of a period, so that what comes next is in it; its number."""
    length = task["interval_seconds"]
    first = begins(task).timestamp()
    until(lambda: (time.time() - first) % length < length / 2, "no period begins")
    return present(deployment, task)
