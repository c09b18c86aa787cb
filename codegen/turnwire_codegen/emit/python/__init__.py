"""Python: msgspec structs, one module a family, tables as plain data, everything imported when first used."""

from collections.abc import Mapping
from importlib.resources import files

from turnwire_codegen.emit.given import Files, Given
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.python.door import emit_door
from turnwire_codegen.emit.python.limits import lone_arms, tried_unions, untyped_members
from turnwire_codegen.emit.python.names import module_name
from turnwire_codegen.emit.python.tables import MethodsView, capability_view, error_view, machine_view, method_view
from turnwire_codegen.emit.python.text import quoted
from turnwire_codegen.emit.python.types import Home, is_held
from turnwire_codegen.emit.python.validators import emit_validators
from turnwire_codegen.emit.python.view import FamilyView, Scope, family_view, package_view
from turnwire_codegen.emit.render import render
from turnwire_codegen.emit.tables import protocol_view
from turnwire_codegen.ir import Protocol
from turnwire_codegen.passes.graph import declarations, mutual_families, recursive
from turnwire_codegen.passes.readers import loosen_readers
from turnwire_codegen.passes.tags import arm_tags
from turnwire_codegen.problems import Finding
from turnwire_codegen.report import findings as findings_of

__all__ = ["emit", "emit_python", "findings"]


def emit(given: Given) -> Files:
    """The types with what they leave out, and the validators where the schema has any."""
    types = emit_python(loosen_readers(given.protocol), given.header, given.schema)
    types |= emit_door(given.protocol, given.header)
    plans, roots = given.checks.plans, given.checks.roots
    return types if plans is None else types | emit_validators(plans, roots, given.header)


def findings(protocol: Protocol, origins: Mapping[str, str]) -> list[Finding]:
    """What the structs hold: all rules but some, and members of any name that msgspec can say."""
    typed = loosen_readers(protocol)
    return [
        *findings_of(protocol, typed, origins, is_held),
        *untyped_members(protocol, origins),
    ]


def emit_python(protocol: Protocol, header: Header, schema: bytes) -> dict[str, bytes]:
    """The files of the package. `schema` is the canonical form of the bundle that the digest in `header` is of."""
    views = _family_views(protocol)
    package = package_view(protocol, views)
    pages: dict[str, tuple[str, object]] = {f"{view.module}.py": ("family", view) for view in views}
    pages |= {
        "__init__.py": ("package", package),
        "methods.py": ("methods", MethodsView([method_view(row) for row in protocol.methods], package.types)),
    }
    if protocol.version:
        # A foreign schema says nothing of versions, errors and states, so there is nothing to say of them either.
        pages |= {
            "errors.py": ("errors", [error_view(row) for row in protocol.errors]),
            "states.py": ("machines", [machine_view(row) for row in protocol.machines]),
            "protocol.py": ("protocol", protocol_view(protocol, header.digest, quoted, capability_view)),
        }
    texts = {
        path: render("python", f"{name}.py.j2", {"header": header.lines(), name: view})
        for path, (name, view) in pages.items()
    }
    texts |= {name: _support(name, header) for name in ("aside.py", "decoding.py")}
    output = {path: text.encode() for path, text in texts.items()}
    output["schema.json"] = schema
    output["py.typed"] = b""
    return output


def _family_views(protocol: Protocol) -> list[FamilyView]:
    tried = tried_unions(protocol)
    tags, mutual = arm_tags(protocol, but=tried), mutual_families(protocol)
    lone = lone_arms(protocol, frozenset(tags))
    modules: Mapping[str, str] = {
        decl.name: module_name(family.name) for family in protocol.families for decl in family.declarations
    }
    known, held = declarations(protocol), recursive(declarations(protocol))
    views = []
    for family in protocol.families:
        lazy = frozenset(module_name(name) for name in mutual[family.name])
        home = Home(module_name(family.name), modules, lazy, lone)
        views.append(family_view(family, Scope(home, tags, known, held, tried)))
    return views


def _support(name: str, header: Header) -> str:
    """A hand-written module that every package carries, so that generated code needs msgspec and nothing else."""
    source = files("turnwire_codegen.emit.python").joinpath("support", name).read_text(encoding="utf-8")
    return "".join(f"# {line}\n" for line in header.lines()) + source
