"""Numbers for people that stay on the safe side of what they stand for."""
from __future__ import annotations

import decimal
import math


def rounded_up(value: float, digits: int) -> str:
    """A decimal of at most `digits` significant digits which, read back, is never below `value`, and
    of those the nearest; without zeros at the end, as `tombola` prints epsilons and deltas."""
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    context = decimal.Context(prec=digits)
    rounded = context.create_decimal_from_float(value)
    if float(rounded) < value:
        rounded = rounded.next_plus(context)
    return f"{float(rounded):.{digits}g}"
