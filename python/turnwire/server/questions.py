"""What is asked of people while a turn waits: whether an operation may run, or questions. What both have in common."""

from hmac import compare_digest
from typing import TypeAlias, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from turnwire.errors import request_closed
from turnwire.server.ids import new_nonce
from turnwire.wire import Approval, ApprovalAnswer, PendingApproval, PendingUserInput, UserInput, UserInputAnswer

__all__ = ["Asked", "demand_nonce", "id_of", "pending_of", "request_of", "with_nonce", "without_nonce"]

Asked: TypeAlias = Approval | UserInput
_A = TypeVar("_A", Approval, UserInput, Asked)


def id_of(asked: Asked) -> str:
    """What an answer names it by."""
    return asked.approval_id if isinstance(asked, Approval) else asked.user_input_id


def request_of(asked: Asked) -> str:
    """The request with which it is asked; a client that answers it says so when it introduces itself (LIFE-18)."""
    return "approval/request" if isinstance(asked, Approval) else "userInput/request"


def pending_of(asked: Asked) -> PendingApproval | PendingUserInput:
    """It, as one of the things that wait in a thread or a turn."""
    if isinstance(asked, Approval):
        return PendingApproval(approval=asked)
    return PendingUserInput(user_input=asked)


def with_nonce(asked: _A) -> _A:
    """It, as those see it who may answer: with its nonce, a new one where it has none."""
    if asked.binding.nonce is not UNSET:
        return asked
    return replace(asked, binding=replace(asked.binding, nonce=new_nonce()))


def without_nonce(asked: _A) -> _A:
    """It, as everybody else sees it (APPR-2)."""
    return replace(asked, binding=replace(asked.binding, nonce=UNSET))


def demand_nonce(asked: Asked, answer: ApprovalAnswer | UserInputAnswer) -> None:
    """Refuses an answer that is not bound to what was asked.

    Raises:
        Refusal: requestClosed.
    """
    nonce = asked.binding.nonce
    if nonce is UNSET or not compare_digest(nonce.encode(), answer.nonce.encode()):
        raise request_closed("The nonce is not that of the request.")
