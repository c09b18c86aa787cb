"""Which front end reads a foreign file: the first that recognises it, any other file is plain JSON Schema."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from turnwire_codegen.load.foreign.acp import is_acp, load_acp
from turnwire_codegen.load.foreign.codex import is_codex, load_codex
from turnwire_codegen.load.foreign.mcp import is_mcp, load_mcp
from turnwire_codegen.load.foreign.plain import Loaded, load_plain
from turnwire_codegen.load.read import read_json
from turnwire_codegen.problems import Problem

__all__ = ["FRONT_ENDS", "load_foreign"]

FRONT_ENDS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Path], Loaded]], ...] = (
    (is_acp, load_acp),
    (is_codex, load_codex),
    (is_mcp, load_mcp),
)


def load_foreign(path: Path) -> tuple[Loaded | None, Any, list[Problem]]:
    """The schema in `path` as IR and as it came; None with problems when it is no schema at all."""
    found: list[Problem] = []
    document = read_json(path, found)
    if found:
        return None, None, found
    if not isinstance(document, dict | bool):
        what = "a JSON Schema is an object or a boolean"
        return None, None, [Problem(severity="error", file=str(path), where="#", what=what, fix="name a schema file")]
    front = next((load for recognises, load in FRONT_ENDS if recognises(document)), load_plain)
    return front(document, path), document, found
