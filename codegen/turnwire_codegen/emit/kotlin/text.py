"""Kotlin text: string literals and KDoc comments, each escaped in one place."""

import json
from textwrap import wrap

__all__ = ["comment", "deprecated", "quoted"]

_WIDTH = 120


def quoted(value: str) -> str:
    """A string literal, ASCII only; JSON's escapes are Kotlin's but for a form feed, and `$` would begin a template."""
    return json.dumps(value).replace("\\f", "\\u000c").replace("$", "\\$")


def comment(*paragraphs: str, indent: int) -> tuple[str, ...]:
    """The lines of a doc comment, none for no text; lists (`- …`) keep their lines."""
    lines: list[str] = []
    for paragraph in filter(None, paragraphs):
        lines += [""] if lines else []
        for line in paragraph.split("\n"):
            hanging = "  " if line.startswith("- ") else ""
            printable = "".join(char if char.isprintable() else " " for char in line)
            lines += wrap(_harmless(printable), _WIDTH - indent - 7, subsequent_indent=hanging) or [""]
    if not lines:
        return ()
    if len(lines) == 1:
        return (f"/** {lines[0]} */",)
    return ("/**", *(f" * {line}".rstrip() for line in lines), " */")


def deprecated(said: str) -> tuple[str, ...]:
    """The annotation of what is deprecated, none for what is not."""
    return (f"@Deprecated({quoted(said)})",) if said else ()


def _harmless(text: str) -> str:
    """Text that neither ends a comment nor begins one: Kotlin's comments hold comments."""
    while "*/" in text or "/*" in text:
        text = text.replace("*/", "*&#47;").replace("/*", "/&#42;")
    return text
