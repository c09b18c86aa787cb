"""Kotlin: data classes and sealed interfaces, one file a family, and tables; they need kotlinx-serialization-json."""

from collections.abc import Mapping
from importlib.resources import files

from turnwire_codegen.emit.given import Files, Given
from turnwire_codegen.emit.header import Header
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
from turnwire_codegen.problems import Finding
from turnwire_codegen.report import findings as findings_of

__all__ = ["CHECKING", "SUPPORT", "emit", "emit_kotlin", "findings", "support_files"]

# What every package carries, and what only a package with validators does.
SUPPORT = ("Codecs.kt", "Json.kt", "Members.kt", "Tables.kt")
CHECKING = ("Formats.kt", "Rules.kt")


def emit(given: Given) -> Files:
    """The types and the tables, and the validators where the schema has any."""
    # A foreign schema has no version of a protocol.
    package = CANONICAL_PACKAGE if given.protocol.version else package_name(given.protocol.title)
    return emit_kotlin(given, package)


def findings(protocol: Protocol, origins: Mapping[str, str]) -> list[Finding]:
    """Every rule is left to the validators: the types know none but the width of integers."""
    return findings_of(protocol, protocol, origins, frozenset())


def emit_kotlin(given: Given, package: str) -> Files:
    """The files of the package of this name."""
    protocol, scope = scope_of(given.protocol)
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
    texts = {
        path: render("kotlin", f"{name}.kt.j2", {"header": given.header.lines(), "package": package, name: view})
        for path, (name, view) in pages.items()
    }
    output = {path: text.encode() for path, text in texts.items()}
    plans, roots = given.checks.plans, given.checks.roots
    if plans is None:
        return output | support_files(given.header, package, SUPPORT)
    return output | support_files(given.header, package) | emit_validators(plans, roots, given.header, package)


def support_files(header: Header, package: str, names: tuple[str, ...] = (*SUPPORT, *CHECKING)) -> Files:
    """Hand-written files that every package carries, so that generated code needs no other library of ours."""
    folder = files("turnwire_codegen.emit.kotlin").joinpath("support")
    head = "".join(f"// {line}\n" for line in header.lines())
    output = {}
    for name in names:
        source = folder.joinpath(name).read_text(encoding="utf-8")
        output[name] = f"{head}\n{source.replace(f'package {CANONICAL_PACKAGE}', f'package {package}', 1)}".encode()
    return output
