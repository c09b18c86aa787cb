"""Python in the styles of others, by datamodel-code-generator: a module of pydantic models, dataclasses or typed dicts.

It is given the flat schema of the IR, so each name is the one that our own types have. It is imported when a style is
asked for, never before. There are no validators beside its types.
"""

import importlib
import json
import keyword
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from turnwire_codegen.emit.given import Files, Given
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.jsonschema import DIALECT
from turnwire_codegen.emit.jsonschema.types import Schema, declaration_schema
from turnwire_codegen.emit.remarks import remarks
from turnwire_codegen.ir import AnyValue, ByField, Declaration, Nullable, Protocol, Record, Union
from turnwire_codegen.load.foreign.document import escaped
from turnwire_codegen.load.foreign.kinds import Kind, kind_below
from turnwire_codegen.passes.graph import declarations
from turnwire_codegen.problems import Finding
from turnwire_codegen.report import findings as findings_of
from turnwire_codegen.report import is_of_node
from turnwire_codegen.rules import Format, Rule, Unique

__all__ = ["MODULE", "OWN_STYLE", "STYLES", "StyleError", "Styled"]

MODULE = "models.py"
OWN_STYLE = "msgspec"
# What each style asks of the library. Only pydantic has aliases: the other two carry the wire names as they are.
_STYLES: Mapping[str, Mapping[str, Any]] = {
    "pydantic": {
        "output_model_type": "pydantic_v2.BaseModel",
        "snake_case_field": True,
        "allow_population_by_field_name": True,
        "strict_types": ["str", "int", "bool"],
    },
    "dataclass": {"output_model_type": "dataclasses.dataclass", "keyword_only": True},
    "typeddict": {"output_model_type": "typing.TypedDict", "use_closed_typed_dict": False},
}
STYLES = (OWN_STYLE, *_STYLES)
_COMMON: Mapping[str, Any] = {
    "input_file_type": "jsonschema",
    "input_filename": "schema.json",
    "target_python_version": "3.11",
    "disable_timestamp": True,
    # Its own formatter: what black and isort make depends on their versions and on the folder where they run.
    "formatters": ["builtin"],
    # The root of a flat schema is a folder of definitions and no type.
    "skip_root_model": True,
    "enum_field_as_literal": "all",
    "use_annotated": True,
    "use_field_description": True,
    "use_schema_description": True,
    "use_standard_collections": True,
    "use_tuple_for_fixed_items": True,
    "use_union_operator": True,
}

_SCALARS = frozenset({"string", "integer", "number", "boolean"})


class StyleError(Exception):
    """The style cannot be had: the package is missing, or refuses the schema. The text is for the user."""


class Styled(msgspec.Struct, frozen=True):
    """The emitter of a style of `STYLES` that is not our own."""

    style: str

    def emit(self, given: Given) -> Files:
        """The module; raises StyleError."""
        return {MODULE: _module(given.protocol, given.header, self.style)}

    def findings(self, protocol: Protocol, origins: Mapping[str, str]) -> list[Finding]:
        """What the types hold; no validators stand beside them, so what is left to those is left to nobody."""
        lost = dict(_lost(protocol, origins, self.style))
        found = findings_of(protocol, protocol, origins, self._keeps)
        return [
            Finding(one.pointer, "degraded", "; ".join(filter(None, (lost[one.pointer], one.what))))
            if one.pointer in lost
            else one
            for one in found
        ]

    def _keeps(self, rule: Rule) -> bool:
        """Whether a type of the style holds a rule; only those of pydantic check anything when they are made."""
        return self.style == "pydantic" and is_of_node(rule) and not isinstance(rule, Format | Unique)


def _lost(protocol: Protocol, origins: Mapping[str, str], style: str) -> Iterator[tuple[str, str]]:
    """What types of this style cannot say of records and their members, by pointer."""
    for name, record in declarations(protocol).items():
        if not isinstance(record, Record) or name not in origins:
            continue
        if style != "pydantic" and record.extra is not None:
            yield origins[name], "the type has no place for members that are not declared"
        if style == "typeddict" and record.closed:
            yield origins[name], "the type does not refuse members that are not declared"
        for field in record.fields:
            pointer = f"{origins[name]}/properties/{escaped(field.wire)}"
            if style == "dataclass" and (keyword.iskeyword(field.wire) or not field.wire.isidentifier()):
                yield pointer, "the member is called otherwise than on the wire, and nothing says how"
            elif style != "typeddict" and not field.required and not isinstance(field.type, Nullable | AnyValue):
                yield pointer, "the type takes null for absence, which the schema does not"


