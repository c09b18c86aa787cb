"""Which front end reads a foreign schema: the one that is named, or the first that recognises it; `plain` reads any."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from turnwire_codegen.load.foreign.acp import is_acp, load_acp
from turnwire_codegen.load.foreign.cc import is_cc, load_cc, with_arms
from turnwire_codegen.load.foreign.codex import is_codex, load_codex
from turnwire_codegen.load.foreign.document import Document, Layout
from turnwire_codegen.load.foreign.folder import joined, laid_out, read_folder
from turnwire_codegen.load.foreign.mcp import is_mcp, load_mcp
from turnwire_codegen.load.foreign.names import read_names, unused_names
from turnwire_codegen.load.foreign.openrpc import is_openrpc, load_openrpc, with_definitions
from turnwire_codegen.load.foreign.plain import Loaded, is_schema, load_plain
from turnwire_codegen.load.foreign.sound import UnsoundError, check_head
from turnwire_codegen.load.read import json_value, read_value
from turnwire_codegen.problems import Place, Problem, has_errors

__all__ = ["AS_FOUND", "FRONT_ENDS", "STDIN", "FrontEnd", "Reading", "load_foreign"]

# The path that means the standard input.
STDIN = Path("-")


class FrontEnd(NamedTuple):
    """What recognises a document, what loads it, and what makes JSON Schema of it before that."""

    recognises: Callable[[Any], bool]
    load: Callable[[Any, Path, Layout], Loaded]
    prepare: Callable[[Any], Any] = lambda document: document


# In the order in which they are asked.
FRONT_ENDS: Mapping[str, FrontEnd] = {
    "openrpc": FrontEnd(is_openrpc, load_openrpc, with_definitions),
    "acp": FrontEnd(is_acp, load_acp),
    "cc": FrontEnd(is_cc, load_cc, with_arms),
    "codex": FrontEnd(is_codex, load_codex),
    "mcp": FrontEnd(is_mcp, load_mcp),
    "plain": FrontEnd(lambda _: True, load_plain),
}


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """How a schema is read: the front end by name, the pointer at which it stands, the file with names, the stdin."""

    form: str | None = None
    root: str | None = None
    names: Path | None = None
    text: str = ""


AS_FOUND = Reading()


def load_foreign(path: Path, reading: Reading = AS_FOUND) -> tuple[Loaded | None, Any, list[Problem]]:
    """The schema in the file or folder `path` as IR and as it came; None with problems when it is no schema at all."""
    found: list[Problem] = []
    layout = Layout(names={} if reading.names is None else read_names(reading.names, found))
    document, layout = _read(path, reading, layout, found)
    check_head(document, Place(str(path), found))
    if has_errors(found):
        return None, None, found
    form = reading.form or next(name for name, front in FRONT_ENDS.items() if front.recognises(document))
    if reading.root is not None:
        form, layout = "plain", _rooted(document, reading.root, layout, path, found)
    front = FRONT_ENDS[form]
    if not front.recognises(document):
        found.append(_fault(path, "#", f"is nothing of the form {form}", "leave --form out, or name another"))
    if has_errors(found):
        return None, None, found
    document = front.prepare(document)
    try:
        loaded = front.load(document, path, layout)
    except UnsoundError as fault:
        return None, None, [*found, *fault.problems]
    if reading.names is not None:
        unused_names(reading.names, layout.names, loaded.used, found)
    return (None if has_errors(found) else loaded), document, found


def _read(path: Path, reading: Reading, layout: Layout, found: list[Problem]) -> tuple[Any, Layout]:
    if path.is_dir():
        files = read_folder(path, found)
        return joined(path, files, found), laid_out(files, layout, is_schema)
    document = json_value(reading.text, "the standard input", found) if path == STDIN else read_value(path, found)
    if not has_errors(found) and not isinstance(document, dict | bool):
        found.append(_fault(path, "#", "a JSON Schema is an object or a boolean", "name a schema file"))
    return document, layout


def _rooted(document: Any, root: str, layout: Layout, path: Path, found: list[Problem]) -> Layout:
    """The layout of a document of which only the part at `root` counts: a schema, or a folder of definitions."""
    pointer = root if root.startswith("#") else f"#{root}"
    if pointer != "#" and not pointer.startswith("#/"):
        found.append(_fault(path, pointer, "is no JSON pointer", "write one that begins with #/"))
        return layout
    tree = Document(document)
    try:
        node = tree.at(pointer)
    except KeyError:
        found.append(_fault(path, pointer, "nothing is there", "name the pointer of a schema with --root"))
        return layout
    if not isinstance(node, dict | bool):
        found.append(_fault(path, pointer, "is no schema", "name the pointer of a schema with --root"))
    if tree.is_folder(pointer):
        return msgspec.structs.replace(layout, folders=(pointer,), roots={})
    name = node.get("title") if isinstance(node, dict) else None
    last = pointer.rpartition("/")[2]
    return msgspec.structs.replace(layout, folders=(), roots={pointer: str(name or last or path.stem)})


def _fault(path: Path, where: str, what: str, fix: str) -> Problem:
    return Problem(severity="error", file=str(path), where=where, what=what, fix=fix)
