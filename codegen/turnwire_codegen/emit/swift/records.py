"""Records as structures: properties, an initializer, reading in the order of code points, writing in RFC 8785's."""

import msgspec

from turnwire_codegen.emit.remarks import deprecation, remarks
from turnwire_codegen.emit.swift.held import held, held_argument
from turnwire_codegen.emit.swift.names import member_names
from turnwire_codegen.emit.swift.text import comment, json_literal, quoted
from turnwire_codegen.emit.swift.types import Scope, constant, nullable_part, type_text
from turnwire_codegen.ir import Alias, AnyValue, Const, Field, Record, TupleOf, TypeNode

__all__ = ["PropertyView", "StructView", "property_names", "record_view", "tuple_view", "wrapper_view"]

# What the functions of a structure call what is theirs; a member of such a name is told from it.
_LOCALS = frozenset({"json", "members", "start", "writer"})


class PropertyView(msgspec.Struct, frozen=True):
    """A property with its comment."""

    line: str
    doc: tuple[str, ...]


class _Rest(msgspec.Struct, frozen=True):
    """The property for members that have none of their own; they are data of the schema, or what it does not know."""

    name: str
    type: TypeNode
    doc: str
    way: str


class StructView(msgspec.Struct, frozen=True, kw_only=True):
    """A structure; `parameters` are those of its initializer, one a line."""

    name: str
    doc: tuple[str, ...]
    properties: tuple[PropertyView, ...]
    parameters: tuple[str, ...]
    assignments: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]


class _Member(msgspec.Struct, frozen=True, kw_only=True):
    """One member in every part that it has; a required constant has no place in the initializer."""

    wire: str
    property: PropertyView
    parameter: str | None
    assignment: str | None
    read: str
    write: str


def property_names(record: Record) -> dict[str, str]:
    """Wire name to property."""
    rest = _rest(record)
    return member_names({field.wire: field.name for field in record.fields}, *([rest.name] if rest else []))


def record_view(record: Record, scope: Scope) -> StructView:
    """The structure of a record."""
    rest = _rest(record)
    names = property_names(record)
    members = [_member(record, field, names[field.wire], scope) for field in record.fields]
    # An argument that may be left out stands behind those that may not.
    needed = [member for field, member in zip(record.fields, members, strict=True) if field.required]
    given = needed + [member for member in members if member not in needed]
    parameters = [member.parameter for member in given if member.parameter]
    properties = [member.property for member in members]
    assignments = [member.assignment for member in given if member.assignment]
    if rest is not None:
        text = f"JSONMap<{type_text(rest.type, scope)}>"
        properties.append(PropertyView(f"public var {rest.name}: {text}", comment(rest.doc, indent=4)))
        parameters.append(f"{rest.name}: {text} = [:]")
        assignments.append(f"self.{rest.name} = {rest.name}")
    return StructView(
        name=scope.names[record.name],
        doc=comment(record.doc, remarks(record.notes), deprecation(record.notes), indent=0),
        properties=tuple(properties),
        parameters=_listed(parameters),
        assignments=tuple(assignments),
        reads=tuple(_reads(record, members, rest, scope)),
        writes=tuple(_writes(members, rest)),
    )


def tuple_view(alias: Alias, node: TupleOf, scope: Scope) -> StructView:
    """A tuple: its items by number, from 0, and the rest."""
    places = [(f"item{index}", type_text(item, scope)) for index, item in enumerate(node.items)]
    reads = [f"let items = try JSONItems(json, first: {len(places)}, {_closed(node)})"]
    reads += [
        f"{name} = try items.item({index}{held_argument(item, scope)})"
        for index, ((name, _), item) in enumerate(zip(places, node.items, strict=True))
    ]
    writes = ["writer.beginArray()", *(f"{name}.write(to: &writer)" for name, _ in places)]
    if node.rest is not None:
        places.append(("rest", f"[{type_text(node.rest, scope)}]"))
        reads.append(f"rest = try items.rest({held(node.rest, scope) or ''})")
        writes.append("for item in rest { item.write(to: &writer) }")
    if not places:
        reads[0] = reads[0].replace("let items", "_")
    defaults = {"rest": " = []"}
    return StructView(
        name=scope.names[alias.name],
        doc=comment(alias.doc, remarks(alias.notes), deprecation(alias.notes), indent=0),
        properties=tuple(PropertyView(f"public var {name}: {text}", ()) for name, text in places),
        parameters=_listed([f"{name}: {text}{defaults.get(name, '')}" for name, text in places]),
        assignments=tuple(f"self.{name} = {name}" for name, _ in places),
        reads=tuple(reads),
        writes=(*writes, "writer.endArray()"),
    )


