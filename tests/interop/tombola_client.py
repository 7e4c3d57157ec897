"""A device that reports to Tombola, written from docs/wire-format.md and the .proto files alone.

It shares no code with the C++ client: that both sides of every test agree shows that the page is
complete. It is no SDK: it keeps no ledger, so nothing stops a caller from submitting more often
than the task allows, and it has no policy of its own about a task's parameters.

The messages come from wire_messages.py, whose stubs are to be generated first; what becomes
of a record is in placing.py, mechanisms.py and count_tables.py, from the same page.
"""

import hashlib
import importlib
import secrets
import struct
import time
from dataclasses import dataclass

import grpc
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from mechanisms import check_dummies, check_mechanism, encode, most_reports
from placing import cell_count, cells_sent, check_items, level_cells
from streams import check_stream, cover, node_key
from string_cells import check_strings, most_reports_of_strings
from wire_messages import Refused, messages, parse, require

TASK_ID_BYTES = 32
KEY_ID_BYTES = 8
SUBMISSION_ID_BYTES = 16
MAX_SUBMISSIONS = 10_000
MOST_REPORTS = 65_535  # Of one submission.
MAX_CALL_BYTES = 8 << 20
CALL_BYTES = 128  # At most, beside the submissions: the ids of task and key, the window, lengths.
GROUP_BYTES = 32  # At most, of a stream's node beside its reports: its number and key, lengths.
SUBMISSION_BYTES = SUBMISSION_ID_BYTES + 3  # Beside its reports: the id, and the count as a varint.
MAX_TASK_BYTES = 16 << 20
END_OF_9999 = 253_402_300_799
TRANSIENT = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED,
             grpc.StatusCode.DEADLINE_EXCEEDED)

# --- The task -------------------------------------------------------------------------------------


def task_id_of(task_bytes):
    return hashlib.sha256(task_bytes).digest()


def parse_task(task_bytes, task_id):
    """The Task in `task_bytes`, or Refused if it is not the one named or breaks a rule."""
    require(len(task_bytes) <= MAX_TASK_BYTES, "the task is longer than 16 MiB")
    require(task_id_of(task_bytes) == task_id, "the task's bytes do not hash to its id")
    task = parse(messages("task").Task, task_bytes, "task")
    require(task.version == 3, "version is not 3")
    require(is_name(task.name, 128), "name is not 1 to 128 bytes without control characters")
    check_domain(task.domain)
    check_items(task)
    if task.HasField("stream"):
        check_stream(task, MOST_REPORTS)
    elif task.HasField("strings"):
        check_strings(task, check_dummies)
        require(most_reports_of_strings(task.strings) <= MOST_REPORTS,
                "a submission could have more than 65535 reports")
    else:
        check_mechanism(task.mechanism, cell_count(task), level_cells(task))
        require(most_reports(task.mechanism, cells_sent(task)) <= MOST_REPORTS,
                "a submission could have more than 65535 reports")
    require(0 < task.target.epsilon <= 100, "target.epsilon is not in (0, 100]")
    require(0 < task.target.delta < 1, "target.delta is not in (0, 1)")
    check_batch_policy(task.batch_policy)
    require(task.longitudinal.mode != 2, "this device keeps no memos")
    require(1 <= task.submissions_per_device <= 1000, "submissions_per_device is not 1 to 1000")
    require(len(task.collector_key) == 32, "collector_key is not 32 bytes")
    require(len(task.shuffler_key) == 32, "shuffler_key is not 32 bytes")
    require(0 <= task.not_before < task.not_after <= END_OF_9999,
            "not_before and not_after are no times in that order")
    require(len(task.nonce) == 16, "nonce is not 16 bytes")
    require(3600 <= task.key_list_age <= 31_622_400,
            "key_list_age is not 3600 to 31622400 seconds")
    return task


def is_name(text, most_bytes):
    return (1 <= len(text.encode()) <= most_bytes
            and not any(c < " " or c == "\x7f" for c in text))


def check_domain(domain):
    require(2 <= domain.size <= 1 << 24, "domain.size is not 2 to 2^24")
    if domain.labels:
        require(len(domain.labels) == domain.size, "domain.labels are not one a value")
        require(len(set(domain.labels)) == domain.size, "domain.labels are not distinct")
        require(all(is_name(label, 256) for label in domain.labels),
                "a label is not 1 to 256 bytes without control characters")
    if domain.HasField("other"):
        require(domain.other < domain.size, "domain.other is outside the domain")


