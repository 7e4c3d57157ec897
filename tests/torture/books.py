"""The model: what was promised to devices, against what the collector answers.

Every submission carries a value of its own, so a count is 0 or 1, and a lost or doubled submission
is a wrong count of its value. The task is an ordinary `grr` task whose local epsilon is so large
that reports are as good as never randomised: with domain d and kappa = e^L - 1 a report is replaced
by a uniform value with probability d / (kappa + d), 4.4e-15 for d = 1024 and L = 40. A sequence
has at most 1,000 reports, so a thousand sequences raise a false alarm with probability below 1e-8.
"""

from dataclasses import dataclass, field


@dataclass
class Verdict:
    lost: list = field(default_factory=list)
    doubled: list = field(default_factory=list)
    wrong: list = field(default_factory=list)  # what else does not add up, in words

    def good(self):
        return not (self.lost or self.doubled or self.wrong)


class Books:
    """Values are given out in order from 0."""

    def __init__(self, domain):
        self.domain = domain
        self.used = 0
        self.acknowledged = set()
        self.in_doubt = set()
        self.seen = set()  # counted in an earlier answer

    def fresh(self, count):
        if self.used + count > self.domain:
            raise RuntimeError("the sequence needs more values than the domain has")
        values = range(self.used, self.used + count)
        self.used += count
        self.in_doubt.update(values)
        return values

    def acknowledge(self, values):
        self.in_doubt.difference_update(values)
        self.acknowledged.update(values)

    def observe(self, counts):
        """An answer in the middle of a sequence: what it counts, every later one counts."""
        counted = {value for value, count in enumerate(counts) if count}
        problems = []
        if missing := self.seen - counted:
            problems.append(f"values {sorted(missing)} were counted before and are not any more")
        if strange := {value for value in counted if value >= self.used}:
            problems.append(f"values {sorted(strange)} were never sent")
        self.seen |= counted
        return problems

    def compare(self, counts, expired, owed=frozenset()):
        """When nothing is held or under way any more: acknowledged = counted + expired, what is in
        doubt at most once, what was never sent not at all. `owed` cannot have expired."""
        verdict = Verdict(wrong=self.observe(counts))
        verdict.doubled = [value for value, count in enumerate(counts)
                           if count > 1 or (count and value >= self.used)]
        missing = sorted(value for value in self.acknowledged if not counts[value])
        doubtful = sum(1 for value in self.in_doubt if not counts[value])
        # Which ones of the others expired nobody knows, but how many.
        verdict.lost = [value for value in missing if value in owed]
        others = [value for value in missing if value not in owed]
        verdict.lost += others[expired:]
        if expired > len(missing) + doubtful:
            verdict.wrong.append(f"{expired} expired, {len(missing) + doubtful} are missing")
        return verdict


def whole_counts(raw, submissions):
    """Counts from the unbiased estimates of a task that does not randomise; ValueError if they are
    none. With kappa above 1e14 the estimate of a value that c of n sent is c / n up to 1e-11."""
    counts = []
    for share in raw:
        count = share * submissions
        if abs(count - round(count)) > 1e-6:
            raise ValueError(f"an estimate of {share} among {submissions} is no whole count")
        counts.append(round(count))
    return counts
