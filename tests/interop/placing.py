"""From a record to the cells that a device says, as docs/wire-format.md has it.

A record is a value for a histogram, a list of names for a set, and a list of (name, number) for
key-value pairs. A name is a label of the domain, or a value where the domain has no labels.
"""

import math

from wire_messages import messages, require

SEVERAL = ("grr", "pure_dump", "aue", "correlated")  # Mechanisms for more than one cell.
ALL_SENT = ("aue", "correlated")  # Those whose devices say every cell.
MOST_CELLS = 1 << 24


def check_items(task):
    """Refused if what the task says of its kind, beside the domain, is out of its bounds."""
    pb = messages("task")
    require(task.kind in (pb.KIND_HISTOGRAM, pb.KIND_SET, pb.KIND_KEY_VALUE), "kind is unknown")
    require(task.HasField("items") == (task.kind != pb.KIND_HISTOGRAM),
            "items are there for a histogram, or missing")
    require(task.HasField("levels") == (task.kind == pb.KIND_KEY_VALUE),
            "levels are there without key-value pairs, or missing")
    if task.HasField("items"):
        check_numbers_of_cells(task.items, task.domain.size, task.mechanism.WhichOneof("kind"))
    if task.HasField("levels"):
        levels = task.levels
        require(math.isfinite(levels.low) and math.isfinite(levels.high)
                and math.isfinite(levels.high - levels.low) and levels.low < levels.high,
                "low and high are not finite and in that order")
        require(2 <= levels.count <= 256, "levels.count is not 2 to 256")
    require(cell_count(task) <= MOST_CELLS, "there are more than 2^24 cells")


def check_numbers_of_cells(items, size, mechanism):
    most, sent = items.max_items, items.sent
    require(1 <= most <= min(4096, size), "max_items is not 1 to 4096 and at most domain.size")
    require(sent >= 1 and most % sent == 0, "sent does not divide max_items")
    require(most == 1 or mechanism in SEVERAL, "the mechanism is for one cell a device")
    require(sent == most or mechanism not in ALL_SENT, "the mechanism wants all cells sent")


def pads_begin(task):
    """The first pad, which is the number of the cells before it."""
    return task.domain.size * (task.levels.count if task.HasField("levels") else 1)


def cell_count(task):
    return pads_begin(task) + task.items.max_items


def cells_sent(task):
    """How many cells a submission says."""
    return task.items.sent if task.HasField("items") else 1


def cells_said(task, record, random):
    """The cells of the task's table that one submission of `record` says."""
    if not task.HasField("items"):
        require(0 <= record < task.domain.size, "the value is outside the domain")
        return [record]
    return subset(place(task, record, random), task.items.sent, random)


def place(task, record, random):
    """The max_items distinct cells that a device fills, in no order that means anything."""
    if task.HasField("levels"):
        numbers = pairs_kept(task, record, random)
        kept = subset(sorted(numbers), task.items.max_items, random)
        cells = [key * task.levels.count + level_of(task.levels, numbers[key], random)
                 for key in kept]
    else:
        kept = sorted({value_of(task.domain, name) for name in record})
        cells = subset(kept, task.items.max_items, random)
    first = pads_begin(task)
    return cells + list(range(first, first + task.items.max_items - len(cells)))


def is_known(domain, name):
    return name in domain.labels if domain.labels else 0 <= name < domain.size


def value_of(domain, name):
    """The value that `name` stands for; Refused where nothing stands for those outside."""
    if not is_known(domain, name):
        require(domain.HasField("other"), "a name is outside the domain")
        return domain.other
    return list(domain.labels).index(name) if domain.labels else name


def pairs_kept(task, record, random):
    """One number for each key; of those that `domain.other` stands for, a drawn one."""
    kept, others = {}, []
    for name, number in record:
        require(task.levels.low <= number <= task.levels.high, "a number is out of the range")
        key = value_of(task.domain, name)
        if not is_known(task.domain, name):
            others.append(number)
        else:
            require(kept.setdefault(key, number) == number, "a key has two numbers")
    if others:
        other = task.domain.other  # It may be named by itself, too: then it is one of them.
        others += [kept[other]] if other in kept else []
        kept[other] = others[random.randbelow(len(others))]
    return kept


def level_of(levels, number, random):
    """One of the two levels around `number`, drawn so that its mean is `number`."""
    x = (number - levels.low) / (levels.high - levels.low) * (levels.count - 1)
    below = min(math.floor(x), levels.count - 2)
    return below + (random.randbits(53) < (x - below) * 2**53)


def subset(things, size, random):
    """A uniformly drawn subset of that size, or all where there are no more."""
    things = list(things)
    if len(things) <= size:
        return things
    for place_of in range(size):  # The first steps of Fisher and Yates.
        chosen = place_of + random.randbelow(len(things) - place_of)
        things[place_of], things[chosen] = things[chosen], things[place_of]
    return things[:size]
