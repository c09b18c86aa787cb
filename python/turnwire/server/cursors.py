"""Opaque places in lists (THR-19): bound to list, filter, thread and direction, with a frozen upper end.

A cursor says all that is needed to go on, so it survives a restart. Its checksum is no secret: a cursor grants
nothing, and the sum only tells what was garbled from what is of another list.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from typing import Any

import msgspec

from turnwire.errors import cursor_invalid
from turnwire.server.canonical import digest
from turnwire.wire import Thread

__all__ = ["Place", "binding", "identity_of", "read_cursor", "write_cursor"]

_SUM = 8


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where a walk stands: what the list is, its frozen upper end, and the last entry that was given."""

    binding: str
    end: int
    last: int
    # Tells entries apart that share `last`, in lists that are sorted by time.
    last_id: str = ""
    # Grows when entries are taken back; a cursor of an earlier generation is stale.
    generation: int = 0


def binding(name: str, **filters: Any) -> str:
    """What a cursor is bound to: the list, its filter, thread and direction. Absent members are left out."""
    return digest([name, {key: value for key, value in filters.items() if value is not msgspec.UNSET}])[:16]


def identity_of(thread: Thread) -> list[Any]:
    """What a list of a thread is bound to: one that was deleted and begun again under its id is another one."""
    return [thread.id, thread.created_at]


def write_cursor(place: Place) -> str:
    """The cursor of a place."""
    body = msgspec.json.encode(place)
    return urlsafe_b64encode(sha256(body).digest()[:_SUM] + body).decode().rstrip("=")


def read_cursor(cursor: str, *, binding: str, generation: int = 0) -> Place:
    """The place of a cursor.

    Raises:
        Refusal: cursorInvalid, with the reason malformed, mismatch or stale.
    """
    try:
        packed = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        body = packed[_SUM:]
        place = msgspec.json.decode(body, type=Place)
    except (ValueError, msgspec.MsgspecError):
        raise cursor_invalid("malformed") from None
    if sha256(body).digest()[:_SUM] != packed[:_SUM]:
        raise cursor_invalid("malformed")
    if place.binding != binding:
        raise cursor_invalid("mismatch")
    if place.generation != generation:
        raise cursor_invalid("stale")
    return place
