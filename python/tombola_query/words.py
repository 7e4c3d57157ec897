"""What an answer guarantees, in words that are never better than its numbers."""
from __future__ import annotations

from typing import Optional

from .rounding import rounded_up


def pair(epsilon: Optional[float], delta: float) -> str:
    """An epsilon with its delta; None says that nothing holds."""
    if epsilon is None:
        return "nothing is guaranteed"
    return f"epsilon {rounded_up(epsilon, 4)}, delta {rounded_up(delta, 4)}"


def whole_life(epsilon: Optional[float], delta: float, submissions: int) -> str:
    """What a device's whole life in a task may cost it."""
    said = "nothing" if epsilon is None else pair(epsilon, delta)
    return f"{said} {over_submissions(submissions, 0)} in the task's life"


def over_submissions(number: int, periods: int) -> str:
    """What a pair is for. `periods`: how many the answer is about; 0: the task has none."""
    made = "the one submission" if number == 1 else f"the {number} submissions"
    when = "" if periods == 0 else " in this period" if periods == 1 else " in these periods"
    return f"over {made} a device may make{when}"
