"""Computes the worked example of docs/wire-format.md, step by step.

Usage: wire_example.py PROTO_DIR > ../data/wire_example.json

Every private key here is a run of consecutive bytes, so that a reader can type it. Bytes are
written in hexadecimal.
"""

import json
import sys
import tempfile

import mechanisms
import string_cells
import tombola_client as client
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from wire_messages import generate_stubs, messages

NOT_BEFORE = 1_767_225_600  # 2026-01-01 00:00:00 UTC
NOT_AFTER = 1_798_761_600  # 2027-01-01 00:00:00 UTC
NOW = NOT_BEFORE + 3 * 86_400 + 5
BLANKET_THRESHOLD = 1 << 62  # gamma = 1 / 4


def run_of_bytes(first, length=32):
    return bytes(range(first, first + length))


COLLECTOR = Ed25519PrivateKey.from_private_bytes(run_of_bytes(0x00))
SHUFFLER = Ed25519PrivateKey.from_private_bytes(run_of_bytes(0x20))
HPKE = X25519PrivateKey.from_private_bytes(run_of_bytes(0x40))


class Draws:
    """Stands for `secrets`: what comes next is given."""

    def __init__(self, *values):
        self.values = list(values)

    def randbelow(self, bound):
        value = self.values.pop(0)
        assert 0 <= value < bound
        return value

    def randbits(self, bits):
        return self.randbelow(1 << bits)


def task_bytes(size, nonce, **local_hash):
    pb = messages("task")
    return pb.Task(
        version=3, kind=pb.KIND_HISTOGRAM, name="example", domain=pb.Domain(size=size),
        mechanism=pb.Mechanism(local_hash=pb.LocalHash(
            blanket_threshold=BLANKET_THRESHOLD, **local_hash)),
        target=pb.Target(epsilon=1, delta=1e-6),
        batch_policy=pb.BatchPolicy(planned_submissions=1000, smallest_batch=900, interval=3600,
                                    retry_window=86_400),
        submissions_per_device=1, collector_key=client.raw_public(COLLECTOR),
        shuffler_key=client.raw_public(SHUFFLER), not_before=NOT_BEFORE, not_after=NOT_AFTER,
        nonce=run_of_bytes(nonce, 16), key_list_age=7 * 86_400).SerializeToString(deterministic=True)


def keys():
    pb = messages("report")
    public_key = client.raw_public(HPKE)
    key = pb.HpkeKey(key_id=client.key_id_of(public_key), public_key=public_key,
                     not_before=NOT_BEFORE, not_after=NOT_AFTER)
    key_list = pb.KeyList(serial=1, keys=[key], issued=NOT_BEFORE).SerializeToString(deterministic=True)
    return {
        "collector_seed": run_of_bytes(0x00), "collector_key": client.raw_public(COLLECTOR),
        "shuffler_seed": run_of_bytes(0x20), "shuffler_key": client.raw_public(SHUFFLER),
        "hpke_private_key": run_of_bytes(0x40), "hpke_public_key": public_key,
        "key_id": key.key_id, "key_list": key_list,
        "key_list_signature": COLLECTOR.sign(b"tombola/v1/keys" + key_list)}


def steps_of_sealing(info, ephemeral):
    """The secrets on the way, in the names of the page."""
    public_key = client.raw_public(HPKE)
    context = client.sender_context(public_key, info, ephemeral)
    return {
        "dh": ephemeral.exchange(X25519PublicKey.from_public_bytes(public_key)),
        "shared_secret": context.shared_secret,
        "psk_id_hash": client.labeled_extract(client.SUITE, b"", b"psk_id_hash", b""),
        "info_hash": client.labeled_extract(client.SUITE, b"", b"info_hash", info),
        "key": context.key, "nonce": context.nonce}


