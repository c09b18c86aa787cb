"""Requests that are safe to repeat (REC-5): a key, the digest of its params, and the first result.

The scope of a key is the method and the thread, or the whole store for what belongs to no thread. A repetition joins
the first request while it runs; what failed before it was recorded leaves nothing behind.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from turnwire.errors import conflict
from turnwire.server.canonical import digest
from turnwire.server.recorded_keys import RecordedKeys

__all__ = ["Keys", "fingerprint"]


_Place: TypeAlias = tuple[str | None, str, str]


class _Entry(msgspec.Struct, frozen=True):
    digest: str
    result: asyncio.Future[Any]


def fingerprint(params: bytes) -> str:
    """The digest of params as they came, without the key and the trace, which says who asks and not what (TRACE-4): a
    member that this version does not know tells requests apart."""
    members = msgspec.json.decode(params)
    members.pop("idempotencyKey", None)
    members.pop("trace", None)
    return digest(members)


class Keys:
    """The keys of one server: those of requests that run, and behind them what is recorded of any that ever did."""

    def __init__(self, recorded: RecordedKeys) -> None:
        self._recorded = recorded
        # By scope (None is the store), method and key.
        self._running: dict[_Place, _Entry] = {}

    async def once(
        self, method: str, scope: str | None, key: str | UnsetType, params: bytes, run: Callable[[], Awaitable[Any]]
    ) -> Any:
        """What `run` gives, or the first result of the same request, marked `replayed`.

        Raises:
            Refusal: conflict `idempotencyKey`, where the key came with other params; and whatever `run` raises.
        """
        if key is UNSET:
            return await run()
        given = fingerprint(params)
        found = self._running.get((scope, method, key))
        if found is None:
            return await self._first((scope, method, key), given, run)
        _demand_same(found.digest, given)
        # Shielded: one of the repetitions may go away without taking the first request with it.
        return replace(await asyncio.shield(found.result), replayed=True)

    async def _first(self, place: _Place, given: str, run: Callable[[], Awaitable[Any]]) -> Any:
        """Lets others join while the request runs; what came of it is found in the record from then on."""
        entry = self._running[place] = _Entry(given, asyncio.get_running_loop().create_future())
        try:
            result = await self._alone(place, given, run)
        except BaseException as error:
            if isinstance(error, Exception):
                entry.result.set_exception(error)
                # Marks it as seen: without a repetition nobody else would look at it.
                entry.result.exception()
            else:
                entry.result.cancel()
            raise
        else:
            entry.result.set_result(result)
            return result
        finally:
            if self._running.get(place) is entry:
                del self._running[place]

    async def _alone(self, place: _Place, given: str, run: Callable[[], Awaitable[Any]]) -> Any:
        """Looks a key up and carries its request out where no other process does either."""
        scope, method, key = place
        async with self._recorded.alone(method, scope, key):
            earlier = self._recorded.find(method, scope, key)
            if earlier is not None:
                _demand_same(earlier.digest or given, given)
                return replace(earlier.result, replayed=True)
            result = await run()
            self._recorded.keep(method, scope, key, given, result)
            return result

    def forget(self, thread_id: str) -> None:
        """The thread is deleted, and its keys with it: nobody joins what was asked of it."""
        for place in [place for place in self._running if place[0] == thread_id]:
            del self._running[place]


def _demand_same(first: str, given: str) -> None:
    if first != given:
        raise conflict("idempotencyKey", "The idempotency key was used with other params.")
