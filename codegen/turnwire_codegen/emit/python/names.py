"""Python spelling of wire names: one RESERVED set, one collision rule, a rename table that gives the wire name back."""

import keyword
from collections.abc import Mapping

from turnwire_codegen.words import camel, pascal, snake

__all__ = [
    "RESERVED_MEMBERS",
    "RESERVED_MODULES",
    "class_name",
    "lone_name",
    "member_names",
    "module_name",
    "rename_option",
]

# Annotations are evaluated inside the class body, so a member must not hide a builtin that an annotation says.
_BUILTINS = frozenset({"bool", "dict", "float", "int", "list", "object", "str", "tuple"})
RESERVED_MEMBERS = frozenset(keyword.kwlist) | _BUILTINS
# Modules of the package that are no family.
RESERVED_MODULES = frozenset(
    {"aside", "checking", "decoding", "door", "errors", "methods", "protocol", "states", "validators", *keyword.kwlist},
)
# What a generated module imports, or what its package has beside types; a definition of that name would hide it.
_IMPORTED = frozenset(
    {
        "TYPES",
        *("Annotated", "ClassVar", "Literal", "TYPE_CHECKING", "TypeAlias"),
        *("Bag", "Hole", "Keeper", "Meta", "Struct", "UNSET", "Unknown", "UnsetType"),
    },
)


def module_name(family: str) -> str:
    """The module of a family: `threadEvents` becomes `thread_events`."""
    name = snake(family)
    return f"{name}_" if name in RESERVED_MODULES else name


def class_name(name: str) -> str:
    """The class of a definition: the definition's own name where Python can say it."""
    spelled = name if name.isidentifier() and name.isascii() else pascal(name)
    if not spelled or spelled[0].isdigit():
        spelled = f"T{spelled}"
    return f"{spelled}_" if spelled in _IMPORTED or keyword.iskeyword(spelled) else spelled


def lone_name(name: str) -> str:
    """The arm of a union where it stands outside of it."""
    return f"Lone{class_name(name)}"


def member_names(wires: Mapping[str, str], reserved: frozenset[str] = frozenset()) -> dict[str, str]:
    """Wire name to attribute name; names that would collide keep apart by their wire spelling, in wire order.

    `wires` has what the user calls each member, empty where the name follows from the wire.
    """
    taken: dict[str, str] = {}
    plain = {wire: _plain(given or wire) for wire, given in wires.items()}
    for wire in sorted(wires, key=lambda wire: (plain[wire] != wire, wire)):
        name = plain[wire]
        while name in taken.values() or name in reserved:
            name += "_"
        taken[wire] = name
    return {wire: taken[wire] for wire in wires}


def rename_option(names: dict[str, str]) -> str | None:
    """The `rename=` of a struct whose attributes are not spelled as on the wire, None when they all are."""
    differing = {name: wire for wire, name in names.items() if name != wire}
    if not differing:
        return None
    if all(camel(name) == wire for wire, name in names.items()):
        return '"camel"'
    return "{" + ", ".join(f"{name!r}: {wire!r}" for name, wire in differing.items()) + "}"


def _plain(wire: str) -> str:
    name = snake(wire) or "empty"
    if name[0].isdigit():
        name = f"n{name}"
    return f"{name}_" if name in RESERVED_MEMBERS else name
