"""Unions and enums as enumerations: an arm is a case with its value, and what nobody knows is kept as it came."""

from typing import Any

import msgspec

from turnwire_codegen.emit.remarks import deprecation, remarks
from turnwire_codegen.emit.swift.held import held
from turnwire_codegen.emit.swift.names import case_names
from turnwire_codegen.emit.swift.records import PropertyView
from turnwire_codegen.emit.swift.shared import SharedView, shared_views
from turnwire_codegen.emit.swift.text import comment, json_literal, json_pattern, quoted
from turnwire_codegen.emit.swift.types import Scope, type_text
from turnwire_codegen.ir import (
    AnyValue,
    ByField,
    Case,
    Const,
    Enum,
    ListOf,
    MapOf,
    Nullable,
    Ref,
    Scalar,
    TupleOf,
    TypeNode,
    Union,
    Variant,
)
from turnwire_codegen.words import pascal

__all__ = ["EnumView", "enum_view", "union_view"]

_UNKNOWN = "unknown"
_KINDS = {"boolean": "bool", "integer": "integer", "null": "null", "number": "number", "string": "string"}


class EnumView(msgspec.Struct, frozen=True, kw_only=True):
    """An enumeration. `raw` are raw values that are written out, as whole lines; `reads` and `writes` two bodies."""

    head: str
    doc: tuple[str, ...]
    cases: tuple[PropertyView, ...]
    shared: tuple[SharedView, ...] = ()
    raw: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()


def union_view(union: Union, scope: Scope) -> EnumView:
    """The enumeration of a union."""
    words = _told_apart([_word(variant, union) for variant in union.variants])
    names = case_names(dict.fromkeys(words, ""), *([_UNKNOWN] if union.open else []))
    cases, writes = [], []
    for word, variant in zip(words, union.variants, strict=True):
        name = names[word]
        if isinstance(variant.type, Const):
            cases.append(PropertyView(f"case {name}", ()))
            writes.append(f"case .{name}: {json_literal(variant.type.value)}.write(to: &writer)")
        else:
            cases.append(PropertyView(f"case {name}({type_text(variant.type, scope)})", ()))
            writes.append(f"case let .{name}(value): value.write(to: &writer)")
    if union.open:
        doc = comment("An arm that this version does not know, with all its members.", indent=4)
        cases.append(PropertyView(f"case {_UNKNOWN}(JSONObject)", doc))
        writes.append(f"case let .{_UNKNOWN}(value): value.write(to: &writer)")
    arms = [(variant, names[word]) for word, variant in zip(words, union.variants, strict=True)]
    reads = _by_tag(union, union.tagging.wire, arms, scope) if isinstance(union.tagging, ByField) else None
    return EnumView(
        head=f"indirect enum {scope.names[union.name]}: JSONRepresentable",
        doc=comment(union.doc, remarks(union.notes), deprecation(union.notes), indent=0),
        cases=tuple(cases),
        shared=shared_views(
            union, {variant.type.name: name for variant, name in arms if isinstance(variant.type, Ref)}, scope
        ),
        reads=tuple(reads if reads is not None else _by_trial(arms, scope)),
        writes=("switch self {", *writes, "}"),
    )


def enum_view(enum: Enum, scope: Scope) -> EnumView:
    """The enumeration of an enum: strings are its raw values, of other values it keeps a list."""
    cases = {json_literal(case.value): case for case in enum.cases}
    words = _told_apart([_spelled(case.value) for case in cases.values()])
    given = {word: case.name for word, case in zip(words, cases.values(), strict=True)}
    names = case_names(given, *([_UNKNOWN] if enum.open else []))
    listed = [(names[word], case) for word, case in zip(words, cases.values(), strict=True)]
    name, doc = scope.names[enum.name], comment(enum.doc, remarks(enum.notes), deprecation(enum.notes), indent=0)
    plain = all(isinstance(case.value, str) and case.value.isascii() for case in enum.cases)
    if plain and not enum.open:
        views = tuple(
            PropertyView(f"case {case} = {quoted(str(found.value))}", _case_doc(found)) for case, found in listed
        )
        return EnumView(head=f"enum {name}: String, JSONRepresentable, CaseIterable", doc=doc, cases=views)
    views = tuple(PropertyView(f"case {case}", _case_doc(found)) for case, found in listed)
    if plain or (enum.open and all(isinstance(case.value, str) for case in enum.cases)):
        return _open_enum(name, doc, views, [(case, quoted(str(found.value))) for case, found in listed])
    return _valued_enum(enum, name, doc, views, [(case, found.value) for case, found in listed])


