"""thread/events/list (THR-6): the record of a thread, each event in the bytes in which it is stored."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Raw

from turnwire.server.call import Call, Handler
from turnwire.server.cursors import Place, binding, identity_of, read_cursor, write_cursor
from turnwire.server.engine import engine_of
from turnwire.wire import ThreadEventsListParams

__all__ = ["HANDLERS"]

# What an absent `limit` means, by the schema.
_EVENTS = 200


def events(call: Call) -> dict[str, Any]:
    """A ThreadEventsListResult whose events are not decoded, since their hashes are of their bytes (REC-2)."""
    params: ThreadEventsListParams = call.params
    threads = engine_of(call.state).threads
    header = threads.header(params.thread_id)
    bound = binding("events", thread=identity_of(header), after=params.after_seq)
    last, end = 0 if params.after_seq is UNSET else params.after_seq, header.seq
    if params.cursor is not UNSET:
        place = read_cursor(params.cursor, binding=bound)
        last, end = place.last, place.end
    limit = _EVENTS if params.limit is UNSET else params.limit
    # One more than is given tells whether there is more.
    found = [event for event in threads.lines(header.id, after=last, limit=limit + 1) if event[0] <= end]
    given = found[: _fitting([line for _, line in found[:limit]], call.state.limits.page_bytes)]
    data = [Raw(line) for _, line in given]
    if len(given) == len(found):
        return {"data": data}
    return {"data": data, "nextCursor": write_cursor(Place(bound, end, given[-1][0]))}


def _fitting(lines: list[bytes], page_bytes: Any) -> int:
    """How many lines a page takes; one at the least, so that every walk comes to its end."""
    size = 0
    for count, line in enumerate(lines):
        size += len(line) + 1
        if count and page_bytes is not UNSET and size > page_bytes:
            return count
    return len(lines)


HANDLERS: dict[str, Handler] = {"thread/events/list": events}
