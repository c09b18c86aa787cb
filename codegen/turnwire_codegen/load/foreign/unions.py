"""`oneOf` and `anyOf`: nullable types, enums in pieces, unions of arms; arms beside members share those members."""

from collections.abc import Callable
from typing import Any

from turnwire_codegen.ir import AnyValue, Case, Const, Nullable, Ref, Scalar, TypeNode, Union, Untagged, Variant
from turnwire_codegen.load.foreign.scalars import make_enum
from turnwire_codegen.load.foreign.shapes import is_object
from turnwire_codegen.load.foreign.work import Conditions, Spot, Work
from turnwire_codegen.words import pascal

__all__ = ["lower_choice"]

# What every message of JSON-RPC has: it names no arm.
_ENVELOPE = frozenset({"jsonrpc"})
# Types that are null and nothing else; what a name stands for is seen when all are made.
_NULLS = (Scalar("null"), Const(None))
_CHOICES = ("oneOf", "anyOf")
Lower = Callable[[Any, Spot, Work], TypeNode]
Arm = tuple[Any, str]


def lower_choice(node: dict[str, Any], spot: Spot, work: Work, lower: Lower) -> TypeNode:
    """The type of a choice. `lower` is how an arm becomes a type."""
    key = _key(node)
    arms: list[Arm] = [(arm, f"{spot.pointer}/{key}/{index}") for index, arm in enumerate(node[key])]
    if key == "oneOf" and "anyOf" in node:
        work.note(spot, "runtime", "the type holds oneOf, not the anyOf beside it")
    if {"properties", "required"} & set(node) or is_object(node, work.document):
        return _beside_members(node, arms, spot, work, lower)
    if {"allOf", "$ref"} & set(node):
        base = lower({word: value for word, value in node.items() if word not in _CHOICES}, spot, work)
        if base != AnyValue():
            work.note(spot, "runtime", f"the type does not hold: {key}")
            return base
        work.note(spot, "runtime", "the type does not hold: allOf")
    rest = [(arm, pointer) for arm, pointer in arms if not _is_null(arm)]
    if not rest:
        return Scalar("null")
    nullable = len(rest) < len(arms)
    inner = spot.within() if nullable else spot
    if len(rest) == 1 and not inner.named:
        # A definition of one arm may grow others; anywhere else a choice of one is that one.
        arm, pointer = rest[0]
        found = lower(arm, Spot(pointer, inner.name), work)
    else:
        found = _several(node, rest, inner, work, lower)
    return Nullable(found) if nullable and not isinstance(found, Nullable) and found not in _NULLS else found


def _several(node: dict[str, Any], arms: list[Arm], spot: Spot, work: Work, lower: Lower) -> TypeNode:
    values = [arm for arm, _ in arms if _values(arm)]
    is_open = len(values) == len(arms) - 1 and any(_is_plain_string(arm) for arm, _ in arms)
    if values and (len(values) == len(arms) or is_open):
        cases = [Case(value=value, doc=str(arm.get("description", ""))) for arm in values for value in _values(arm)]
        return make_enum(tuple(cases), node, spot, work, is_open=is_open)
    own = work.own_name(spot)
    work.made[own] = None
    targets = [_target(arm, work) for arm, _ in arms]
    known = [arm for arm, target in zip(arms, targets, strict=True) if not _takes_the_rest(target, targets)]
    variants = tuple(Variant(type=lower(arm, Spot(at, _arm_name(arm, own, at)), work)) for arm, at in known)
    if "oneOf" in node and not all(isinstance(variant.type, Ref) for variant in variants):
        work.note(spot, "runtime", "the type does not hold that only one arm may fit")
    work.made[own] = Union(
        name=own,
        doc=str(node.get("description", "")),
        tagging=Untagged(),
        variants=variants,
        open=len(known) < len(arms),
    )
    return Ref(own)


