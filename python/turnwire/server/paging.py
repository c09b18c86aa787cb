"""Pages of a list (THR-19 to THR-21): a walk over all of them gives every entry once, whatever is added meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from turnwire.server.cursors import Place, read_cursor, write_cursor

__all__ = ["Entry", "Query", "page"]

_encode = msgspec.json.Encoder().encode


class Entry(NamedTuple):
    """One thing that is listed, at its place: a number that grows along the list, and an id where numbers meet."""

    place: int
    id: str
    value: Any


class Query(NamedTuple):
    """Which page: the list with filter, thread and direction that a cursor is bound to, and how much of it."""

    binding: str
    cursor: str | UnsetType
    limit: int
    descending: bool
    page_bytes: int | UnsetType
    # The upper end that the list has now, for a walk that begins.
    end: int


def page(entries: Sequence[Entry], query: Query) -> tuple[list[Any], str | UnsetType]:
    """The values of one page, and where to go on; `entries` are in ascending order.

    Raises:
        Refusal: cursorInvalid.
    """
    since = None if query.cursor is UNSET else read_cursor(query.cursor, binding=query.binding)
    end = query.end if since is None else since.end
    left = [entry for entry in entries if entry.place <= end and _is_beyond(entry, since, query)]
    if query.descending:
        left.reverse()
    count = _fitting(left[: query.limit], query.page_bytes)
    given = left[:count]
    values = [entry.value for entry in given]
    if count == len(left):
        return values, UNSET
    last = given[-1]
    return values, write_cursor(Place(query.binding, end, last.place, last.id))


def _is_beyond(entry: Entry, since: Place | None, query: Query) -> bool:
    if since is None:
        return True
    here, there = (entry.place, entry.id), (since.last, since.last_id)
    return here < there if query.descending else here > there


def _fitting(entries: Sequence[Entry], page_bytes: int | UnsetType) -> int:
    """How many entries a page takes; one at the least, so that every walk comes to its end."""
    if page_bytes is UNSET:
        return len(entries)
    size = 0
    for count, entry in enumerate(entries):
        size += len(_encode(entry.value)) + 1
        if size > page_bytes and count:
            return count
    return len(entries)