def reported(task, task_id, value, draws, ephemeral_bytes):
    """One report of `value`, from its draws to its digest."""
    ephemeral = X25519PrivateKey.from_private_bytes(ephemeral_bytes)
    public_key = client.raw_public(HPKE)
    key_id = client.key_id_of(public_key)
    info = client.report_info(task_id, key_id, client.part_at(task, NOW))
    [report] = mechanisms.encode(task, value, draws)
    sealed = client.seal(public_key, info, report, ephemeral=ephemeral)
    assert client.open_sealed(HPKE, info, sealed) == report
    return {"report": report, "info": info, "ephemeral_private_key": ephemeral_bytes,
            "enc": client.raw_public(ephemeral), "sealed": sealed,
            "digest": client.report_digest(task_id, key_id, sealed)}


def plane():
    """Two reports: one with its own bucket, one on the vertical class with a random bucket."""
    data = task_bytes(20, 0x60, family=messages("task").HASH_FAMILY_PLANE, range=7)
    task_id = client.task_id_of(data)
    task = client.parse_task(data, task_id)
    answers = []
    for function, u, bucket, ephemeral in ((3, 0x7000000000000000, None, 0xa0),
                                           (7, 0x1000000000000000, 6, 0xc0)):
        own = mechanisms.hash_value(task.mechanism.local_hash, 20, function, 13)
        answers.append({
            "value": 13, "function": function, "own_bucket": own, "u": f"{u:016x}",
            "bucket": own if bucket is None else bucket,
            **reported(task, task_id, 13, Draws(function, u, bucket), run_of_bytes(ephemeral))})
    ephemeral = X25519PrivateKey.from_private_bytes(run_of_bytes(0xa0))
    return {"task": data, "task_id": task_id, "now": NOW,
            "window": (NOW - NOT_BEFORE) // task.batch_policy.retry_window,
            "part": client.part_at(task, NOW), "reports": answers,
            "steps_of_the_first": steps_of_sealing(answers[0]["info"], ephemeral)}


def affine():
    """One report; its u is the threshold itself, which is not below it."""
    data = task_bytes(2000, 0x90, family=messages("task").HASH_FAMILY_AFFINE, range=8,
                      lane_bits=32)
    task_id = client.task_id_of(data)
    task = client.parse_task(data, task_id)
    multiplier, offset, u = 0x9e3779b9, 0x01234567, BLANKET_THRESHOLD
    own = mechanisms.hash_value(task.mechanism.local_hash, 2000, (multiplier, offset), 1999)
    draws = Draws(multiplier, offset, u)
    return {"task": data, "task_id": task_id, "reports": [{
        "value": 1999, "multiplier": multiplier, "offset": offset, "own_bucket": own,
        "u": f"{u:016x}", "bucket": own,
        **reported(task, task_id, 1999, draws, run_of_bytes(0xe0))}]}


def node_seed(node):
    return run_of_bytes(0x40 + 0x10 * node)


def stream_task():
    """Four weeks as Fenwick's nodes: (0, 1], (0, 2], (2, 3] and (0, 4]."""
    pb = messages("task")
    week, start = 7 * 86_400, (0, 0, 2, 0)
    nodes = []
    for node, begin in enumerate(start, 1):
        honest = 400 * (node - begin)
        nodes.append(pb.StreamNode(smallest_batch=honest, mechanism=pb.Mechanism(
            pure_dump=pb.PureDump(dummies=pb.Dummies(rate=5 << 39, honest=honest, max=40)))))
    return pb.Task(
        version=3, kind=pb.KIND_STREAM, name="example", domain=pb.Domain(size=20),
        target=pb.Target(epsilon=1, delta=1e-6),
        batch_policy=pb.BatchPolicy(planned_submissions=1000, smallest_batch=400, interval=week,
                                    retry_window=86_400),
        submissions_per_device=1, collector_key=client.raw_public(COLLECTOR),
        shuffler_key=client.raw_public(SHUFFLER), not_before=NOT_BEFORE,
        not_after=NOT_BEFORE + len(start) * week, nonce=run_of_bytes(0xb0, 16),
        key_list_age=7 * 86_400,
        stream=pb.Stream(start=start, nodes=nodes)).SerializeToString(deterministic=True)


