"""The reference: one Markdown page of methods, types, errors, capabilities and state machines, each with an anchor."""

from collections.abc import Mapping

import msgspec

from turnwire_codegen.emit.docs.tables import (
    GroupView,
    MachineView,
    OffersView,
    capability_views,
    described,
    error_table,
    group_views,
    machine_views,
)
from turnwire_codegen.emit.docs.text import block, comment, inline, link
from turnwire_codegen.emit.docs.uses import users
from turnwire_codegen.emit.docs.view import FamilyView, family_view
from turnwire_codegen.emit.given import Files, Given
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.render import render
from turnwire_codegen.ir import Protocol
from turnwire_codegen.load.beside import Beside
from turnwire_codegen.passes.roots import MESSAGES
from turnwire_codegen.problems import Finding
from turnwire_codegen.report import findings as findings_of

__all__ = ["PAGE", "PageView", "emit", "emit_docs", "findings"]

PAGE = "REFERENCE.md"


def emit(given: Given) -> Files:
    """The page, and the pages that it links."""
    return {PAGE: emit_docs(given.protocol, given.beside, given.header), **given.beside.pages}


def findings(protocol: Protocol, origins: Mapping[str, str]) -> list[Finding]:
    """The page tells every rule."""
    return findings_of(protocol, protocol, origins)


class PageView(msgspec.Struct, frozen=True, kw_only=True):
    """The page; a section without content is left out."""

    header: tuple[str, ...]
    title: str
    doc: tuple[str, ...]
    contents: tuple[str, ...]
    groups: tuple[GroupView, ...]
    families: tuple[FamilyView, ...]
    errors: tuple[str, ...]
    offers: tuple[OffersView, ...]
    machines: tuple[MachineView, ...]


def emit_docs(protocol: Protocol, beside: Beside, header: Header) -> bytes:
    """The page. Whole messages, which are derived from the methods, are not said a second time as types."""
    own, named_by = described(protocol), users(protocol)
    families = [
        family_view(family, own, beside.examples, named_by) for family in protocol.families if family.name != MESSAGES
    ]
    view = PageView(
        header=tuple(map(comment, header.lines())),
        title=inline(f"{protocol.title} {protocol.version}".strip()),
        doc=block(*(family.doc for family in protocol.families[:1] if not protocol.version)),
        contents=(),
        groups=group_views(protocol, beside.clauses, beside.examples),
        families=tuple(family for family in families if family.types),
        errors=error_table(protocol, beside.clauses),
        offers=capability_views(protocol, beside.clauses),
        machines=machine_views(protocol, beside.clauses),
    )
    page = msgspec.structs.replace(view, contents=_contents(view))
    return render("docs", "reference.md.j2", {"page": page}).encode()


def _contents(page: PageView) -> tuple[str, ...]:
    """The table of contents: a line for each part, with links to all that is in it."""
    lines = ["- [Methods](#methods)"] if page.groups else []
    for group in page.groups:
        names = ", ".join(link(method.name, f"#{method.anchor}") for method in group.methods)
        lines.append(f"  - {link(group.title, f'#{group.anchor}')}: {names}")
    lines += ["- [Types](#types)"] if page.families else []
    for family in page.families:
        names = ", ".join(link(type_.name, f"#{type_.anchor}") for type_ in family.types)
        lines.append(f"  - {link(family.title, f'#{family.anchor}')}: {names}")
    lines += ["- [Errors](#errors)"] if page.errors else []
    lines += ["- [Capabilities](#capabilities)"] if page.offers else []
    if page.machines:
        names = ", ".join(link(machine.name, f"#{machine.anchor}") for machine in page.machines)
        lines.append(f"- [State machines](#machines): {names}")
    return tuple(lines)
