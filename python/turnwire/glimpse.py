"""What can be told of a message of which only the beginning is known: whose response it is.

Nothing is guessed: members that come behind a long one are not seen, and then nothing is told.
"""

import re

import msgspec

__all__ = ["response_id"]

# The members of a message before a long one: names, and values that are no arrays or objects.
_MEMBER = re.compile(
    rb'\s*"(?P<name>[A-Za-z]+)"\s*:\s*(?:(?P<value>"(?:[^"\\\x00-\x1f]|\\.)*"|-?[0-9]+|true|false|null)\s*,)?'
)


def response_id(head: bytes) -> int | str | None:
    """The id of the response that begins so; None where it is none, or does not say so yet."""
    place = head.find(b"{") + 1
    if not place or head[: place - 1].strip():
        return None
    found: int | str | None = None
    while member := _MEMBER.match(head, place):
        name, value = member["name"], member["value"]
        if name in (b"result", b"error") and found is not None:
            return found
        if value is None or name == b"method":
            return None
        if name == b"id":
            found = _id(value)
        place = member.end()
    return None


def _id(value: bytes) -> int | str | None:
    try:
        return msgspec.json.decode(value, type=int | str)
    except msgspec.MsgspecError:
        return None
