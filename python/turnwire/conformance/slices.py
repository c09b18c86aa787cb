"""The bytes of a value within a line of JSON, as they came: what a hash is of must not be written anew."""

import json

__all__ = ["members_of"]

_decoder = json.JSONDecoder()
_BLANK = " \t\r\n"


def members_of(raw: bytes, *names: str) -> list[bytes]:
    """The bytes of each member of the list that stands at these names; nothing where there is no such list."""
    text = raw.decode("utf-8")
    at = _past_blanks(text, 0)
    for name in names:
        found = _member(text, at, name)
        if found is None:
            return []
        at = found
    if text[at : at + 1] != "[":
        return []
    members, at = [], _past_blanks(text, at + 1)
    while text[at] != "]":
        _, end = _decoder.raw_decode(text, at)
        members.append(text[at:end].encode())
        at = _past_blanks(text, end)
        if text[at] == ",":
            at = _past_blanks(text, at + 1)
    return members


def _member(text: str, at: int, name: str) -> int | None:
    """Where the value of a member begins in the object at `at`; None where it has none."""
    if text[at : at + 1] != "{":
        return None
    at = _past_blanks(text, at + 1)
    while text[at] != "}":
        key, at = _decoder.raw_decode(text, at)
        at = _past_blanks(text, _past_blanks(text, at) + 1)
        if key == name:
            return at
        _, at = _decoder.raw_decode(text, at)
        at = _past_blanks(text, at)
        if text[at] == ",":
            at = _past_blanks(text, at + 1)
    return None


def _past_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at
