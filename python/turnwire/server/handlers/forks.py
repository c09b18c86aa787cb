"""thread/fork (THR-7)."""

from __future__ import annotations

from msgspec import UNSET

from turnwire.errors import agent_unsupported
from turnwire.server.call import Call, Handler
from turnwire.server.engine import engine_of
from turnwire.server.forking import copy_into, cut_of, forked_header
from turnwire.server.ids import new_id
from turnwire.server.thread import LiveThread
from turnwire.wire import ThreadForkParams, ThreadForkResult

__all__ = ["HANDLERS"]


async def fork(call: Call) -> ThreadForkResult:
    params: ThreadForkParams = call.params
    engine = engine_of(call.state)
    engine.threads.header(params.thread_id)

    async def copy() -> ThreadForkResult:
        source = engine.threads.history(params.thread_id)
        _demand_forkable(call, source.header.agent)
        cut = cut_of(source, None if params.item_id is UNSET else params.item_id)
        thread_id = new_id("thread") if params.new_thread_id is UNSET else params.new_thread_id
        call.caller.hold()
        header = forked_header(source.header, thread_id, cut)

        def fill(draft: LiveThread) -> None:
            if cut is not None:
                copy_into(draft, source, cut)

        engine.threads.adopt(header, fill, key=params.idempotency_key)
        with engine.using(thread_id) as thread:
            thread.announce_start()
            engine.subscribe(thread_id, call.caller)
            return ThreadForkResult(thread=thread.header)

    key = params.idempotency_key
    result: ThreadForkResult = await engine.keys.once("thread/fork", params.thread_id, key, call.raw, copy)
    if result.replayed is True:
        call.caller.hold()
        engine.subscribe_again(result.thread.id, call.caller)
    return result


def _demand_forkable(call: Call, agent_id: str) -> None:
    for agent in call.state.host.agents():
        if agent.id == agent_id and agent.supports.fork is True:
            return
    raise agent_unsupported(agent_id, "fork")


HANDLERS: dict[str, Handler] = {"thread/fork": fork}
