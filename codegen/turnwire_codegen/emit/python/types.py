"""One match from the IR's types to Python annotations that msgspec can build a decoder for."""

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from turnwire_codegen import rules
from turnwire_codegen.emit.python.names import class_name, lone_name
from turnwire_codegen.emit.python.text import quoted
from turnwire_codegen.ir import AnyValue, Const, ListOf, MapOf, Nullable, Ref, Scalar, TupleOf, TypeNode
from turnwire_codegen.patterns import parse, to_python

__all__ = ["Home", "Symbol", "annotation", "is_held", "literal"]


class Symbol(msgspec.Struct, frozen=True):
    """A piece of an annotation with what it needs: `imports` are (module, name), name "" for the module itself."""

    text: str
    imports: frozenset[tuple[str, str]] = frozenset()


class Home(msgspec.Struct, frozen=True):
    """Where a module stands: `modules` says where each definition lives, `lazy` which modules import this one back.

    `lone` are arms that are also used outside of their union, where their tag must be there all the same.
    """

    module: str
    modules: Mapping[str, str]
    lazy: frozenset[str]
    lone: frozenset[str] = frozenset()


_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_TYPING = "typing"
_MSGSPEC = "msgspec"


def annotation(node: TypeNode, home: Home) -> Symbol:
    """The annotation of `node` as a module at `home` says it."""
    match node:
        case Scalar(kind, bound):
            # A whole number is a multiple of every fraction that could be held, and has no words for it.
            said = tuple(rule for rule in bound if not (kind == "integer" and _steps_by_fraction(rule)))
            return _constrained(Symbol(_SCALARS[kind]), said)
        case Const(value):
            return literal(value)
        case Ref(name, bound):
            return _constrained(_reference(name, home), bound)
        case ListOf(item, bound):
            return _constrained(_wrap("list[{}]", annotation(item, home)), bound)
        case TupleOf(items, rest):
            return _tuple(items, rest, home)
        case MapOf(value, bound):
            return _constrained(_wrap("dict[str, {}]", annotation(value, home)), bound)
        case Nullable(of):
            return _wrap("{} | None", annotation(of, home))
        case AnyValue():
            # To checkers it is what has to be looked at first; msgspec takes anything for it, as it is.
            return Symbol("object")


def literal(*values: Any) -> Symbol:
    """A Literal of these values; a fraction has no Literal and widens to float."""
    if any(isinstance(value, float) for value in values):
        return Symbol("float")
    text = ", ".join(repr(value) if not isinstance(value, str) else quoted(value) for value in values)
    return Symbol(f"Literal[{text}]", frozenset({(_TYPING, "Literal")}))


def is_held(rule: rules.Rule) -> bool:
    """Whether msgspec can hold a rule as the validators do: 64 bits, and multiples by which division is exact."""
    match rule:
        case rules.Bound(low, high, above, below):
            return all(value is None or _fits(value) for value in (low, high, above, below))
        case rules.Multiple(of):
            # It looks at the rest of a division: of 0.5 by 0.1 there is one, though the quotient of the two is 5.
            return _fits(of) if isinstance(of, int) else math.frexp(of)[0] == 0.5
    return not isinstance(rule, rules.Format | rules.Unique)


def _reference(name: str, home: Home) -> Symbol:
    module, spelled = home.modules[name], class_name(name)
    if name in home.lone:
        spelled = lone_name(name)
    if module == home.module:
        return Symbol(spelled)
    if module in home.lazy:
        # The two modules import each other, so neither can take a name out of the other while it is being made.
        return Symbol(f"_{module}.{spelled}", frozenset({(f".{module}", "")}))
    return Symbol(spelled, frozenset({(f".{module}", spelled)}))


def _wrap(form: str, inner: Symbol) -> Symbol:
    return Symbol(form.format(inner.text), inner.imports)


def _tuple(items: tuple[TypeNode, ...], rest: TypeNode | None, home: Home) -> Symbol:
    if rest is not None:
        # Only a uniform tail has a tuple of its own; head and tail together are a list for the types.
        return Symbol("list[object]")
    parts = [annotation(item, home) for item in items]
    imports = frozenset().union(*(part.imports for part in parts))
    return Symbol(f"tuple[{', '.join(part.text for part in parts) or '()'}]", imports)


def _constrained(base: Symbol, bound: tuple[rules.Rule, ...]) -> Symbol:
    arguments = [argument for rule in bound for argument in _meta(rule)]
    if not arguments:
        return base
    needed = frozenset({(_TYPING, "Annotated"), (_MSGSPEC, "Meta")})
    return Symbol(f"Annotated[{base.text}, Meta({', '.join(arguments)})]", base.imports | needed)


def _meta(rule: rules.Rule) -> list[str]:
    """What msgspec can hold of a rule. The rest is for validators: formats, unique items, bounds beyond 64 bits."""
    match rule:
        case rules.Bound(low, high, above, below):
            named = {"ge": low, "le": high, "gt": above, "lt": below}
            return [f"{name}={value!r}" for name, value in named.items() if value is not None and _fits(value)]
        case rules.Multiple(of) if is_held(rule):
            return [f"multiple_of={of!r}"]
        case rules.Length(low, high) | rules.Count(_, low, high):
            named = {"min_length": low or None, "max_length": high}
            return [f"{name}={value!r}" for name, value in named.items() if value is not None]
        case rules.Pattern(source):
            # ECMA's expressions mean other things to Python, so they are printed anew.
            return [f"pattern={quoted(to_python(parse(source)))}"]
        case _:
            return []


def _steps_by_fraction(rule: rules.Rule) -> bool:
    return isinstance(rule, rules.Multiple) and isinstance(rule.of, float)


def _fits(value: float) -> bool:
    return isinstance(value, float) or -(2**63) <= value < 2**63
