"""review/start (REVIEW-1)."""

from __future__ import annotations

from collections.abc import Iterator

from turnwire.errors import Issue, agent_unsupported
from turnwire.server.call import Call, Handler
from turnwire.server.checks import demand
from turnwire.server.engine import engine_of
from turnwire.server.opening import Opening
from turnwire.server.thread import LiveThread
from turnwire.wire import ReviewStartParams, ReviewStartResult, ReviewTarget, UnknownReviewTarget

__all__ = ["HANDLERS"]


async def start(call: Call) -> ReviewStartResult:
    params: ReviewStartParams = call.params
    demand(_target_issues(params.target))
    engine = engine_of(call.state)
    engine.threads.header(params.thread_id)

    def announce(thread: LiveThread) -> None:
        call.caller.hold()
        engine.subscribe(thread.id, call.caller)
        thread.announce_start()

    async def begin() -> ReviewStartResult:
        with engine.using(params.thread_id) as source:
            # What a turn is about to change is not to be reviewed yet.
            source.demand_free()
            agent = _reviewer(call, source.header.agent)
            opening = Opening(given=(), review=params.target, principal=call.caller.principal)
            key = params.idempotency_key
            thread = await engine.open_below(source.header, agent, opening, hold=announce, key=key)
        turn = thread.history.active_turn()
        assert turn is not None, "it was opened in this very step"
        return ReviewStartResult(turn=turn, review_thread_id=thread.id)

    result: ReviewStartResult = await engine.keys.once(
        "review/start", params.thread_id, params.idempotency_key, call.raw, begin
    )
    if result.replayed is True:
        call.caller.hold()
        engine.subscribe_again(result.review_thread_id, call.caller)
    return result


def _target_issues(target: ReviewTarget) -> Iterator[Issue]:
    if isinstance(target, UnknownReviewTarget):
        yield Issue("/target/type", "is no target that this server knows")


def _reviewer(call: Call, own: str) -> str:
    """The agent of the thread; HOST-2 where it does not review."""
    for agent in call.state.host.agents():
        if agent.id == own and agent.supports.review is True:
            return own
    raise agent_unsupported(own, "review")


HANDLERS: dict[str, Handler] = {"review/start": start}
