"""thread/rewind (THR-8)."""

from __future__ import annotations

from turnwire.errors import agent_unsupported, host_error, not_found, turn_active
from turnwire.server.call import Call, Handler
from turnwire.server.checkpoints import take_back_files
from turnwire.server.engine import Engine, engine_of
from turnwire.server.host import HostError
from turnwire.server.ids import new_id
from turnwire.server.thread import LiveThread
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
            if params.files is True:
                await _take_back_files(call, engine, thread, params.item_id)
            call.caller.hold()
            removed, dropped = thread.rewind(params.item_id, key=params.idempotency_key)
            engine.requests.close(dropped, "interrupted")
            return ThreadRewindResult(thread=thread.header, removed_turn_ids=removed)

    key = params.idempotency_key
    result: ThreadRewindResult = await engine.keys.once("thread/rewind", params.thread_id, key, call.raw, take_back)
    return result


async def _take_back_files(call: Call, engine: Engine, thread: LiveThread, item_id: str) -> None:
    """Before anything is recorded: where the files cannot be taken back, nothing is."""
    provider = call.state.host.files
    assert provider is not None, "it was asked for by the capability"
    # Nothing starts meanwhile, as while the host is asked about a turn.
    thread.starting = new_id("turn")
    try:
        await take_back_files(thread, provider, item_id)
    except HostError as error:
        engine.go_on(thread)
        raise host_error(str(error), host_code=error.code) from error
    finally:
        thread.starting = None


def _demand_rewindable(call: Call, agent_id: str, params: ThreadRewindParams) -> None:
    if params.files is True and call.state.host.files is None:
        raise agent_unsupported(agent_id, "rewind files")
    for agent in call.state.host.agents():
        if agent.id == agent_id and agent.supports.rewind is True:
            return
    raise agent_unsupported(agent_id, "rewind")


HANDLERS: dict[str, Handler] = {"thread/rewind": rewind}