def check_batch_policy(policy):
    require(2 <= policy.planned_submissions <= 1 << 40, "planned_submissions is not 2 to 2^40")
    require(2 <= policy.smallest_batch <= policy.planned_submissions,
            "smallest_batch is not 2 to planned_submissions")
    require(0 <= policy.dishonest_share < 1, "dishonest_share is not in [0, 1)")
    require(policy.interval <= 316_224_000, "interval is above 316224000 seconds")
    require(policy.interval > 0 or not policy.merge_periods, "merge_periods without an interval")
    require(3600 <= policy.retry_window <= 31_622_400,
            "retry_window is not 3600 to 31622400 seconds")


# --- The collector's keys -------------------------------------------------------------------------


def key_id_of(public_key):
    return hashlib.sha256(public_key).digest()[:KEY_ID_BYTES]


def keys_digest(key_list):
    """What tells lists of one serial apart."""
    nodes = any(key.task_id for key in key_list.keys)
    return hashlib.sha256(b"".join(
        key.public_key + struct.pack("<qqq", key.not_before, key.not_after, key.closes)
        + ((key.task_id or bytes(32)) + struct.pack("<Q", key.part) if nodes else b"")
        for key in key_list.keys) + (b"\x01" if nodes else b"")).digest()


def parse_key_list(signed, collector_key, seen=None):
    """The KeyList in a SignedKeyList, or Refused. `seen` is the newest list before."""
    try:
        Ed25519PublicKey.from_public_bytes(collector_key).verify(
            signed.signature, b"tombola/v1/keys" + signed.key_list)
    except (InvalidSignature, ValueError) as error:
        raise Refused("the key list is not signed by the task's collector") from error
    key_list = parse(messages("report").KeyList, signed.key_list, "key list")
    if seen is not None:
        require(key_list.serial >= seen.serial, "the key list is older than one seen before")
        require(key_list.serial > seen.serial or keys_digest(key_list) == keys_digest(seen),
                "the key list has the serial of one seen before and other keys")
    require(key_list.issued > 0, "the key list does not say when it was signed")
    require(len(key_list.keys) <= 4096, "more than 4096 keys")
    for key in key_list.keys:
        require(len(key.public_key) == 32, "a public_key is not 32 bytes")
        require(0 <= key.not_before < key.not_after, "a key's not_after is not above not_before")
        require(key.closes == 0 or key.closes >= key.not_after, "a key closes before it ends")
        require(key.key_id == key_id_of(key.public_key), "a key_id is not its key's")
        require(len(key.task_id) in (0, 32), "a key's task_id is not 32 bytes")
        require((key.part > 0) == bool(key.task_id), "a key has a node without a task, or a task without")
    spans = sorted((key.task_id, key.part, key.not_before, key.not_after) for key in key_list.keys)
    require(all(one[:2] != other[:2] or one[3] <= other[2] for one, other in zip(spans, spans[1:])),
            "two keys are valid at one moment")
    return key_list


def check_age(key_list, task, now):
    """Refused if the list is too old for the task, or from the future, at `now` in Unix seconds."""
    require(now - key_list.issued <= task.key_list_age, "the key list is too old")
    require(key_list.issued - now <= 3600, "the key list is from the future")


def key_at(key_list, now, interval):
    """The key to seal to at `now`, in Unix seconds, for a task with that interval."""
    for key in key_list.keys:
        if not key.task_id and key.not_before <= now < key.not_after:
            require(key.not_after - key.not_before >= interval,
                    "the key lives shorter than the task's interval")
            return key
    raise Refused("no key is valid now")


