"""approval/resolve (APPR-8)."""

from turnwire.server.call import Call, Handler
from turnwire.server.engine import engine_of
from turnwire.wire import ApprovalResolveParams, ApprovalResolveResult

__all__ = ["HANDLERS"]


def resolve(call: Call) -> ApprovalResolveResult:
    params: ApprovalResolveParams = call.params
    resolution = engine_of(call.state).approvals.answer(params.approval_id, params.answer)
    return ApprovalResolveResult(resolution=resolution)


HANDLERS: dict[str, Handler] = {"approval/resolve": resolve}
