"""The oracle: jsonschema's verdict on a value, and the one place that the pointer rule blames.

A validator reports every error in an order of its own. `first_fault` sorts them by the order that Turnwire's decoders
keep: type, const, scalar rules, count and required, declared members or items, key rule, other members, unique and
contains, not, conditions, unions, unevaluated. An error within a union is taken from the arm that the tag names, and
blamed on the union itself where there is no tag. Patterns are ECMA-262, by way of regress.
"""

import functools
from typing import Any, NamedTuple

from protocol.records import Path, Record, records_of, traceable

__all__ = ["Fault", "Oracle", "pointer_to"]

Key = tuple[Any, ...]


class Fault(NamedTuple):
    """The first fault of a value: where it is, as a JSON pointer, and which rule it breaks."""

    pointer: str
    rule: str


class Oracle:
    """Judges values by one JSON Schema of the 2020-12 dialect; references are to the schema itself."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._root = traceable(schema)

    def first_fault(self, value: Any) -> Fault | None:
        """The fault that a decoder of the schema reports for `value`, or None when the value is valid."""
        records = records_of(self._root, value)
        if not records:
            return None
        path, rule = _Judge(self._root, value).first(records, _Place(self._root, self._root, 0, 0))
        return Fault(pointer_to(path), rule)


def pointer_to(path: Path) -> str:
    """The JSON pointer of a path, escaped."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


_TYPE, _CONST, _SCALAR, _COUNT, _DECLARED, _OTHER, _WHOLE, _NOT, _CONDITION, _UNION, _UNEVALUATED = range(11)

# The phase of each keyword that speaks of a whole value; what is not listed is a scalar rule.
_PHASES = {
    "type": _TYPE,
    "const": _CONST,
    "enum": _CONST,
    "required": _COUNT,
    "minItems": _COUNT,
    "maxItems": _COUNT,
    "minProperties": _COUNT,
    "maxProperties": _COUNT,
    "uniqueItems": _WHOLE,
    "contains": _WHOLE,
    "minContains": _WHOLE,
    "maxContains": _WHOLE,
    "not": _NOT,
    "dependentRequired": _CONDITION,
}

_RULES = {
    "enum": "const",
    "minimum": "bound",
    "maximum": "bound",
    "exclusiveMinimum": "bound",
    "exclusiveMaximum": "bound",
    "multipleOf": "multiple",
    "minLength": "length",
    "maxLength": "length",
    "minItems": "count",
    "maxItems": "count",
    "minProperties": "count",
    "maxProperties": "count",
    "additionalProperties": "members",
    "items": "members",
    "unevaluatedProperties": "unevaluated",
    "unevaluatedItems": "unevaluated",
    "uniqueItems": "unique",
    "minContains": "contains",
    "maxContains": "contains",
    "dependentRequired": "required",
    "propertyNames": "key",
    "anyOf": "choice",
    "oneOf": "choice",
}


class _Place(NamedTuple):
    """Where a walk along a record stands: the schema of the value, the layer of it, and how far both paths are gone."""

    scope: Any
    layer: Any
    step: int
    depth: int
    key: Key = ()


class _Spot(NamedTuple):
    """Where a record ends: its sort key, the path to blame, the rule, and the union it lies in."""

    key: Key
    path: Path
    rule: str
    union: _Place | None = None


class _Tags(NamedTuple):
    """A tagged union: the common member, the arm of each value, and the arm of all other strings."""

    member: str
    arms: dict[str, int]
    rest: int | None


