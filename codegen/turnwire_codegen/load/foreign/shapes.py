"""Objects as they are after `$ref` and `allOf`: one list of members, whatever number of schemas they came from."""

from collections.abc import Collection, Iterator
from typing import Any

import msgspec

from turnwire_codegen.load.foreign.document import Document, escaped

__all__ = ["LEFT", "Shape", "is_object", "layers_of", "lone_pattern", "says_object", "shape_of"]

# Schemas that name each other in circles are cut here.
_MAX_DEPTH = 32
# What a record's type cannot say.
LEFT: tuple[str, ...] = (
    *("not", "if", "dependentRequired", "dependentSchemas", "dependencies", "propertyNames", "minProperties"),
    *("maxProperties", "unevaluatedProperties", "patternProperties"),
)


# Where members are named that are there for some values only.
_CHOICES = ("oneOf", "anyOf")
_CONDITIONS = ("if", "then", "else", "dependentSchemas", "dependencies")


class Shape(msgspec.Struct, frozen=True):
    """The members of an object with the pointer of each, what is required, and what is said of all others."""

    members: dict[str, tuple[Any, str]]
    required: frozenset[str]
    extra: tuple[Any, str] | None = None
    closed: bool = False
    twice: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def is_object(node: Any, document: Document, depth: int = 0) -> bool:
    """Whether `node` can only be an object: it says so, or a layer of it does."""
    if not isinstance(node, dict) or depth > _MAX_DEPTH:
        return False
    if node.get("type") == "object" or ("type" not in node and "properties" in node):
        return True
    return any(is_object(layer, document, depth + 1) for layer, _ in _layers(node, "#", document))


def says_object(node: Any, document: Document, depth: int = 0) -> bool:
    """Whether `node` or a layer of it has the type of objects; without one it says nothing of other values."""
    if not isinstance(node, dict) or depth > _MAX_DEPTH:
        return False
    layers = _layers(node, "#", document)
    return node.get("type") == "object" or any(says_object(layer, document, depth + 1) for layer, _ in layers)


def layers_of(node: Any, document: Document, depth: int = 0) -> Iterator[dict[str, Any]]:
    """All schemas that the object `node` is made of, itself the last."""
    if isinstance(node, dict) and depth <= _MAX_DEPTH:
        for layer, _ in _layers(node, "#", document):
            yield from layers_of(layer, document, depth + 1)
        yield node


def lone_pattern(node: dict[str, Any]) -> str | None:
    """The pattern that every member of `node` has, where its members are nothing else."""
    patterns = node.get("patternProperties", {})
    alone = node.get("additionalProperties") is False and not node.keys() & {"properties", "allOf", "$ref"}
    return next(iter(patterns)) if alone and len(patterns) == 1 else None


def shape_of(node: dict[str, Any], pointer: str, document: Document, depth: int = 0) -> Shape:
    """The object that `node` describes, all its layers as one; the layer that comes last has the last word."""
    members: dict[str, tuple[Any, str]] = {}
    required = frozenset(name for name in node.get("required", []) if isinstance(name, str))
    extra: tuple[Any, str] | None = None
    closed = False
    twice: list[str] = []
    left: list[str] = []
    if depth <= _MAX_DEPTH:
        for layer, at in _layers(node, pointer, document):
            if not isinstance(layer, dict):
                continue
            inner = shape_of(layer, at, document, depth + 1)
            twice += [name for name in inner.members if name in members]
            members |= inner.members
            required |= inner.required
            extra, closed = inner.extra or extra, inner.closed or closed
            left += [*inner.left, *(word for word in (*LEFT, *_CHOICES) if word in layer)]
            if _brings(layer, _CHOICES, document, inner.members):
                extra = extra or (True, at)
    for name, schema in node.get("properties", {}).items():
        if name in members and not _narrows(schema, members[name][0]):
            twice.append(name)
        if name not in members or _has_type(schema):
            members[name] = (schema, f"{pointer}/properties/{escaped(name)}")
    closed = closed or any(node.get(word) is False for word in ("additionalProperties", "unevaluatedProperties"))
    # A member that is declared under a condition only is data all the same.
    brings = node.get("additionalProperties") is None and _brings(node, _CONDITIONS, document, members)
    brings = brings or node.get("unevaluatedProperties", False) is not False
    extra = _own_extra(node, pointer) or extra or ((True, pointer) if brings else None)
    return Shape(members, required, extra, closed, tuple(twice), tuple(left))


def _own_extra(node: dict[str, Any], pointer: str) -> tuple[Any, str] | None:
    """What `node` itself says of undeclared members that it takes."""
    others = node.get("additionalProperties")
    pattern = lone_pattern(node)
    if pattern is not None:
        return node["patternProperties"][pattern], f"{pointer}/patternProperties/{escaped(pattern)}"
    if "patternProperties" in node:
        # Which of its schemas binds a member is for the validator to say; data they are all the same.
        return True, pointer
    if others not in (None, False):
        return others, f"{pointer}/additionalProperties"
    return None


def _brings(node: dict[str, Any], words: tuple[str, ...], document: Document, known: Collection[str]) -> bool:
    """Whether a schema under these keywords, or a choice within it, lets in members that are not known."""
    seen = set[int]()
    waiting = [schema for word in words for schema in _below(node.get(word), word)]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, dict) and id(schema) not in seen:
            seen.add(id(schema))
            if schema.get("properties", {}).keys() - known or "patternProperties" in schema:
                return True
            if schema.get("additionalProperties", False) is not False:
                return True
            waiting += [layer for layer, _ in _layers(schema, "#", document)]
            waiting += [inner for word in _CHOICES for inner in _below(schema.get(word), word)]
    return False


def _below(value: Any, word: str) -> list[Any]:
    if word in ("if", "then", "else"):
        return [value]
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _layers(node: dict[str, Any], pointer: str, document: Document) -> list[tuple[Any, str]]:
    layers: list[tuple[Any, str]] = []
    if isinstance(node.get("$ref"), str):
        target = document.locate(node["$ref"])
        if target is not None:
            layers.append((document.at(target), target))
    layers += [(layer, f"{pointer}/allOf/{index}") for index, layer in enumerate(node.get("allOf", []))]
    return layers


def _narrows(schema: Any, earlier: Any) -> bool:
    """Whether what is said later implies what was said before: one of some strings is a string."""
    if not isinstance(schema, dict) or not isinstance(earlier, dict) or set(earlier) - {"type", "description", "title"}:
        return False
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    return earlier.get("type") == "string" and isinstance(values, list) and all(isinstance(v, str) for v in values)


def _has_type(node: Any) -> bool:
    """Whether a schema says what a member is; one that only adds a bound does not."""
    return isinstance(node, dict) and bool({"type", "const", "enum", "$ref", "oneOf", "anyOf", "allOf"} & set(node))
