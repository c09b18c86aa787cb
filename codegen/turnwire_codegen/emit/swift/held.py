"""The rules that a type holds beside its kind: each list of them is a constant, named by what it says."""

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence

from turnwire_codegen import rules
from turnwire_codegen.emit.swift.conditions import format_name, json_value, pattern_tree
from turnwire_codegen.emit.swift.types import Scope
from turnwire_codegen.ir import Alias, Const, ListOf, MapOf, Nullable, Ref, Scalar, TypeNode
from turnwire_codegen.patterns import parse
from turnwire_codegen.words import camel

__all__ = ["held", "held_argument"]

# A longer name says less than its digest.
_NAME = 60


def held(node: TypeNode, scope: Scope) -> str | None:
    """The constant with the rules of a place where a value of this type stands; None where there are none."""
    said = list(_said(node, scope))
    if not said:
        return None
    text = f"[{', '.join(said)}]"
    name = _name(said)
    scope.rules[name] = text
    return f"Rules.{name}"


def held_argument(node: TypeNode, scope: Scope) -> str:
    """The same as one more argument of a call."""
    name = held(node, scope)
    return "" if name is None else f", {name}"


def _said(node: TypeNode, scope: Scope) -> Iterator[str]:
    match node:
        case Scalar(rules=bound):
            yield from _printed(bound)
        case Const(value=value):
            yield f".only([{json_value(value)}])"
        case Nullable(of=Const(value=value)):
            yield f".only([{json_value(value)}, JSONValue.null])"
        case Nullable(of=of):
            yield from _said(of, scope)
        case Ref(name=name, rules=bound):
            target = scope.known[name]
            if isinstance(target, Alias) and name not in scope.wrapped:
                yield from _said(target.type, scope)
            yield from _printed(bound)
        case ListOf(item=item, rules=bound):
            yield from _printed(bound)
            yield from _inner("items", _said(item, scope))
        case MapOf(value=value, rules=bound):
            yield from _printed(bound)
            yield from _inner("values", _said(value, scope))


def _inner(word: str, said: Iterable[str]) -> Iterator[str]:
    inside = ", ".join(said)
    if inside:
        yield f".{word}([{inside}])"


def _printed(bound: Sequence[rules.Rule]) -> Iterator[str]:
    for rule in bound:
        match rule:
            case rules.Bound(min=least, max=most, above=above, below=below):
                limits = {"min": least, "max": most, "above": above, "below": below}
                yield from (f".{way}({json_value(limit)})" for way, limit in limits.items() if limit is not None)
            case rules.Multiple(of=of):
                yield f".multiple({json_value(of)})"
            case rules.Length(min=least, max=most):
                yield f".length({_range(least, most)})"
            case rules.Count(min=least, max=most):
                yield f".count({_range(least, most)})"
            case rules.Pattern(source=source):
                yield f".pattern(JSONPattern({pattern_tree(parse(source))}))"
            case rules.Format(name=name) if name in rules.FORMATS:
                yield f".format(.{format_name(name)})"
            case rules.Unique():
                yield ".unique"
            case _:
                # What looks at members and arms is the validators' part.
                continue


def _range(least: int, most: int | None) -> str:
    return f"{least}, {'nil' if most is None else most}"


def _name(said: list[str]) -> str:
    """`[.length(1, 160)]` is `length1To160`."""
    text = (
        " ".join(said)
        .replace("JSONValue", "")
        .replace(", nil", " or more")
        .replace(", ", " to ")
        .replace("-", " minus ")
    )
    name = camel(re.sub(r"[^A-Za-z0-9]+", " ", text))
    if "pattern" in name or "only" in name or len(name) > _NAME:
        return f"rules{zlib.crc32(' '.join(said).encode('utf-8', 'surrogatepass')):08x}"
    return name
