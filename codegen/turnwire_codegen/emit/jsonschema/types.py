"""IR back to JSON Schema 2020-12: what a reader that ignores every `x-` keyword judges rightly by."""

from typing import Any

import msgspec

from turnwire_codegen import rules
from turnwire_codegen.ir import (
    Alias,
    AnyValue,
    ByField,
    Case,
    Const,
    Declaration,
    Enum,
    Field,
    ListOf,
    MapOf,
    Notes,
    Nullable,
    Record,
    Ref,
    Scalar,
    TupleOf,
    TypeNode,
    Union,
    Variant,
)

__all__ = ["Schema", "declaration_schema", "type_schema"]

Schema = dict[str, Any]


def type_schema(node: TypeNode) -> Schema:
    """The schema of a type; references go to `#/$defs/<name>`."""
    match node:
        case Scalar(kind, bound):
            return {"type": kind, **_rules(bound)}
        case Const(value):
            return {"const": value}
        case Ref(name, bound):
            return {"$ref": f"#/$defs/{name}", **_rules(bound)}
        case ListOf(item, bound):
            return {"type": "array", "items": type_schema(item), **_rules(bound)}
        case TupleOf(items, rest):
            tail = False if rest is None else type_schema(rest)
            return {
                "type": "array",
                "prefixItems": [type_schema(item) for item in items],
                "minItems": len(items),
                "items": tail,
            }
        case MapOf(AnyValue(), bound):
            return {"type": "object", "x-opaque": True, **_rules(bound)}
        case MapOf(value, bound):
            return {"type": "object", "additionalProperties": type_schema(value), **_rules(bound)}
        case Nullable(of):
            return {"anyOf": [type_schema(of), {"type": "null"}]}
        case AnyValue():
            return {"x-opaque": True}


def declaration_schema(declaration: Declaration) -> Schema:
    """The schema of a declaration; open unions and enums end in the derived arm that takes what is not known."""
    match declaration:
        case Record():
            schema = _record(declaration)
        case Enum():
            schema = _enum(declaration)
        case Union():
            schema = _union(declaration)
        case Alias(type=node):
            schema = type_schema(node)
    return {"description": declaration.doc, **schema, **_notes(declaration.notes)}


def _record(record: Record) -> Schema:
    schema: Schema = {"type": "object", "properties": {field.wire: _field(field) for field in record.fields}}
    required = [field.wire for field in record.fields if field.required]
    if required:
        schema["required"] = required
    if record.closed:
        schema["additionalProperties"] = False
    elif record.extra is not None:
        schema["additionalProperties"] = type_schema(record.extra)
    return schema


def _field(field: Field) -> Schema:
    schema = {**type_schema(field.type), **_notes(field.notes)}
    if field.doc:
        schema["description"] = field.doc
    if field.default is not msgspec.UNSET:
        schema["default"] = field.default
    return schema


def _enum(enum: Enum) -> Schema:
    cases = [_case(case) for case in enum.cases]
    if enum.open:
        return {"anyOf": [*cases, {"type": "string"}], "x-open": True}
    return {"oneOf": cases}


def _case(case: Case) -> Schema:
    documented = {"description": case.doc} if case.doc else {}
    return {"const": case.value, **documented, **_notes(case.notes)}


def _union(union: Union) -> Schema:
    arms = [_variant(variant) for variant in union.variants]
    if not isinstance(union.tagging, ByField):
        return {"anyOf": arms}
    if not union.open:
        return {"oneOf": arms}
    return {"oneOf": [*arms, _open_arm(union, union.tagging.wire)], "x-open": True}


def _open_arm(union: Union, tag: str) -> Schema:
    known = [variant.tag for variant in union.variants]
    return {
        "description": f"Any {union.name} whose {tag} is not known yet.",
        "type": "object",
        "properties": {tag: {"type": "string", "not": {"enum": known}}},
        "required": [tag],
    }


def _variant(variant: Variant) -> Schema:
    return {**type_schema(variant.type), **_notes(variant.notes)}


def _notes(notes: Notes) -> Schema:
    return {f"x-{key}": value for key, value in notes.items()}


def _rules(bound: tuple[rules.Rule, ...]) -> Schema:
    schema: Schema = {}
    for rule in bound:
        schema |= {name: value for name, value in _keywords(rule).items() if value is not None}
    return schema


def _keywords(rule: rules.Rule) -> Schema:
    match rule:
        case rules.Bound(low, high, above, below):
            return {"minimum": low, "maximum": high, "exclusiveMinimum": above, "exclusiveMaximum": below}
        case rules.Multiple(of):
            return {"multipleOf": of}
        case rules.Length(low, high):
            return {"minLength": low or None, "maxLength": high}
        case rules.Pattern(source):
            return {"pattern": source}
        case rules.Format(name):
            return {"format": name}
        case rules.Count("items", low, high):
            return {"minItems": low or None, "maxItems": high}
        case rules.Count("members", low, high):
            return {"minProperties": low or None, "maxProperties": high}
        case rules.Unique():
            return {"uniqueItems": True}
        case _:
            raise AssertionError(f"{type(rule).__name__} does not occur in the narrow form")
