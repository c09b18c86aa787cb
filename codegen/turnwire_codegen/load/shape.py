"""Reading one JSON object member by member: each getter checks the kind and reports what is wrong at its place."""

from typing import Any, Literal, TypeVar, overload

from turnwire_codegen.ir import Notes
from turnwire_codegen.problems import Place

__all__ = ["integer", "items", "members", "notes_of", "one_of", "text", "truth", "unexpected"]


_Choice = TypeVar("_Choice", bound=str)


def members(value: Any, place: Place) -> dict[str, Any]:
    """The object, or an empty one with a problem."""
    if isinstance(value, dict):
        return value
    place.error("an object is expected here", "write an object")
    return {}


def items(node: dict[str, Any], key: str, place: Place) -> list[Any]:
    """The array under `key`, empty when absent."""
    value = node.get(key, [])
    if isinstance(value, list):
        return value
    (place / key).error("an array is expected here", "write an array")
    return []


@overload
def text(node: dict[str, Any], key: str, place: Place) -> str: ...
@overload
def text(node: dict[str, Any], key: str, place: Place, default: str) -> str: ...
@overload
def text(node: dict[str, Any], key: str, place: Place, default: None) -> str | None: ...
def text(node: dict[str, Any], key: str, place: Place, default: str | Literal[0] | None = 0) -> str | None:
    """The string under `key`; without a default it is required."""
    value = node.get(key, default)
    if value == 0 and default == 0 and key not in node:
        place.error(f"the member {key!r} is missing", "add it")
        return ""
    if value is None or isinstance(value, str):
        return value
    (place / key).error("a string is expected here", "write a string")
    return ""


def integer(node: dict[str, Any], key: str, place: Place) -> int | None:
    """The integer under `key`, None when absent."""
    value = node.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    (place / key).error("an integer is expected here", "write an integer")
    return None


def one_of(node: dict[str, Any], key: str, place: Place, choices: tuple[_Choice, ...]) -> _Choice:
    """The word under `key`, one of `choices`; absent is the first of them where the table has a default for it."""
    value = node.get(key, DEFAULTS.get(key))
    for choice in choices:
        if value == choice:
            return choice
    (place / key).error(f"no {key} {value!r}", f"one of {', '.join(choices)}")
    return choices[0]


def truth(node: dict[str, Any], key: str, place: Place) -> bool:
    """The boolean under `key`, false when absent."""
    value = node.get(key, False)
    if isinstance(value, bool):
        return value
    (place / key).error("true or false is expected here", "write a boolean")
    return False


def notes_of(node: dict[str, Any], *, but: tuple[str, ...] = ()) -> Notes:
    """The `x-` keywords without their prefix, but for those that have a field of their own."""
    return {key[2:]: value for key, value in node.items() if key.startswith("x-") and key[2:] not in but}


def unexpected(node: dict[str, Any], allowed: frozenset[str], place: Place, *, fix: str) -> None:
    """Report every member that is neither allowed here nor one of our `x-` keywords."""
    for key in node:
        if key in allowed or key in KEYWORDS:
            continue
        (place / key).error(f"the keyword {key!r} is outside the narrow form here", fix)


DEFAULTS = {"stability": "stable"}
KEYWORDS = frozenset(
    f"x-{word}"
    for word in (
        "aliases",
        "capability",
        "deprecated",
        "lint-ignore",
        "null",
        "opaque",
        "open",
        "secret",
        "significant",
        "since",
        "stability",
        "unit",
        "volatile",
    )
)
