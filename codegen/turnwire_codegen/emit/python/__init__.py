"""Python: msgspec structs, one module a family, tables as plain data, everything imported when first used."""

from collections.abc import Mapping
from importlib.resources import files

from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.python.names import module_name
from turnwire_codegen.emit.python.tables import error_view, machine_view, method_view, protocol_view
from turnwire_codegen.emit.python.types import Home
from turnwire_codegen.emit.python.view import FamilyView, PackageView, Scope, family_view, package_view
from turnwire_codegen.emit.render import render
from turnwire_codegen.ir import Protocol
from turnwire_codegen.passes.graph import declarations, mutual_families
from turnwire_codegen.passes.tags import arm_tags

__all__ = ["emit_python"]


def emit_python(protocol: Protocol, header: Header, schema: bytes) -> dict[str, bytes]:
    """The files of the package. `schema` is the canonical form of the bundle that the digest in `header` is of."""
    views = _family_views(protocol)
    package = package_view(protocol, views)
    shared = {"header": header.lines()}
    texts = {f"{view.module}.py": render("python", "family.py.j2", {"family": view, **shared}) for view in views}
    texts["__init__.py"] = render("python", "package.py.j2", {"package": package, **shared})
    texts["methods.py"] = render(
        "python",
        "methods.py.j2",
        {"methods": [method_view(row) for row in protocol.methods], "types": package.types, **shared},
    )
    texts["errors.py"] = render("python", "errors.py.j2", {"errors": [error_view(row) for row in protocol.errors], **shared})
    texts["states.py"] = render("python", "states.py.j2", {"machines": [machine_view(row) for row in protocol.machines], **shared})
    texts["protocol.py"] = render("python", "protocol.py.j2", {"protocol": protocol_view(protocol, header.digest), **shared})
    texts["decoding.py"] = _support("decoding.py", header)
    output = {path: text.encode() for path, text in texts.items()}
    output["schema.json"] = schema
    output["py.typed"] = b""
    return output


def _family_views(protocol: Protocol) -> list[FamilyView]:
    known, tags, mutual = declarations(protocol), arm_tags(protocol), mutual_families(protocol)
    modules: Mapping[str, str] = {
        decl.name: module_name(family.name) for family in protocol.families for decl in family.declarations
    }
    return [
        family_view(
            family,
            Scope(
                Home(module_name(family.name), modules, frozenset(module_name(name) for name in mutual[family.name])),
                tags,
                known,
            ),
        )
        for family in protocol.families
    ]


def _support(name: str, header: Header) -> str:
    """A hand-written module that every package carries, so that generated code needs msgspec and nothing else."""
    source = files("turnwire_codegen.emit.python").joinpath("support", name).read_text(encoding="utf-8")
    return "".join(f"# {line}\n" for line in header.lines()) + source
