"""Every way to break one rule of a type: a value is what the schema asks for, but for that one rule at that one place.

Values are made when they are asked for, since some of them are long.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from protocol.families import bundle

__all__ = ["Broken", "breaks", "lawful"]

TYPES: dict[str, Any] = bundle()["$defs"]
# A text of each pattern. One that no pattern here takes is "w!w!", which is long enough for every lower bound.
_SPELLED = {
    "^[A-Za-z0-9][A-Za-z0-9._:/-]*$": "a1",
    "^data:image/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]*={0,2}$": "data:image/png;base64,AA==",
    "^[0-9a-f]+$": "c0ffee",
    "^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$": f"00-{'a' * 32}-{'b' * 16}-01",
}
_MISSPELLED = "w!w!"
_SMALLEST = {"object": {}, "array": [], "boolean": True, "null": None}
_OTHER_KIND = {"object": [], "array": {}, "string": 5, "integer": "5", "boolean": 5, "null": 5}


class Broken(NamedTuple):
    """Where a value breaks which rule; `value` makes the whole of it."""

    pointer: str
    rule: str
    value: Callable[[], Any]


def lawful(node: dict[str, Any]) -> Any:
    """The smallest value of a schema that this module knows how to make."""
    node = _resolved(node)
    for choice in ("oneOf", "anyOf"):
        if choice in node:
            return lawful(node[choice][0])
    if "const" in node:
        return node["const"]
    if node["type"] == "string":
        return _SPELLED[node["pattern"]] if "pattern" in node else "a" * node.get("minLength", 0)
    if node["type"] == "integer":
        return node.get("minimum", 0)
    if node["type"] == "array":
        return [lawful(node["items"]) for _ in range(node.get("minItems", 0))]
    if node["type"] == "object":
        return {name: lawful(node["properties"][name]) for name in node.get("required", ())}
    return _SMALLEST[node["type"]]


def breaks(node: dict[str, Any]) -> Iterator[Broken]:
    """Each rule of a schema broken once at each place, however deep; arms that nobody knows break nothing."""
    node = _resolved(node)
    arms = [arm for choice in ("oneOf", "anyOf") for arm in node.get(choice, ())]
    named = [arm for arm in arms if "$ref" in arm]
    if arms:
        yield Broken("", "kind", lambda: 1.5)
    for arm in named:
        # Another tag is another arm, and what is no object at all is refused once for all of them.
        yield from (broken for broken in breaks(arm) if broken.rule not in ("const", "type") or len(named) == 1)
    for rule, value in _own(node):
        yield Broken("", rule, value)
    for name in node.get("required", ()):
        yield Broken("", "required", partial(_without, node, name))
    for name, member in node.get("properties", {}).items():
        yield from _within(f"/{name}", member, partial(_with, node, name))
    if "items" in node:
        yield from _within("/0", node["items"], partial(_first, node))
    if isinstance(node.get("additionalProperties"), dict):
        yield from _within("/entry", node["additionalProperties"], lambda value: {"entry": value})


def _own(node: dict[str, Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The rules of the value itself."""
    if "type" in node:
        yield "type", lambda: _OTHER_KIND[node["type"]]
    if "const" in node:
        yield "const", lambda: _MISSPELLED
    if "pattern" in node:
        yield "pattern", lambda: _MISSPELLED
        yield "pattern", lambda: f"{lawful(node)}\n"
    if node.get("minLength"):
        yield "minLength", lambda: "a" * (node["minLength"] - 1)
    if "maxLength" in node:
        yield "maxLength", lambda: (lawful(node) or "a") + "a" * node["maxLength"]
    if "minimum" in node:
        yield "minimum", lambda: node["minimum"] - 1
    if "maximum" in node:
        yield "maximum", lambda: node["maximum"] + 1
    if node.get("minItems"):
        yield "minItems", lambda: [lawful(node["items"])] * (node["minItems"] - 1)
    if "maxItems" in node:
        yield "maxItems", lambda: [lawful(node["items"])] * (node["maxItems"] + 1)
    if "maxProperties" in node:
        entry = node.get("additionalProperties", {"type": "boolean"})
        yield "maxProperties", lambda: {f"m{number}": lawful(entry) for number in range(node["maxProperties"] + 1)}


def _within(pointer: str, node: dict[str, Any], around: Callable[[Any], Any]) -> Iterator[Broken]:
    for inner in breaks(node):
        yield Broken(pointer + inner.pointer, inner.rule, partial(_around, around, inner.value))


def _around(around: Callable[[Any], Any], value: Callable[[], Any]) -> Any:
    return around(value())


def _with(node: dict[str, Any], name: str, value: Any) -> Any:
    return {**lawful(node), name: value}


def _without(node: dict[str, Any], name: str) -> Any:
    return {other: value for other, value in lawful(node).items() if other != name}


def _first(node: dict[str, Any], value: Any) -> Any:
    return [value, *lawful(node)[1:]]


def _resolved(node: dict[str, Any]) -> dict[str, Any]:
    return TYPES[node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node
