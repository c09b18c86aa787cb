"""Lists of threads, turns and items (THR-4, THR-5)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from turnwire.errors import not_found
from turnwire.server.call import Call, Handler
from turnwire.server.cursors import binding, identity_of, read_cursor
from turnwire.server.engine import engine_of
from turnwire.server.ids import now_ms
from turnwire.server.paging import Query, page
from turnwire.wire import (
    Thread,
    ThreadIdentity,
    ThreadItemsListParams,
    ThreadItemsListResult,
    ThreadListParams,
    ThreadListResult,
    ThreadTurnsListParams,
    ThreadTurnsListResult,
)

__all__ = ["HANDLERS"]

# What an absent `limit` means, by the schema.
_THREADS = 50
_TURNS = 20
_ITEMS = 100


def threads(call: Call) -> ThreadListResult:
    params: ThreadListParams = call.params
    listing = engine_of(call.state).threads.listing()
    direction = "descending" if params.direction is UNSET else params.direction
    identity = UNSET if params.identity is UNSET else _members(params.identity)
    bound = binding(
        "threads",
        query=params.query,
        agent=params.agent,
        archived=params.archived is True,
        identity=identity,
        direction=direction,
    )
    archived = params.archived is True
    places = listing.places(archived=archived)
    if params.cursor is not UNSET:
        # What changed during the walk stands where it stood when it began: neither lost nor doubled.
        places = listing.places_at(read_cursor(params.cursor, binding=bound).end, archived=archived)
    if _filters(params):
        places = [place for place in places if _matches(listing.headers[place[1]], params)]
    end = places[-1][0] if places else 0
    query = _query(call, params, bound, default=_THREADS, direction=direction, end=end)
    data, cursor = page(places, query, listing.headers.__getitem__)
    if params.cursor is UNSET and cursor is not UNSET:
        _let_pass(end)
    return ThreadListResult(data=data, next_cursor=cursor, total_matched=len(places))


def turns(call: Call) -> ThreadTurnsListResult:
    params: ThreadTurnsListParams = call.params
    history = engine_of(call.state).threads.history(params.thread_id)
    direction = "ascending" if params.direction is UNSET else params.direction
    bound = binding("turns", thread=identity_of(history.header), direction=direction)
    query = _query(call, params, bound, default=_TURNS, direction=direction, end=history.header.seq)
    query = query._replace(generation=history.generation)
    data, cursor = page(history.turn_places, query, history.turns.__getitem__)
    return ThreadTurnsListResult(data=data, next_cursor=cursor)


def items(call: Call) -> ThreadItemsListResult:
    params: ThreadItemsListParams = call.params
    history = engine_of(call.state).threads.history(params.thread_id)
    if params.turn_id is not UNSET and params.turn_id not in history.turns:
        raise not_found("turn", params.turn_id)
    places: Sequence[tuple[int, str]] = history.item_places
    if params.turn_id is not UNSET:
        places = [(history.place(item_id), item_id) for item_id in history.item_ids_of(params.turn_id)]
    direction = "ascending" if params.direction is UNSET else params.direction
    bound = binding("items", thread=identity_of(history.header), turn=params.turn_id, direction=direction)
    query = _query(call, params, bound, default=_ITEMS, direction=direction, end=history.header.seq)
    data, cursor = page(places, query._replace(generation=history.generation), history.item)
    return ThreadItemsListResult(data=data, next_cursor=cursor)


def _query(call: Call, params: Any, bound: str, *, default: int, direction: str, end: int) -> Query:
    return Query(
        binding=bound,
        cursor=params.cursor,
        limit=default if params.limit is UNSET else params.limit,
        descending=direction == "descending",
        page_bytes=call.state.limits.page_bytes,
        end=end,
    )


def _let_pass(moment: int) -> None:
    """Until the moment at which a walk ends is over: a thread that began within it would join the walk."""
    while now_ms() == moment:
        time.sleep(0.0001)


def _filters(params: ThreadListParams) -> bool:
    return (params.agent, params.identity, params.query) != (UNSET, UNSET, UNSET)


def _matches(header: Thread, params: ThreadListParams) -> bool:
    if params.agent not in (UNSET, header.agent):
        return False
    if params.identity is not UNSET and not _has(header.identity, params.identity):
        return False
    title = "" if header.title is UNSET else header.title
    return params.query is UNSET or all(word in title.casefold() for word in params.query.casefold().split())


def _has(identity: Any, wanted: ThreadIdentity) -> bool:
    """Whether every member that is wanted is there and equal."""
    return identity is not UNSET and _members(wanted).items() <= _members(identity).items()


def _members(identity: ThreadIdentity) -> dict[str, str]:
    members = {name: getattr(identity, name) for name in identity.__struct_fields__}
    return {name: value for name, value in members.items() if value is not UNSET}


HANDLERS: dict[str, Handler] = {
    "thread/list": threads,
    "thread/turns/list": turns,
    "thread/items/list": items,
}
