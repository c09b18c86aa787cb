"""Pages of a list (THR-19 to THR-21): a walk over all of them gives every entry once, whatever is added meanwhile."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from turnwire.server.cursors import Place, read_cursor, write_cursor

__all__ = ["Query", "page"]

_encode = msgspec.json.Encoder().encode


class Query(NamedTuple):
    """Which page: the list with filter, thread and direction that a cursor is bound to, and how much of it."""

    binding: str
    cursor: str | UnsetType
    limit: int
    descending: bool
    page_bytes: int | UnsetType
    # The upper end that the list has now, for a walk that begins.
    end: int
    # Grows when entries are taken back, which makes cursors stale.
    generation: int = 0


def page(
    places: Sequence[tuple[int, str]], query: Query, value: Callable[[str], Any]
) -> tuple[list[Any], str | UnsetType]:
    """The values of one page, and where to go on. `places` are in ascending order: a number that grows along the list,
    and the id of what is there, which tells apart what shares a number; `value` gives what an id stands for.

    Raises:
        Refusal: cursorInvalid.
    """
    since = (
        None if query.cursor is UNSET else read_cursor(query.cursor, binding=query.binding, generation=query.generation)
    )
    end = query.end if since is None else since.end
    low, high = 0, bisect_left(places, (end + 1, ""))
    if since is not None and query.descending:
        high = min(high, bisect_left(places, (since.last, since.last_id)))
    elif since is not None:
        low = bisect_right(places, (since.last, since.last_id))
    wanted = (
        places[max(low, high - query.limit) : high] if query.descending else places[low : min(high, low + query.limit)]
    )
    given = _fitting(wanted[::-1] if query.descending else wanted, query, value)
    if len(given) >= high - low:
        return given, UNSET
    last, last_id = wanted[-len(given)] if query.descending else wanted[len(given) - 1]
    return given, write_cursor(Place(query.binding, end, last, last_id, query.generation))


def _fitting(places: Sequence[tuple[int, str]], query: Query, value: Callable[[str], Any]) -> list[Any]:
    """The values that a page takes by its bytes; one at the least, so that every walk comes to its end."""
    given: list[Any] = []
    size = 0
    for _, id_ in places:
        found = value(id_)
        size += len(_encode(found)) + 1
        if given and query.page_bytes is not UNSET and size > query.page_bytes:
            break
        given.append(found)
    return given