def _open_enum(
    name: str, doc: tuple[str, ...], cases: tuple[PropertyView, ...], values: list[tuple[str, str]]
) -> EnumView:
    said = comment("A value that this version does not know, as it came.", indent=4)
    return EnumView(
        head=f"enum {name}: RawRepresentable, JSONRepresentable",
        doc=doc,
        cases=(*cases, PropertyView(f"case {_UNKNOWN}(String)", said)),
        raw=(
            "    public init(rawValue: String) {",
            "        switch JSONName(rawValue) {",
            *(f"        case {text}: self = .{case}" for case, text in values),
            f"        default: self = .{_UNKNOWN}(rawValue)",
            "        }",
            "    }",
            "",
            "    public var rawValue: String {",
            "        switch self {",
            *(f"        case .{case}: {text}" for case, text in values),
            f"        case let .{_UNKNOWN}(text): text",
            "        }",
            "    }",
        ),
    )


def _valued_enum(
    enum: Enum, name: str, doc: tuple[str, ...], cases: tuple[PropertyView, ...], values: list[tuple[str, Any]]
) -> EnumView:
    reads = ["switch json {", *(f"case {json_pattern(value)}: self = .{case}" for case, value in values)]
    writes = [f"case .{case}: {json_literal(value)}.write(to: &writer)" for case, value in values]
    if enum.open:
        said = comment("A value that this version does not know, as it came.", indent=4)
        cases = (*cases, PropertyView(f"case {_UNKNOWN}(JSONValue)", said))
        reads.append(f"default: self = .{_UNKNOWN}(json)")
        writes.append(f"case let .{_UNKNOWN}(value): value.write(to: &writer)")
    else:
        reads.append('default: throw JSONFault(rule: "const")')
    return EnumView(
        head=f"enum {name}: JSONRepresentable{'' if enum.open else ', CaseIterable'}",
        doc=doc,
        cases=cases,
        reads=(*reads, "}"),
        writes=("switch self {", *writes, "}"),
    )


def _by_tag(union: Union, wire: str, arms: list[tuple[Variant, str]], scope: Scope) -> list[str]:
    text = all(isinstance(variant.tag, str) for variant, _ in arms)
    call = "textTag" if text else "tag"
    reads = [f"switch try json.{call}({quoted(wire)}) {{"]
    for variant, name in arms:
        pattern = quoted(str(variant.tag)) if text else json_pattern(variant.tag)
        reads.append(f"case {pattern}: self = {_made(variant, name, 'json', scope)}")
    if union.open:
        reads.append(f"default: self = .{_UNKNOWN}(json.asObject)")
    else:
        reads.append(f'default: throw JSONFault(rule: "tag").under({quoted(wire)})')
    return [*reads, "}"]


def _by_trial(arms: list[tuple[Variant, str]], scope: Scope) -> list[str]:
    return [
        "var choice = JSONChoice<Self>(json)",
        *(f"choice.consider {{ {_considered(variant, name, scope)} }}" for variant, name in arms),
        "self = try choice.best()",
    ]


def _considered(variant: Variant, name: str, scope: Scope) -> str:
    rules, made = held(variant.type, scope), _made(variant, name, "$0", scope)
    return made if rules is None else f"try $0.obey({rules}); return {made}"


def _made(variant: Variant, name: str, value: str, scope: Scope) -> str:
    if isinstance(variant.type, Const):
        return f".{name}"
    text = type_text(variant.type, scope)
    return f".{name}(try {f'({text})' if text.endswith('?') else text}(json: {value}))"


def _told_apart(words: list[str]) -> list[str]:
    """The words of several cases; those that would share one keep apart by their place."""
    return [word if words.index(word) == at else f"{word} {at + 1}" for at, word in enumerate(words)]


def _word(variant: Variant, union: Union) -> str:
    """What an arm is called: by its tag, else by its type."""
    if variant.tag is not None:
        return _spelled(variant.tag)
    return _kind(variant.type, union.name)


def _kind(node: TypeNode, owner: str) -> str:
    match node:
        case Ref(name=name):
            return name.removeprefix(owner) or name
        case Scalar(kind=kind):
            return _KINDS[kind]
        case Const(value=value):
            return _spelled(value)
        case ListOf():
            return "list"
        case MapOf():
            return "map"
        case TupleOf():
            return "tuple"
        case Nullable(of=of):
            return f"optional {pascal(_kind(of, owner))}"
        case AnyValue():
            return "any"


def _spelled(value: str | float | bool | None) -> str:  # noqa: FBT001 -- a value of the schema, not an option
    match value:
        case str():
            return value
        case None:
            return "null"
        case bool():
            return "isTrue" if value else "isFalse"
        case _:
            # Nobody reads a sign or a point in a name.
            return f"value {str(value).replace('-', 'minus ').replace('.', ' point ')}"


def _case_doc(case: Case) -> tuple[str, ...]:
    return comment(case.doc, remarks(case.notes), deprecation(case.notes), indent=4)
