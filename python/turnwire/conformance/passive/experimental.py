"""STAB-3: "What is marked experimental is not sent to a client that did not opt in, in lists and replay too".

What is marked is found by the schema that a message has by its method; only definitions that lead to a mark are walked.
"""

from collections.abc import Iterator
from typing import Any

__all__ = ["Marked"]

LEAD = "#/$defs/"
MARK = "x-stability"


class Marked:
    """The experimental members of one contract's messages."""

    def __init__(self, bundle: dict[str, Any]) -> None:
        definitions: dict[str, Any] = bundle.get("$defs", {})
        self._definitions = definitions
        self._leading = _leading(definitions)

    def __bool__(self) -> bool:
        """Whether the contract marks anything at all."""
        return bool(self._leading)

    def __contains__(self, name: str) -> bool:
        """Whether values of this definition can have an experimental member at all."""
        return name in self._leading

    def found(self, name: str, value: Any) -> str:
        """The pointer of the first experimental member in a value of this definition; empty when there is none."""
        return next(self._walk(self._definitions[name], value, ""), "") if name in self else ""

    def _walk(self, schema: Any, value: Any, at: str) -> Iterator[str]:
        if not isinstance(schema, dict):
            return
        name = str(schema.get("$ref", "")).removeprefix(LEAD)
        if name in self._leading:
            yield from self._walk(self._definitions[name], value, at)
        for keyword in ("allOf", "anyOf", "oneOf"):
            for arm in schema.get(keyword, ()):
                yield from self._walk(arm, value, at)
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from self._walk(schema.get("items"), item, f"{at}/{index}")
        elif isinstance(value, dict) and _may_be(schema, value):
            for member, inner in schema.get("properties", {}).items():
                if member not in value:
                    continue
                if isinstance(inner, dict) and inner.get(MARK) == "experimental":
                    yield f"{at}/{member}"
                yield from self._walk(inner, value[member], f"{at}/{member}")


def _may_be(schema: dict[str, Any], value: dict[str, Any]) -> bool:
    """Whether the constants of an arm do not rule a value out: what another arm marks is no mark here."""
    properties = schema.get("properties", {})
    return all(
        value.get(name) == inner["const"]
        for name, inner in properties.items()
        if isinstance(inner, dict) and "const" in inner
    )


def _leading(definitions: dict[str, Any]) -> frozenset[str]:
    """The definitions from which a mark can be reached."""
    refs = {name: set(_refs(schema)) for name, schema in definitions.items()}
    leading = {name for name, schema in definitions.items() if _has_mark(schema)}
    while more := {name for name, led in refs.items() if name not in leading and led & leading}:
        leading |= more
    return frozenset(leading)


def _refs(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(LEAD)
        for inner in schema.values():
            yield from _refs(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _refs(inner)


def _has_mark(schema: Any) -> bool:
    properties = schema.get("properties", {}) if isinstance(schema, dict) else {}
    return any(isinstance(inner, dict) and inner.get(MARK) == "experimental" for inner in properties.values())
