"""The params of methods as pydantic models, made from the bundle: the same types in the words of another library."""

import json
from functools import cache, reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, create_model

BUNDLE = json.loads((Path(__file__).parents[3] / "protocol" / "bundle.json").read_text(encoding="utf-8"))
PARAMS = {row["name"]: row["params"] for row in BUNDLE["x-methods"]}
SCALARS = {"string": str, "integer": int, "number": float, "boolean": bool}
BOUNDS = {"minimum": "ge", "maximum": "le", "minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"}
BOUNDS |= {"minItems": "min_length", "maxItems": "max_length"}


def union_of_methods(methods: list[str]) -> TypeAdapter[Any]:
    """One union, told apart by `method`."""
    arms = []
    for method in methods:
        params = named(PARAMS[method])
        arms.append(
            create_model(
                method,
                jsonrpc=(Literal["2.0"], ...),
                id=(int | str, None),
                method=(Literal[method], ...),
                params=(params, None),
            )
        )
    return TypeAdapter(Annotated[either(arms), Field(discriminator="method")])


@cache
def named(name: str) -> Any:
    """The definition `name` of the bundle."""
    return typed(BUNDLE["$defs"][name], name)


def typed(schema: dict[str, Any], name: str = "") -> Any:
    """A schema of the narrow form as an annotation."""
    if "$ref" in schema:
        return named(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return Literal[schema["const"]]
    for keyword in ("oneOf", "anyOf"):
        if keyword in schema:
            return united(schema[keyword])
    match schema.get("type"):
        case "object" if "properties" in schema:
            return record(schema, name)
        case "object":
            inner = typed(schema.get("additionalProperties", {}))
            return dict[str, inner]
        case "array":
            return bounded(list[typed(schema["items"])], schema)
        case "null":
            return None
        case str() as scalar:
            return bounded(SCALARS[scalar], schema)
    return Any


def united(arms: list[dict[str, Any]]) -> Any:
    kinds = [typed(arm) for arm in arms]
    models = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
    tags = [tag_of(model) for model in models]
    if len(models) < 2 or None in tags:
        return either(kinds)
    told = Annotated[either(models), Field(discriminator=tags[0])]
    # The derived arm of an open union takes whatever has another tag.
    return told if len(models) == len(kinds) else either([told, dict[str, Any]])


def either(kinds: list[Any]) -> Any:
    """Their union; `Union[…]` of a list that is made at run time is not to be had."""
    return reduce(or_, kinds)


def tag_of(model: type[BaseModel]) -> str | None:
    literals = [name for name, field in model.model_fields.items() if "Literal" in str(field.annotation)]
    return literals[0] if literals else None


def record(schema: dict[str, Any], name: str) -> Any:
    required = schema.get("required", ())
    fields: dict[str, Any] = {}
    for member, inner in schema["properties"].items():
        kind = typed(inner)
        fields[member] = (kind, ...) if member in required else (either([kind, None]), None)
    return create_model(name, **fields)


def bounded(kind: Any, schema: dict[str, Any]) -> Any:
    bounds = {word: schema[keyword] for keyword, word in BOUNDS.items() if keyword in schema}
    return Annotated[kind, Field(**bounds)] if bounds else kind
