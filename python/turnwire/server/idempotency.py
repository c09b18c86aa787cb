"""Requests that are safe to repeat (REC-5): a key, the digest of its params, and the first result.

The scope of a key is the method and the thread, or the whole store for what belongs to no thread. A repetition joins
the first request while it runs; what failed before it was recorded leaves nothing behind.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from turnwire.errors import conflict
from turnwire.server.canonical import digest
from turnwire.server.recorded_keys import RecordedKeys

__all__ = ["Keys", "fingerprint"]

# At store level, where no thread ends the life of a key, the oldest are dropped beyond this many.
_STORE_KEYS = 10_000


class _Entry(msgspec.Struct, frozen=True):
    digest: str
    result: asyncio.Future[Any]


def fingerprint(params: bytes) -> str:
    """The digest of params as they came, without the key: a member that this version does not know tells requests
    apart."""
    members = msgspec.json.decode(params)
    members.pop("idempotencyKey", None)
    return digest(members)


class Keys:
    """The keys of one server: in memory, and behind it those that earlier processes recorded."""

    def __init__(self, recorded: RecordedKeys) -> None:
        self._recorded = recorded
        # Per scope (None is the store), the entries by method and key, oldest first.
        self._scopes: dict[str | None, dict[tuple[str, str], _Entry]] = {}

    async def once(
        self, method: str, scope: str | None, key: str | UnsetType, params: bytes, run: Callable[[], Awaitable[Any]]
    ) -> Any:
        """What `run` gives, or the first result of the same request, marked `replayed`.

        Raises:
            Refusal: conflict `idempotencyKey`, where the key came with other params; and whatever `run` raises.
        """
        if key is UNSET:
            return await run()
        entries = self._scopes.setdefault(scope, {})
        given = fingerprint(params)
        found = entries.get((method, key))
        if found is None:
            return await _first(entries, (method, key), given, lambda: self._alone(method, scope, key, given, run))
        _demand_same(found.digest, given)
        # Shielded: one of the repetitions may go away without taking the first request with it.
        return replace(await asyncio.shield(found.result), replayed=True)

    async def _alone(
        self, method: str, scope: str | None, key: str, given: str, run: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Looks a key up and carries its request out where no other process does either."""
        async with self._recorded.alone(method, scope, key):
            earlier = self._recorded.find(method, scope, key)
            if earlier is not None:
                _demand_same(earlier.digest or given, given)
                return replace(earlier.result, replayed=True)
            result = await run()
            self._recorded.keep(method, scope, key, given, result)
            return result

    def forget(self, thread_id: str) -> None:
        """The thread is deleted, and its keys with it."""
        self._scopes.pop(thread_id, None)


async def _first(
    entries: dict[tuple[str, str], _Entry], place: tuple[str, str], given: str, run: Callable[[], Awaitable[Any]]
) -> Any:
    entry = entries[place] = _Entry(given, asyncio.get_running_loop().create_future())
    try:
        result = await run()
    except BaseException as error:
        del entries[place]
        if isinstance(error, Exception):
            entry.result.set_exception(error)
            # Marks it as seen: without a repetition nobody else would look at it.
            entry.result.exception()
        else:
            entry.result.cancel()
        raise
    entry.result.set_result(result)
    while len(entries) > _STORE_KEYS:
        del entries[next(iter(entries))]
    return result


def _demand_same(first: str, given: str) -> None:
    if first != given:
        raise conflict("idempotencyKey", "The idempotency key was used with other params.")
