"""Turns: start, resume, steer, interrupt (TURN-1 to TURN-7, TURN-11, TURN-14)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET
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
from turnwire.server.approvals import chosen_option, demand_nonce
from turnwire.server.call import Call, Handler
from turnwire.server.checks import demand, input_issues
from turnwire.server.engine import engine_of
from turnwire.server.ids import now_ms
from turnwire.server.opening import Opening
from turnwire.server.run_context import Carried
from turnwire.server.thread import LiveThread
from turnwire.store.history import History
from turnwire.wire import (
    ApprovalAnswer,
    ApprovalResolution,
    InputPart,
    Turn,
    TurnInterruptParams,
    TurnInterruptResult,
    TurnResume,
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
    engine.threads.header(params.thread_id)
    if (params.input is UNSET) is (params.resume is UNSET):
        raise invalid_params([Issue("", "needs exactly one of input and resume")])
    if params.input is not UNSET:
        demand(input_issues("/input", params.input))
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
    engine.threads.header(params.thread_id)
    demand(input_issues("/input", params.input))

    async def give() -> TurnSteerResult:
        with engine.using(params.thread_id) as thread:
            if thread.run is None:
                raise no_active_turn()
            if thread.run.turn_id != params.expected_turn_id:
                raise turn_mismatch(thread.run.turn_id)
            _demand_steerable(call, thread)
            mode = "steer" if params.mode is UNSET else params.mode
            if mode not in ("steer", "inject"):
                raise invalid_params([Issue("/mode", "is no mode that this server knows", "steer, inject")])
            call.caller.hold()
            item_id = thread.run.steer(params.input, mode)
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
            engine.approvals.close(thread.discard(paused), "interrupted")
            return _settled(paused, already=True)
        if params.turn_id is UNSET:
            raise no_active_turn()
        return _settled(history.turns[params.turn_id], already=True)


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
        principal=call.caller.principal,
        key=params.idempotency_key,
    )
    if params.resume is UNSET:
        thread.demand_ready()
        return opening
    paused = thread.demand_resumable()
    carried = _carried(thread, params.resume)
    return replace(opening, given=_first_input(thread.history, paused), resumes=paused, carried=carried)


def _first_input(history: History, turn: Turn) -> Sequence[InputPart]:
    """What the first turn was given of those that resumed each other."""
    while turn.resumes is not UNSET:
        turn = history.turns[turn.resumes]
    return turn.input


def _demand_steerable(call: Call, thread: LiveThread) -> None:
    for agent in call.state.host.agents():
        if agent.id == thread.header.agent and agent.supports.steer is True:
            return
    raise agent_unsupported(thread.header.agent, "steer")


def _carried(thread: LiveThread, resume: TurnResume) -> list[Carried]:
    """How each approval that waits is to be resolved (TURN-3: "A decision needs the nonce of its approval").

    Raises:
        Refusal: notFound, requestClosed or invalidParams, for the first decision that is not lawful.
    """
    for response in resume.responses or ():
        raise not_found("input", response.user_input_id)
    answers: dict[str, ApprovalResolution] = {}
    for index, decision in enumerate(resume.decisions or ()):
        approval = thread.deferred.get(decision.approval_id)
        if approval is None:
            raise not_found("approval", decision.approval_id)
        demand_nonce(approval, decision.answer)
        option = chosen_option(approval, decision.answer, f"/resume/decisions/{index}/answer")
        answers[decision.approval_id] = _answered(decision.answer, option.option_id)
    default = "decline" if resume.default_decision is UNSET else resume.default_decision
    carried: list[Carried] = []
    for approval in thread.deferred.values():
        resolution = answers.get(approval.approval_id) or _resolution("answered", default)
        expires_at = approval.binding.expires_at
        if expires_at is not UNSET and expires_at <= now_ms():
            resolution = _resolution("expired", "decline")
        carried.append(Carried(approval, resolution))
    return carried


def _answered(answer: ApprovalAnswer, option_id: str) -> ApprovalResolution:
    return _resolution("answered", answer.decision, option_id=option_id, reason=answer.reason, metadata=answer.metadata)


def _resolution(outcome: str, decision: str, **members: Any) -> ApprovalResolution:
    return ApprovalResolution(outcome=outcome, decision=decision, at=now_ms(), **members)


HANDLERS: dict[str, Handler] = {"turn/start": start, "turn/steer": steer, "turn/interrupt": interrupt}
