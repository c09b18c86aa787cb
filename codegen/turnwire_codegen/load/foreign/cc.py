"""ChainlessChain's Agent protocol: methods are values of `method`, several of which may share one schema of params.

Each value becomes an arm of its own, so that types are told apart by it. Some results stand in `x-cc-protocol`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from turnwire_codegen.load.foreign.document import CONTAINERS, Layout
from turnwire_codegen.load.foreign.plain import Loaded, load_plain
from turnwire_codegen.load.foreign.roots import ROOTS, with_methods

__all__ = ["is_cc", "load_cc", "with_arms"]

_MARK = "x-cc-protocol"


def is_cc(document: Any) -> bool:
    """Whether the file has the mark of the protocol."""
    return isinstance(document, dict) and isinstance(document.get(_MARK), dict)


def with_arms(document: dict[str, Any]) -> dict[str, Any]:
    """The document with its unions of messages written as one arm a method; it accepts what it accepted before."""
    return {
        key: {name: _by_method(node) if name in ROOTS else node for name, node in value.items()}
        if key in CONTAINERS
        else value
        for key, value in document.items()
    }


def load_cc(document: Any, path: Path, layout: Layout) -> Loaded:
    """The types and methods of a document that `with_arms` made."""
    loaded = with_methods(load_plain(document, path, layout), lambda *_: ())
    declared = {decl.name for family in loaded.protocol.families for decl in family.declarations}
    results = _results(document)
    rows = tuple(
        msgspec.structs.replace(row, result=results[row.name]) if results.get(row.name) in declared else row
        for row in loaded.protocol.methods
    )
    return msgspec.structs.replace(loaded, protocol=msgspec.structs.replace(loaded.protocol, methods=rows))


def _by_method(node: Any) -> Any:
    """`node` as a choice between its methods, or as it is where it names none."""
    if not isinstance(node, dict):
        return node
    layers = node["allOf"] if isinstance(node.get("allOf"), list) else []
    choices = [layer for layer in layers if isinstance(layer, dict) and isinstance(layer.get("oneOf"), list)]
    if len(choices) != 1:
        arms = list(_arms(node))
        return {"oneOf": arms} if arms else node
    shared = [layer for layer in layers if layer is not choices[0]]
    rest = {word: value for word, value in node.items() if word not in {"allOf", "description"}}
    arms = [{**rest, "allOf": shared, **arm} for choice in choices[0]["oneOf"] for arm in _arms(choice)]
    complete = all(any(_arms(choice)) for choice in choices[0]["oneOf"])
    return {"description": node.get("description", ""), "oneOf": arms} if complete else node


def _arms(node: Any) -> Iterator[dict[str, Any]]:
    """`node` for each value that its `method` can have."""
    members = node.get("properties") if isinstance(node, dict) else None
    method = members.get("method") if isinstance(members, dict) else None
    if not isinstance(members, dict) or not isinstance(method, dict):
        return
    values = [method["const"]] if "const" in method else method.get("enum")
    for value in values if isinstance(values, list) else ():
        required = [*dict.fromkeys([*node.get("required", ()), "method"])]
        yield {**node, "type": "object", "properties": {**members, "method": {"const": value}}, "required": required}


def _results(document: Mapping[str, Any]) -> dict[str, str]:
    """What each method answers with, by the parts of the mark that have a table of methods."""
    tables = [part.get("methods") for part in document[_MARK].values() if isinstance(part, dict)]
    return {
        name: row["response"]
        for table in tables
        if isinstance(table, dict)
        for name, row in table.items()
        if isinstance(row, dict) and isinstance(row.get("response"), str)
    }
