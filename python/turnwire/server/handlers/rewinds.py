"""thread/rewind (THR-8)."""

from __future__ import annotations

from typing import Any

from turnwire.errors import agent_unsupported, not_found, turn_active
from turnwire.server.call import Call, Handler
from turnwire.server.engine import engine_of
from turnwire.wire import ThreadRewindParams, ThreadRewindResult

__all__ = ["HANDLERS"]


async def rewind(call: Call) -> ThreadRewindResult:
    params: ThreadRewindParams = call.params
    engine = engine_of(call.state)
    engine.threads.header(params.thread_id)

    async def take_back() -> ThreadRewindResult:
        with engine.using(params.thread_id) as thread:
            active = thread.starting or (thread.run.turn_id if thread.run else None)
            if active is not None:
                raise turn_active(active)
            _demand_rewindable(call, thread.header.agent, params)
            if params.item_id not in thread.history.items:
                raise not_found("item", params.item_id)
            call.caller.hold()
            removed, dropped = thread.rewind(params.item_id, key=params.idempotency_key)
            engine.requests.close(dropped, "interrupted")
            return ThreadRewindResult(thread=thread.header, removed_turn_ids=removed)

    key = params.idempotency_key
    result: ThreadRewindResult = await engine.keys.once("thread/rewind", params.thread_id, key, call.raw, take_back)
    return result


def _demand_rewindable(call: Call, agent_id: str, params: Any) -> None:
    # No agent here keeps what files were before, so `rewind.files` is not offered (HOST-2).
    if params.files is True:
        raise agent_unsupported(agent_id, "rewind files")
    for agent in call.state.host.agents():
        if agent.id == agent_id and agent.supports.rewind is True:
            return
    raise agent_unsupported(agent_id, "rewind")


HANDLERS: dict[str, Handler] = {"thread/rewind": rewind}
