"""Swift spelling of wire names. Nothing hides a type of Swift, Foundation or SwiftUI: such a name gets a `Value`.

Names that are kept as they are come first, so that a name depends on its own spelling and on what it collides with.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files

from turnwire_codegen.words import camel, pascal

__all__ = ["KEYWORDS", "case_names", "file_name", "member_names", "taken_types", "type_names"]

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
KEYWORDS = frozenset(
    {
        *("as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default", "defer", "deinit"),
        *("do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if"),
        *("import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private"),
        *("protocol", "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch"),
        *("throw", "throws", "true", "try", "typealias", "var", "where", "while", "Any", "any"),
    },
)
# No backtick helps these, or they are what every type already has.
_MEMBERS = frozenset(
    {
        *("self", "Self", "Type", "Protocol", "init", "hashValue", "jsonBytes"),
        # What the code of a type says of others; a property of that name would be taken for it.
        *(
            "JSONFault",
            "JSONMap",
            "JSONMembers",
            "JSONNull",
            "JSONObject",
            "JSONValue",
            "JSONWriter",
            "Presence",
            "Rules",
        ),
    },
)
# `.none` and `.some` are those of Optional where a case is looked for behind a question mark.
_CASES = _MEMBERS | {"allCases", "none", "rawValue", "some", "value"}
_SUPPORT = re.compile(
    r"^(?:public )?(?:indirect )?(?:struct|enum|protocol|typealias|final class|actor) (\w+)", re.MULTILINE
)
_FILES = frozenset({"Definitions", "Errors", "Methods", "Protocol", "Rules", "States", "Tables", "Validators"})
_TABLES = frozenset({"Definitions", "ErrorCode", "Methods", "ProtocolFacts", "Rules", "Validators"})


@cache
def taken_types() -> frozenset[str]:
    """The types of Swift, Foundation, Dispatch, SwiftUI and of our support, which no generated type may be called."""
    here = files("turnwire_codegen.emit.swift")
    taken = set(here.joinpath("taken.txt").read_text(encoding="utf-8").split()) | _TABLES
    for path in here.joinpath("support").iterdir():
        taken |= set(_SUPPORT.findall(path.read_text(encoding="utf-8")))
    return frozenset(taken)


def type_names(names: Iterable[str]) -> dict[str, str]:
    """Definition to type: the definition's own name where Swift can say it and nothing is hidden by it."""
    taken = taken_types() | KEYWORDS | {"Protocol", "Self", "Type"}
    return _apart(dict.fromkeys(names, ""), _type, taken, "Value")


def member_names(wires: Mapping[str, str], *more: str) -> dict[str, str]:
    """Wire name to property; `wires` has what the user calls each, empty where the name follows from the wire.

    `more` are properties that the type has beside its members.
    """
    names = _apart(wires, _member, _MEMBERS | {*more}, "_")
    return {wire: _ticked(name) for wire, name in names.items()}


def case_names(words: Mapping[str, str], *more: str) -> dict[str, str]:
    """Word to case of an enumeration; a word is the value of a tag, or what says the kind of an arm.

    `words` and `more` are as for members.
    """
    names = _apart(words, lambda word: _member(camel(word)), _CASES | {*more}, "_")
    return {word: _ticked(name) for word, name in names.items()}


def file_name(family: str) -> str:
    """The file of a family, with its ending; SwiftPM wants no two of one name, in whatever folders."""
    name = pascal(family) or "Types"
    return f"{name}Types.swift" if name in _FILES else f"{name}.swift"


def _apart(given: Mapping[str, str], spell: Callable[[str], str], taken: frozenset[str], ending: str) -> dict[str, str]:
    spelled = {wire: spell(name or wire) for wire, name in given.items()}
    used: dict[str, str] = {}
    for wire in sorted(given, key=lambda wire: (spelled[wire] != wire or wire in taken, wire)):
        name = spelled[wire] + (ending if spelled[wire] in taken else "")
        while name in taken or name in used.values():
            name += "_"
        used[wire] = name
    return {wire: used[wire] for wire in given}


def _type(name: str) -> str:
    spelled = name if _IDENTIFIER.fullmatch(name) and name[0].isupper() else pascal(name)
    return spelled if _starts_well(spelled) else f"T{spelled}"


def _member(wire: str) -> str:
    spelled = wire if _IDENTIFIER.fullmatch(wire) and wire.strip("_") else camel(wire)
    if not spelled:
        return "empty"
    return spelled if _starts_well(spelled) else f"n{spelled}"


def _starts_well(name: str) -> bool:
    return bool(name) and name.isidentifier()


def _ticked(name: str) -> str:
    return f"`{name}`" if name in KEYWORDS else name
