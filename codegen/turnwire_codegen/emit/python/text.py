"""Python text: string literals, docstrings and import lines, each escaped in one place."""

from collections.abc import Iterable
from textwrap import wrap

__all__ = ["docstring", "import_lines", "quoted"]

_WIDTH = 120


def quoted(value: str) -> str:
    """A Python string literal in double quotes, ASCII only."""
    return '"' + ascii(value)[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'


def docstring(*paragraphs: str, indent: int) -> tuple[str, ...]:
    """The lines of a docstring with its quotes, none for no text; lists (`- …`) keep their lines."""
    lines: list[str] = []
    for paragraph in filter(None, paragraphs):
        lines += [""] if lines else []
        for line in paragraph.split("\n"):
            hanging = "  " if line.startswith("- ") else ""
            lines += wrap(_escaped(line), _WIDTH - indent - 8, subsequent_indent=hanging) or [""]
    if not lines:
        return ()
    if len(lines) == 1:
        return (f'"""{lines[0]}"""',)
    return (f'"""{lines[0]}', *lines[1:], '"""')


def import_lines(needed: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Import statements for (module, name) pairs; an empty name imports a sibling module itself as `_module`."""
    by_module: dict[str, set[str]] = {}
    for module, name in needed:
        by_module.setdefault(module, set()).add(name)
    groups: list[list[str]] = [[], [], [], []]
    for module in sorted(by_module):
        names = sorted(by_module[module], key=lambda name: (not name.isupper(), name))
        group = 0 if module == "__future__" else 1 if module == "typing" else 2 if module == "msgspec" else 3
        if "" in names:
            groups[group].append(f"from . import {module[1:]} as _{module[1:]}")
            names.remove("")
        if names:
            groups[group].append(_from(module, names))
    lines: list[str] = []
    for group_lines in filter(None, groups):
        lines += ([""] if lines else []) + group_lines
    return tuple("\n".join(lines).split("\n"))


def _from(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _WIDTH:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")"


def _escaped(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    # Tabs and the like become spaces when the text is wrapped; what else cannot be printed is spelled out.
    escaped = "".join(char if char.isprintable() or char.isspace() else ascii(char)[1:-1] for char in escaped)
    return f'{escaped[:-1]}\\"' if escaped.endswith('"') else escaped