class _Judge:
    """Orders the records of one value by the pointer rule."""

    def __init__(self, root: dict[str, Any], value: Any) -> None:
        self._root = root
        self._value = value

    def first(self, records: list[Record], start: _Place) -> tuple[Path, str]:
        """The path and rule of the record that comes first, `records` being of the value at `start`."""
        spots = [(self._spot(record, start), record) for record in records]
        best = min((spot for spot, _ in spots), key=lambda spot: spot.key)
        if best.union is None:
            return best.path, best.rule
        mine = [record for spot, record in spots if spot.key == best.key]
        return self._within(best.union, best.path, mine)

    def _within(self, union: _Place, path: Path, records: list[Record]) -> tuple[Path, str]:
        """The fault inside a union whose errors are `records`; the step of `union` is the one behind anyOf or oneOf."""
        arms = union.layer
        tags = self._tags(arms)
        value = functools.reduce(lambda inner, step: inner[step], path, self._value)
        if tags is None:
            return path, self._untagged_rule(arms)
        if not isinstance(value, dict) or tags.member not in value:
            return path, "tag"
        tag = value[tags.member]
        arm = tags.arms.get(tag, tags.rest) if isinstance(tag, str) else None
        if arm is None:
            return (*path, tags.member), "tag"
        inside = [r for r in records if len(r.steps) > union.step and r.steps[union.step] == arm]
        start = _Place(arms[arm], arms[arm], union.step + 1, len(path))
        return self.first(inside, start) if inside else (path, "choice")

    def _untagged_rule(self, arms: list[Any]) -> str:
        """A choice of consts is an enum; with an arm that takes any string, an open one that only a type can break."""
        others = [arm for arm in arms if "const" not in arm]
        if not others:
            return "const"
        return "type" if others == [{"type": "string"}] and len(arms) > 1 else "choice"

    def _spot(self, record: Record, start: _Place) -> _Spot:
        at = start
        while at.step < len(record.steps):
            moved = self._move(record, at)
            if isinstance(moved, _Spot):
                return moved
            at = moved
        return _Spot((*at.key, (_TYPE,)), record.path[: at.depth], _RULES.get(record.keyword, record.keyword))

    def _move(self, record: Record, at: _Place) -> _Place | _Spot:
        """Follows the next keyword of the record: into a member, an item or a branch, or to the end."""
        word = record.steps[at.step]
        layer = self._holder(at.layer, word)
        here = at._replace(layer=layer)
        if word == "allOf":
            return here._replace(layer=layer[word][record.steps[at.step + 1]], step=at.step + 2)
        if word in ("properties", "patternProperties", "prefixItems"):
            return self._named(record, here, str(word))
        if word in ("additionalProperties", "items"):
            return self._rest(record, here, str(word))
        if word in ("then", "else", "dependentSchemas"):
            return self._condition(record, here, str(word))
        return self._end(record, here, str(word))

    def _named(self, record: Record, at: _Place, word: str) -> _Place:
        name = record.steps[at.step + 1]
        value = at.layer[word][name]
        match word:
            case "properties":
                part: Key = (_DECLARED, self._declared(at.scope).index(str(name)), self._layer_index(at))
            case "patternProperties":
                order = list(at.layer[word]).index(name)
                part = (_OTHER, self._layer_index(at), 1, record.path[at.depth], order)
            case _:
                part = (_DECLARED, record.path[at.depth])
        return _Place(value, value, at.step + 2, at.depth + 1, (*at.key, part))

    def _rest(self, record: Record, at: _Place, word: str) -> _Place | _Spot:
        last = at.step == len(record.steps) - 1
        blamed = bool(record.names) and last
        name = record.names[0] if blamed else record.path[at.depth]
        part: Key = (_DECLARED, name) if word == "items" else (_OTHER, self._layer_index(at), 1, name)
        if blamed:
            return _Spot((*at.key, part), (*record.path[: at.depth], name), _RULES[word])
        value = at.layer[word]
        return _Place(value, value, at.step + 1, at.depth + 1, (*at.key, part))

    def _condition(self, record: Record, at: _Place, word: str) -> _Place:
        branch, step = at.layer[word], at.step + 1
        if word == "dependentSchemas":
            branch, step = branch[record.steps[step]], step + 1
        part = (_CONDITION, self._layer_index(at), 1 if word == "dependentSchemas" else 2)
        return _Place(branch, branch, step, at.depth, (*at.key, part))

    def _end(self, record: Record, at: _Place, word: str) -> _Spot:
        path, index = record.path[: at.depth], self._layer_index(at)
        rule = _RULES.get(word, word)
        if word in ("anyOf", "oneOf"):
            inside = at._replace(layer=at.layer[word], step=at.step + 1)
            return _Spot((*at.key, (_UNION, index, word)), path, rule, inside)
        if word == "propertyNames":
            return _Spot((*at.key, (_OTHER, index, 0, record.names[0])), (*path, record.names[0]), rule)
        if word.startswith("unevaluated"):
            name = record.names[0] if record.names else record.path[at.depth]
            return _Spot((*at.key, (_UNEVALUATED, index, name)), (*path, name), rule)
        if word == "not" and at.layer["not"] == {}:
            # A false schema, rewritten: nothing is lawful here, which is a type with no kinds.
            return _Spot((*at.key, (_TYPE,)), path, "type")
        return _Spot((*at.key, (_PHASES.get(word, _SCALAR),)), path, rule)

    # Layers: a schema's $ref, then each branch of its allOf, then itself.

    def _layers(self, schema: Any, seen: tuple[int, ...] = ()) -> list[Any]:
        if not isinstance(schema, dict) or id(schema) in seen:
            return [schema]
        inside = (*seen, id(schema))
        first = self._layers(self._target(schema["$ref"]), inside) if "$ref" in schema else []
        return [*first, *(x for branch in schema.get("allOf", ()) for x in self._layers(branch, inside)), schema]

    def _layer_index(self, at: _Place) -> int:
        return next((i for i, layer in enumerate(self._layers(at.scope)) if layer is at.layer), 0)

    def _declared(self, schema: Any) -> list[str]:
        layers = (layer for layer in self._layers(schema) if isinstance(layer, dict))
        return list(dict.fromkeys(name for layer in layers for name in layer.get("properties", {})))

    def _holder(self, layer: Any, word: str | int) -> Any:
        # Paths leave $ref out, so the keyword may stand behind one or several of them.
        while word not in layer and "$ref" in layer:
            layer = self._target(layer["$ref"])
        return layer

    def _target(self, ref: str) -> Any:
        steps = (step.replace("~1", "/").replace("~0", "~") for step in ref.split("/")[1:])
        return functools.reduce(lambda node, step: node[step], steps, self._root)

    # Tags: the one member that every arm requires, with a different string const each, and perhaps an arm of the rest.

    def _tags(self, arms: list[Any]) -> _Tags | None:
        found = [self._tag_members(arm) for arm in arms]
        for member in found[0]:
            values = [tags.get(member) for tags in found]
            known = {value: i for i, value in enumerate(values) if isinstance(value, str)}
            rests = [i for i, value in enumerate(values) if isinstance(value, frozenset)]
            if len(known) + len(rests) != len(arms) or not known or len(rests) > 1:
                continue
            if rests and values[rests[0]] != frozenset(known):
                continue
            return _Tags(member, known, rests[0] if rests else None)
        return None

    def _tag_members(self, arm: Any) -> dict[str, str | frozenset[str]]:
        layers = [layer for layer in self._layers(arm) if isinstance(layer, dict)]
        if not any(layer.get("type") == "object" for layer in layers):
            return {}
        required = {name for layer in layers for name in layer.get("required", ())}
        members = ((name, s) for layer in layers for name, s in layer.get("properties", {}).items())
        tags = ((name, _tag_value(schema)) for name, schema in members if name in required)
        return {name: tag for name, tag in tags if tag is not None}


def _tag_value(schema: Any) -> str | frozenset[str] | None:
    """The one string that a member may be, or the strings that it may not be, or None when it is no tag."""
    if not isinstance(schema, dict):
        return None
    one = schema["const"] if "const" in schema else _only(schema.get("enum"))
    if isinstance(one, str):
        return one
    others = schema.get("not")
    if schema.get("type") == "string" and isinstance(others, dict) and others.keys() & {"enum", "const"}:
        names = others.get("enum", [others.get("const")])
        return frozenset(names) if all(isinstance(name, str) for name in names) else None
    return None


def _only(values: list[Any] | None) -> Any:
    return values[0] if values is not None and len(values) == 1 else None
