"""Which members of an object go together: the part of a schema that speaks of presence and of constants, as arms.

Arms let through at least what the schema does; they are exact where they let through nothing else.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

__all__ = ["ABSENT", "Arms", "Said", "arms_of", "clauses", "met"]

# More are no longer read with ease, and the product of several such choices grows fast.
_MOST = 6
_FOR_PEOPLE = frozenset({"title", "description", "$comment", "default", "examples", "deprecated"})
# Of `then` and `else` their `if` speaks.
_SAY_NOTHING = _FOR_PEOPLE | {"then", "else"}


class Said(NamedTuple):
    """What is said of a member: whether it may be absent, and the JSON texts of its values, None for any."""

    absent: bool
    values: frozenset[str] | None = None

    def meet(self, other: "Said") -> "Said":
        """Both are said."""
        if self.values is None or other.values is None:
            return Said(self.absent and other.absent, other.values if self.values is None else self.values)
        return Said(self.absent and other.absent, self.values & other.values)

    def join(self, other: "Said") -> "Said":
        """Either is said."""
        values = None if self.values is None or other.values is None else self.values | other.values
        return Said(self.absent or other.absent, values)

    @property
    def possible(self) -> bool:
        """Whether anything is left for the member to be."""
        return self.absent or self.values != frozenset()


Arm = Mapping[str, Said]
Domain = Callable[[str], frozenset[str] | None]
ABSENT = Said(absent=True, values=frozenset())
_PRESENT = Said(absent=False)
_ANYTHING = Said(absent=True)


class Arms(NamedTuple):
    """One of these holds of an object; an arm without members says nothing."""

    arms: tuple[Arm, ...]
    exact: bool = True


_UNKNOWN = Arms(({},), exact=False)
_NEVER = Arms(())


def arms_of(schema: Any, domain: Domain) -> Arms:
    """What `schema` says of an object's members; `domain` has the values that a member can have at all."""
    if not isinstance(schema, dict):
        return _NEVER if schema is False else Arms(({},)) if schema is True else _UNKNOWN
    found = Arms(({},))
    for word in schema:
        for clause in clauses(word, schema, domain):
            found = _both(found, clause)
    return found


def clauses(word: str, schema: dict[str, Any], domain: Domain) -> Iterator[Arms]:
    """What the keyword `word` of `schema` says, in parts all of which hold; unknown where it is not of its shape."""
    match word, schema[word]:
        case "required", list() as wires:
            yield Arms((dict.fromkeys(filter(_is_text, wires), _PRESENT),))
        case "properties", dict() as members:
            yield from (_member(wire, inner) for wire, inner in members.items())
        case "not", inner:
            yield _negated(arms_of(inner, domain), domain)
        case "allOf", list() as layers:
            yield from (arms_of(layer, domain) for layer in layers)
        case "anyOf" | "oneOf", list() as arms:
            yield _choice([arms_of(arm, domain) for arm in arms], domain, exclusive=word == "oneOf")
        case "dependentRequired" | "dependentSchemas" | "dependencies", dict() as needs:
            yield from (_dependency(wire, needed, domain) for wire, needed in needs.items())
        case "if", condition:
            yield _condition(condition, schema, domain)
        case "type", "object":
            return
        case _ if word in _SAY_NOTHING:
            return
        case _:
            yield _UNKNOWN


def met(first: Arm, second: Arm) -> Arm | None:
    """Both arms at once; None where they exclude each other."""
    both = {wire: first.get(wire, _ANYTHING).meet(second.get(wire, _ANYTHING)) for wire in {**first, **second}}
    return both if all(said.possible for said in both.values()) else None


def _member(wire: str, schema: Any) -> Arms:
    if schema is False:
        return Arms(({wire: ABSENT},))
    if schema is True or not isinstance(schema, dict) or not schema.keys() - _FOR_PEOPLE:
        return Arms(({},))
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(values, list) or not all(isinstance(value, str | int) for value in values):
        return _UNKNOWN
    exact = schema.keys() <= {"const", "enum", "type"} | _FOR_PEOPLE
    return Arms(({wire: Said(absent=True, values=frozenset(map(json.dumps, values)))},), exact)


def _both(first: Arms, second: Arms) -> Arms:
    arms = [arm for one, other in product(first.arms, second.arms) if (arm := met(one, other)) is not None]
    distinct = [arm for index, arm in enumerate(arms) if arm not in arms[:index]]
    return Arms(tuple(distinct), first.exact and second.exact) if len(distinct) <= _MOST else _UNKNOWN


def _either(first: Arms, second: Arms) -> Arms:
    arms = (*first.arms, *(arm for arm in second.arms if arm not in first.arms))
    return Arms(arms, first.exact and second.exact) if len(arms) <= _MOST else _UNKNOWN


def _negated(said: Arms, domain: Domain) -> Arms:
    if not said.exact:
        return _UNKNOWN
    found = Arms(({},))
    for arm in said.arms:
        otherwise = _NEVER
        for wire, inner in arm.items():
            otherwise = _either(otherwise, _other(wire, inner, domain))
        found = _both(found, otherwise)
    return found


def _other(wire: str, said: Said, domain: Domain) -> Arms:
    """What a member is that is not what is said of it."""
    if said.values is None:
        return _NEVER if said.absent else Arms(({wire: ABSENT},))
    known = domain(wire)
    if known is None and said.values:
        return _UNKNOWN
    return Arms(({wire: Said(absent=not said.absent, values=known and known - said.values)},))


def _choice(given: list[Arms], domain: Domain, *, exclusive: bool) -> Arms:
    found = _NEVER
    for index, arms in enumerate(given):
        alone = arms
        for other in given[:index] + given[index + 1 :] if exclusive else []:
            alone = _both(alone, _negated(other, domain))
        found = _either(found, alone)
    return found


def _dependency(wire: str, needed: Any, domain: Domain) -> Arms:
    there = Arms(({wire: _PRESENT},))
    then = arms_of({"required": needed} if isinstance(needed, list) else needed, domain)
    return _either(_negated(there, domain), _both(there, then))


def _condition(condition: Any, schema: dict[str, Any], domain: Domain) -> Arms:
    holds = arms_of(condition, domain)
    if not holds.exact:
        return _UNKNOWN
    then, other = arms_of(schema.get("then", True), domain), arms_of(schema.get("else", True), domain)
    return _either(_both(holds, then), _both(_negated(holds, domain), other))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
