"""Approvals (APPR-*): whether an operation may run, what may be answered, and how it is announced."""

from typing import Any, ClassVar

from msgspec import UNSET

from turnwire.errors import Issue, invalid_params
from turnwire.server.ids import now_ms
from turnwire.server.thread import LiveThread
from turnwire.wire import (
    Approval,
    ApprovalAnswer,
    ApprovalOption,
    ApprovalRequestedParams,
    ApprovalRequestParams,
    ApprovalResolution,
    ApprovalResolvedParams,
)

__all__ = ["APPROVAL", "ApprovalKind"]


class ApprovalKind:
    """See `Kind`."""

    object: ClassVar[str] = "approval"

    def params(self, asked: Approval) -> ApprovalRequestParams:
        return ApprovalRequestParams(approval=asked)

    def announce(self, thread: LiveThread, asked: Approval) -> None:
        params = ApprovalRequestedParams(thread_id=thread.id, turn_id=asked.turn_id, approval=asked, seq=thread.seq)
        thread.record("approval/requested", params)

    def can_pause(self, asked: Approval) -> bool:
        del asked
        return True

    def read(self, asked: Approval, answer: ApprovalAnswer, pointer: str) -> tuple[str, ApprovalResolution]:
        option = _chosen_option(asked, answer, pointer)
        resolution = ApprovalResolution(
            outcome="answered",
            decision=answer.decision,
            option_id=option.option_id,
            reason=answer.reason,
            metadata=answer.metadata,
            at=now_ms(),
        )
        return ("defer" if answer.decision == "defer" else "answer"), resolution

    def unanswered(self, outcome: str, *, defers: bool) -> ApprovalResolution:
        return ApprovalResolution(outcome=outcome, decision="defer" if defers else "decline", at=now_ms())

    def shown(self, asked: Approval, resolution: ApprovalResolution) -> ApprovalResolution:
        del asked
        return resolution

    def announce_end(self, thread: LiveThread, asked: Approval, resolution: Any, *, defers: bool) -> None:
        # APPR-7: "There is one that settles the approval; only `defer` may come before it."
        del defers
        params = ApprovalResolvedParams(
            thread_id=thread.id,
            turn_id=asked.turn_id,
            item_id=asked.item_id,
            approval_id=asked.approval_id,
            resolution=resolution,
            seq=thread.seq,
        )
        thread.record("approval/resolved", params)


APPROVAL = ApprovalKind()


def _chosen_option(approval: Approval, answer: ApprovalAnswer, pointer: str) -> ApprovalOption:
    """The option that an answer chooses.

    Raises:
        Refusal: invalidParams, where the decision is not offered.
    """
    for option in approval.available_decisions:
        if option.decision == answer.decision and answer.option_id in (UNSET, option.option_id):
            return option
    offered = ", ".join(option.decision for option in approval.available_decisions)
    raise invalid_params([Issue(f"{pointer}/decision", "is not offered, or not under this optionId", offered)])
