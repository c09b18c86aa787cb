"""What a server is sent is held to the patterns that the types leave out, since clients read the same types.

A fault is said as msgspec says its own, so that whoever reads those finds the place of this one too (decision 0008).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeAlias

import msgspec

__all__ = ["Ways", "guarded"]

Ways: TypeAlias = Mapping[str, Iterable[tuple[str, str, tuple[str, ...]]]]
"""By the name of a type, members as (wire name, attribute, patterns); without patterns, one leads on."""


def guarded(decode: Callable[[bytes], Any], ways: Ways) -> Callable[[bytes], Any]:
    """A decoder that refuses what `decode` refuses, and texts at the end of a way that do not match its patterns."""

    def decode_and_look(text: bytes) -> Any:
        value = decode(text)
        fault = _first_fault(value, (), ways)
        if fault is not None:
            place, pattern = fault
            raise msgspec.ValidationError(f"Expected `str` matching regex '{pattern}' - at `${place}`")
        return value

    return decode_and_look


# Where in a value a text matches which pattern not.
_Fault: TypeAlias = tuple[str, str]


def _first_fault(value: Any, patterns: tuple[str, ...], ways: Ways) -> _Fault | None:
    """The place is made on the way back from a fault, since mostly there is none."""
    if isinstance(value, str):
        for pattern in patterns:
            if not _finder(pattern)(value):
                return "", pattern
    elif isinstance(value, list):
        for index, item in enumerate(value):
            fault = _first_fault(item, patterns, ways)
            if fault is not None:
                return f"[{index}]{fault[0]}", fault[1]
    elif isinstance(value, dict):
        for item in value.values():
            fault = _first_fault(item, patterns, ways)
            if fault is not None:
                return f"[...]{fault[0]}", fault[1]
    else:
        for wire, member, own in ways.get(type(value).__name__, ()):
            fault = _first_fault(getattr(value, member), own, ways)
            if fault is not None:
                return f".{wire}{fault[0]}", fault[1]
    return None


@cache
def _finder(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern).search