def _module(protocol: Protocol, header: Header, style: str) -> bytes:
    try:
        library = importlib.import_module("datamodel_code_generator")
    except ModuleNotFoundError as error:
        missing = (error.name or "datamodel_code_generator").partition(".")[0]
        raise StyleError(
            f"the package {missing} is not installed, which --style {style} needs; run: pip install 'turnwire[codegen]'"
        ) from error
    head = "".join(f"# {line}\n" for line in header.lines())
    try:
        with warnings.catch_warnings():
            # It warns of its own future defaults, which are all decided above.
            warnings.simplefilter("ignore")
            text = library.generate(_flat(protocol), custom_file_header=head, **_COMMON, **_STYLES[style])
    except library.Error as error:
        said = " ".join(str(error).split())
        raise StyleError(f"datamodel-code-generator refuses the schema: {said}; use --style {OWN_STYLE}") from error
    assert isinstance(text, str), "definitions without dots in their names are one module"
    return text.encode()


def _flat(protocol: Protocol) -> str:
    known = declarations(protocol)
    definitions: dict[str, Schema] = {}
    for name in sorted(known):
        schema = definitions[name] = _merged(declaration_schema(known[name]))
        if isinstance(known[name], Union):
            arms = schema["oneOf" if "oneOf" in schema else "anyOf"]
            for own, index, arm in _nameless(known[name], arms):
                # The schema may have one of that name itself, as an arm for what is unknown to it.
                taken = known.keys() | definitions.keys()
                free = next(word for word in (own, f"{own}Arm", f"{own}Arm{index}") if word not in taken)
                definitions[free], arms[index] = arm, {"$ref": f"#/$defs/{free}"}
    return json.dumps({"$schema": DIALECT, "title": protocol.title, "$defs": definitions})


def _nameless(union: Declaration, arms: list[Schema]) -> Iterator[tuple[str, int, Schema]]:
    """The arms that the library would name by a counter, or worse by the name of the union, each with a name and place.

    One of them takes what is not known, where the union is open. Models have no `not`, but a pattern they have: without
    it, a faulty arm that is known would pass for an unknown one.
    """
    for index, arm in enumerate(arms):
        if isinstance(union, Union) and union.open and isinstance(union.tagging, ByField) and index == len(arms) - 1:
            tag = union.tagging.wire
            known = "|".join(re.escape(value) for value in arm["properties"][tag]["not"]["enum"])
            other = {"type": "string", "pattern": f"^(?!(?:{known})$)"}
            yield f"Unknown{union.name}", index, {**arm, "properties": {tag: other}, "additionalProperties": True}
        elif "type" in arm and (len(arm) > 1 or arm["type"] == "array"):
            yield f"{union.name}{arm['type'].capitalize()}", index, arm


def _merged(node: Any, kind: Kind = "schema") -> Any:
    """`node` as the library does right by it.

    A format is left out: of a time it makes an object, which is not written as it was read. A scalar that may be null
    becomes one schema: it makes a class of a bound arm beside null. A default is told and not given: it says what
    absence means, and what it says of a type by name would be no value of that type.
    """
    if isinstance(node, list):
        return [_merged(item, kind) for item in node]
    if not isinstance(node, dict) or kind == "value":
        return node
    if kind == "schema" and "default" in node:
        rest = {key: value for key, value in node.items() if key != "default"}
        said = filter(None, (node.get("description"), remarks({}, node["default"])))
        return _merged({**rest, "description": "\n\n".join(said)})
    arms = node.get("anyOf")
    if isinstance(arms, list) and len(arms) == 2 and arms[1] == {"type": "null"} and arms[0].get("type") in _SCALARS:
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        return {**arms[0], "type": [arms[0]["type"], "null"], **rest}
    kept = node if kind == "names" else {key: value for key, value in node.items() if key != "format"}
    return {key: _merged(value, kind_below(kind, key)) for key, value in kept.items()}
