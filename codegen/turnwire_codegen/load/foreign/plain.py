"""Any JSON Schema file: its root and its definitions, without a method table."""

from pathlib import Path
from typing import Any

import msgspec

from turnwire_codegen.ir import ByField, Declaration, Family, Protocol, Union
from turnwire_codegen.load.foreign.choices import settle_choices
from turnwire_codegen.load.foreign.document import CONTAINERS, Document, Layout, without_siblings
from turnwire_codegen.load.foreign.lower import declare_all
from turnwire_codegen.load.foreign.nulls import null_once
from turnwire_codegen.load.foreign.sound import check_schemas
from turnwire_codegen.load.foreign.work import Work
from turnwire_codegen.load.tagging import tagged
from turnwire_codegen.problems import Finding

__all__ = ["Loaded", "is_schema", "load_plain", "tag_all"]

_HEAD = frozenset({"$schema", "$id", "$comment", "title", "description", *CONTAINERS})


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """A foreign schema as IR. `root` is the declaration of the document itself, where it is one schema.

    `origins` has the pointer of every declaration, `declared` only those of definitions and of the root.
    `used` are the keys of the names that the user gave, and that name something.
    `wide` is found as well where types do not hold what `ir` calls close.
    """

    protocol: Protocol
    root: str | None
    origins: dict[str, str]
    declared: dict[str, str]
    findings: list[Finding]
    wide: list[Finding] = []
    used: frozenset[str] = frozenset()


def load_plain(document: Any, path: Path, layout: Layout) -> Loaded:
    """The protocol of one file; everything is kept that can be, the rest is in `findings`.

    Raises:
        UnsoundError: a keyword has not the shape that it must have; its `problems` say which.
    """
    work = Work(Document(without_siblings(document)), layout.names)
    head: dict[str, Any] = document if isinstance(document, dict) else {}
    named = [(work.claim(key, pointer), pointer) for key, pointer in work.document.definitions(layout.folders)]
    # What declares nothing is a schema all the same: true, or an empty one.
    alone = {"#": str(head.get("title") or path.stem)} if is_schema(head) or not named else {}
    roots = alone if layout.roots is None else layout.roots
    named += [(work.claim(name, pointer), pointer) for pointer, name in roots.items()]
    check_schemas(work.document, [pointer for _, pointer in named], str(path))
    declare_all(dict(named), work)
    settle_choices(work)
    made = {name: declaration for name, declaration in work.made.items() if declaration is not None}
    settled = tag_all(null_once(made))
    family = Family(
        name="types",
        title=str(head.get("title") or path.stem),
        doc=str(head.get("description", "")),
        declarations=tuple(settled[name] for name in sorted(settled)),
    )
    protocol = Protocol(id=str(head.get("$id") or path.name), title=family.title, version="", families=(family,))
    return Loaded(
        protocol=protocol,
        root=named[-1][0] if len(roots) == 1 else None,
        origins=work.origins,
        declared=dict(named),
        findings=work.found,
        wide=work.wide,
        used=frozenset(work.used),
    )


def is_schema(head: dict[str, Any]) -> bool:
    """Whether the root is a schema itself and not only a folder of definitions; `type: object` alone is a habit."""
    words = set(head) - _HEAD
    return bool(words) and not (words == {"type"} and any(container in head for container in CONTAINERS))


def tag_all(made: dict[str, Declaration]) -> dict[str, Declaration]:
    """Every union with its tag. A record has one tag: a union that would give it another is left untagged."""
    settled = dict(made)
    tags: dict[str, tuple[str, str | int | None]] = {}
    for name in sorted(made):
        declaration = made[name]
        found = tagged(declaration, made) if isinstance(declaration, Union) else None
        if found is None or not isinstance(found.tagging, ByField):
            continue
        wire = found.tagging.wire
        arms = {v.type.name: (wire, v.tag) for v in found.variants if hasattr(v.type, "name")}
        if all(tags.get(arm, tag) == tag for arm, tag in arms.items()):
            tags |= arms
            settled[name] = found
    return settled
