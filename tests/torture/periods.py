"""What the periods of a task owe: one in which enough devices were acknowledged is counted.

By the true time, which is the shuffler's unless its clock was set: a step that it does not notice
ends a period early or cuts its batch in two.
"""

import collections

import tombola_client as wire


class Periods:
    """Who was acknowledged in which period of a task; of a task without any, nobody."""

    def __init__(self, task):
        self.task = task
        self.in_time = collections.defaultdict(set)  # (key, period) -> values

    def closes(self, now):
        """When the period of `now` takes nothing any more; None if there are none."""
        period = wire.part_at(self.task, now)
        return wire.period_closes(self.task, period) if period else None

    def acknowledge(self, sent, now):
        """What is held when its period ends stays together, whatever comes. Who is answered only
        then may have come too late for the batch."""
        period = sent.request.part
        if period and now < wire.period_ends(self.task, period):
            self.in_time[sent.request.key_id, period].update(sent.values)

    def owed(self, needed):
        """The values that cannot have expired, where a batch needs so many."""
        return set().union(*(values for values in self.in_time.values() if len(values) >= needed))
