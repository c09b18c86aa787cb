"""Threads: start, resume, read, unsubscribe (THR-1 to THR-3, THR-13, THR-18)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET, Raw, UnsetType

from turnwire.codec import encode_notification
from turnwire.errors import Issue, not_found
from turnwire.server.call import Call, Handler
from turnwire.server.checks import demand, opaque_issues
from turnwire.server.client_tools import tool_issues
from turnwire.server.engine import engine_of
from turnwire.server.headers import new_header
from turnwire.server.permissions import mode_issues
from turnwire.server.thread import LiveThread
from turnwire.wire import (
    Limits,
    PendingApproval,
    PendingUserInput,
    ThreadClosedParams,
    ThreadReadResult,
    ThreadResumeParams,
    ThreadResumeResult,
    ThreadStartParams,
    ThreadStartResult,
    ThreadUnsubscribeResult,
)

__all__ = ["HANDLERS"]


async def start(call: Call) -> ThreadStartResult:
    params: ThreadStartParams = call.params
    demand(_start_issues(params, call.state.limits))
    demand(tool_issues(params.dynamic_tools, answers=call.caller.answers))
    agent = _agent(call, params.agent)
    engine = engine_of(call.state)

    async def create() -> ThreadStartResult:
        call.caller.hold()
        thread_id = engine.threads.create(new_header(params, agent), key=params.idempotency_key).id
        # The caller may have gone by now: then nobody is left to unload it.
        with engine.using(thread_id) as thread:
            engine.subscribe(thread_id, call.caller)
            thread.announce_start()
            thread.give_context(params.additional_context)
            thread.client_tools.declare(call.caller, params.dynamic_tools)
            return ThreadStartResult(thread=thread.header)

    result: ThreadStartResult = await engine.keys.once("thread/start", None, params.idempotency_key, call.raw, create)
    if result.replayed is True:
        call.caller.hold()
        engine.subscribe_again(result.thread.id, call.caller)
        again = engine.threads.loaded(result.thread.id)
        if again is not None:
            again.client_tools.declare(call.caller, params.dynamic_tools)
    return result


def resume(call: Call) -> ThreadResumeResult:
    params: ThreadResumeParams = call.params
    demand(opaque_issues("/additionalContext", params.additional_context, limit=call.state.limits.context_bytes))
    demand(tool_issues(params.dynamic_tools, answers=call.caller.answers))
    engine = engine_of(call.state)
    with engine.using(params.thread_id) as thread:
        thread.give_context(params.additional_context)
        thread.client_tools.declare(call.caller, params.dynamic_tools)
        gap = _replay(call, thread, params.after_seq)
        pending = engine.requests.pending(thread, call.caller)
        engine.subscribe(thread.id, call.caller)
        return _resumed(thread, pending, gap=gap)


def _resumed(
    thread: LiveThread, pending: Sequence[PendingApproval | PendingUserInput], *, gap: bool
) -> ThreadResumeResult:
    history = thread.history
    active = history.active_turn()
    return ThreadResumeResult(
        thread=thread.header,
        active_turn=UNSET if active is None else active,
        items=[] if active is None else history.items_of(active.id),
        pending=list(pending),
        queue=list(history.queue),
        seq=thread.header.seq,
        gap=gap,
    )


def read(call: Call) -> ThreadReadResult:
    return ThreadReadResult(thread=engine_of(call.state).threads.header(call.params.thread_id))


def unsubscribe(call: Call) -> ThreadUnsubscribeResult:
    engine = engine_of(call.state)
    thread_id = engine.threads.header(call.params.thread_id).id
    closed = engine.unsubscribe(thread_id, call.caller)
    if closed:
        call.caller.tell("thread/closed", thread_id, ThreadClosedParams(thread_id=thread_id))
    return ThreadUnsubscribeResult(thread_id=thread_id, subscribed=False, closed=closed)


def _start_issues(params: ThreadStartParams, limits: Limits) -> Iterator[Issue]:
    yield from mode_issues("/permissionMode", params.permission_mode)
    yield from opaque_issues("/metadata", params.metadata, limit=limits.metadata_bytes)
    yield from opaque_issues("/config", params.config, limit=limits.metadata_bytes)
    yield from opaque_issues("/additionalContext", params.additional_context, limit=limits.context_bytes)


def _agent(call: Call, wanted: str | UnsetType) -> str:
    """THR-1: "an agent that the host does not know" gets -32004."""
    known = [agent.id for agent in call.state.host.agents()]
    if wanted is UNSET and known:
        return known[0]
    if wanted is UNSET or wanted not in known:
        raise not_found("agent", "" if wanted is UNSET else wanted)
    return wanted


def _replay(call: Call, thread: LiveThread, after: int | UnsetType) -> bool:
    """THR-18: sends the events beyond `after` behind the response; whether there is a gap instead."""
    if after is UNSET:
        return False
    events = thread.events_after(after)
    bound = call.state.limits.replay_events
    # A number that was never given belongs to a record that this server does not have.
    if events is None or after > thread.header.seq or (bound is not UNSET and len(events) > bound):
        return True
    for event in events:
        call.caller.deliver(event.type, thread.id, encode_notification(event.type, Raw(event.payload)))
    return False


HANDLERS: dict[str, Handler] = {
    "thread/start": start,
    "thread/resume": resume,
    "thread/read": read,
    "thread/unsubscribe": unsubscribe,
}
