"""TypeScript spelling of wire names: definitions keep theirs, members keep theirs in quotes where they must."""

import re

from turnwire_codegen.emit.typescript.text import quoted
from turnwire_codegen.words import pascal, snake

__all__ = ["RESERVED_TYPES", "member_name", "module_name", "type_name"]

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
# Words that no type can be called, then what every module imports, then what the table of methods gives.
RESERVED_TYPES = frozenset(
    {
        *("any", "as", "async", "await", "bigint", "boolean", "break", "case", "catch", "class", "const", "continue"),
        *("debugger", "default", "delete", "do", "else", "enum", "export", "extends", "false", "finally", "for"),
        *("function", "if", "implements", "import", "in", "instanceof", "interface", "let", "never", "new", "null"),
        *("number", "object", "package", "private", "protected", "public", "return", "static", "string", "super"),
        *("switch", "symbol", "this", "throw", "true", "try", "type", "typeof", "undefined", "unknown", "var", "void"),
        *("while", "with", "yield", "OtherName", "UnknownTag"),
        *("ClientNotificationMap", "ClientRequestMap", "MethodMap", "MethodName"),
        *("ServerNotificationMap", "ServerRequestMap"),
    },
)
# Modules of the package that are no family.
_RESERVED_MODULES = frozenset({"checking", "errors", "index", "json", "methods", "protocol", "support", "validators"})


def type_name(name: str) -> str:
    """The type of a definition: the definition's own name where TypeScript can say it."""
    spelled = name if _IDENTIFIER.fullmatch(name) else pascal(name)
    if not spelled or spelled[0].isdigit():
        spelled = f"T{spelled}"
    return f"{spelled}_" if spelled in RESERVED_TYPES else spelled


def member_name(wire: str) -> str:
    """A member as it stands in an object type; any word may, and what is no identifier stands in quotes."""
    return wire if _IDENTIFIER.fullmatch(wire) else quoted(wire)


def module_name(family: str) -> str:
    """The file of a family without its ending."""
    name = snake(family).replace("_", "-")
    return f"{name}-family" if name in _RESERVED_MODULES else name
