"""Any JSON Schema node becomes a type of the IR; objects, enums and unions become declarations with names of their own.

A name comes from the path, or from `title` for an arm, never from a counter: inserting a definition renames nothing.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from turnwire_codegen import rules
from turnwire_codegen.ir import (
    Alias,
    AnyValue,
    Field,
    ListOf,
    MapOf,
    Notes,
    Nullable,
    Record,
    Ref,
    Scalar,
    TupleOf,
    TypeNode,
)
from turnwire_codegen.load.foreign.choices import CONDITIONS
from turnwire_codegen.load.foreign.document import CONTAINERS
from turnwire_codegen.load.foreign.scalars import (
    array_rules,
    bounds_beside,
    enum_type,
    integer_width,
    is_portable,
    scalar_rules,
)
from turnwire_codegen.load.foreign.shapes import (
    LEFT,
    Shape,
    is_object,
    layers_of,
    lone_pattern,
    says_object,
    shape_of,
)
from turnwire_codegen.load.foreign.unions import lower_choice
from turnwire_codegen.load.foreign.work import Conditions, Spot, Work
from turnwire_codegen.words import pascal

__all__ = ["declare_all", "lower"]

_SCALARS = frozenset({"string", "integer", "number", "boolean", "null"})
_ANNOTATIONS = frozenset(
    {
        *("$ref", "$schema", "$id", "$anchor", "$comment", "title", "description", "default", "examples"),
        *("deprecated", "readOnly", "writeOnly", "discriminator", *CONTAINERS),
    },
)
# What only a validator can hold, on any node.
_CHECKS: tuple[str, ...] = (
    *("not", "if", "dependentRequired", "dependentSchemas", "dependencies", "propertyNames", "contains"),
    *("unevaluatedItems", "unevaluatedProperties"),
)


def declare_all(named: Mapping[str, str], work: Work) -> None:
    """Make the declarations that `named` has the pointers of, and all that they refer to."""
    work.waiting.update(named)
    while work.waiting:
        name = next(iter(work.waiting))
        pointer = work.waiting.pop(name)
        if name not in work.made:
            _declare(name, pointer, work)


def _declare(name: str, pointer: str, work: Work) -> None:
    work.made[name] = None
    node = work.document.at(pointer)
    found = lower(node, Spot(pointer, name, named=True), work)
    if work.made[name] is None:
        doc = node.get("description", "") if isinstance(node, dict) else ""
        work.made[name] = Alias(name=name, doc=str(doc), type=found)


def lower(node: Any, spot: Spot, work: Work) -> TypeNode:
    """The type of `node`; a declaration that it needs is made in passing."""
    if node is True or node == {}:
        return AnyValue()
    if not isinstance(node, dict):
        if node is False:
            work.note_wide(spot, "the type does not hold that nothing fits")
            return AnyValue(nothing=True)
        work.note(spot, "degraded", "not a schema")
        return AnyValue()
    if isinstance(node.get("$ref"), str):
        return _reference(node, spot, work)
    if _is_wrapping(node):
        # A reference that wants a description of its own, said as draft-07 has to: the type is what it names.
        return lower(node["allOf"][0], Spot(f"{spot.pointer}/allOf/0", spot.name, named=spot.named), work)
    if "const" in node or "enum" in node:
        return enum_type(node, spot, work)
    if "oneOf" in node or "anyOf" in node:
        return lower_choice(node, spot, work, lower)
    if is_object(node, work.document):
        return _object(node, spot, work)
    if "allOf" in node:
        return _all_of(node, spot, work)
    work.say_left(node, spot, _CHECKS)
    return _typed(node, spot, work)


def _is_wrapping(node: dict[str, Any]) -> bool:
    """Whether `node` is another schema with words about it and nothing more."""
    layers = node.get("allOf")
    return isinstance(layers, list) and len(layers) == 1 and all(key in _ANNOTATIONS or key == "allOf" for key in node)


def _reference(node: dict[str, Any], spot: Spot, work: Work) -> TypeNode:
    target = work.document.locate(node["$ref"])
    if target is None:
        work.note(spot, "degraded", f"the reference {node['$ref']!r} leads nowhere in this file")
        return AnyValue()
    if {"properties", "required"} & set(node) or ("allOf" in node and is_object(node, work.document)):
        return _object(node, spot, work)
    beside = {key: value for key, value in node.items() if key not in _ANNOTATIONS}
    added = bounds_beside(beside, work.document.at(target), spot, work)
    work.say_left(node, spot, () if added else tuple(beside))
    if target not in work.names:
        steps = [step for step in target.split("/")[-2:] if step not in {*CONTAINERS, "#"}]
        work.claim(pascal(" ".join(steps)) or "Root", target)
    found = work.names[target]
    # Declared later, by whoever declares all: definitions may name each other a thousand in a row.
    work.waiting[found] = target
    return Ref(found, added)


def _typed(node: dict[str, Any], spot: Spot, work: Work) -> TypeNode:
    kind = node.get("type")
    if isinstance(kind, list):
        return _kinds(node, kind, spot, work)
    if kind in _SCALARS:
        return Scalar(kind, scalar_rules(node, kind, spot, work), integer_width(node, kind))
    if kind == "array" or (kind is None and {"items", "prefixItems"} & set(node)):
        return _array(node, spot, work)
    work.say_left(node, spot, tuple(key for key in node if key not in _ANNOTATIONS and key not in _CHECKS))
    return AnyValue()


def _kinds(node: dict[str, Any], kinds: list[Any], spot: Spot, work: Work) -> TypeNode:
    """`"type": [a, b]` is a choice between the kinds, each with what is said of it."""
    # The title names the choice, so no arm can be called by it.
    bare = {key: value for key, value in node.items() if key != "title"}
    arms = [{**bare, "type": kind} for kind in kinds if kind != "null"]
    if not arms:
        return Scalar("null")
    inner = spot.within() if "null" in kinds else spot
    if len(arms) == 1:
        found = lower(arms[0], inner, work)
    else:
        found = lower_choice({"anyOf": arms, "description": node.get("description", "")}, inner, work, lower)
    return Nullable(found) if "null" in kinds else found


def _array(node: dict[str, Any], spot: Spot, work: Work) -> TypeNode:
    if "type" not in node:
        work.note(spot, "degraded", "the type takes lists only, of which the schema says items but no type")
    items = node.get("items", True)
    prefix = node.get("prefixItems", items if isinstance(items, list) else None)
    if prefix is None:
        return ListOf(lower(items, spot.down("items", name=f"{spot.name}Item"), work), array_rules(node))
    key = "prefixItems" if "prefixItems" in node else "items"
    parts = tuple(
        lower(item, spot.down(key, index, name=f"{spot.name}Part{index + 1}"), work)
        for index, item in enumerate(prefix)
    )
    rest = node.get("additionalItems", True) if isinstance(items, list) else items
    least, most = node.get("minItems", 0), node.get("maxItems")
    if least == len(parts) and (rest is False or most == len(parts)):
        return TupleOf(parts)
    work.note_wide(spot, "the type does not tell the items of a tuple of open length apart")
    others = None if rest is False else lower(rest, spot.down("items", name=f"{spot.name}Item"), work)
    return TupleOf(parts, others, least, array_rules(node))


def _all_of(node: dict[str, Any], spot: Spot, work: Work) -> TypeNode:
    """Layers that are no objects: the first says what it is, the others only bound it."""
    layers = node["allOf"]
    if not isinstance(layers, list) or not layers:
        return _typed(node, spot, work)
    if len(layers) == 1 and isinstance(layers[0], dict) and layers[0].keys() == {"$ref"}:
        return _reference({**{key: node[key] for key in node if key != "allOf"}, **layers[0]}, spot, work)
    if not _is_wrapping(node):
        work.note(spot, "runtime", "the type holds the first schema of allOf, the others bound it")
    return lower(layers[0], Spot(f"{spot.pointer}/allOf/0", spot.name, named=spot.named), work)


def _object(node: dict[str, Any], spot: Spot, work: Work) -> TypeNode:
    shape = shape_of(node, spot.pointer, work.document)
    if not says_object(node, work.document):
        work.note(spot, "degraded", "the type takes objects only, of which the schema says members but no type")
    if shape.twice:
        work.note(spot, "runtime", f"more than one schema for: {', '.join(dict.fromkeys(shape.twice))}")
    left = [*(word for word in LEFT if word in node), *shape.left]
    if not shape.members and not shape.required:
        _note_left(left, spot, work)
        if shape.extra is not None:
            return _map(shape, node, spot, work)
        if not (spot.named or shape.closed):
            return MapOf(AnyValue())
        left = []
    _note_left([word for word in left if word not in CONDITIONS], spot, work)
    found = _record(shape, node, spot, work)
    said = [(layer, word) for layer in layers_of(node, work.document) for word in layer if word in CONDITIONS]
    if said:
        work.conditions.setdefault(found.name, Conditions(spot, said))
    return found


def _note_left(words: list[str], spot: Spot, work: Work) -> None:
    if words:
        work.note(spot, "runtime", f"the type does not hold: {', '.join(dict.fromkeys(words))}")


def _extra(shape: Shape, spot: Spot, work: Work) -> TypeNode | None:
    """What members beside the declared ones are, where the schema says that they carry data."""
    if shape.extra is None:
        return None
    schema, pointer = shape.extra
    return lower(schema, Spot(pointer, f"{spot.name}Value"), work)


def _map(shape: Shape, node: dict[str, Any], spot: Spot, work: Work) -> TypeNode:
    if spot.pointer in work.merging:
        return work.merged(spot)
    work.merging[spot.pointer] = spot
    found = MapOf(_extra(shape, spot, work) or AnyValue(), keys=_keys(node))
    del work.merging[spot.pointer]
    own = work.names.get(spot.pointer)
    if spot.named or own is None or own not in work.made:
        return found
    work.made[own] = Alias(name=own, doc=str(node.get("description", "")), type=found)
    return Ref(own)


def _keys(node: dict[str, Any]) -> TypeNode | None:
    """The type of a map's names, where the schema says one pattern or a list of them."""
    said = node.get("propertyNames")
    pattern = lone_pattern(node) or (said.get("pattern") if isinstance(said, dict) else None)
    if isinstance(pattern, str) and is_portable(pattern):
        return Scalar("string", (rules.Pattern(pattern),))
    names = said.get("enum") if isinstance(said, dict) else None
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return Scalar("string", (rules.Const(tuple(names)),))
    return None


