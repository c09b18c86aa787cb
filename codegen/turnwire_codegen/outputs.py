"""From a schema to the files of a command: loading, passes, one emitter, and what became of each part."""

import json
import shlex
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import msgspec

from turnwire_codegen import rules
from turnwire_codegen.checks import Checks, checks_of, unchecked
from turnwire_codegen.emit.docs import PAGE, emit_docs
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.jsonschema import Bundle, bundle
from turnwire_codegen.emit.jsonschema.canonical import digest
from turnwire_codegen.emit.jsonschema.package import emit_jsonschema
from turnwire_codegen.emit.openrpc import emit_openrpc
from turnwire_codegen.emit.python import emit_python
from turnwire_codegen.emit.python.limits import untyped_members
from turnwire_codegen.emit.python.validators import emit_validators as emit_python_validators
from turnwire_codegen.emit.styles import MODULE, OWN_STYLE, emit_styled
from turnwire_codegen.emit.typescript import emit_module, emit_typescript
from turnwire_codegen.emit.typescript.validators import emit_validators as emit_typescript_validators
from turnwire_codegen.ir import Protocol
from turnwire_codegen.load.beside import Beside, read_beside
from turnwire_codegen.load.canonical import load_canonical
from turnwire_codegen.load.foreign.front import AS_FOUND, Reading, load_foreign
from turnwire_codegen.passes import FOREIGN_PASSES, PASSES, STABLE_PASSES, run
from turnwire_codegen.passes.readers import loosen_readers
from turnwire_codegen.problems import Finding, Problem, has_errors
from turnwire_codegen.report import findings
from turnwire_codegen.source import canonical_folder

__all__ = [
    "COMMANDS",
    "Command",
    "Made",
    "Source",
    "make",
    "python_files",
    "reference_page",
    "typescript_files",
    "typescript_module",
]

Files = dict[str, bytes]


