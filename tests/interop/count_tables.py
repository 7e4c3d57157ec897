"""The tables of whole numbers of docs/wire-format.md, from which numbers of reports are drawn."""

import functools
import itertools
from bisect import bisect_right


class CountTable:
    """Weights of least, least + 1, ...: a draw yields k with probability weight(k) / total."""

    def __init__(self, least, weights):
        self.least = least
        self.weights = weights
        self.sums = list(itertools.accumulate(weights))

    @property
    def total(self):
        return self.sums[-1]

    def items(self):
        return enumerate(self.weights, self.least)

    def mean(self):
        return sum(k * weight for k, weight in self.items()) / self.total

    def draw(self, random):
        """`random.randbelow` is exact, as that of `secrets` is."""
        return self.least + bisect_right(self.sums, random.randbelow(self.total))


@functools.lru_cache
def poisson(rate):
    """The Poisson table of `rate` expected, in units of 2^-40."""
    middle = rate >> 40
    above, below = [1 << 110], []
    for k in itertools.count(middle + 1):
        weight = above[-1] * rate // (k << 40)
        if weight == 0:
            break
        above.append(weight)
    weight = above[0]
    for k in range(middle - 1, -1, -1):
        weight = weight * ((k + 1) << 40) // rate
        if weight == 0:
            break
        below.append(weight)
    return CountTable(middle - len(below), below[::-1] + above)


@functools.lru_cache
def logarithmic(success):
    """The logarithmic table of a success probability, in units of 2^-64."""
    weights = []
    weight = 1 << 120
    for k in itertools.count(1):
        if weight == 0:
            return CountTable(1, weights)
        weights.append(weight)
        weight = (weight * k * success >> 64) // (k + 1)
