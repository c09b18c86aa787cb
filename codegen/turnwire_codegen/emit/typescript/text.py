"""TypeScript text: string literals and doc comments, each escaped in one place."""

import json
from textwrap import wrap

__all__ = ["comment", "quoted"]

_WIDTH = 120


def quoted(value: str) -> str:
    """A string literal in double quotes, ASCII only; JSON's escapes are TypeScript's too."""
    return json.dumps(value)


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
