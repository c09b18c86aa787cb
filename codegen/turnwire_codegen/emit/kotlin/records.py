"""Records: data classes that know their JSON, with a codec as companion."""

import msgspec

from turnwire_codegen.emit.kotlin.names import member_names, type_name, unbarred
from turnwire_codegen.emit.kotlin.scope import Scope
from turnwire_codegen.emit.kotlin.text import comment, deprecated, quoted
from turnwire_codegen.emit.kotlin.types import const_codec, is_nullable, literal, non_null, symbol_of
from turnwire_codegen.emit.remarks import deprecation, remarks
from turnwire_codegen.ir import AnyValue, Const, Field, Record, TypeNode

__all__ = ["ConstantView", "PropertyView", "RecordView", "record_view"]


class PropertyView(msgspec.Struct, frozen=True):
    """A parameter of the constructor, with its comment."""

    line: str
    doc: tuple[str, ...]


class ConstantView(msgspec.Struct, frozen=True, kw_only=True):
    """A member that nobody gives and everybody can read: it has one value, or is looked up."""

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


# A method of the JVM takes 255 words, of which a Long is two; a constructor with defaults takes some more.
_MOST_PROPERTIES = 100


def record_view(record: Record, scope: Scope) -> RecordView:
    """The class of a record; what its package must have besides goes to the scope."""
    return _class(record, scope) if len(record.fields) <= _MOST_PROPERTIES else _window(record, scope)


def _class(record: Record, scope: Scope) -> RecordView:
    rest = _rest(record)
    names = member_names(_given(record), () if rest is None else (rest.name,))
    fixed = [field for field in record.fields if field.required and isinstance(field.type, Const)]
    free = [field for field in record.fields if field not in fixed]
    members = [_member(field, unbarred(names[field.wire]), scope) for field in free]
    writes = [f".put({quoted(field.wire)}, {unbarred(names[field.wire])}, {_scalar(field)})" for field in fixed]
    writes += [member.writes for member in members]
    checks = [f"members.need({quoted(field.wire)}, {_codec(field, scope)})" for field in fixed]
    reads = [member.reads for member in members]
    properties = [member.parameter for member in members]
    declared = _declared(record)
    if rest is not None:
        others = symbol_of(rest.type, scope)
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
        doc=_record_doc(record),
        interfaces=scope.interfaces(record.name) + (", KeepsUndeclared" if rest and rest.name == "undeclared" else ""),
        properties=tuple(properties),
        constants=tuple(_constant(field, unbarred(names[field.wire]), scope) for field in fixed),
        writes=tuple(writes),
        checks=tuple(checks),
        reads=tuple(reads),
        bare=not properties,
        hash=quoted(record.name),
    )


def _window(record: Record, scope: Scope) -> RecordView:
    """A record of more members than a constructor can take: a window on its JSON, checked when it is read."""
    names = member_names(_given(record), ("json",))
    members = [_member(field, unbarred(names[field.wire]), scope) for field in record.fields]
    checks = [f"members.{member.call}" for member in members]
    if record.closed:
        checks.append(f"members.close({_declared(record)})")
    doc = comment("All members, as they came; a constructor cannot take so many.", indent=4)
    return RecordView(
        name=type_name(record.name),
        doc=_record_doc(record),
        interfaces=scope.interfaces(record.name),
        properties=(PropertyView("public val json: JsonObject,", doc),),
        constants=tuple(
            ConstantView(name=member.name, type=member.type, value=f"MembersIn(json).{member.call}", doc=member.doc)
            for member in members
        ),
        writes=(".putAll(json, AnyCodec)",),
        checks=tuple(checks),
        reads=("json = json as JsonObject,",),
        bare=False,
        hash=quoted(record.name),
    )


def _record_doc(record: Record) -> tuple[str, ...]:
    old = deprecation(record.notes)
    return (*comment(record.doc, remarks(record.notes), old, indent=0), *deprecated(old))


def _given(record: Record) -> dict[str, str]:
    """What the user calls each member."""
    return {field.wire: field.name for field in record.fields}


def _declared(record: Record) -> str:
    return f"setOf({', '.join(quoted(field.wire) for field in record.fields)})" if record.fields else "emptySet()"


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
    """A member of a class. `type` and `default` are those of its property, `call` is what reads it."""

    name: str
    type: str
    default: str
    doc: tuple[str, ...]
    writes: str
    call: str

    @property
    def parameter(self) -> PropertyView:
        return PropertyView(f"public val {self.name}: {self.type}{self.default},", self.doc)

    @property
    def reads(self) -> str:
        return f"{self.name} = members.{self.call},"


def _member(field: Field, name: str, scope: Scope) -> _Member:
    """The four kinds of members: required or not, nullable or not."""
    wire, nullable = quoted(field.wire), is_nullable(field.type, scope.known)
    node = field.type if field.required else non_null(field.type, scope.known)
    symbol = symbol_of(node, scope)
    if field.required:
        text, default, write, read = symbol.text, "", "put", "need"
    elif nullable:
        text, default, write, read = f"Presence<{symbol.text}>", " = Presence.Absent", "putPresent", "presence"
    else:
        text, default, write, read = f"{symbol.text}?", " = null", "putPresent", "find"
    old = deprecation(field.notes)
    return _Member(
        name=name,
        type=text,
        default=default,
        doc=(*comment(field.doc, remarks(field.notes, field.default), old, indent=4), *deprecated(old)),
        writes=f".{write}({wire}, {name}, {symbol.codec})",
        call=f"{read}({wire}, {symbol.codec})",
    )


def _constant(field: Field, name: str, scope: Scope) -> ConstantView:
    assert isinstance(field.type, Const), "only a const has one value"
    return ConstantView(
        name=name,
        type=symbol_of(field.type, scope).text,
        value=literal(field.type.value),
        doc=comment(field.doc, remarks(field.notes), indent=4),
    )


def _scalar(field: Field) -> str:
    """The codec of the value that a const has."""
    assert isinstance(field.type, Const), "only a const has one value"
    return const_codec(field.type.value)


def _codec(field: Field, scope: Scope) -> str:
    return symbol_of(field.type, scope).codec
