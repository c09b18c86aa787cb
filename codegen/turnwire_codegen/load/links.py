"""What the tables say of each other and of the types must exist; a name that nothing bears is reported at its cell."""

from turnwire_codegen.ir import Capability, Family, Method, Protocol
from turnwire_codegen.problems import Place, Problem
from turnwire_codegen.words import pascal

__all__ = ["check_links"]

# The types of the envelope from which whole messages are derived.
_ENVELOPE = ("RequestId", "Response")


def check_links(protocol: Protocol, found: list[Problem]) -> None:
    """Report every dangling name of the tables, and names that the derived messages would take twice."""
    types = {decl.name for family in protocol.families for decl in family.declarations}
    methods = {row.name for row in protocol.methods}
    known = {
        "errors": {row.name for row in protocol.errors},
        "emits": methods,
        "capability": {row.key for row in protocol.capabilities},
    }
    at = Place("methods.json", found) / "methods"
    for index, row in enumerate(protocol.methods):
        _check_method(row, at / index, types, known)
    for index, error in enumerate(protocol.errors):
        if error.data is not None and error.data not in types:
            (Place("errors.json", found) / "errors" / index / "data").error(f"no type {error.data}", "define it")
    for side in ("server", "client"):
        rows = [row for row in protocol.capabilities if row.side == side]
        for index, offer in enumerate(rows):
            _check_offer(offer, Place("capabilities.json", found) / side / index, protocol.families, methods)
    if protocol.methods:
        _check_messages(protocol.methods, at, types)
        for name in sorted(set(_ENVELOPE) - types):
            (Place("envelope.json", found) / "$defs").error(f"no {name}", "define it: messages are made of it")


def _check_method(row: Method, place: Place, types: set[str], known: dict[str, set[str]]) -> None:
    for key, name in (("params", row.params), ("result", row.result)):
        if name is not None and name not in types:
            (place / key).error(f"no type {name}", "define it in a family file, or mend the name")
    for key, names in (("errors", row.errors), ("emits", row.emits)):
        for index, name in enumerate(names):
            if name not in known[key]:
                (place / key / index).error(f"no row {name!r}", f"add it to the table of {key}, or mend the name")
    if row.capability is not None and row.capability not in known["capability"]:
        (place / "capability").error(f"no capability {row.capability!r}", "add it to capabilities.json")


def _check_offer(offer: Capability, place: Place, families: tuple[Family, ...], methods: set[str]) -> None:
    members = {
        f"{decl.name}.{field.wire}"
        for family in families
        for decl in family.declarations
        for field in getattr(decl, "fields", ())
    }
    for key, names, known in (("methods", offer.methods, methods), ("members", offer.members, members)):
        for index, name in enumerate(names):
            if name not in known:
                (place / key / index).error(f"no {key.removesuffix('s')} {name!r}", "mend the name")


def _check_messages(methods: tuple[Method, ...], place: Place, types: set[str]) -> None:
    """Each method gives a type of its own, `thread/start` the type ThreadStartRequest."""
    taken: dict[str, str] = {}
    for index, row in enumerate(methods):
        name = pascal(row.name) + row.kind.capitalize()
        if name in types:
            (place / index / "name").error(f"its message type {name} is already a definition", "rename one of them")
        elif name in taken:
            (place / index / "name").error(f"its message type {name} is that of {taken[name]!r}", "rename one of them")
        taken[name] = row.name