def part_at(task, now):
    """The period of `now`, in Unix seconds, or 0 where the task has none."""
    policy = task.batch_policy
    if policy.interval == 0 or policy.merge_periods:
        return 0
    last = -(-(task.not_after - task.not_before) // policy.interval)
    return max(1, min(last, int(now - task.not_before) // policy.interval + 1))


def period_ends(task, period):
    """In Unix seconds."""
    return min(task.not_before + period * task.batch_policy.interval, task.not_after)


def period_closes(task, period):
    """When the shuffler takes no more for it, in Unix seconds."""
    return period_ends(task, period) + min(task.batch_policy.interval / 10, 600)


def key_for(key_list, task, now):
    """The key to seal to at `now`: that of the period's beginning while it can be had to its end."""
    interval = task.batch_policy.interval
    part = part_at(task, now)
    if part > 0:
        begins = task.not_before + (part - 1) * interval
        closes = period_closes(task, part)
        for key in key_list.keys:
            if (not key.task_id and key.not_before <= begins < key.not_after
                    and is_open(key, closes - 1e-9)
                    and key.not_after - key.not_before >= interval):
                return key
    return key_at(key_list, now, interval)


def is_open(key, now):
    """Whether the shuffler still takes reports that are sealed to `key`."""
    return key.closes == 0 or now < key.closes


# --- Sealing (RFC 9180, base mode) ----------------------------------------------------------------

SUITE_KEM = b"KEM\x00\x20"
SUITE = b"HPKE\x00\x20\x00\x01\x00\x01"


def labeled_extract(suite, salt, label, ikm):
    mac = hmac.HMAC(salt or bytes(32), hashes.SHA256())
    mac.update(b"HPKE-v1" + suite + label + ikm)
    return mac.finalize()


def labeled_expand(suite, prk, label, info, length):
    labeled = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return HKDFExpand(algorithm=hashes.SHA256(), length=length, info=labeled).derive(prk)


def raw_public(private_key):
    return private_key.public_key().public_bytes(serialization.Encoding.Raw,
                                                 serialization.PublicFormat.Raw)


@dataclass(frozen=True)
class Context:
    """One HPKE context, with the steps on its way for those who check them."""
    enc: bytes
    shared_secret: bytes
    key: bytes
    nonce: bytes

    @classmethod
    def derive(cls, dh, enc, public_key, info):
        require(any(dh), "the collector's key gives an all-zero secret")
        eae_prk = labeled_extract(SUITE_KEM, b"", b"eae_prk", dh)
        shared = labeled_expand(SUITE_KEM, eae_prk, b"shared_secret", enc + public_key, 32)
        context = (b"\x00" + labeled_extract(SUITE, b"", b"psk_id_hash", b"")
                   + labeled_extract(SUITE, b"", b"info_hash", info))
        secret = labeled_extract(SUITE, shared, b"secret", b"")
        return cls(enc, shared, labeled_expand(SUITE, secret, b"key", context, 16),
                   labeled_expand(SUITE, secret, b"base_nonce", context, 12))


def sender_context(public_key, info, ephemeral):
    try:
        dh = ephemeral.exchange(X25519PublicKey.from_public_bytes(public_key))
    except ValueError as error:
        raise Refused("the collector's key gives an all-zero secret") from error
    return Context.derive(dh, raw_public(ephemeral), public_key, info)


def report_info(task_id, key_id, part=0):
    return b"tombola/v1/report" + task_id + key_id + part.to_bytes(8, "big")


def seal(public_key, info, plaintext, aad=b"", ephemeral=None):
    """enc || ciphertext. Tests pass the ephemeral key; everybody else gets a fresh one."""
    context = sender_context(public_key, info, ephemeral or X25519PrivateKey.generate())
    return context.enc + AESGCM(context.key).encrypt(context.nonce, plaintext, aad)


def open_sealed(private_key, info, sealed, aad=b""):
    """What the collector does; raises InvalidTag if `sealed` is not for this key and info."""
    enc = sealed[:32]
    dh = private_key.exchange(X25519PublicKey.from_public_bytes(enc))
    context = Context.derive(dh, enc, raw_public(private_key), info)
    return AESGCM(context.key).decrypt(context.nonce, sealed[32:], aad)


def report_digest(task_id, key_id, sealed):
    return hashlib.sha256(task_id + key_id + sealed).digest()


def digest_sum(task_id, key_id, sealed_reports):
    """What a manifest says of a batch."""
    total = sum(int.from_bytes(report_digest(task_id, key_id, sealed), "big")
                for sealed in sealed_reports)
    return (total % (1 << 256)).to_bytes(32, "big")


# --- Submitting -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Retry:
    """How long a failed call is repeated: pauses grow by half from the first to the longest."""
    attempts: int = 8
    first_pause: float = 0.1
    longest_pause: float = 5.0


class Client:
    """Reports to one task through one shuffler. Not for several threads at once."""

    def __init__(self, address, roots, task_id, retry=Retry(), sleep=time.sleep, clock=time.time,
                 random=secrets):
        self.channel = grpc.secure_channel(
            address, grpc.ssl_channel_credentials(roots),
            options=[("grpc.max_receive_message_length", MAX_TASK_BYTES + (1 << 20))])
        services = importlib.import_module("tombola.v1.shuffler_pb2_grpc")
        self.stub = services.ShufflerStub(self.channel)
        self.task_id = task_id
        self.retry = retry
        self.sleep = sleep
        self.clock = clock
        self.random = random  # What reports are drawn from; only tests know it.
        self.key_list = None
        fetched = self.call(self.stub.GetTask, messages("shuffler").GetTaskRequest(task_id=task_id))
        self.task = parse_task(fetched.task, task_id)

    def close(self):
        self.channel.close()

    def fetch_keys(self):
        """Fetches and verifies the key list."""
        signed = self.call(self.stub.GetKeyList, messages("shuffler").GetKeyListRequest())
        self.key_list = parse_key_list(signed, self.task.collector_key, self.key_list)
        check_age(self.key_list, self.task, self.clock())

    def current_key(self):
        """By a fresh list, the key to seal to now."""
        self.fetch_keys()
        return key_for(self.key_list, self.task, self.clock())

    def recipients(self):
        """By a fresh list, for a stream: (node, key, mechanism) of every node over the period."""
        self.fetch_keys()
        period = part_at(self.task, self.clock())
        return [(node, node_key(self.key_list, self.task, self.task_id, node, period),
                 self.task.stream.nodes[node - 1].mechanism) for node in cover(self.task, period)]

    def request(self, records, key=None):
        """A SubmitRequest of one fresh submission for each record. Send it as often as needed."""
        requests = self.requests(records, key)
        require(len(requests) == 1, "a call carries 1 to 10000 submissions in at most 8 MiB")
        return requests[0]

    def requests(self, records, key=None):
        """As many as `request` needs for all records, in their order."""
        if self.task.HasField("stream"):
            recipients = self.recipients()
            return [self.stream_call(submissions, recipients)
                    for submissions in self.in_calls(records, recipients)]
        key = key or self.current_key()
        part = part_at(self.task, self.clock())
        return [self.call_of([sealed for [sealed] in submissions], key, part)
                for submissions in self.in_calls(records, [(part, key, self.task.mechanism)])]

    def in_calls(self, records, recipients):
        """Lists of submissions, each list small enough for a call; a submission is, for each
        recipient, a list of sealed reports."""
        calls, room = [], 0
        for record in records:
            groups = [[seal(key.public_key, report_info(self.task_id, key.key_id, part), report)
                       for report in encode(self.task, record, self.random, mechanism,
                                            self.task_id)]
                      for part, key, mechanism in recipients]
            needed = SUBMISSION_BYTES + sum(3 + sum(map(len, sealed)) for sealed in groups)
            if needed > room or len(calls[-1]) == MAX_SUBMISSIONS:
                calls.append([])
                room = MAX_CALL_BYTES - CALL_BYTES - GROUP_BYTES * len(recipients)
            calls[-1].append(groups)
            room -= needed
        return calls

    def stream_call(self, submissions, recipients, ids=None):
        """The SubmitRequest of submissions that are, for each node, a list of sealed reports."""
        pb = messages("shuffler")
        groups = []
        for place, (node, key, _) in enumerate(recipients):
            counts = [len(groups_of[place]) for groups_of in submissions]
            groups.append(pb.NodeGroup(
                node=node, key_id=key.key_id, report_counts=[] if set(counts) == {1} else counts,
                sealed_reports=b"".join(b"".join(groups_of[place]) for groups_of in submissions)))
        return pb.SubmitRequest(
            task_id=self.task_id, window=self.window(), part=part_at(self.task, self.clock()),
            submission_ids=ids or secrets.token_bytes(SUBMISSION_ID_BYTES * len(submissions)),
            groups=groups)

    def call_of(self, submissions, key, part=0):
        """The SubmitRequest of a list of submissions, each a list of sealed reports."""
        counts = [len(sealed) for sealed in submissions]
        return messages("shuffler").SubmitRequest(
            task_id=self.task_id,
            key_id=key.key_id,
            window=self.window(),
            part=part,
            submission_ids=secrets.token_bytes(SUBMISSION_ID_BYTES * len(submissions)),
            report_counts=[] if set(counts) == {1} else counts,
            sealed_reports=b"".join(report for sealed in submissions for report in sealed))

    def window(self):
        now = int(self.clock())
        require(self.task.not_before <= now < self.task.not_after, "the task is not open now")
        return (now - self.task.not_before) // self.task.batch_policy.retry_window

    def submit(self, records):
        """Makes one submission for each record; the outcomes, in order."""
        return [outcome for request in self.requests(records) for outcome in self.send(request)]

    def send(self, request):
        """Sends `request`, again and unchanged after a transient failure; the outcomes."""
        response = self.call(self.stub.Submit, request)
        expected = len(request.submission_ids) // SUBMISSION_ID_BYTES
        require(len(response.outcomes) == expected, "the answer has not one outcome a submission")
        return list(response.outcomes)

    def call(self, method, request):
        pause = self.retry.first_pause
        for attempt in range(1, self.retry.attempts + 1):
            try:
                return method(request, timeout=30)
            except grpc.RpcError as error:
                if error.code() not in TRANSIENT or attempt == self.retry.attempts:
                    raise
            self.sleep(pause)
            pause = min(1.5 * pause, self.retry.longest_pause)
