"""The one error for what a server, the line to it or a configuration refuses."""
from __future__ import annotations

from typing import Any, Optional

from .wire import status_details_pb2

_RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"
_DETAILS = "grpc-status-details-bin"
# Of gRPC's codes: those that a server in the same state may not give again.
_PASSING = frozenset({"UNAVAILABLE", "ABORTED", "DEADLINE_EXCEEDED"})


class TombolaError(Exception):
    """`message`: what the server says, or what is wrong with the configuration. `code`: the name of
    gRPC's status code, such as "NOT_FOUND"; empty if no server was asked. `retry_after`: how many
    seconds the server asks to wait before the next attempt; None if it does not say. `may_retry`:
    whether the same call may succeed later without being changed."""

    def __init__(self, message: str, code: str = "", retry_after: Optional[float] = None) -> None:
        super().__init__(f"{code}: {message}" if code else message)
        self.message = message
        self.code = code
        self.retry_after = retry_after
        self.may_retry = retry_after is not None or code in _PASSING


def from_call(error: Any) -> TombolaError:
    """Of a grpc.RpcError that a call raised."""
    return TombolaError(error.details() or "the call failed", error.code().name,
                        _retry_after(error.trailing_metadata() or ()))


def _retry_after(trailers: Any) -> Optional[float]:
    """Seconds, from google.rpc.RetryInfo in the status details. Details that do not parse say
    nothing: the call has failed either way."""
    for key, value in trailers:
        if key != _DETAILS:
            continue
        try:
            for detail in status_details_pb2.StatusDetails.FromString(value).details:
                if detail.type_url == _RETRY_INFO:
                    delay = status_details_pb2.RetryInfo.FromString(detail.value).retry_delay
                    return float(delay.seconds + delay.nanos / 1e9)
        except Exception:  # DecodeError's home differs between versions of protobuf.
            return None
    return None
