"""Turns that wait for the one before (QUEUE-1 to QUEUE-4)."""

from __future__ import annotations

from msgspec import UNSET

from turnwire.server import queue
from turnwire.server.call import Call, Handler
from turnwire.server.checks import demand, input_issues
from turnwire.server.engine import engine_of
from turnwire.server.ids import new_id
from turnwire.server.opening import Opening
from turnwire.server.thread import LiveThread
from turnwire.wire import (
    QueueRemoveParams,
    QueueReorderParams,
    QueueResult,
    QueueUpdateParams,
    TurnEnqueueParams,
    TurnEnqueueResult,
)

__all__ = ["HANDLERS"]


async def enqueue(call: Call) -> TurnEnqueueResult:
    params: TurnEnqueueParams = call.params
    engine = engine_of(call.state)
    demand(input_issues("/input", params.input))
    engine.threads.header(params.thread_id)

    async def put() -> TurnEnqueueResult:
        opening = Opening(
            given=params.input,
            client_message_id=params.client_message_id,
            principal=call.caller.principal,
            key=params.idempotency_key,
        )
        with engine.using(params.thread_id) as thread:
            thread.demand_open()
            if thread.is_free and not thread.history.queue:
                turn = await engine.open(thread, opening, hold=call.caller.hold)
                return TurnEnqueueResult(entry_id=new_id("entry"), position=0, turn_id=turn.id)
            limit = call.state.limits.queue_entries
            call.caller.hold()
            entry = queue.add(thread, opening, limit=None if limit is UNSET else limit)
            return TurnEnqueueResult(entry_id=entry.id, position=len(thread.history.queue) - 1)

    result: TurnEnqueueResult = await engine.keys.once(
        "turn/enqueue", params.thread_id, params.idempotency_key, call.raw, put
    )
    return result


def list_(call: Call) -> QueueResult:
    history = engine_of(call.state).threads.history(call.params.thread_id)
    return QueueResult(entries=list(history.queue), held=history.queue_held)


def remove(call: Call) -> QueueResult:
    params: QueueRemoveParams = call.params
    with engine_of(call.state).using(params.thread_id) as thread:
        queue.remove(thread, params.entry_id)
        return _result(thread)


def reorder(call: Call) -> QueueResult:
    params: QueueReorderParams = call.params
    with engine_of(call.state).using(params.thread_id) as thread:
        queue.reorder(thread, params.entry_ids)
        return _result(thread)


def update(call: Call) -> QueueResult:
    params: QueueUpdateParams = call.params
    demand(input_issues("/input", params.input))
    with engine_of(call.state).using(params.thread_id) as thread:
        queue.update(thread, params.entry_id, params.input)
        return _result(thread)


def resume(call: Call) -> QueueResult:
    engine = engine_of(call.state)
    with engine.using(call.params.thread_id) as thread:
        queue.resume(thread)
        engine.go_on(thread)
        return _result(thread)


def _result(thread: LiveThread) -> QueueResult:
    return QueueResult(entries=list(thread.history.queue), held=thread.history.queue_held)


HANDLERS: dict[str, Handler] = {
    "turn/enqueue": enqueue,
    "turn/queue/list": list_,
    "turn/queue/remove": remove,
    "turn/queue/reorder": reorder,
    "turn/queue/update": update,
    "turn/queue/resume": resume,
}
