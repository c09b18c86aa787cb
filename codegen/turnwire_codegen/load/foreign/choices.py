"""Records whose schema says which members go together get it as choices, so that types may hold it too."""

import json
from collections.abc import Mapping
from math import prod
from typing import Any

import msgspec

from turnwire_codegen import rules
from turnwire_codegen.ir import AnyValue, Arm, Const, Declaration, Enum, Field, Record, Ref, Scalar, TypeNode
from turnwire_codegen.load.foreign.presence import ABSENT, Arms, Said, clauses, met
from turnwire_codegen.load.foreign.work import Conditions, Work

__all__ = ["CONDITIONS", "settle_choices"]

# The keywords that may say which members go together.
CONDITIONS = frozenset({"not", "if", "dependentRequired", "dependentSchemas", "dependencies", "oneOf", "anyOf"})
# All choices of a record together multiply to no more arms than this.
_MOST = 16


def settle_choices(work: Work) -> None:
    """Give the records that were made their choices, and say which keywords no type holds."""
    for own, conditions in work.conditions.items():
        record = work.made[own]
        assert isinstance(record, Record), "conditions are kept for records alone"
        choices, left = _choices(record, conditions, work)
        work.made[own] = msgspec.structs.replace(record, choices=tuple(choices))
        for word in dict.fromkeys(word for _, word in conditions.said):
            arms = word in ("oneOf", "anyOf")
            what = "the type does not hold" + (f" which members go together ({word})" if arms else f": {word}")
            if word in left:
                work.note(conditions.spot, "runtime", what)
            else:
                work.note_wide(conditions.spot, what)


def _choices(record: Record, conditions: Conditions, work: Work) -> tuple[list[tuple[Arm, ...]], set[str]]:
    """The choices, and those of the keywords that say more than they do."""
    fields = {field.wire: field for field in record.fields}
    values = {wire: _values(field.type, work.made) for wire, field in fields.items()}
    there = {wire: Said(absent=not field.required, values=values[wire]) for wire, field in fields.items()}
    choices: list[tuple[Arm, ...]] = []
    left: set[str] = set()
    for layer, word in conditions.said:
        for clause in clauses(word, layer, values.get):
            arms = _closer(clause, there)
            fits = 0 < prod(map(len, choices), start=len(arms)) <= _MOST
            if not (fits and clause.exact):
                left.add(word)
            if fits and {} not in arms:
                choices.append(tuple(_arm(arm, fields) for arm in arms))
    return choices, left


def _closer(clause: Arms, there: Mapping[str, Said]) -> list[dict[str, Said]]:
    """What each arm that is possible adds to what is said of the members already."""
    possible = [both for arm in clause.arms if (both := met(arm, there)) is not None]
    spoken = dict.fromkeys(wire for arm in clause.arms for wire in arm)
    closer: list[dict[str, Said]] = []
    for arm in possible:
        _add({wire: arm.get(wire, Said(absent=True)) for wire in spoken}, closer)
    return [{wire: said for wire, said in arm.items() if said != there.get(wire, Said(absent=True))} for arm in closer]


def _add(arm: dict[str, Said], arms: list[dict[str, Said]]) -> None:
    """Add an arm to others of the same members; two that differ in one member are one in which it is either."""
    for index, other in enumerate(arms):
        apart = [wire for wire in arm if arm[wire] != other[wire]]
        if len(apart) <= 1:
            del arms[index]
            _add({**arm, **{wire: arm[wire].join(other[wire]) for wire in apart}}, arms)
            return
    arms.append(arm)


def _arm(said: Mapping[str, Said], fields: Mapping[str, Field]) -> Arm:
    return Arm(tuple(_field(wire, inner, fields.get(wire)) for wire, inner in said.items()))


def _field(wire: str, said: Said, declared: Field | None) -> Field:
    if said == ABSENT:
        return Field(wire=wire, type=AnyValue(nothing=True), required=False)
    node = AnyValue() if declared is None else declared.type
    if said.values is not None:
        node = _constant(said.values)
    return Field(wire=wire, type=node, required=not said.absent)


def _constant(texts: frozenset[str]) -> TypeNode:
    values = sorted(map(json.loads, texts), key=json.dumps)
    if len(values) == 1:
        return Const(values[0])
    return Scalar("string" if isinstance(values[0], str) else "integer", (rules.Const(tuple(values)),))


def _values(node: TypeNode, made: Mapping[str, Declaration | None]) -> frozenset[str] | None:
    """The JSON texts of all values of a type; None where they are not to be counted."""
    target = made.get(node.name) if isinstance(node, Ref) else None
    listed: list[Any] | None = None
    match node:
        case Const(value):
            listed = [value]
        case Scalar(kind="boolean"):
            listed = [False, True]
        case Ref() if isinstance(target, Enum) and not target.open:
            listed = [case.value for case in target.cases]
    if listed is None or not all(isinstance(value, str | int) for value in listed):
        return None
    return frozenset(map(json.dumps, listed))
