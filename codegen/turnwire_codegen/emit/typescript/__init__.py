"""TypeScript: types, one file a family, and the tables; or all of it as one module."""

from collections.abc import Mapping

from turnwire_codegen.emit.given import Files, Given
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.render import render
from turnwire_codegen.emit.tables import protocol_view
from turnwire_codegen.emit.typescript.limits import with_limits
from turnwire_codegen.emit.typescript.tables import error_views, methods_view
from turnwire_codegen.emit.typescript.text import quoted, support
from turnwire_codegen.emit.typescript.validators import emit_validators
from turnwire_codegen.emit.typescript.view import family_view, index_view, scope_of, support_view
from turnwire_codegen.ir import Protocol
from turnwire_codegen.problems import Finding
from turnwire_codegen.report import findings as findings_of
from turnwire_codegen.rules import Const

__all__ = ["emit", "emit_module", "emit_typescript", "findings"]


def emit(given: Given) -> Files:
    """The types, and the validators where the schema has any."""
    types = emit_typescript(given.protocol, given.header)
    plans, roots = given.checks.plans, given.checks.roots
    return types if plans is None else types | emit_validators(plans, roots, given.header)


def findings(protocol: Protocol, origins: Mapping[str, str]) -> list[Finding]:
    """All rules but lists of values are left to the validators: TypeScript's types know no others."""
    return with_limits(
        findings_of(protocol, protocol, origins, lambda rule: isinstance(rule, Const)), protocol, origins
    )


def emit_typescript(protocol: Protocol, header: Header) -> dict[str, bytes]:
    """The files of the package's `generated` folder."""
    scope = scope_of(protocol)
    views = [family_view(family, scope) for family in protocol.families]
    pages: dict[str, tuple[str, object]] = {f"{view.module}.ts": ("family", view) for view in views}
    pages |= {
        "support.ts": ("support", support_view(views)),
        "methods.ts": ("methods", methods_view(protocol)),
    }
    if protocol.version:
        # A foreign schema says nothing of versions and errors, so there is nothing to say of them either.
        pages |= {
            "errors.ts": ("errors", error_views(protocol)),
            "protocol.ts": ("protocol", protocol_view(protocol, header.digest, quoted)),
        }
    pages["index.ts"] = ("index", index_view([view.module for view in views], values=bool(protocol.version)))
    texts = {
        path: render("typescript", f"{name}.ts.j2", {"header": header.lines(), name: view})
        for path, (name, view) in pages.items()
    }
    texts["json.ts"] = support("json.ts", header)
    return {path: text.encode() for path, text in texts.items()}


def emit_module(protocol: Protocol, header: Header) -> bytes:
    """The same types and tables as one module without imports, for those who are given a single text."""
    scope = scope_of(protocol)
    families = [family_view(family, scope) for family in protocol.families]
    view = {
        "header": header.lines(),
        "support": support_view(families),
        "families": families,
        "methods": methods_view(protocol),
        "errors": error_views(protocol),
        "protocol": protocol_view(protocol, header.digest, quoted),
    }
    return render("typescript", "module.ts.j2", view).encode()
