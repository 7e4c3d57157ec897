"""From a record to the cells that a device says, as docs/wire-format.md has it.

A record is a value for a histogram and for a stream, a list of names for a set, a list of (name, number) for
key-value pairs, a number, or None where there is none, for numbers, and a list of dicts for records
(record_cells.py). A name is a label of the domain, or a value where the domain has no labels.
"""

import bisect
import math

from record_cells import cells_of, check_records, place_records
from wire_messages import messages, require

SEVERAL = ("grr", "pure_dump", "aue", "correlated")  # Mechanisms for more than one cell.
ALL_SENT = ("aue", "correlated")  # Those whose devices say every cell.
MOST_CELLS = 1 << 24


def check_items(task):
    """Refused if what the task says of its kind, beside the domain, is out of its bounds."""
    pb = messages("task")
    require(task.HasField("strings") == (task.kind == pb.KIND_STRINGS),
            "strings are there without their kind, or missing")
    require(task.HasField("records") == (task.kind == pb.KIND_RECORDS),
            "records are there without their kind, or missing")
    if task.kind == pb.KIND_STRINGS:
        return  # string_cells.py
    if task.kind == pb.KIND_RECORDS:
        require(not task.HasField("stream"), "records have a stream's nodes")
        require(not (task.HasField("items") or task.HasField("levels") or task.HasField("numbers")),
                "records have items, levels or numbers")
        require(not task.domain.labels and not task.domain.HasField("other"),
                "records have labels or other")
        check_records(task.records, task.mechanism.WhichOneof("kind"))
        require(task.domain.size == cells_of(task.records) <= MOST_CELLS,
                "domain.size is not the number of cells, or above 2^24")
        return
    require(task.kind in (pb.KIND_HISTOGRAM, pb.KIND_SET, pb.KIND_KEY_VALUE, pb.KIND_NUMBER,
                          pb.KIND_STREAM), "kind is unknown")
    require(task.HasField("stream") == (task.kind == pb.KIND_STREAM),
            "a stream's nodes are there for another kind, or missing")
    require(task.HasField("items") == (task.kind in (pb.KIND_SET, pb.KIND_KEY_VALUE)),
            "items are there without several things, or missing")
    require(task.HasField("levels") == (task.kind == pb.KIND_KEY_VALUE),
            "levels are there without key-value pairs, or missing")
    require(task.HasField("numbers") == (task.kind == pb.KIND_NUMBER),
            "numbers are there for another kind, or missing")
    if task.HasField("numbers"):
        check_numbers(task)
    if task.HasField("items"):
        check_numbers_of_cells(task.items, task.domain.size, task.mechanism.WhichOneof("kind"))
    if task.HasField("levels"):
        levels = task.levels
        require(abs(levels.low) <= 1e100 and abs(levels.high) <= 1e100
                and levels.high - levels.low >= 1e-100,
                "low and high are too far from 0 or too close, or not in that order")
        require(2 <= levels.count <= 256, "levels.count is not 2 to 256")
    require(cell_count(task) <= MOST_CELLS, "there are more than 2^24 cells")


def check_numbers(task):
    numbers, size = task.numbers, task.domain.size
    mechanism = task.mechanism.WhichOneof("kind")
    require(not task.domain.labels and not task.domain.HasField("other"), "bins have names")
    require(len(numbers.edges) in (2, size + 1), "edges are not two or one more than bins")
    require(all(math.isfinite(edge) for edge in numbers.edges), "an edge is not finite")
    require(math.isfinite(numbers.edges[-1] - numbers.edges[0]), "the edges are too far apart")
    require(all(edge_of(task, i) < edge_of(task, i + 1) for i in range(size)),
            "the edges do not ascend")
    require(numbers.branching == 0 or 2 <= numbers.branching <= 4096, "branching is not 2 to 4096")
    if numbers.dithered:
        require(numbers.branching == 0 and len(numbers.edges) == 2 and size <= 256,
                "what is dithered has more than 256 levels, a tree or inner edges")
    held = len(tree_of(task))
    require(numbers.sent >= 1 and held % numbers.sent == 0, "sent does not divide the levels")
    require(mechanism not in ("local_hash", "murs"), "reports of numbers hash")
    require(held == 1 or mechanism in SEVERAL, "the mechanism is for one cell a device")
    require(numbers.sent == held or mechanism not in ALL_SENT, "the mechanism wants all cells sent")


def edge_of(task, i):
    """The lower edge of bin i, or the last of all."""
    edges, size = task.numbers.edges, task.domain.size
    if len(edges) > 2:
        return edges[i]
    if i in (0, size):
        return edges[1] if i else edges[0]
    return (edges[0] * (size - i) + edges[1] * i) / size


def tree_of(task):
    """For each level the width of its nodes, their number and the cell of the first of them."""
    size, branching, first, width, levels = task.domain.size, task.numbers.branching, 0, 1, []
    while width < size:
        nodes = -(-size // width)
        levels.append((width, nodes, first))
        first += nodes + task.numbers.missing
        if branching == 0:
            break
        width *= branching
    return levels


def level_cells(task):
    """How many cells each level of the tree has, where a device says one of each; else nothing."""
    if not task.HasField("numbers") or task.numbers.sent != len(tree_of(task)):
        return []
    return [nodes + task.numbers.missing for _, nodes, _ in tree_of(task)]


def bin_of(task, number):
    """The bin that has a number: its edges decide, and not how they were divided."""
    edges = [edge_of(task, i) for i in range(task.domain.size + 1)]
    return min(bisect.bisect_right(edges, number), task.domain.size) - 1


def place_number(task, number, random):
    """The cell of every level of the tree that a device fills."""
    levels = tree_of(task)
    if number is None:
        require(task.numbers.missing, "a number is missing")
        return [first + nodes for _, nodes, first in levels]
    low, high = task.numbers.edges[0], task.numbers.edges[-1]
    require(low <= number <= high, "the number is out of the range")
    if task.numbers.dithered:
        steps = messages("task").Levels(low=low, high=high, count=task.domain.size)
        return [level_of(steps, number, random)]
    leaf = bin_of(task, number)
    return [first + leaf // width for width, _, first in levels]


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
    if task.HasField("numbers"):
        _, nodes, first = tree_of(task)[-1]
        return first + nodes + task.numbers.missing
    if task.HasField("records"):
        return task.domain.size
    return pads_begin(task) + task.items.max_items


def cells_sent(task):
    """How many cells a submission says."""
    if task.HasField("numbers"):
        return task.numbers.sent
    if task.HasField("records"):
        return len(place_records(task.records, [], level_of, subset, None))
    return task.items.sent if task.HasField("items") else 1


def cells_said(task, record, random):
    """The cells of the task's table that one submission of `record` says."""
    if task.HasField("numbers"):
        return subset(place_number(task, record, random), task.numbers.sent, random)
    if task.HasField("records"):
        return place_records(task.records, record, level_of, subset, random)
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
