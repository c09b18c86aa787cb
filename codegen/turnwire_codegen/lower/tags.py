"""Which unions are tagged: every arm is an object that requires one common member, each with its own string."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from turnwire_codegen.lower.document import Site
from turnwire_codegen.lower.keywords import Keywords
from turnwire_codegen.lower.layers import flatten

__all__ = ["Tagging", "tagging_of"]


class Tagging(NamedTuple):
    """The member, its value for each arm, and None for the one arm that takes every other string."""

    tag: str
    values: tuple[str | None, ...]


class _Others(NamedTuple):
    """The tag of an open arm: any string but these."""

    excluded: frozenset[str]


def tagging_of(keywords: Keywords, arms: Sequence[Site]) -> Tagging | None:
    """How the arms of an `anyOf` or `oneOf` are told apart, or None when only a trial of each does."""
    tags = [_tags(keywords, arm) for arm in arms]
    for name in tags[0] if tags else ():
        values = [arm[name] for arm in tags if name in arm]
        if len(values) == len(tags) and _tells_apart(values):
            return Tagging(name, tuple(value if isinstance(value, str) else None for value in values))
    return None


def _tells_apart(values: list[str | _Others]) -> bool:
    known = [value for value in values if isinstance(value, str)]
    others = [value for value in values if isinstance(value, _Others)]
    distinct = bool(known) and len(set(known)) == len(known)
    return distinct and (not others or [frozenset(known)] == [other.excluded for other in others])


def _tags(keywords: Keywords, arm: Site) -> dict[str, str | _Others]:
    """The required members of an object schema that fix a string, in order of first mention."""
    layers = flatten(keywords, arm).sites
    if not any(keywords.get(layer, "type") == "object" for layer in layers):
        return {}
    required = {name for layer in layers for name in _strings(keywords.get(layer, "required"))}
    found: dict[str, str | _Others] = {}
    for layer in layers:
        for name, member in keywords.mapped(layer, "properties"):
            if name in required and name not in found:
                value = _fixed(keywords, member)
                found.update({} if value is None else {name: value})
    return found


def _fixed(keywords: Keywords, member: Site) -> str | _Others | None:
    """The string, if any, that the layers of a member fix."""
    layers = flatten(keywords, member).sites
    for layer in layers:
        values = _only_values(keywords, layer)
        if values is not None and len(values) == 1:
            return values[0]
    for layer in layers:
        inner = keywords.child(layer, "not")
        values = None if inner is None else _only_values(keywords, inner)
        if values is not None and any(keywords.get(other, "type") == "string" for other in layers):
            return _Others(frozenset(values))
    return None


def _only_values(keywords: Keywords, site: Site) -> list[str] | None:
    """The strings that `const` or `enum` allow; None when they are absent or allow other things too."""
    values = [keywords.get(site, "const")] if keywords.has(site, "const") else keywords.get(site, "enum")
    return values if isinstance(values, list) and len(_strings(values)) == len(values) else None


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
