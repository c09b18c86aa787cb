"""Turns: start, resume, steer, interrupt (TURN-1 to TURN-7, TURN-11, TURN-14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from turnwire.errors import (
    Issue,
    agent_unsupported,
    invalid_params,
    no_active_turn,
    not_found,
    not_settled,
    turn_mismatch,
)
from turnwire.server.approvals import APPROVAL
from turnwire.server.call import Call, Handler
from turnwire.server.checks import demand, input_issues
from turnwire.server.engine import engine_of
from turnwire.server.inputs import INPUT
from turnwire.server.opening import Opening, outputs
from turnwire.server.resuming import carry
from turnwire.server.spans import trace_issues
from turnwire.server.thread import LiveThread
from turnwire.server.waiting import Kind
from turnwire.store.history import History
from turnwire.wire import (
    Approval,
    InputPart,
    Turn,
    TurnInterruptParams,
    TurnInterruptResult,
    TurnStartParams,
    TurnStartResult,
    TurnSteerParams,
    TurnSteerResult,
)

__all__ = ["HANDLERS"]

# How long a client waits before it asks again for what has not stopped yet.
_RETRY_MS = 200


async def start(call: Call) -> TurnStartResult:
    params: TurnStartParams = call.params
    engine = engine_of(call.state)
    # ERR-7: what is wrong with the params alone comes before what they name.
    if (params.input is UNSET) is (params.resume is UNSET):
        raise invalid_params([Issue("", "needs exactly one of input and resume")])
    if params.input is not UNSET:
        demand(input_issues("/input", params.input))
    demand(trace_issues("/trace", params.trace))
    if params.output_schema is not UNSET:
        demand(await outputs().schema_issues("/outputSchema", params.output_schema))
    engine.threads.header(params.thread_id)
    key = params.idempotency_key
    result: TurnStartResult = await engine.keys.once(
        "turn/start", params.thread_id, key, call.raw, lambda: _start(call, params)
    )
    return result


async def _start(call: Call, params: TurnStartParams) -> TurnStartResult:
    engine = engine_of(call.state)
    with engine.using(params.thread_id) as thread:
        opening = _opening(call, thread, params)
        return TurnStartResult(turn=await engine.open(thread, opening, hold=call.caller.hold))


async def steer(call: Call) -> TurnSteerResult:
    params: TurnSteerParams = call.params
    engine = engine_of(call.state)
    demand(chain(input_issues("/input", params.input), _mode_issues(params.mode)))
    engine.threads.header(params.thread_id)

    async def give() -> TurnSteerResult:
        with engine.using(params.thread_id) as thread:
            if thread.run is None:
                raise no_active_turn()
            if thread.run.turn_id != params.expected_turn_id:
                raise turn_mismatch(thread.run.turn_id)
            _demand_steerable(call, thread)
            call.caller.hold()
            mode = "steer" if params.mode is UNSET else params.mode
            item_id = thread.run.steer(params.input, mode, key=params.idempotency_key)
            return TurnSteerResult(turn_id=thread.run.turn_id, item_id=item_id)

    result: TurnSteerResult = await engine.keys.once(
        "turn/steer", params.thread_id, params.idempotency_key, call.raw, give
    )
    return result


async def interrupt(call: Call) -> TurnInterruptResult:
    params: TurnInterruptParams = call.params
    engine = engine_of(call.state)
    with engine.using(params.thread_id) as thread:
        history = thread.history
        if params.turn_id is not UNSET and params.turn_id not in history.turns:
            raise not_found("turn", params.turn_id)
        if thread.run is not None and params.turn_id in (UNSET, thread.run.turn_id):
            within = call.state.limits.interrupt_ms
            turn = await engine.stop(thread, "user", within_ms=0 if within is UNSET else within)
            if turn is None:
                raise not_settled(_RETRY_MS)
            return _settled(turn)
        paused = history.paused_turn()
        if paused is not None and params.turn_id in (UNSET, paused.id):
            # TURN-14: "`turn/interrupt` discards it".
            _tell_interrupted(thread)
            engine.requests.close(thread.discard(paused), "interrupted")
            return _settled(paused, already=True)
        if params.turn_id is UNSET:
            raise no_active_turn()
        return _settled(history.turns[params.turn_id], already=True)


def _tell_interrupted(thread: LiveThread) -> None:
    """APPR-7: "There is one that settles the approval", also where nobody is to answer it any more."""
    for asked in thread.deferred.values():
        kind: Kind = APPROVAL if isinstance(asked, Approval) else INPUT
        kind.announce_end(thread, asked, kind.unanswered("interrupted", defers=False), defers=False)


def _settled(turn: Turn, *, already: bool = False) -> TurnInterruptResult:
    return TurnInterruptResult(
        settled=True,
        turn=turn,
        untaken=[] if turn.untaken is UNSET else turn.untaken,
        already_terminal=True if already else UNSET,
    )


def _opening(call: Call, thread: LiveThread, params: TurnStartParams) -> Opening:
    """What the turn starts with, in a thread that can take it now."""
    opening = Opening(
        given=() if params.input is UNSET else params.input,
        model=params.model,
        client_message_id=params.client_message_id,
        output_schema=None if params.output_schema is UNSET else params.output_schema,
        principal=call.caller.principal,
        key=params.idempotency_key,
        trace=params.trace,
    )
    if params.resume is UNSET:
        thread.demand_ready()
        return opening
    paused = thread.demand_resumable()
    carried = carry(thread, params.resume)
    # What the paused turn was to give is to be given still, unless this request says otherwise.
    schema = opening.output_schema or thread.history.output_schema(paused.id)
    given = _first_input(thread.history, paused)
    return replace(opening, given=given, resumes=paused, carried=carried, output_schema=schema)


def _first_input(history: History, turn: Turn) -> Sequence[InputPart]:
    """What the first turn was given of those that resumed each other."""
    while turn.resumes is not UNSET:
        turn = history.turns[turn.resumes]
    return turn.input


def _mode_issues(mode: str | UnsetType) -> Iterator[Issue]:
    if mode not in (UNSET, "steer", "inject"):
        yield Issue("/mode", "is no mode that this server knows", "steer, inject")


def _demand_steerable(call: Call, thread: LiveThread) -> None:
    for agent in call.state.host.agents():
        if agent.id == thread.header.agent and agent.supports.steer is True:
            return
    raise agent_unsupported(thread.header.agent, "steer")


HANDLERS: dict[str, Handler] = {"turn/start": start, "turn/steer": steer, "turn/interrupt": interrupt}
