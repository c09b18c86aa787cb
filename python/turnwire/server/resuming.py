"""How what waits in a paused turn is resolved by the turn that resumes it (TURN-3)."""

from typing import Any, NamedTuple

from msgspec import UNSET

from turnwire.errors import not_found
from turnwire.server.approvals import APPROVAL
from turnwire.server.ids import now_ms
from turnwire.server.inputs import INPUT, questions_digest
from turnwire.server.questions import Asked, demand_nonce, id_of
from turnwire.server.thread import LiveThread
from turnwire.wire import Approval, ApprovalResolution, TurnResume, UserInput, UserInputResolution

__all__ = ["Carried", "carry", "key_of"]


class Carried(NamedTuple):
    """What waited in a paused turn, and how the turn that resumes it was told to resolve it; None: to ask again."""

    asked: Asked
    resolution: ApprovalResolution | UserInputResolution | None


def key_of(asked: Asked) -> str:
    """By which the turn that goes on knows what its agent asks again."""
    if isinstance(asked, Approval):
        return asked.binding.operation_digest
    return questions_digest(asked.questions)


def carry(thread: LiveThread, resume: TurnResume) -> list[Carried]:
    """How each thing that waits is to be resolved: "A decision needs the nonce of its approval".

    Raises:
        Refusal: notFound, requestClosed or invalidParams, for the first answer that is not lawful.
    """
    answers: dict[str, Any] = {}
    for index, decision in enumerate(resume.decisions or ()):
        approval = thread.deferred.get(decision.approval_id)
        if not isinstance(approval, Approval):
            raise not_found(APPROVAL.object, decision.approval_id)
        demand_nonce(approval, decision.answer)
        place = f"/resume/decisions/{index}/answer"
        answers[decision.approval_id] = APPROVAL.read(approval, decision.answer, place)[1]
    for index, response in enumerate(resume.responses or ()):
        asked = thread.deferred.get(response.user_input_id)
        if not isinstance(asked, UserInput):
            raise not_found(INPUT.object, response.user_input_id)
        demand_nonce(asked, response.answer)
        answers[response.user_input_id] = INPUT.read(asked, response.answer, f"/resume/responses/{index}/answer")[1]
    default = "decline" if resume.default_decision is UNSET else resume.default_decision
    return [
        Carried(asked, _resolution(asked, answers.get(id_of(asked)), default)) for asked in thread.deferred.values()
    ]


def _resolution(asked: Asked, answer: Any, default: str) -> Any:
    expires_at = asked.binding.expires_at
    kind = APPROVAL if isinstance(asked, Approval) else INPUT
    if expires_at is not UNSET and expires_at <= now_ms():
        return kind.unanswered("expired", defers=False)
    if answer is None and isinstance(asked, Approval):
        return ApprovalResolution(outcome="answered", decision=default, at=now_ms())
    return answer