def _beside_members(node: dict[str, Any], arms: list[Arm], spot: Spot, work: Work, lower: Lower) -> TypeNode:
    """Members that all arms share. Arms with a tag of their own take them in; others only say what is required when."""
    key = _key(node)
    described = {word: node[word] for word in ("description",) if word in node}
    base = {word: value for word, value in node.items() if word not in {key, "title", "description"}}
    if all(isinstance(arm, dict) and _has_tag(arm, work) for arm, _ in arms):
        if key == "anyOf" and base.pop("unevaluatedProperties", None) is False:
            # Several arms may fit, and each then has the members of the others beside its own.
            work.note(spot, "runtime", "the type does not hold: unevaluatedProperties")
        merged = [({**arm, "allOf": [base, *arm.get("allOf", [])]}, pointer) for arm, pointer in arms]
        return _several(described, merged, spot, work, lower)
    optional = [{"type": "object", "properties": arm.get("properties", {})} for arm, _ in arms if isinstance(arm, dict)]
    found = lower({"type": "object", **described, "allOf": [*optional, base]}, spot, work)
    if isinstance(found, Ref):
        said = {key: [_untyped(arm, node[key]) for arm in node[key]]}
        work.conditions.setdefault(found.name, Conditions(spot, [])).said.append((said, key))
    else:
        work.note(spot, "runtime", f"the type does not hold which members go together ({key})")
    return found


def _untyped(arm: Any, arms: list[Any]) -> Any:
    """The arm without the types of those members that only it declares: they are the type of the member itself."""
    if not isinstance(arm, dict) or not isinstance(arm.get("properties"), dict):
        return arm
    others = [other.get("properties", {}) for other in arms if isinstance(other, dict) and other is not arm]
    shared = {wire: schema for wire, schema in arm["properties"].items() if any(wire in other for other in others)}
    return {**arm, "properties": shared}


def _key(node: dict[str, Any]) -> str:
    return "oneOf" if isinstance(node.get("oneOf"), list) else "anyOf"


def _has_tag(arm: dict[str, Any], work: Work) -> bool:
    """Whether a required member of the arm has one value."""
    target = _target(arm, work)
    return any(_tag(target, wire) is not None for wire in target.get("required", []))


def _target(arm: Any, work: Work) -> dict[str, Any]:
    """The arm, or the definition that it names; what is no object says nothing."""
    if isinstance(arm, dict) and isinstance(arm.get("$ref"), str):
        pointer = work.document.locate(arm["$ref"])
        arm = None if pointer is None else work.document.at(pointer)
    return arm if isinstance(arm, dict) else {}


def _arm_name(arm: Any, owner: str, pointer: str) -> str:
    """By title, by tag, by what is required, by kind; the last resort is the place among the arms."""
    last = f"{owner}Arm{pointer.rpartition('/')[2]}"
    if not isinstance(arm, dict):
        return last
    if isinstance(arm.get("title"), str) and pascal(arm["title"]):
        return pascal(arm["title"])
    required = [wire for wire in arm.get("required", []) if isinstance(wire, str)]
    members = arm.get("properties", {})
    told = [_values(members.get(wire)) for wire in required if wire not in _ENVELOPE]
    tags = [str(values[0]) for values in told if len(values) == 1]
    for words in (tags, required[:3]):
        if pascal(" ".join(words)):
            return owner + pascal(" ".join(words))
    kind = arm.get("type")
    return owner + pascal(kind) if isinstance(kind, str) and kind != "object" else last


def _values(node: Any) -> list[Any]:
    """The values of a const or an enum of strings and integers."""
    if not isinstance(node, dict):
        return []
    values = [node["const"]] if "const" in node else node.get("enum", [])
    return values if isinstance(values, list) and all(isinstance(value, str | int) for value in values) else []


def _is_null(arm: Any) -> bool:
    if not isinstance(arm, dict):
        return False
    return arm.get("type") == "null" or arm.get("const", 0) is None or arm.get("enum") == [None]


def _is_plain_string(arm: Any) -> bool:
    return isinstance(arm, dict) and arm.get("type") == "string" and not _values(arm) and "pattern" not in arm


def _takes_the_rest(arm: dict[str, Any], arms: list[dict[str, Any]]) -> bool:
    """Whether an arm is for the tags that the others do not have: a required member of it is `not` one of theirs."""
    others = [other for other in arms if other is not arm]
    members, required = arm.get("properties", {}), arm.get("required", [])
    return any(
        isinstance(member, dict) and others and all(_tag(other, wire) in _values(member.get("not")) for other in others)
        for wire, member in members.items()
        if wire in required
    )


def _tag(arm: dict[str, Any], wire: str) -> Any:
    """The one value of the member `wire`; None where it may have others, or be absent."""
    values = _values(arm.get("properties", {}).get(wire)) if wire in arm.get("required", []) else []
    return values[0] if len(values) == 1 else None
