"""The table of patterns that the types leave out, and that a server holds its clients to all the same."""

import msgspec

from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.python.names import class_name, member_names
from turnwire_codegen.emit.python.text import quoted
from turnwire_codegen.emit.render import render
from turnwire_codegen.ir import Protocol, Record
from turnwire_codegen.passes.door import Way, ways_to_patterns
from turnwire_codegen.passes.graph import declarations
from turnwire_codegen.patterns import parse, to_python

__all__ = ["WaysView", "emit_door"]


class WaysView(msgspec.Struct, frozen=True):
    """The ways of one type."""

    type: str
    ways: tuple[str, ...]


def emit_door(protocol: Protocol, header: Header) -> dict[str, bytes]:
    """The module; a foreign schema has none, since nobody serves it with our runtime."""
    if not protocol.version:
        return {}
    known = declarations(protocol)
    views = []
    for name, ways in ways_to_patterns(protocol).items():
        record = known[name]
        assert isinstance(record, Record), "only records have ways"
        names = member_names({field.wire: field.name for field in record.fields})
        views.append(WaysView(quoted(class_name(name)), tuple(_row(way, names[way.wire]) for way in ways)))
    return {"door.py": render("python", "door.py.j2", {"header": header.lines(), "types": views}).encode()}


def _row(way: Way, member: str) -> str:
    patterns = "".join(f"{quoted(to_python(parse(source)))}, " for source in way.patterns)
    return f"({quoted(way.wire)}, {quoted(member)}, ({patterns.rstrip()}))"
