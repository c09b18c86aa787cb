"""What changes a thread beside its turns: update, archive, delete, pause (THR-9 to THR-12, THR-14)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from turnwire.errors import Issue, conflict, not_settled
from turnwire.server.call import Call, Handler
from turnwire.server.checks import demand, opaque_issues
from turnwire.server.engine import Engine, engine_of
from turnwire.server.idempotency import fingerprint
from turnwire.server.ids import now_ms
from turnwire.server.permissions import mode_issues
from turnwire.server.thread import LiveThread
from turnwire.wire import (
    ThreadArchivedParams,
    ThreadArchiveResult,
    ThreadCompactResult,
    ThreadDeleteParams,
    ThreadDeleteResult,
    ThreadPauseResult,
    ThreadUnarchivedParams,
    ThreadUnarchiveResult,
    ThreadUnpauseResult,
    ThreadUpdatedParams,
    ThreadUpdateParams,
    ThreadUpdateResult,
)

__all__ = ["HANDLERS"]

_UPDATED = ("title", "mode", "permission_mode", "approval_policy", "config", "metadata")
# How long a client waits before it asks again for what has not stopped yet.
_RETRY_MS = 200
# Seconds between two looks at the clock.
_TICK = 0.0002


def update(call: Call) -> ThreadUpdateResult:
    params: ThreadUpdateParams = call.params
    demand(_update_issues(params, call.state.limits.metadata_bytes))
    with engine_of(call.state).using(params.thread_id) as thread:
        header = thread.header
        if params.expected_version not in (UNSET, header.version):
            raise conflict("staleVersion", f"The thread has version {header.version}.")
        # THR-9: "an absent member is kept and null clears it".
        given = {name: getattr(params, name) for name in _UPDATED if getattr(params, name) is not UNSET}
        changes: dict[str, Any] = {name: UNSET if value is None else value for name, value in given.items()}
        if any(getattr(header, name) != value for name, value in changes.items()):
            changed = replace(
                header,
                **changes,
                version=header.version + 1,
                updated_at=max(now_ms(), header.updated_at),
                seq=thread.seq,
            )
            thread.record("thread/updated", ThreadUpdatedParams(thread=changed, seq=thread.seq))
        return ThreadUpdateResult(thread=thread.header)


def archive(call: Call) -> ThreadArchiveResult:
    engine = engine_of(call.state)
    thread_id = engine.threads.header(call.params.thread_id).id
    now = now_ms()
    for one in engine.threads.subtree(thread_id):
        with engine.using(one) as thread:
            # THR-10: "a descendant that was archived on its own stays so".
            if thread.header.archived_at is UNSET:
                params = ThreadArchivedParams(thread_id=one, archived_at=now, seq=thread.seq)
                thread.record("thread/archived", params)
    return ThreadArchiveResult(thread=engine.threads.header(thread_id))


def unarchive(call: Call) -> ThreadUnarchiveResult:
    engine = engine_of(call.state)
    header = engine.threads.header(call.params.thread_id)
    if header.archived_at is not UNSET:
        for one in engine.threads.subtree(header.id):
            with engine.using(one) as thread:
                # What was archived together has one moment of it.
                if thread.header.archived_at == header.archived_at:
                    thread.record("thread/unarchived", ThreadUnarchivedParams(thread_id=one, seq=thread.seq))
                    engine.go_on(thread)
    return ThreadUnarchiveResult(thread=engine.threads.header(header.id))


def pause(call: Call) -> ThreadPauseResult:
    with engine_of(call.state).using(call.params.thread_id) as thread:
        thread.hold()
        return ThreadPauseResult(thread=thread.header)


def unpause(call: Call) -> ThreadUnpauseResult:
    engine = engine_of(call.state)
    with engine.using(call.params.thread_id) as thread:
        thread.release()
        engine.go_on(thread)
        return ThreadUnpauseResult(thread=thread.header)


async def compact(call: Call) -> ThreadCompactResult:
    engine = engine_of(call.state)
    with engine.using(call.params.thread_id) as thread:
        return ThreadCompactResult(outcome=await engine.compact(thread))


async def delete(call: Call) -> ThreadDeleteResult:
    params: ThreadDeleteParams = call.params
    engine = engine_of(call.state)

    async def run() -> ThreadDeleteResult:
        engine.threads.header(params.thread_id)
        with ExitStack() as held:
            doomed = [held.enter_context(engine.using(one)) for one in engine.threads.subtree(params.thread_id)]
            await _stop_all(call, engine, doomed)
            if params.idempotency_key is not UNSET:
                headers = [thread.header for thread in doomed]
                await _let_pass(max(header.created_at for header in headers))
                engine.deletions.begin(params.idempotency_key, fingerprint(call.raw), headers)
            # Children first: a parent is never gone while something below it is there.
            for thread in reversed(doomed):
                engine.delete(thread)
        return ThreadDeleteResult(thread_id=params.thread_id, deleted_thread_ids=[thread.id for thread in doomed])

    key = params.idempotency_key
    result: ThreadDeleteResult = await engine.keys.once("thread/delete", None, key, call.raw, run)
    if result.replayed is True and key is not UNSET:
        engine.finish_deletion(key)
    return result


async def _let_pass(moment: int) -> None:
    """Returns when this millisecond is over: what is created from then on is known from what was created in it, also
    where it has the same id."""
    while now_ms() == moment:  # noqa: ASYNC110 - a clock tells nobody
        await asyncio.sleep(_TICK)


async def _stop_all(call: Call, engine: Engine, threads: list[LiveThread]) -> None:
    """THR-11: "interrupts a running turn first".

    Raises:
        Refusal: notSettled; no thread was deleted, and turns may start again.
    """
    within = call.state.limits.interrupt_ms
    for thread in threads:
        thread.going = True
    for thread in threads:
        if thread.run is None:
            continue
        if await engine.stop(thread, "deleted", within_ms=0 if within is UNSET else within) is None:
            for spared in threads:
                spared.going = False
            raise not_settled(_RETRY_MS)


def _update_issues(params: ThreadUpdateParams, limit: Any) -> Iterator[Issue]:
    yield from mode_issues("/permissionMode", params.permission_mode)
    yield from opaque_issues("/metadata", params.metadata, limit=limit)
    yield from opaque_issues("/config", params.config, limit=limit)


HANDLERS: dict[str, Handler] = {
    "thread/update": update,
    "thread/archive": archive,
    "thread/unarchive": unarchive,
    "thread/pause": pause,
    "thread/unpause": unpause,
    "thread/compact": compact,
    "thread/delete": delete,
}
