"""A row of the method table as a Method Object; what OpenRPC has no word for stands in its `x-` members."""

from collections.abc import Iterator, Mapping

from turnwire_codegen.emit.jsonschema.types import Schema, declaration_schema
from turnwire_codegen.emit.openrpc.schemas import component, draft_7
from turnwire_codegen.ir import Alias, Declaration, Method, Record, Ref, Union
from turnwire_codegen.load.beside import Beside
from turnwire_codegen.passes.graph import references

__all__ = ["method_object", "types_of"]

Known = Mapping[str, Declaration]


def method_object(row: Method, known: Known, beside: Beside) -> Schema:
    """The method with its params by name; a notification has no result, by which readers know it."""
    params = list(_params(row.params, known))
    method: Schema = {
        "name": row.name,
        "description": row.doc,
        "tags": [{"name": row.name.partition("/")[0]}] if "/" in row.name else [],
        "paramStructure": "by-name",
        "params": params,
        "errors": [component("errors", name) for name in row.errors],
        "examples": _examples(row, {param["name"] for param in params}, beside),
        "deprecated": bool(row.notes.get("deprecated")),
    }
    if row.kind == "request":
        schema = True if row.result is None else component("schemas", row.result)
        method["result"] = {"name": row.result or "result", "required": True, "schema": schema}
    needed = ("params", "paramStructure")
    return {word: value for word, value in (method | _extensions(row, known)).items() if value or word in needed}


def types_of(row: Method, known: Known) -> set[str]:
    """The definitions that the object of a method refers to; params whose members are all listed are none of them."""
    params = set() if row.params is None else {row.params}
    if row.params is not None and _is_listed(row.params, known):
        params = set(references(known[row.params]))
    return params if row.result is None else {*params, row.result}


def _is_listed(name: str, known: Known) -> bool:
    """Whether a list of members says all that the params of this name are."""
    declaration = known[name]
    return isinstance(declaration, Record) and declaration.extra is None and not declaration.closed


def _extensions(row: Method, known: Known) -> Schema:
    exact = row.params is not None and not _is_listed(row.params, known)
    return {
        "x-sender": row.sender,
        "x-params": component("schemas", str(row.params)) if exact else None,
        "x-emits": list(row.emits),
        "x-durable": row.durable,
        "x-scope": row.scope,
        "x-capability": row.capability,
        "x-stability": row.stability,
        "x-since": row.since,
        "x-clause": row.clause,
    }


def _params(name: str | None, known: Known) -> Iterator[Schema]:
    """Content descriptors of the members of params; those of a union are what any arm may have."""
    records = list(_records(name, known))
    members: dict[str, list[tuple[bool, Schema]]] = {}
    for record in records:
        schemas = declaration_schema(record)["properties"]
        for field in record.fields:
            members.setdefault(field.wire, []).append((field.required, schemas[field.wire]))
    for wire, said in members.items():
        required = len(said) == len(records) and all(needed for needed, _ in said)
        yield _descriptor(wire, [schema for _, schema in said], required=required)


def _descriptor(wire: str, schemas: list[Schema], *, required: bool) -> Schema:
    told = []
    for schema in schemas:
        bare = draft_7({word: value for word, value in schema.items() if word != "description"})
        told += [bare] if bare not in told else []
    descriptor = {
        "name": wire,
        "description": schemas[0].get("description"),
        "required": required,
        "schema": told[0] if len(told) == 1 else {"anyOf": told},
        "deprecated": all(schema.get("x-deprecated") for schema in schemas) or None,
    }
    return {word: value for word, value in descriptor.items() if value is not None}


def _records(name: str | None, known: Known) -> Iterator[Record]:
    declaration = None if name is None else known[name]
    match declaration:
        case Record():
            yield declaration
        case Alias(type=Ref(target)) if target != name:
            yield from _records(target, known)
        case Union(variants=variants):
            arms = [known[variant.type.name] for variant in variants if isinstance(variant.type, Ref)]
            yield from (arm for arm in arms if isinstance(arm, Record))


def _examples(row: Method, params: set[str], beside: Beside) -> list[Schema]:
    """One pairing: a call of a transcript, or params of a notification; none with a member that is not described."""
    if row.kind == "request":
        pairs = [(call.title, call.params, {"result": call.result}) for call in beside.calls.get(row.name, ())]
    else:
        pairs = [(example.title, example.value, {}) for example in beside.examples.get(row.params or "", ())]
    for title, sent, came in pairs:
        if params >= sent.keys():
            named = [{"name": wire, "value": value} for wire, value in sent.items()]
            result = {word: {"name": row.result, "value": value} for word, value in came.items()}
            return [{"name": title, "params": named, **result}]
    return []
