"""From a device's records to the cells that it fills, as docs/wire-format.md has it.

A record is a dict: of each attribute's name a number or a label, of each measure's a number.
"""

import bisect
import math
import re

from wire_messages import require

MOST_REPORTS_OF_RECORDS = 4096


def check_records(records, mechanism):
    require(mechanism in ("pure_dump", "aue", "correlated"),
            "records are counted by pure_dump, aue or correlated")
    require(1 <= len(records.attributes) <= 64, "there are not 1 to 64 attributes")
    require(len(records.measures) <= 16, "there are more than 16 measures")
    names = [one.name for one in [*records.attributes, *records.measures]]
    require(len(set(names)) == len(names), "a name is there twice")
    require(all(re.fullmatch("[A-Za-z0-9_]{1,64}", name) for name in names), "a name is none")
    for attribute in records.attributes:
        check_attribute(attribute)
    for measure in records.measures:
        levels = measure.levels
        require(math.isfinite(levels.low) and math.isfinite(levels.high) and levels.low < levels.high
                and math.isfinite(levels.high - levels.low), "a measure's range is none")
        require(2 <= levels.count <= 256, "a measure's levels are not 2 to 256")
    require(1 <= records.max_records <= 1000, "max_records is not 1 to 1000")
    require(records.max_alike >= 1 and records.max_records % records.max_alike == 0,
            "max_alike does not divide max_records")
    require(mechanism != "correlated" or records.max_alike == 1, "correlated is for distinct cells")
    require(1 <= len(records.views) <= 64, "there are not 1 to 64 views")
    for view in records.views:
        check_view(records, view)
    require(records.max_records * sum(len(widths(records, view)) for view in records.views)
            <= MOST_REPORTS_OF_RECORDS, "a device would say more than 4096 cells")


def check_attribute(attribute):
    if attribute.edges:
        edges = list(attribute.edges)
        require(2 <= attribute.bins <= 1 << 20, "bins are not 2 to 2^20")
        require(len(edges) in (2, attribute.bins + 1), "edges are not 2 or one more than bins")
        require(all(map(math.isfinite, edges)) and edges == sorted(set(edges)),
                "edges do not ascend")
        require(not attribute.labels, "an attribute has edges and labels")
    else:
        require(attribute.bins == 0, "an attribute has bins without edges")
        labels = list(attribute.labels)
        require(len(labels) >= 2 and len(set(labels)) == len(labels), "labels are not two distinct ones")


def check_view(records, view):
    places = list(view.attributes)
    require(len(places) <= 3 and places == sorted(set(places)), "a view's attributes do not ascend")
    require(all(place < len(records.attributes) for place in places), "an attribute is not there")
    require(len(view.joined) == len(places), "joined are not as many as attributes")
    for place, joined in zip(places, view.joined):
        attribute = records.attributes[place]
        require(1 <= joined < size_of(attribute), "joined is out of its bounds")
        require(joined == 1 or attribute.edges, "labels are joined")
    require(view.HasField("branching") and view.branching != 1 and view.branching <= 4096,
            "branching is not 0 or 2 to 4096")
    require(view.branching == 0 or len(places) == 1, "a tree is over several attributes")
    require(view.branching == 0 or records.max_alike == records.max_records, "a tree is capped")
    require(not view.HasField("measure") or view.measure < len(records.measures),
            "a measure is not there")


def size_of(attribute):
    return attribute.bins or len(attribute.labels)


def sizes(records, view):
    return [-(-size_of(records.attributes[place]) // joined)
            for place, joined in zip(view.attributes, view.joined)]


def widths(records, view):
    """Of a node of each level of the view's tree, in leaves."""
    leaves = math.prod(sizes(records, view))
    found = [1]
    while view.branching and found[-1] * view.branching < leaves:
        found.append(found[-1] * view.branching)
    return found


def levels_of(records, view):
    return records.measures[view.measure].levels.count if view.HasField("measure") else 1


def nodes(records, view):
    """Of each level, with the pads: one on every level, or several of a view that is flat."""
    leaves = math.prod(sizes(records, view))
    pads = records.max_records // records.max_alike
    return [-(-leaves // width) + pads for width in widths(records, view)]


def cells_of(records):
    return sum(levels_of(records, view) * sum(nodes(records, view)) for view in records.views)


def place_in(attribute, value):
    """The bin or the label."""
    if not attribute.edges:
        require(value in attribute.labels, f"{attribute.name} is none of its labels")
        return list(attribute.labels).index(value)
    edges, bins = list(attribute.edges), attribute.bins
    if len(edges) == 2:
        low, high = edges
        edges = [low + (high - low) * (i / bins) for i in range(bins)] + [high]
    require(isinstance(value, (int, float)) and edges[0] <= value <= edges[-1],
            f"{attribute.name} is outside its edges")
    return min(bisect.bisect_right(edges, value) - 1, bins - 1)


def place_records(records, held, level_of, subset, random):
    """The cells that a device with these records fills; `level_of` and `subset` as of a set."""
    for row in held:
        require(all(one.name in row for one in [*records.attributes, *records.measures]),
                "a value is missing")
    rows = [([place_in(attribute, row[attribute.name]) for attribute in records.attributes], row)
            for row in held]
    for _, row in rows:
        for measure in records.measures:
            require(measure.levels.low <= row[measure.name] <= measure.levels.high,
                    f"{measure.name} is out of its range")
    kept = subset(rows, records.max_records, random)
    cells, first = [], 0
    for view in records.views:
        cells += [first + cell for cell in place_in_view(records, view, kept, level_of, subset, random)]
        first += levels_of(records, view) * sum(nodes(records, view))
    return cells


def place_in_view(records, view, kept, level_of, subset, random):
    count = levels_of(records, view)
    alike = {}
    for places, row in kept:
        leaf = 0
        for size, place, joined in zip(sizes(records, view), view.attributes, view.joined):
            leaf = leaf * size + places[place] // joined
        alike.setdefault(leaf, []).append(row)
    cells = []
    leaves = math.prod(sizes(records, view))

    def fill(leaf, level):
        start = 0
        for width, number in zip(widths(records, view), nodes(records, view)):
            node = leaf // width if leaf < leaves else leaf - leaves + -(-leaves // width)
            cells.append(start + node * count + level)
            start += number * count

    placed = 0
    for leaf, rows in alike.items():
        for row in subset(rows, records.max_alike, random):
            level = 0
            if view.HasField("measure"):
                measure = records.measures[view.measure]
                level = level_of(measure.levels, row[measure.name], random)
            fill(leaf, level)
            placed += 1
    for missing in range(records.max_records - placed):
        fill(leaves + missing // records.max_alike, 0)
    return cells
