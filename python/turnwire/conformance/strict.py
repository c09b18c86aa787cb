"""JSON as RFC 8259 and RFC 7493 mean it, which the standard decoder is too kind to enforce.

A judge that reads leniently calls faults lawful. Lines are bytes cut at `\\n` alone: str.splitlines would also cut at
U+2028 and U+0085, which are ordinary characters inside a JSON string.
"""

import json
import math
from typing import Any, NoReturn

__all__ = ["NotStrict", "canonical", "dumps", "parse", "same_json"]


class NotStrict(ValueError):  # noqa: N818 - says what the text is
    """The text is not one JSON value in UTF-8 without duplicate names, NaN or lone surrogates."""


def parse(raw: bytes) -> Any:
    """Read one JSON value.

    Raises:
        NotStrict: with the reason, in words that fit after "the line is".
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotStrict(f"not UTF-8: {error.reason} at byte {error.start}") from None
    if text.startswith("\ufeff"):
        raise NotStrict("led by a byte order mark")
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_no_twice)
    except NotStrict:
        raise
    except RecursionError:
        raise NotStrict("nested too deeply to be read") from None
    except ValueError as error:
        raise NotStrict(f"not JSON: {error}") from None
    if "\\u" in text:
        _no_lone_surrogate(value)
    return value


def dumps(value: Any) -> bytes:
    """Write compact JSON; what JSON cannot say is refused."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def canonical(value: Any) -> bytes:
    """Write compact JSON with sorted members: the RFC 8785 form of what has ASCII names and small integers only."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True)
    return text.encode()


def same_json(one: Any, other: Any) -> bool:
    """Compare by JSON type and value: in Python `True == 1 == 1.0`, on the wire they are three ids."""
    return type(one) is type(other) and one == other


def _no_constant(name: str) -> NoReturn:
    raise NotStrict(f"not JSON: the literal {name}")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotStrict(f"no number that a double can hold: {digits[:20]}")
    return number


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotStrict(f"an object with the member {twice!r} twice")
    return members


def _no_lone_surrogate(value: Any) -> None:
    pending = [value]
    while pending:
        match pending.pop():
            case str() as text:
                if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
                    raise NotStrict("a string with a lone surrogate")
            case dict() as members:
                pending += members.keys()
                pending += members.values()
            case list() as items:
                pending += items
            case _:
                continue
