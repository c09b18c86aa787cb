"""Swift: structures and enumerations, one file a family, validators, and the support that they need; nothing else."""

from collections.abc import Mapping
from importlib.resources import files

from turnwire_codegen.emit.given import Files, Given
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.render import render
from turnwire_codegen.emit.swift.shapes import named_tuples
from turnwire_codegen.emit.swift.tables import capability_row, error_views, machine_views, methods_view
from turnwire_codegen.emit.swift.text import quoted
from turnwire_codegen.emit.swift.validators import emit_validators
from turnwire_codegen.emit.swift.view import definition_parts, family_views, scope_of
from turnwire_codegen.emit.tables import protocol_view
from turnwire_codegen.ir import Protocol
from turnwire_codegen.passes.readers import loosen_readers
from turnwire_codegen.problems import Finding
from turnwire_codegen.report import findings as findings_of

__all__ = ["emit", "emit_swift", "findings", "support_files"]


def emit(given: Given) -> Files:
    """The types with their support, and the validators where the schema has any."""
    types = emit_swift(loosen_readers(given.protocol), given.header)
    plans, roots = given.checks.plans, given.checks.roots
    return types if plans is None else types | emit_validators(plans, roots, given.header)


def findings(protocol: Protocol, origins: Mapping[str, str]) -> list[Finding]:
    """What looks at members and arms is left to the validators, and so are patterns in what a client reads."""
    return findings_of(protocol, loosen_readers(protocol), origins)


def emit_swift(protocol: Protocol, header: Header) -> Files:
    """The files of a module; the same types whatever validators stand beside them."""
    protocol = named_tuples(protocol)
    scope = scope_of(protocol)
    pages: dict[str, tuple[str, object]] = {
        view.path: ("family", view) for family in protocol.families for view in family_views(family, scope)
    }
    pages["Definitions.swift"] = ("definitions", definition_parts(scope))
    # The lists of rules have been named while the types were made.
    rules = [f"static let {name}: [JSONRule] = {scope.rules[name]}" for name in sorted(scope.rules)]
    pages["Rules.swift"] = ("rules", rules)
    if protocol.methods:
        pages["Methods.swift"] = ("methods", methods_view(protocol, scope))
    if protocol.version:
        # A foreign schema says nothing of versions, errors and states, so there is nothing to say of them either.
        pages |= {
            "Errors.swift": ("errors", error_views(protocol)),
            "States.swift": ("states", machine_views(protocol)),
            "Protocol.swift": ("protocol", protocol_view(protocol, header.digest, quoted, capability_row)),
        }
    texts = {
        path: render("swift", f"{name}.swift.j2", {"header": header.lines(), name: view})
        for path, (name, view) in pages.items()
    }
    return {path: text.encode() for path, text in texts.items()} | support_files(header)


def support_files(header: Header) -> Files:
    """What is written by hand and goes along with every module, so that generated code needs nothing else."""
    folder = files("turnwire_codegen.emit.swift").joinpath("support")
    paths = sorted(folder.iterdir(), key=lambda path: path.name)
    return {f"Support/{path.name}": _headed(path.read_text(encoding="utf-8"), header).encode() for path in paths}


def _headed(source: str, header: Header) -> str:
    return "".join(f"// {line}\n" for line in header.lines()) + "\n" + source
