"""approval/resolve and userInput/resolve (APPR-8, INPUT-4)."""

from turnwire.server.approvals import APPROVAL
from turnwire.server.call import Call, Handler
from turnwire.server.engine import engine_of
from turnwire.server.inputs import INPUT
from turnwire.wire import ApprovalResolveParams, ApprovalResolveResult, UserInputResolveParams, UserInputResolveResult

__all__ = ["HANDLERS"]


def resolve_approval(call: Call) -> ApprovalResolveResult:
    params: ApprovalResolveParams = call.params
    resolution = engine_of(call.state).requests.answer(APPROVAL, params.approval_id, params.answer)
    return ApprovalResolveResult(resolution=resolution)


def resolve_input(call: Call) -> UserInputResolveResult:
    params: UserInputResolveParams = call.params
    resolution = engine_of(call.state).requests.answer(INPUT, params.user_input_id, params.answer)
    return UserInputResolveResult(resolution=resolution)


HANDLERS: dict[str, Handler] = {"approval/resolve": resolve_approval, "userInput/resolve": resolve_input}
