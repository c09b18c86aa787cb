"""Waiting before trying again: longer each time, at random, and never shorter than the other side asks for."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from turnwire.errors import RemoteError

__all__ = ["Backoff", "with_retry"]

_T = TypeVar("_T")

# A bound that doubles so often is beyond every longest wait.
_DOUBLINGS = 32


class Backoff(msgspec.Struct, frozen=True, kw_only=True):
    """How to wait: the longest first wait and the longest of all, in seconds, and how often to try; None: for ever."""

    first: float = 0.2
    longest: float = 10.0
    attempts: int | None = 8

    def delay(self, attempt: int, *, at_least: float = 0.0) -> float:
        """How long to wait after so many attempts: somewhere in the upper half of a bound that doubles, so that many
        clients do not come back at once, and none comes back at once every time."""
        bound = min(self.longest, self.first * float(1 << min(attempt - 1, _DOUBLINGS)))
        # No secret hangs on it.
        return at_least + bound / 2 * (1 + random.random())  # noqa: S311 - see above

    def is_used_up(self, attempt: int) -> bool:
        """Whether no attempt is left after so many."""
        return self.attempts is not None and attempt >= self.attempts


async def with_retry(operation: Callable[[], Awaitable[_T]], backoff: Backoff | None = None) -> _T:
    """Runs `operation` again while the server answers with an error that it calls retryable: such a request was not
    carried out. Nothing else is repeated, a lost connection or a timeout least of all.

    Raises:
        Exception: what the last attempt raised.
    """
    waits = Backoff() if backoff is None else backoff
    attempt = 1
    while True:
        try:
            return await operation()
        except RemoteError as error:
            if not error.retryable or waits.is_used_up(attempt):
                raise
            wanted: Any = error.data.get("retryAfterMs", 0)
        await asyncio.sleep(waits.delay(attempt, at_least=wanted / 1000 if isinstance(wanted, int) else 0.0))
        attempt += 1
