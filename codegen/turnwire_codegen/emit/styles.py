"""Python in the styles of others, by datamodel-code-generator: a module of pydantic models, dataclasses or typed dicts.

It is given the flat schema of the IR, so each name is the one that our own types have. It is imported when a style is
asked for, never before. What its types hold is its own affair: reports and validators are of the msgspec style.
"""

import importlib
import json
import re
import warnings
from collections.abc import Mapping
from typing import Any

from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.jsonschema import DIALECT
from turnwire_codegen.emit.jsonschema.types import Schema, declaration_schema
from turnwire_codegen.ir import ByField, Declaration, Protocol, Union
from turnwire_codegen.passes.graph import declarations

__all__ = ["MODULE", "OWN_STYLE", "STYLES", "StyleError", "emit_styled"]

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


class StyleError(Exception):
    """The style cannot be had: the package is missing, or refuses the schema. The text is for the user."""


def emit_styled(protocol: Protocol, header: Header, style: str) -> bytes:
    """The module of a protocol in a style of `STYLES` that is not our own; raises StyleError."""
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
        schema = definitions[name] = declaration_schema(known[name])
        definitions |= _named_opening(known[name], schema)
    return json.dumps({"$schema": DIALECT, "title": protocol.title, "$defs": definitions})


def _named_opening(declaration: Declaration, schema: Schema) -> dict[str, Schema]:
    """The arm of an open union that takes what is not known, as a definition; unnamed, a counter would name it.

    Models have no `not`, but a pattern they have: without it, a faulty arm that is known would pass for an unknown one.
    """
    if not (isinstance(declaration, Union) and declaration.open and isinstance(declaration.tagging, ByField)):
        return {}
    name, tag = f"Unknown{declaration.name}", declaration.tagging.wire
    arm = schema["oneOf"][-1]
    known = "|".join(re.escape(value) for value in arm["properties"][tag]["not"]["enum"])
    other = {"type": "string", "pattern": f"^(?!(?:{known})$)"}
    schema["oneOf"][-1] = {"$ref": f"#/$defs/{name}"}
    return {name: {**arm, "properties": {tag: other}, "additionalProperties": True}}
