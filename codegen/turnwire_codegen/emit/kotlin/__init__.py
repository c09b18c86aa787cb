"""Kotlin: data classes and sealed interfaces, one file a family, and tables; they need kotlinx-serialization-json."""

from collections.abc import Mapping
from importlib.resources import files

from turnwire_codegen.emit.given import Files, Given
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.kotlin.held import held_views
from turnwire_codegen.emit.kotlin.large import told_large, without_large
from turnwire_codegen.emit.kotlin.names import CANONICAL_PACKAGE, package_name
from turnwire_codegen.emit.kotlin.scope import scope_of
from turnwire_codegen.emit.kotlin.tables import (
    capability_row,
    error_views,
    methods_view,
    states_view,
    types_view,
)
from turnwire_codegen.emit.kotlin.text import quoted
from turnwire_codegen.emit.kotlin.tuples import tuple_views
from turnwire_codegen.emit.kotlin.validators import emit_validators
from turnwire_codegen.emit.kotlin.view import family_view
from turnwire_codegen.emit.render import render
from turnwire_codegen.emit.tables import protocol_view
from turnwire_codegen.ir import Protocol
from turnwire_codegen.passes.readers import loosen_readers
from turnwire_codegen.problems import Finding
from turnwire_codegen.report import findings as findings_of

__all__ = ["SUPPORT", "emit", "emit_kotlin", "findings", "support_files"]

# What every package carries.
SUPPORT = ("Codecs.kt", "Formats.kt", "Json.kt", "Members.kt", "Rules.kt", "Tables.kt")


def emit(given: Given) -> Files:
    """The types and the tables, and the validators where the schema has any."""
    # A foreign schema has no version of a protocol.
    package = CANONICAL_PACKAGE if given.protocol.version else package_name(given.protocol.title)
    return emit_kotlin(given, package)


def findings(protocol: Protocol, origins: Mapping[str, str]) -> list[Finding]:
    """What looks at members and arms is left to the validators, and so are patterns in what a client reads."""
    found = findings_of(protocol, loosen_readers(protocol), origins)
    return told_large(found, protocol, origins)


def emit_kotlin(given: Given, package: str) -> Files:
    """The files of the package of this name."""
    protocol, scope = scope_of(without_large(loosen_readers(given.protocol)))
    views = [family_view(family, scope) for family in protocol.families]
    pages: dict[str, tuple[str, object]] = {f"{view.file}.kt": ("family", view) for view in views}
    pages["Types.kt"] = ("types", types_view(scope))
    if scope.arities:
        pages["Tuples.kt"] = ("tuples", tuple_views(scope.arities))
    if protocol.methods:
        pages["Methods.kt"] = ("methods", methods_view(protocol, scope))
    if protocol.version:
        # A foreign schema says nothing of versions, errors and states, so there is nothing to say of them either.
        constants = protocol_view(protocol, given.header.digest, quoted, capability_row)
        pages |= {
            "Errors.kt": ("errors", error_views(protocol.errors)),
            "States.kt": ("states", states_view(protocol)),
            "Capabilities.kt": ("capabilities", constants),
            "Protocol.kt": ("protocol", constants),
        }
    if scope.held:
        # They have been named while the types were made.
        pages["Held.kt"] = ("held", held_views(scope))
    texts = {
        path: render("kotlin", f"{name}.kt.j2", {"header": given.header.lines(), "package": package, name: view})
        for path, (name, view) in pages.items()
    }
    output = {path: text.encode() for path, text in texts.items()} | support_files(given.header, package)
    plans, roots = given.checks.plans, given.checks.roots
    return output if plans is None else output | emit_validators(plans, roots, given.header, package)


def support_files(header: Header, package: str) -> Files:
    """Hand-written files that every package carries, so that generated code needs no other library of ours."""
    folder = files("turnwire_codegen.emit.kotlin").joinpath("support")
    head = "".join(f"// {line}\n" for line in header.lines())
    output = {}
    for name in SUPPORT:
        source = folder.joinpath(name).read_text(encoding="utf-8")
        output[name] = f"{head}\n{source.replace(f'package {CANONICAL_PACKAGE}', f'package {package}', 1)}".encode()
    return output