def stream_keys(task, task_id, nodes):
    """A list with the general key and those of some nodes."""
    pb = messages("report")
    grace = 600
    listed = [pb.HpkeKey(key_id=client.key_id_of(client.raw_public(HPKE)),
                         public_key=client.raw_public(HPKE), not_before=NOT_BEFORE,
                         not_after=NOT_AFTER)]
    for node in nodes:
        private_key = X25519PrivateKey.from_private_bytes(node_seed(node))
        public_key = client.raw_public(private_key)
        ends = client.period_ends(task, node) + grace
        listed.append(pb.HpkeKey(
            key_id=client.key_id_of(public_key), public_key=public_key, task_id=task_id, part=node,
            not_before=NOT_BEFORE + task.stream.start[node - 1] * task.batch_policy.interval - grace,
            not_after=ends, closes=ends + 86_400))
    return pb.KeyList(serial=2, keys=listed, issued=NOT_BEFORE + 14 * 86_400).SerializeToString(
        deterministic=True)


def stream():
    """A submission of the third week, value 13: one dummy in its own node, none in that of all."""
    data = stream_task()
    task_id = client.task_id_of(data)
    task = client.parse_task(data, task_id)
    now = NOT_BEFORE + 15 * 86_400
    period = client.part_at(task, now)
    data_of_keys = stream_keys(task, task_id, client.cover(task, period))
    key_list = client.parse_key_list(
        messages("report").SignedKeyList(
            key_list=data_of_keys, signature=COLLECTOR.sign(b"tombola/v1/keys" + data_of_keys)),
        client.raw_public(COLLECTOR))
    no_dummy = 0x147ae147ae147ae147ae147ae147 - 1  # The last draw that is below the first weight.
    drawn = {3: (no_dummy + 1, 7, 0), 4: (no_dummy,)}  # One dummy, 7, and put before the value.
    groups, request_groups = [], []
    for place, node in enumerate(client.cover(task, period)):
        key = client.node_key(key_list, task, task_id, node, period)
        info = client.report_info(task_id, key.key_id, node)
        reports = mechanisms.encode(task, 13, Draws(*drawn[node]),
                                    task.stream.nodes[node - 1].mechanism)
        ephemerals = [run_of_bytes(0xa0 + 0x20 * place + 0x10 * i) for i in range(len(reports))]
        sealed = [client.seal(key.public_key, info, report,
                              ephemeral=X25519PrivateKey.from_private_bytes(ephemeral))
                  for report, ephemeral in zip(reports, ephemerals)]
        groups.append({"node": node, "private_key": node_seed(node), "public_key": key.public_key,
                       "key_id": key.key_id, "info": info, "reports": [
                           {"report": report, "ephemeral_private_key": ephemeral, "sealed": one}
                           for report, ephemeral, one in zip(reports, ephemerals, sealed)]})
        request_groups.append(messages("shuffler").NodeGroup(
            node=node, key_id=key.key_id, report_counts=[len(sealed)],
            sealed_reports=b"".join(sealed)))
    window = (now - NOT_BEFORE) // task.batch_policy.retry_window
    request = messages("shuffler").SubmitRequest(
        task_id=task_id, window=window, part=period, submission_ids=run_of_bytes(0xd0, 16),
        groups=request_groups).SerializeToString(deterministic=True)
    return {"task": data, "task_id": task_id, "now": now, "window": window, "part": period,
            "key_list": data_of_keys,
            "key_list_signature": COLLECTOR.sign(b"tombola/v1/keys" + data_of_keys),
            "key_list_digest": client.keys_digest(key_list), "groups": groups, "request": request}


def strings_task():
    pb = messages("task")
    return pb.Task(
        version=3, kind=pb.KIND_STRINGS, name="example", domain=pb.Domain(size=28),
        target=pb.Target(epsilon=1, delta=1e-6),
        batch_policy=pb.BatchPolicy(planned_submissions=1000, smallest_batch=900, interval=3600,
                                    retry_window=86_400),
        submissions_per_device=1, collector_key=client.raw_public(COLLECTOR),
        shuffler_key=client.raw_public(SHUFFLER), not_before=NOT_BEFORE, not_after=NOT_AFTER,
        nonce=run_of_bytes(0xc0, 16), key_list_age=7 * 86_400, strings=pb.Strings(
            alphabet="abcdefghijklmnopqrstuvwxyz", length=6, step=3, range=1024,
            spelling=pb.SPELLING_FOLDED, unicode=string_cells.UNICODE, least_holders=100,
            dummies=pb.Dummies(rate=5 << 39, honest=900, max=40))).SerializeToString(
                deterministic=True)


