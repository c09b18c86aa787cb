"""Records: data classes that know their JSON, with a codec as companion."""

import msgspec

from turnwire_codegen.emit.kotlin.names import member_names, type_name, unbarred
from turnwire_codegen.emit.kotlin.scope import Scope
from turnwire_codegen.emit.kotlin.text import comment, deprecated, quoted
from turnwire_codegen.emit.kotlin.types import Symbol, const_codec, is_nullable, literal, non_null, symbol_of
from turnwire_codegen.emit.remarks import deprecation, remarks
from turnwire_codegen.ir import AnyValue, Const, Field, Record, TypeNode

__all__ = ["ConstantView", "PropertyView", "RecordView", "record_view"]


class PropertyView(msgspec.Struct, frozen=True):
    """A parameter of the constructor, with its comment."""

    line: str
    doc: tuple[str, ...]


class ConstantView(msgspec.Struct, frozen=True, kw_only=True):
    """A member that has one value: nobody gives it, everybody can read it."""

    name: str
    type: str
    value: str
    doc: tuple[str, ...]


class RecordView(msgspec.Struct, frozen=True, kw_only=True):
    """A class: how it is declared, what it writes and reads, each as lines; `bare` when nothing is to be given."""

    name: str
    doc: tuple[str, ...]
    interfaces: str
    properties: tuple[PropertyView, ...]
    constants: tuple[ConstantView, ...]
    writes: tuple[str, ...]
    checks: tuple[str, ...]
    reads: tuple[str, ...]
    bare: bool
    hash: str


def record_view(record: Record, scope: Scope) -> RecordView:
    """The class of a record; what its package must have besides goes to the scope."""
    rest = _rest(record)
    names = member_names((field.wire for field in record.fields), () if rest is None else (rest.name,))
    fixed = [field for field in record.fields if field.required and isinstance(field.type, Const)]
    free = [field for field in record.fields if field not in fixed]
    members = [_member(field, unbarred(names[field.wire]), scope) for field in free]
    writes = [f".put({quoted(field.wire)}, {unbarred(names[field.wire])}, {_scalar(field)})" for field in fixed]
    writes += [member.writes for member in members]
    checks = [f"members.need({quoted(field.wire)}, {_codec(field, scope)})" for field in fixed]
    reads = [member.reads for member in members]
    properties = [member.property for member in members]
    declared = f"setOf({', '.join(quoted(field.wire) for field in record.fields)})" if record.fields else "emptySet()"
    if rest is not None:
        others = _used(symbol_of(rest.type, scope.known), scope)
        doc = comment(rest.doc, indent=4)
        visible = "override" if rest.name == "undeclared" else "public"
        properties.append(PropertyView(f"{visible} val {rest.name}: Map<String, {others.text}> = emptyMap(),", doc))
        # What is declared has the last word.
        writes.insert(0, f".putAll({rest.name}, {others.codec})")
        reads.append(f"{rest.name} = members.others({declared}, {others.codec}),")
    elif record.closed:
        checks.append(f"members.close({declared})")
    return RecordView(
        name=type_name(record.name),
        doc=(
            *comment(record.doc, remarks(record.notes), deprecation(record.notes), indent=0),
            *deprecated(deprecation(record.notes)),
        ),
        interfaces=scope.interfaces(record.name) + (", KeepsUndeclared" if rest and rest.name == "undeclared" else ""),
        properties=tuple(properties),
        constants=tuple(_constant(field, unbarred(names[field.wire]), scope) for field in fixed),
        writes=tuple(writes),
        checks=tuple(checks),
        reads=tuple(reads),
        bare=not properties,
        hash=quoted(record.name),
    )


class _Rest(msgspec.Struct, frozen=True):
    """The property that holds the members without a property of their own."""

    name: str
    type: TypeNode
    doc: str


def _rest(record: Record) -> _Rest | None:
    if record.extra is not None:
        return _Rest("extra", record.extra, "The members that have no property of their own.")
    if record.keeps:
        return _Rest("undeclared", AnyValue(), "The members that the schema does not declare.")
    return None


class _Member(msgspec.Struct, frozen=True, kw_only=True):
    property: PropertyView
    writes: str
    reads: str


def _member(field: Field, name: str, scope: Scope) -> _Member:
    """The four kinds of members: required or not, nullable or not."""
    wire, nullable = quoted(field.wire), is_nullable(field.type, scope.known)
    node = field.type if field.required else non_null(field.type, scope.known)
    symbol = _used(symbol_of(node, scope.known), scope)
    if field.required:
        declared, write, read = symbol.text, "put", "need"
    elif nullable:
        declared, write, read = f"Presence<{symbol.text}> = Presence.Absent", "putPresent", "presence"
    else:
        declared, write, read = f"{symbol.text}? = null", "putPresent", "find"
    old = deprecation(field.notes)
    doc = comment(field.doc, remarks(field.notes, field.default), old, indent=4)
    return _Member(
        property=PropertyView(f"public val {name}: {declared},", (*doc, *deprecated(old))),
        writes=f".{write}({wire}, {name}, {symbol.codec})",
        reads=f"{name} = members.{read}({wire}, {symbol.codec}),",
    )


def _constant(field: Field, name: str, scope: Scope) -> ConstantView:
    assert isinstance(field.type, Const), "only a const has one value"
    return ConstantView(
        name=name,
        type=symbol_of(field.type, scope.known).text,
        value=literal(field.type.value),
        doc=comment(field.doc, remarks(field.notes), indent=4),
    )


def _scalar(field: Field) -> str:
    """The codec of the value that a const has."""
    assert isinstance(field.type, Const), "only a const has one value"
    return const_codec(field.type.value)


def _codec(field: Field, scope: Scope) -> str:
    return symbol_of(field.type, scope.known).codec


def _used(symbol: Symbol, scope: Scope) -> Symbol:
    scope.arities.update(symbol.arities)
    return symbol
