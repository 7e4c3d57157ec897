"""Streams, as docs/wire-format.md has them: nodes over periods, and the keys that are theirs."""

import math

from mechanisms import check_mechanism, most_reports
from wire_messages import Refused, require

MOST_NODES = 4096
MOST_NODES_OVER = 32  # On average over the periods.
SPREAD = ("pure_dump", "aue", "correlated")  # Mechanisms whose noise devices share.


def periods_of(task):
    """How many there are."""
    return -(-(task.not_after - task.not_before) // task.batch_policy.interval)


def check_stream(task, most_of_a_node):
    """Refused if what a stream says of its nodes is out of its bounds."""
    start, nodes = task.stream.start, task.stream.nodes
    require(not any(task.HasField(field) for field in
                    ("mechanism", "items", "levels", "numbers", "records")),
            "a stream has a mechanism beside its nodes', or what belongs to another kind")
    require(1 <= len(start) <= MOST_NODES, "there are not 1 to 4096 nodes")
    require(len(nodes) == len(start), "there are not as many nodes as starts")
    require(all(begin < node for node, begin in enumerate(start, 1)),
            "a node begins after its own period")
    require(sum(node - begin for node, begin in enumerate(start, 1)) <= MOST_NODES_OVER * len(start),
            "more than 32 nodes cover a period on average")
    require(task.batch_policy.interval > 0 and not task.batch_policy.merge_periods
            and periods_of(task) == len(start), "there are not as many periods as nodes")
    kind = nodes[0].mechanism.WhichOneof("kind")
    for number, (begin, node) in enumerate(zip(start, nodes), 1):
        require(node.mechanism.WhichOneof("kind") == kind, "the nodes have several mechanisms")
        require(kind in SPREAD or (kind == "grr" and begin == number - 1),
                "the mechanism is for no stream, or for periods by themselves")
        check_mechanism(node.mechanism, task.domain.size)
        require(most_reports(node.mechanism) <= most_of_a_node, "a node could have too many reports")
        require(2 <= node.smallest_batch <= 1 << 52, "a node's smallest_batch is not 2 to 2^52")
        if kind in SPREAD:
            require(honest_of(node.smallest_batch, task.batch_policy.dishonest_share)
                    >= honest_for(node.mechanism),
                    "a node may leave with fewer honest submissions than its noise is for")


def honest_of(submissions, share):
    """How many are left when `share` of them, rounded up, is dishonest."""
    return submissions - math.ceil(share * submissions)


def honest_for(mechanism):
    """The honest submissions that its noise is sized for."""
    kind = mechanism.WhichOneof("kind")
    return (mechanism.pure_dump.dummies if kind == "pure_dump" else getattr(mechanism, kind)).honest


def cover(task, period):
    """The nodes over a period, ascending."""
    return [node for node, begin in enumerate(task.stream.start, 1) if begin < period <= node]


def node_key(key_list, task, task_id, node, period):
    """The key for a node, for a submission of that period; Refused if there is none to be used."""
    begins = task.not_before + (period - 1) * task.batch_policy.interval
    opens = task.not_before + task.stream.start[node - 1] * task.batch_policy.interval
    ends = min(task.not_before + node * task.batch_policy.interval, task.not_after)
    for key in key_list.keys:
        if key.task_id == task_id and key.part == node and key.not_before <= begins < key.not_after:
            require(key.not_before <= opens and ends <= key.not_after,
                    "the node's key is not for all of it")
            return key
    raise Refused("a node has no key that is valid in the period")
