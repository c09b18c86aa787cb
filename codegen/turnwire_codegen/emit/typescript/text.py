"""TypeScript text: string literals and doc comments, each escaped in one place."""

import json
from importlib.resources import files
from textwrap import wrap
from typing import Any

from turnwire_codegen.emit.header import Header

__all__ = ["SAFE", "comment", "quoted", "support", "value_text"]

_WIDTH = 120
# The largest whole number up to which a double holds each.
SAFE = 2**53 - 1


def quoted(value: str) -> str:
    """A string literal in double quotes, ASCII only; JSON's escapes are TypeScript's too."""
    return json.dumps(value)


def value_text(value: Any) -> str:
    """A JSON value as an expression; a whole number that no double holds is a bigint, as parseJson reads it."""
    match value:
        case bool() | None | str() | float():
            return json.dumps(value)
        case int():
            return f"{value}n" if abs(value) > SAFE else str(value)
        case dict():
            return f"{{{', '.join(f'{_key(name)}: {value_text(inner)}' for name, inner in value.items())}}}"
    return f"[{', '.join(map(value_text, value))}]"


def _key(name: str) -> str:
    # In a literal the bare name would set the prototype.
    return f"[{quoted(name)}]" if name == "__proto__" else quoted(name)


def comment(*paragraphs: str, indent: int) -> tuple[str, ...]:
    """The lines of a doc comment, none for no text; lists (`- …`) keep their lines."""
    lines: list[str] = []
    for paragraph in filter(None, paragraphs):
        lines += [""] if lines else []
        for line in paragraph.split("\n"):
            hanging = "  " if line.startswith("- ") else ""
            printable = "".join(char if char.isprintable() else " " for char in line)
            lines += wrap(printable.replace("*/", "*\\/"), _WIDTH - indent - 7, subsequent_indent=hanging) or [""]
    if not lines:
        return ()
    if len(lines) == 1:
        return (f"/** {lines[0]} */",)
    return ("/**", *(f" * {line}".rstrip() for line in lines), " */")


def support(name: str, header: Header) -> str:
    """A hand-written module that generated code carries, so that it needs no package."""
    source = files("turnwire_codegen.emit.typescript").joinpath("support", name).read_text(encoding="utf-8")
    return "".join(f"// {line}\n" for line in header.lines()) + "\n" + source