def _record(shape: Shape, node: dict[str, Any], spot: Spot, work: Work) -> Ref:
    if spot.pointer in work.merging:
        return work.merged(spot)
    own = work.own_name(spot)
    work.made[own] = None
    work.merging[spot.pointer] = spot
    fields = [
        _field(wire, schema, Spot(pointer, own + (pascal(wire) or wire.encode().hex())), work, (own, shape))
        for wire, (schema, pointer) in shape.members.items()
    ]
    undeclared = [wire for wire in sorted(shape.required) if wire not in shape.members]
    fields += [Field(wire=wire, type=AnyValue(), required=True) for wire in undeclared]
    extra = _extra(shape, spot, work)
    work.made[own] = Record(
        name=own,
        doc=str(node.get("description", "")),
        fields=tuple(fields),
        extra=extra,
        closed=shape.closed and extra is None,
        # A schema of others is silent about them, and to whoever writes a newer one they are data.
        keeps=extra is None and not shape.closed,
    )
    del work.merging[spot.pointer]
    return Ref(own)


def _field(wire: str, schema: Any, spot: Spot, work: Work, within: tuple[str, Shape]) -> Field:
    owner, shape = within
    said: dict[str, Any] = schema if isinstance(schema, dict) else {}
    notes: Notes = {"deprecated": True} if said.get("deprecated") is True else {}
    return Field(
        wire=wire,
        type=lower(schema, spot, work),
        required=wire in shape.required,
        name=work.part_name(f"{owner}.{wire}", spot.pointer),
        doc=str(said.get("description", "")),
        default=said.get("default", UNSET),
        notes=notes,
    )
