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
        _look(value, (), ways, "$")
        return value

    return decode_and_look


def _look(value: Any, patterns: tuple[str, ...], ways: Ways, place: str) -> None:
    if isinstance(value, str):
        for pattern in patterns:
            if not _finder(pattern)(value):
                raise msgspec.ValidationError(f"Expected `str` matching regex '{pattern}' - at `{place}`")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _look(item, patterns, ways, f"{place}[{index}]")
    elif isinstance(value, dict):
        for item in value.values():
            _look(item, patterns, ways, f"{place}[...]")
    else:
        for wire, member, own in ways.get(type(value).__name__, ()):
            _look(getattr(value, member), own, ways, f"{place}.{wire}")


@cache
def _finder(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern).search
