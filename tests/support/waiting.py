"""Waiting for something that another process does."""
import time

POLL_SECONDS = 0.02


def until(condition, what="waited in vain", seconds=60):
    """Asks until the condition gives something true, and returns that. AssertionError with `what`
    (or what `what` returns, if it can be called) when it still does not after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(what() if callable(what) else what)
        time.sleep(POLL_SECONDS)
    return found
