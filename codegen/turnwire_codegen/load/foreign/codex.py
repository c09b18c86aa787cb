"""`codex app-server generate-json-schema`: methods are the arms of ClientRequest, ServerNotification and their like.

The result of a request is the definition that is called like its params, with `Response` for `Params`, or like the
method itself, with or without its first word.
"""

from pathlib import Path
from typing import Any

from turnwire_codegen.ir import Const, Record
from turnwire_codegen.load.foreign.document import Layout
from turnwire_codegen.load.foreign.plain import Loaded, load_plain
from turnwire_codegen.load.foreign.roots import ROOTS, with_methods
from turnwire_codegen.words import pascal

__all__ = ["is_codex", "load_codex"]


def is_codex(document: Any) -> bool:
    """Whether the file has one of the unions, as a definition or as its root, with arms written out in it."""
    if not isinstance(document, dict):
        return False
    candidates = [document] if document.get("title") in ROOTS else []
    candidates += [node for name, node in document.get("definitions", {}).items() if name in ROOTS]
    return any(_has_method(arm) for node in candidates if isinstance(node, dict) for arm in node.get("oneOf", []))


def load_codex(document: Any, path: Path, layout: Layout) -> Loaded:
    """The types of the file with a method table made of its unions."""
    return with_methods(load_plain(document, path, layout), _results)


def _results(arm: Record, params: str | None) -> tuple[str, ...]:
    method = next(
        str(field.type.value) for field in arm.fields if field.wire == "method" and isinstance(field.type, Const)
    )
    words = [pascal(method), pascal(method.partition("/")[2])]
    likely = [word for word in (params.removesuffix("Params") if params else "", *words) if word]
    return tuple(f"{word}Response" for word in likely)


def _has_method(arm: Any) -> bool:
    return isinstance(arm, dict) and "method" in arm.get("properties", {})
