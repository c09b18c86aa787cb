"""JSON pointers and templates: how a profile names a place in a payload and how a request is filled in."""

from collections.abc import Mapping
from typing import Any

__all__ = ["pick", "planted", "replaced"]


def pick(value: Any, pointer: str) -> Any:
    """What stands at an RFC 6901 pointer; None where nothing does."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        match value:
            case dict():
                value = value.get(name)
            case list() if name.isdigit() and int(name) < len(value):
                value = value[int(name)]
            case _:
                return None
    return value


def planted(template: Any, words: Mapping[str, Any]) -> Any:
    """A copy of a template in which each string that is a placeholder is what it stands for."""
    match template:
        case str():
            return words.get(template, template)
        case dict():
            return {name: planted(member, words) for name, member in template.items()}
        case list():
            return [planted(item, words) for item in template]
        case _:
            return template


def replaced(value: Any, pointer: str, new: Any) -> Any:
    """A copy of `value` with `new` at the pointer; objects on the way are made when they are missing."""
    first, _, rest = pointer.removeprefix("/").partition("/")
    if not pointer:
        return new
    members = dict(value) if isinstance(value, dict) else {}
    members[first] = replaced(members.get(first), f"/{rest}" if rest else "", new)
    return members
