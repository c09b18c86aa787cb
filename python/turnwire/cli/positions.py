"""From a JSON pointer back to the place in the text: what a person needs to mend a file of a thousand lines."""

from json import JSONDecoder

__all__ = ["line_and_column", "offset_of"]

_DECODER = JSONDecoder()
_BLANK = " \t\r\n"


def offset_of(text: str, pointer: str) -> int:
    """Where the value at the pointer begins in JSON text, or its nearest ancestor that is there."""
    at = _past_blank(text, 0)
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        found = _member(text, at, name) if text[at] == "{" else _element(text, at, name)
        if found is None:
            break
        at = found
    return at


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Both count from 1, the column in characters."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _member(text: str, at: int, name: str) -> int | None:
    at = _past_blank(text, at + 1)
    while text[at] == '"':
        key, at = _DECODER.raw_decode(text, at)
        at = _past_blank(text, _past_blank(text, at) + 1)
        if key == name:
            return at
        at = _next(text, at)
    return None


def _element(text: str, at: int, name: str) -> int | None:
    if text[at] != "[" or not name.isdigit():
        return None
    at = _past_blank(text, at + 1)
    for _ in range(int(name)):
        if text[at] == "]":
            return None
        at = _next(text, at)
    return None if text[at] == "]" else at


def _next(text: str, at: int) -> int:
    """Past the value that begins here, and past the comma behind it."""
    _, at = _DECODER.raw_decode(text, at)
    at = _past_blank(text, at)
    return _past_blank(text, at + 1) if text[at] == "," else at


def _past_blank(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at
