"""From a schema to the files of a command: loading, passes, one emitter, and a report of what became of what."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from turnwire_codegen import rules
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.jsonschema import bundle
from turnwire_codegen.emit.jsonschema.package import emit_jsonschema
from turnwire_codegen.emit.python import emit_python
from turnwire_codegen.emit.typescript import emit_typescript
from turnwire_codegen.ir import Protocol
from turnwire_codegen.load.canonical import load_canonical
from turnwire_codegen.passes import PASSES, STABLE_PASSES, run
from turnwire_codegen.passes.readers import loosen_readers
from turnwire_codegen.problems import Problem
from turnwire_codegen.report import Entry, entries
from turnwire_codegen.source import canonical_folder

__all__ = ["COMMANDS", "Command", "Made", "make", "python_files", "typescript_files"]

Files = dict[str, bytes]


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a run; `files` is None when a problem stopped it, `unreadable` when that was no schema at all."""

    source: str
    problems: list[Problem]
    files: Files | None = None
    facts: Mapping[str, str] = {}
    entries: list[Entry] = []
    unreadable: bool = False


def python_files(protocol: Protocol, command: str) -> Files:
    """The Python package of a protocol whose passes have run."""
    made = bundle(protocol)
    return emit_python(loosen_readers(protocol), _header(protocol, made.digest, command), made.canonical)


def typescript_files(protocol: Protocol, command: str) -> Files:
    """The TypeScript types of a protocol whose passes have run."""
    return emit_typescript(protocol, _header(protocol, bundle(protocol).digest, command))


class Command(msgspec.Struct, frozen=True):
    """A command: what it says of itself, the rules that its types hold, its emitter."""

    help: str
    held: frozenset[type]
    files: Callable[[Protocol, str], Files] | None = None


_ALL_RULES = frozenset(
    {rules.Bound, rules.Multiple, rules.Length, rules.Pattern, rules.Format, rules.Count, rules.Unique},
)
COMMANDS: Mapping[str, Command] = {
    "generate-python": Command(
        "Python types for msgspec.",
        _ALL_RULES - {rules.Format, rules.Unique},
        python_files,
    ),
    "generate-ts": Command("TypeScript types.", frozenset(), typescript_files),
    "generate-json-schema": Command("JSON Schema: bundles, types, methods.", _ALL_RULES),
}


def make(command: str, schema: Path | None, *, experimental: bool) -> Made:
    """Everything that `command` writes, of the canonical protocol or of `schema`; problems are returned, not raised."""
    assert schema is None, "foreign schemas"
    folder = canonical_folder()
    protocol, problems = load_canonical(folder)
    source = "turnwire protocol"
    if protocol is None:
        return Made(source=source, problems=problems)
    whole, stable = run(protocol, PASSES), run(protocol, STABLE_PASSES)
    chosen = whole if experimental else stable
    words = f"turnwire {command} --out <this folder>{' --experimental' if experimental else ''}"
    made = COMMANDS[command]
    files = emit_jsonschema(chosen, whole, stable) if made.files is None else made.files(chosen, words)
    origins = {
        decl.name: f"{family.name}.json#/$defs/{decl.name}"
        for family in protocol.families
        for decl in family.declarations
    }
    typed = loosen_readers(chosen) if command == "generate-python" else chosen
    return Made(
        source=source,
        problems=problems,
        files=files,
        facts=_facts(chosen, words),
        entries=entries(chosen, typed, origins, made.held),
    )


def _facts(protocol: Protocol, command: str) -> dict[str, str]:
    return {"protocol": protocol.version, "schema": protocol.id, "digest": bundle(protocol).digest, "command": command}


def _header(protocol: Protocol, digest: str, command: str) -> Header:
    return Header(title=protocol.title, version=protocol.version, digest=digest, command=command)
