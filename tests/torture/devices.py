"""Devices that report through the shuffler: real encoding, real HPKE, one try a call.

What they send is built by the client of tests/interop, from the wire format alone. A call that
fails is left to the caller, who knows whether to try it again with the same bytes.
"""

import importlib
import random
import time

import grpc
import mechanisms
import tombola_client as wire
from wire_messages import Refused, messages

CALL_SECONDS = 5
# A line that was cut is tried again at once: the tests have no time for politeness.
IMPATIENT = [("grpc.initial_reconnect_backoff_ms", 20), ("grpc.max_reconnect_backoff_ms", 40),
             ("grpc.min_reconnect_backoff_ms", 2000), ("grpc.enable_retries", 0),
             ("grpc.max_receive_message_length", -1)]
ACKNOWLEDGED = (1, 2)  # OUTCOME_ACCEPTED, OUTCOME_DUPLICATE


class Sent:
    """One SubmitRequest and the values in it."""

    def __init__(self, request, values):
        self.request, self.values = request, values


class Devices:
    """All devices of a task, behind one channel."""

    def __init__(self, address, roots, task_id, task_bytes):
        self.channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(roots), IMPATIENT)
        services = importlib.import_module("tombola.v1.shuffler_pb2_grpc")
        self.stub = services.ShufflerStub(self.channel)
        self.task_id = task_id
        self.task = wire.parse_task(task_bytes, task_id)
        self.keys = {}
        self.current = None
        self.last_error = ""

    def close(self):
        self.channel.close()

    def fetch_keys(self, seconds=CALL_SECONDS):
        """Asks for the key list; without an answer or a valid key the last one stays in use."""
        try:
            signed = self.stub.GetKeyList(messages("shuffler").GetKeyListRequest(), timeout=seconds,
                                          wait_for_ready=True)
            key_list = wire.parse_key_list(signed, self.task.collector_key)
            wire.check_age(key_list, self.task, time.time())
            self.keys = {key.key_id: key for key in key_list.keys}
            self.current = wire.key_for(key_list, self.task, time.time())
            return True
        except (grpc.RpcError, Refused):
            return False

    def seal(self, values, key=None):
        """One fresh submission for each value, in one call."""
        key = key or self.current
        now = int(time.time())
        part = wire.part_at(self.task, now)
        info = wire.report_info(self.task_id, key.key_id, part)
        sealed = [[wire.seal(key.public_key, info, report)
                   for report in mechanisms.encode(self.task, value)] for value in values]
        window = (now - self.task.not_before) // self.task.batch_policy.retry_window
        request = messages("shuffler").SubmitRequest(
            task_id=self.task_id, key_id=key.key_id, window=window, part=part,
            submission_ids=random.SystemRandom().randbytes(16 * len(values)),
            sealed_reports=b"".join(report for reports in sealed for report in reports))
        return Sent(request, list(values))

    def send(self, sent, wait=True, seconds=CALL_SECONDS):
        """True if every submission of the call is acknowledged; else they are in doubt. `wait`: for
        the line to come up, where it is known that it will."""
        return self.outcome(sent, self.begin(sent, wait, seconds))

    def begin(self, sent, wait=True, seconds=CALL_SECONDS):
        """The call under way, for `outcome`."""
        return self.stub.Submit.future(sent.request, timeout=seconds, wait_for_ready=wait)

    def outcome(self, sent, call):
        try:
            response = call.result()
        except grpc.RpcError as error:
            self.last_error = f"{error.code().name}: {error.details()}"
            return False
        outcomes = list(response.outcomes)
        if len(outcomes) != len(sent.values) or any(o not in ACKNOWLEDGED for o in outcomes):
            raise AssertionError(f"a well-formed call was answered {outcomes}")
        return True
