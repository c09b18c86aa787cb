"""From a schema to the files of a command: loading, passes, one emitter, and what became of each part.

A language is a row of `COMMANDS`, which names the module of its emitter; only the module of the command is imported.
It stands in the targets of turnwire-toml.json and in the table of the command line too: tests hold the three together.
"""

import importlib
import json
import shlex
from collections.abc import Mapping
from pathlib import Path

import msgspec

from turnwire_codegen.checks import UNCHECKED, checks_of, unchecked
from turnwire_codegen.emit.given import Emitter, Files, Given
from turnwire_codegen.emit.jsonschema import bundle
from turnwire_codegen.emit.jsonschema.package import emit_jsonschema
from turnwire_codegen.emit.styles import OWN_STYLE, Styled
from turnwire_codegen.ir import Protocol
from turnwire_codegen.load.beside import Beside, read_beside
from turnwire_codegen.load.canonical import load_canonical
from turnwire_codegen.load.foreign.front import AS_FOUND, Reading, load_foreign
from turnwire_codegen.passes import FOREIGN_PASSES, PASSES, STABLE_PASSES, run
from turnwire_codegen.passes.circles import depth_of_unions
from turnwire_codegen.passes.wide import widened
from turnwire_codegen.problems import Finding, Problem, has_errors
from turnwire_codegen.report import findings
from turnwire_codegen.source import canonical_folder

__all__ = ["COMMANDS", "Command", "Made", "emitted", "given_canonical", "make"]


# Each is a call within the last one's when a value is read.
_MOST_UNIONS = 256


class Command(msgspec.Struct, frozen=True):
    """A command: what it says of itself, and the module below `emit` that makes its files (see `emit.given`).

    Without a module its files are schemas. Those that tell check nothing and show examples; some need methods.
    Some say in types what `ir` calls close.
    """

    help: str
    module: str = ""
    tells: bool = False
    of_methods: bool = False
    close: bool = False

    @property
    def checks(self) -> bool:
        """Whether validators are among its files."""
        return bool(self.module) and not self.tells


COMMANDS: Mapping[str, Command] = {
    "generate-python": Command("Python types for msgspec.", "python"),
    "generate-ts": Command("TypeScript types.", "typescript", close=True),
    "generate-swift": Command("Swift types.", "swift"),
    "generate-kotlin": Command("Kotlin types for kotlinx.serialization.", "kotlin"),
    "generate-json-schema": Command("JSON Schema: bundles, types, methods."),
    "generate-docs": Command("A reference in Markdown.", "docs", tells=True),
    "generate-openrpc": Command("OpenRPC documents.", "openrpc", tells=True, of_methods=True),
}


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


def given_canonical(protocol: Protocol, command: str, *, checked: bool = True, beside: Beside | None = None) -> Given:
    """What an emitter is given of a canonical protocol whose passes have run."""
    made = bundle(protocol)
    roots = {name: f"#/$defs/{name}" for name in made.schema["$defs"]}
    checks = checks_of(made.schema, "bundle.json", roots) if checked else UNCHECKED
    return Given(protocol, made.canonical, checks, command, beside or Beside())


def emitted(command: str, given: Given, style: str = OWN_STYLE) -> Files:
    """The files of a command that has an emitter; raises StyleError when the style cannot be had."""
    return _emitter(command, style).emit(given)


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
        try:
            return _of_file(command, schema, f"{words} {_reading_words(schema, reading)}", style, reading)
        except RecursionError:
            return _too_deep(schema)
    return _of_protocol(command, words, style, experimental=experimental)


def _of_protocol(command: str, words: str, style: str, *, experimental: bool) -> Made:
    protocol, problems = load_canonical(canonical_folder())
    if protocol is None:
        return Made(source="turnwire protocol", problems=problems)
    row = COMMANDS[command]
    told = read_beside(canonical_folder(), problems) if row.tells else Beside()
    if has_errors(problems):
        return Made(source="turnwire protocol", problems=problems)
    whole, stable = run(protocol, PASSES), run(protocol, STABLE_PASSES)
    chosen = whole if experimental else stable
    given = given_canonical(chosen, words, checked=row.checks and style == OWN_STYLE, beside=told)
    origins = {
        decl.name: f"{family.name}.json#/$defs/{decl.name}"
        for family in protocol.families
        for decl in family.declarations
    }
    if row.module:
        emitter = _emitter(command, style)
        files, found = emitter.emit(given), emitter.findings(chosen, origins)
    else:
        files, found = emit_jsonschema(chosen, whole, stable), findings(chosen, chosen, origins)
    return Made(
        source="turnwire protocol",
        problems=problems,
        files=files,
        facts=_facts(given),
        names=origins,
        findings=unchecked(found, origins, given.checks) if row.checks else found,
    )


def _reading_words(schema: Path, reading: Reading) -> str:
    """How a schema was named, without the folders that only this machine has."""
    words = ["--schema", schema.name or str(schema)]
    words += ["--form", reading.form] if reading.form else []
    words += ["--root", reading.root] if reading.root else []
    words += ["--names", reading.names.name] if reading.names else []
    return shlex.join(words)


def _emitter(command: str, style: str) -> Emitter:
    if style != OWN_STYLE:
        return Styled(style)
    emitter: Emitter = importlib.import_module(f"turnwire_codegen.emit.{COMMANDS[command].module}")
    return emitter


def _of_file(command: str, path: Path, words: str, style: str, reading: Reading) -> Made:
    row = COMMANDS[command]
    if not row.module:
        return _unfit(path, [], "is already JSON Schema", "use generate-python or generate-ts with --schema")
    loaded, document, problems = load_foreign(path, reading)
    if loaded is None:
        return Made(source=path.name, problems=problems, unreadable=has_errors(problems))
    protocol = run(loaded.protocol, FOREIGN_PASSES if row.close else (*FOREIGN_PASSES, widened))
    if depth_of_unions(protocol) > _MOST_UNIONS:
        return _too_deep(path)
    if row.of_methods and not protocol.methods:
        return _unfit(path, problems, "names no methods", "use generate-docs")
    schema = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    # Nothing of what is told to people checks anything, so what the page does not say is lost.
    checks = checks_of(document, path.name, loaded.declared) if row.checks and style == OWN_STYLE else UNCHECKED
    given = Given(protocol, schema, checks, words)
    emitter = _emitter(command, style)
    found = [*emitter.findings(protocol, loaded.origins), *loaded.findings, *(() if row.close else loaded.wide)]
    return Made(
        source=path.name,
        problems=[*problems, *checks.problems],
        files=emitter.emit(given),
        facts=_facts(given),
        names=loaded.origins,
        findings=unchecked(found, loaded.declared, checks),
    )


def _too_deep(path: Path) -> Made:
    return _unfit(path, [], "nested too deeply", "give inner schemas names, or refer to fewer in a row")


def _unfit(path: Path, problems: list[Problem], what: str, fix: str) -> Made:
    """The outcome where the schema is right and the command is not."""
    problem = Problem(severity="error", file=str(path), where="#", what=what, fix=fix)
    return Made(source=path.name, problems=[*problems, problem], unreadable=True)


def _facts(given: Given) -> dict[str, str]:
    protocol, header = given.protocol, given.header
    return {"protocol": protocol.version, "schema": protocol.id, "digest": header.digest, "command": header.command}
