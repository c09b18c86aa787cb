"""What the schema cannot say of params: sizes in bytes, lines that run backwards, parts that this server does not know.

Every fault is an issue with the JSON pointer of the value (ERR-4).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from turnwire.errors import Issue, invalid_params
from turnwire.wire import FileRefPart, InputPart, UnknownInputPart

__all__ = ["demand", "input_issues", "opaque_issues"]

# RFC 7493: integers beyond this are not exact in every reader.
_EXACT = 2**53 - 1


def demand(issues: Iterable[Issue]) -> None:
    """Refuses params that have issues.

    Raises:
        Refusal: invalidParams.
    """
    found = list(issues)
    if found:
        raise invalid_params(found)


def input_issues(pointer: str, parts: Sequence[InputPart]) -> Iterator[Issue]:
    """TURN-2: of a part of an unknown type, and lines that end before they begin."""
    for index, part in enumerate(parts):
        if isinstance(part, UnknownInputPart):
            yield Issue(f"{pointer}/{index}/type", "is no part that this server knows")
        elif isinstance(part, FileRefPart) and _is_backwards(part):
            yield Issue(f"{pointer}/{index}/endLine", "is before startLine", f"at least {part.start_line}")


def opaque_issues(pointer: str, value: Any, *, limit: int | UnsetType) -> Iterator[Issue]:
    """Of members that the server only keeps: their size, and integers that other readers would round (RPC-24)."""
    if not isinstance(value, dict):
        return
    if limit is not UNSET and len(msgspec.json.encode(value)) > limit:
        yield Issue(pointer, "is too long as compact JSON", f"at most {limit} bytes")
    yield from _inexact(pointer, value)


def _is_backwards(part: FileRefPart) -> bool:
    start, end = part.start_line, part.end_line
    return start is not UNSET and end is not UNSET and end < start


def _inexact(pointer: str, value: Any) -> Iterator[Issue]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _inexact(f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}", member)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _inexact(f"{pointer}/{index}", item)
    elif isinstance(value, int) and not -_EXACT <= value <= _EXACT:
        yield Issue(pointer, "is an integer that not every reader can hold", f"within ±{_EXACT}")