def wrapper_view(alias: Alias, scope: Scope) -> StructView:
    """A name for a type that holds itself: a structure around that type."""
    text = type_text(alias.type, scope)
    return StructView(
        name=scope.names[alias.name],
        doc=comment(alias.doc, remarks(alias.notes), deprecation(alias.notes), indent=0),
        properties=(PropertyView(f"public var value: {text}", ()),),
        parameters=_listed([f"value: {text}"]),
        assignments=("self.value = value",),
        reads=(*_obeyed(alias, scope), f"value = try {_parenthesized(text)}(json: json)"),
        writes=("value.write(to: &writer)",),
    )


def _obeyed(alias: Alias, scope: Scope) -> list[str]:
    name = held(alias.type, scope)
    return [] if name is None else [f"try json.obey({name})"]


def _closed(node: TupleOf) -> str:
    return "closed: true" if node.rest is None else "closed: false"


def _parenthesized(text: str) -> str:
    return f"({text})" if text.endswith("?") else text


def _listed(parameters: list[str]) -> tuple[str, ...]:
    """The parameters, each with its comma but for the last."""
    return tuple(f"{parameter}," for parameter in parameters[:-1]) + tuple(parameters[-1:])


def _rest(record: Record) -> _Rest | None:
    if record.extra is not None:
        return _Rest("extra", record.extra, "The members that have no property of their own.", "with")
    if record.keeps:
        return _Rest("undeclared", AnyValue(), "The members that the schema does not declare.", "keeping")
    return None


def _reads(record: Record, members: list[_Member], rest: _Rest | None, scope: Scope) -> list[str]:
    # UTF-8 keeps the order of code points, and so does Python's comparison.
    reads = [member.read for member in sorted(members, key=lambda member: member.wire)]
    if rest is not None:
        reads.append(f"{rest.name} = try members.rest({held(rest.type, scope) or ''})")
    opening = "var members = " if reads else "let members = " if record.closed else "_ = "
    return [f"{opening}try JSONMembers(json)", *reads, *(["try members.close()"] if record.closed else [])]


def _writes(members: list[_Member], rest: _Rest | None) -> list[str]:
    ordered = sorted(members, key=lambda member: member.wire.encode("utf-16-be", "surrogatepass"))
    lines = ["writer.beginObject()", *(member.write for member in ordered)]
    if rest is not None:
        # What is not declared may stand anywhere between what is.
        return ["let start = writer.bytes.count", *lines, f"writer.endObject(from: start, {rest.way}: {rest.name})"]
    return [*lines, "writer.endObject()"]


def _member(record: Record, field: Field, name: str, scope: Scope) -> _Member:
    wire, doc = quoted(field.wire), _doc(field)
    own = f"self.{name}" if name in _LOCALS else name
    if isinstance(field.type, Const) and field.required:
        literal, text = json_literal(field.type.value), type_text(field.type, scope)
        return _Member(
            wire=field.wire,
            property=PropertyView(
                f"public var {name}: {type_text(field.type, scope)} {{ {constant(field.type)} }}", doc
            ),
            parameter=None,
            assignment=None,
            read=f"try members.constant({wire}, {literal})",
            write=f"writer.required({wire}, {own})",
        )
    text, default, way = _declared(field, scope)
    read = f"{own} = try members.{way}({wire}{held_argument(field.type, scope)})"
    box = "@Indirect " if (record.name, field.wire) in scope.boxed else ""
    return _Member(
        wire=field.wire,
        property=PropertyView(f"{box}public var {name}: {text}", doc),
        parameter=f"{name}: {text}{default}",
        assignment=f"self.{name} = {name}",
        read=read,
        write=f"writer.{way}({wire}, {own})",
    )


def _declared(field: Field, scope: Scope) -> tuple[str, str, str]:
    """The type of a property, its default, and how it is read and written."""
    text = type_text(field.type, scope)
    if field.required:
        return text, "", "required"
    inner = nullable_part(field.type, scope)
    if inner is None:
        return f"{text}?", " = nil", "optional"
    return f"Presence<{type_text(inner, scope)}>", " = .absent", "presence"


def _doc(field: Field) -> tuple[str, ...]:
    return comment(field.doc, remarks(field.notes, field.default), deprecation(field.notes), indent=4)
