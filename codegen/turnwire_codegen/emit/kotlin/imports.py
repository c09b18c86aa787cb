"""The imports of a file: what its text says of names that live elsewhere."""

import re
from collections.abc import Set as AbstractSet

import msgspec

__all__ = ["import_lines"]

_PATHS = (
    "java.math.BigInteger",
    "kotlinx.serialization.Serializable",
    *(f"kotlinx.serialization.json.{name}" for name in ("JsonElement", "JsonNull", "JsonObject", "JsonPrimitive")),
)
_WORD = re.compile(r"\w+")


def import_lines(view: object, printed: AbstractSet[str] = frozenset()) -> tuple[str, ...]:
    """An import for each name that the view says, or its template, which says what is `printed`; below a blank line."""
    said = {*printed, *_words(view)}
    lines = [f"import {path}" for path in _PATHS if path.rpartition(".")[2] in said]
    return ("", *lines) if lines else ()


def _words(node: object) -> set[str]:
    if isinstance(node, str):
        return set(_WORD.findall(node))
    if isinstance(node, tuple):
        return set[str]().union(*map(_words, node))
    if isinstance(node, msgspec.Struct):
        return _words(tuple(getattr(node, name) for name in node.__struct_fields__))
    return set()
