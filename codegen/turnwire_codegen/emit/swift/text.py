"""Swift text: string and JSON literals and doc comments, each escaped in one place."""

from textwrap import wrap
from typing import Any

__all__ = ["comment", "json_literal", "json_pattern", "quoted"]

_WIDTH = 120
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_INT_BITS = 63


def quoted(value: str) -> str:
    """A string literal, ASCII only; a `\\(` cannot begin an interpolation, since every backslash is escaped."""
    return '"' + "".join(_ESCAPES.get(char) or _character(char) for char in value) + '"'


def json_literal(value: Any) -> str:
    """A scalar as an expression of the type JSONValue."""
    match value:
        case None:
            return "JSONValue.null"
        case bool():
            return f"JSONValue.bool({'true' if value else 'false'})"
        case int() if -(2**_INT_BITS) <= value < 2**_INT_BITS:
            return f"JSONValue.integer({value})"
        case int():
            return f'JSONValue.wide(JSONDigits(known: "{value}"))'
        case float() if value.is_integer():
            return json_literal(int(value))
        case float():
            return f"JSONValue.double({value!r})"
        case str():
            return f"JSONValue.string({quoted(value)})"
    raise AssertionError(f"{value!r} is no scalar")


def json_pattern(value: Any) -> str:
    """A scalar as a pattern for a JSONValue, by whose equality it is compared.

    The text within a pattern of a case would be compared by Swift, which takes for the same what looks alike.
    """
    return quoted(value) if isinstance(value, str) else json_literal(value)


def comment(*paragraphs: str, indent: int) -> tuple[str, ...]:
    """The lines of a doc comment, none for no text; lists (`- …`) keep their lines."""
    lines: list[str] = []
    for paragraph in filter(None, paragraphs):
        lines += ["///"] if lines else []
        for line in paragraph.split("\n"):
            hanging = "  " if line.startswith("- ") else ""
            printable = "".join(char if char.isprintable() else " " for char in line)
            pieces = wrap(printable, _WIDTH - indent - 4, subsequent_indent=hanging) or [""]
            lines += [f"/// {piece}".rstrip() for piece in pieces]
    return tuple(lines)


def _character(char: str) -> str:
    return char if " " <= char <= "~" else f"\\u{{{ord(char):x}}}"
