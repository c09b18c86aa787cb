"""trace/read (TRACE-1)."""

from __future__ import annotations

from msgspec import UNSET

from turnwire.errors import not_found
from turnwire.server.call import Call, Handler
from turnwire.server.engine import engine_of
from turnwire.wire import TraceReadParams, TraceReadResult

__all__ = ["HANDLERS"]


def read(call: Call) -> TraceReadResult:
    params: TraceReadParams = call.params
    turns = engine_of(call.state).threads.history(params.thread_id).turns
    if params.turn_id not in turns:
        raise not_found("turn", params.turn_id)
    traces = call.state.host.traces
    assert traces is not None, "without one the capability is not offered"
    found = traces.read(params.thread_id, params.turn_id)
    if found is None:
        raise not_found("trace", params.turn_id)
    return TraceReadResult(
        thread_id=params.thread_id,
        turn_id=params.turn_id,
        trace_id=found.trace_id,
        spans=list(found.spans),
        dropped=found.dropped or UNSET,
    )


HANDLERS: dict[str, Handler] = {"trace/read": read}
