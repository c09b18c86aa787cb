"""The Model Context Protocol: methods are the arms of ClientRequest and its like, each arm a definition of its own.

The result of `CallToolRequest` is `CallToolResult`, or `EmptyResult` where there is no such definition.
"""

from pathlib import Path
from typing import Any

from turnwire_codegen.ir import Record
from turnwire_codegen.load.foreign.document import CONTAINERS, Layout
from turnwire_codegen.load.foreign.plain import Loaded, load_plain
from turnwire_codegen.load.foreign.roots import ROOTS, with_methods

__all__ = ["is_mcp", "load_mcp"]


def is_mcp(document: Any) -> bool:
    """Whether the file has one of the unions with arms that are references to definitions with a `method`."""
    definitions: dict[str, Any] = {}
    if isinstance(document, dict):
        for container in CONTAINERS:
            definitions |= document.get(container, {})
    unions = [definitions[name] for name in ROOTS if isinstance(definitions.get(name), dict)]
    return any(_names_a_message(arm, definitions) for union in unions for arm in union.get("anyOf", []))


def load_mcp(document: Any, path: Path, layout: Layout) -> Loaded:
    """The types of the file with a method table made of its unions."""
    return with_methods(load_plain(document, path, layout), _results)


def _results(arm: Record, _: str | None) -> tuple[str, ...]:
    return (f"{arm.name.removesuffix('Request')}Result", "EmptyResult")


def _names_a_message(arm: Any, definitions: dict[str, Any]) -> bool:
    ref = arm.get("$ref") if isinstance(arm, dict) else None
    target = definitions.get(ref.rpartition("/")[2]) if isinstance(ref, str) else None
    return isinstance(target, dict) and "method" in target.get("properties", {})