def strings():
    """A call of two submissions: one has a dummy, which is put first, and the other has none."""
    data = strings_task()
    task_id = client.task_id_of(data)
    task = client.parse_task(data, task_id)
    key_id = client.key_id_of(client.raw_public(HPKE))
    part = client.part_at(task, NOW)
    info = client.report_info(task_id, key_id, part)
    no_dummy = 0x147ae147ae147ae147ae147ae147 - 1
    submissions = []
    for place, (text, level, function, draws) in enumerate((
            ("Stra\u00dfe", 1, 7, (no_dummy + 1, 0, 200, 513, 0)),
            ("\u00c9t\u00e9", 0, 255, (no_dummy,)))):
        symbols = string_cells.symbols_of(task.strings, text.encode())
        key = string_cells.key_of(task.strings, task_id, level, symbols)
        multiplier, offset = string_cells.function_of(task_id, function)
        reports = mechanisms.encode(task, text.encode(), Draws(level, function, *draws),
                                    task_id=task_id)
        ephemerals = [run_of_bytes(0xa0 + 0x20 * place + 0x10 * i) for i in range(len(reports))]
        submissions.append({
            "spelled": string_cells.spelled(task.strings, text.encode()), "symbols": bytes(symbols),
            "level": level, "key": f"{key:016x}", "function": function,
            "multiplier": f"{multiplier:016x}", "offset": f"{offset:016x}",
            "bucket": string_cells.bucket_of(task.strings, task_id, function, key),
            "reports": [{
                "report": report, "ephemeral_private_key": ephemeral,
                "sealed": client.seal(client.raw_public(HPKE), info, report,
                                      ephemeral=X25519PrivateKey.from_private_bytes(ephemeral))}
                for report, ephemeral in zip(reports, ephemerals)]})
    window = (NOW - NOT_BEFORE) // task.batch_policy.retry_window
    sealed = [[report["sealed"] for report in one["reports"]] for one in submissions]
    request = messages("shuffler").SubmitRequest(
        task_id=task_id, key_id=key_id, window=window, part=part,
        submission_ids=run_of_bytes(0xd0, 32), report_counts=[len(one) for one in sealed],
        sealed_reports=b"".join(b"".join(one) for one in sealed)).SerializeToString(
            deterministic=True)
    return {"task": data, "task_id": task_id, "part": part, "info": info,
            "submissions": submissions, "request": request}


def manifest(plane_example):
    key_id = client.key_id_of(client.raw_public(HPKE))
    sealed = [entry["sealed"] for entry in plane_example["reports"]]
    total = client.digest_sum(plane_example["task_id"], key_id, sealed)
    data = messages("collector").Manifest(
        task_id=plane_example["task_id"], batch_id=run_of_bytes(0x70, 16), key_id=key_id,
        submissions=2, reports_in=2, duplicates=1, reports_out=2, part=plane_example["part"],
        digest_sum=total).SerializeToString(deterministic=True)
    return {"digest_sum": total, "manifest": data,
            "signature": SHUFFLER.sign(b"tombola/v1/manifest" + data)}


def compute():
    """The example, with bytes as hexadecimal text."""
    plane_example = plane()
    return in_hex({"keys": keys(), "plane": plane_example, "affine": affine(),
                   "manifest": manifest(plane_example), "stream": stream(),
                   "strings": strings()})


def in_hex(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: in_hex(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [in_hex(entry) for entry in value]
    return value


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tombola_stubs_") as stubs:
        generate_stubs(sys.argv[1], stubs)
        sys.path.insert(0, stubs)
        print(json.dumps(compute(), indent=2))
