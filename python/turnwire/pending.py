"""The requests that this side has sent and the other has not answered: ids, methods, deadlines.

Ids are integers that count up and are never used again on a connection. A deadline is a number of the caller's clock;
this module has none.
"""

from typing import NamedTuple

from turnwire.errors import PendingFull
from turnwire.events import RequestId

__all__ = ["Pending", "PendingCall"]


class PendingCall(NamedTuple):
    """One request that waits for its answer; without a deadline it waits as long as the connection lives."""

    id: int
    method: str
    deadline: float | None


class Pending:
    """At most `limit` calls at a time."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._calls: dict[RequestId, PendingCall] = {}
        self._last_id = 0

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, method: str, deadline: float | None = None) -> PendingCall:
        """A new call under an id of its own.

        Raises:
            PendingFull: the bound is reached.
        """
        if len(self._calls) >= self._limit:
            raise PendingFull(f"{self._limit} requests wait for an answer already; {method} was not sent")
        self._last_id += 1
        call = self._calls[self._last_id] = PendingCall(self._last_id, method, deadline)
        return call

    def take(self, call_id: RequestId) -> PendingCall | None:
        """The call that an answer is for, which then waits no more; None for an id that nobody waits for."""
        return self._calls.pop(call_id, None)

    def take_expired(self, now: float) -> list[PendingCall]:
        """The calls whose deadline is past; they wait no more, and a late answer is ignored."""
        expired = [call for call in self._calls.values() if call.deadline is not None and call.deadline <= now]
        for call in expired:
            del self._calls[call.id]
        return expired

    def next_deadline(self) -> float | None:
        """The earliest deadline of the calls that wait."""
        return min((call.deadline for call in self._calls.values() if call.deadline is not None), default=None)