class Source(msgspec.Struct, frozen=True):
    """What an emitter is given: the protocol after its passes, the schema shipped with the types, the checks."""

    protocol: Protocol
    schema: bytes
    checks: Checks
    command: str
    beside: Beside = Beside()

    @property
    def header(self) -> Header:
        """The head of every file."""
        return _header(self.protocol, digest(self.schema), self.command)


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a run; `files` is None when a problem stopped it, `unreadable` when that was no schema at all.

    `names` has the pointer of what each declaration was made of, `findings` what became of it.
    """

    source: str
    problems: list[Problem]
    files: Files | None = None
    facts: Mapping[str, str] = {}
    names: Mapping[str, str] = {}
    findings: list[Finding] = []
    unreadable: bool = False


def python_files(protocol: Protocol, command: str) -> Files:
    """The Python package of a canonical protocol whose passes have run."""
    return _python(_canonical(protocol, bundle(protocol), command))


def typescript_files(protocol: Protocol, command: str) -> Files:
    """The TypeScript types of a canonical protocol whose passes have run."""
    return _typescript(_canonical(protocol, bundle(protocol), command))


def typescript_module(protocol: Protocol, command: str) -> bytes:
    """The same types as one module: what `schema/export` gives."""
    return emit_module(protocol, _header(protocol, bundle(protocol).digest, command))


def reference_page(protocol: Protocol, beside: Beside, command: str) -> Files:
    """The reference of a canonical protocol whose passes have run; its clauses stand beside it."""
    return {PAGE: emit_docs(protocol, beside, _header(protocol, bundle(protocol).digest, command))}


def _styled(style: str, source: Source) -> Files:
    return {MODULE: emit_styled(source.protocol, source.header, style)}


def _python(source: Source) -> Files:
    types = emit_python(loosen_readers(source.protocol), source.header, source.schema)
    plans, roots = source.checks.plans, source.checks.roots
    return types if plans is None else types | emit_python_validators(plans, roots, source.header)


def _typescript(source: Source) -> Files:
    types = emit_typescript(source.protocol, source.header)
    plans, roots = source.checks.plans, source.checks.roots
    return types if plans is None else types | emit_typescript_validators(plans, roots, source.header)


def _docs(source: Source) -> Files:
    return {PAGE: emit_docs(source.protocol, source.beside, source.header), **source.beside.pages}


def _openrpc(source: Source) -> Files:
    return emit_openrpc(source.protocol, source.beside, source.header)


def _canonical(protocol: Protocol, made: Bundle, command: str) -> Source:
    roots = {name: f"#/$defs/{name}" for name in made.schema["$defs"]}
    return Source(protocol, made.canonical, checks_of(made.schema, "bundle.json", roots), command)


class Command(msgspec.Struct, frozen=True):
    """A command: what it says of itself, the rules that its types hold, its emitter.

    Those that tell check nothing and show examples; some can do nothing without methods.
    """

    help: str
    held: frozenset[type]
    files: Callable[[Source], Files] | None = None
    tells: bool = False
    of_methods: bool = False


_ALL_RULES = frozenset(
    {rules.Bound, rules.Multiple, rules.Length, rules.Pattern, rules.Format, rules.Count, rules.Unique},
)
COMMANDS: Mapping[str, Command] = {
    "generate-python": Command("Python types for msgspec.", _ALL_RULES - {rules.Format, rules.Unique}, _python),
    "generate-ts": Command("TypeScript types.", frozenset(), _typescript),
    "generate-json-schema": Command("JSON Schema: bundles, types, methods.", _ALL_RULES),
    "generate-docs": Command("A reference in Markdown.", _ALL_RULES, _docs, tells=True),
    "generate-openrpc": Command("OpenRPC documents.", _ALL_RULES, _openrpc, tells=True, of_methods=True),
}


def make(
    command: str,
    schema: Path | None,
    *,
    experimental: bool,
    style: str = OWN_STYLE,
    reading: Reading = AS_FOUND,
) -> Made:
    """Everything that `command` writes, of the canonical protocol or of `schema`; problems are returned, not raised.

    `style` is how generate-python writes its types; raises StyleError when that one cannot be had.
    """
    words = f"turnwire {command} --out <this folder>{' --experimental' if experimental else ''}"
    words += "" if style == OWN_STYLE else f" --style {style}"
    if schema is not None:
        return _of_file(command, schema, f"{words} {_reading_words(schema, reading)}", style, reading)
    protocol, problems = load_canonical(canonical_folder())
    if protocol is None:
        return Made(source="turnwire protocol", problems=problems)
    told = read_beside(canonical_folder(), problems) if COMMANDS[command].tells else Beside()
    if has_errors(problems):
        return Made(source="turnwire protocol", problems=problems)
    whole, stable = run(protocol, PASSES), run(protocol, STABLE_PASSES)
    chosen = whole if experimental else stable
    emit = _emitter(command, style)
    origins = {
        decl.name: f"{family.name}.json#/$defs/{decl.name}"
        for family in protocol.families
        for decl in family.declarations
    }
    made = bundle(chosen)
    source = msgspec.structs.replace(_canonical(chosen, made, words), beside=told)
    return Made(
        source="turnwire protocol",
        problems=problems,
        files=emit_jsonschema(chosen, whole, stable) if emit is None else emit(source),
        facts=_facts(chosen, made.digest, words),
        names=origins,
        findings=_findings(command, chosen, origins),
    )


def _reading_words(schema: Path, reading: Reading) -> str:
    """How a schema was named, without the folders that only this machine has."""
    words = ["--schema", schema.name or str(schema)]
    words += ["--form", reading.form] if reading.form else []
    words += ["--root", reading.root] if reading.root else []
    words += ["--names", reading.names.name] if reading.names else []
    return shlex.join(words)


def _emitter(command: str, style: str) -> Callable[[Source], Files] | None:
    return COMMANDS[command].files if style == OWN_STYLE else partial(_styled, style)


def _of_file(command: str, path: Path, words: str, style: str, reading: Reading) -> Made:
    emit = _emitter(command, style)
    if emit is None:
        what, fix = "is already JSON Schema", "use generate-python or generate-ts with --schema"
        problem = Problem(severity="error", file=str(path), where="#", what=what, fix=fix)
        return Made(source=path.name, problems=[problem], unreadable=True)
    loaded, document, problems = load_foreign(path, reading)
    if loaded is None:
        return Made(source=path.name, problems=problems, unreadable=has_errors(problems))
    protocol = run(loaded.protocol, FOREIGN_PASSES)
    if COMMANDS[command].of_methods and not protocol.methods:
        what, fix = "names no methods", "use generate-docs"
        problem = Problem(severity="error", file=str(path), where="#", what=what, fix=fix)
        return Made(source=path.name, problems=[*problems, problem], unreadable=True)
    schema = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    # Nothing of what is told to people checks anything, so what the page does not say is lost.
    checks = Checks(None, {}, []) if COMMANDS[command].tells else checks_of(document, path.name, loaded.declared)
    source = Source(protocol, schema, checks, words)
    return Made(
        source=path.name,
        problems=[*problems, *checks.problems],
        files=emit(source),
        facts=_facts(protocol, digest(schema), words),
        names=loaded.origins,
        findings=unchecked([*_findings(command, protocol, loaded.origins), *loaded.findings], loaded.declared, checks),
    )


def _findings(command: str, said: Protocol, origins: Mapping[str, str]) -> list[Finding]:
    if command != "generate-python":
        return findings(said, said, origins, COMMANDS[command].held)
    found = findings(said, loosen_readers(said), origins, COMMANDS[command].held)
    return [*found, *untyped_members(said, origins)]


def _facts(protocol: Protocol, schema_digest: str, command: str) -> dict[str, str]:
    return {"protocol": protocol.version, "schema": protocol.id, "digest": schema_digest, "command": command}


def _header(protocol: Protocol, schema_digest: str, command: str) -> Header:
    return Header(title=protocol.title, version=protocol.version, digest=schema_digest, command=command)
