"""Python validators: one flat function a plan, a table from names to them, and the support that they import."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import NamedTuple

from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.python.text import docstring, import_lines, quoted
from turnwire_codegen.emit.python.validators_rules import Body, arm_table, body
from turnwire_codegen.emit.render import render
from turnwire_codegen.lower.outline import outline
from turnwire_codegen.rules import Call, Choice, Plans
from turnwire_codegen.words import snake

__all__ = ["emit_validators"]

_SUPPORT = ("FORMATS", "are_unique", "finds", "is_multiple", "is_one_of", "step")
_KEYWORDS = re.compile(r"(?:^|/)(?:\$defs|definitions|properties)(?=/)")


class _Function(NamedTuple):
    name: str
    origin: str
    lines: tuple[str, ...]


class _Table(NamedTuple):
    name: str
    rows: tuple[str, ...]


class _View(NamedTuple):
    doc: tuple[str, ...]
    imports: tuple[str, ...]
    functions: tuple[_Function, ...]
    tables: tuple[_Table, ...]
    rows: tuple[str, ...]


def emit_validators(plans: Plans, roots: Mapping[str, str], header: Header) -> dict[str, bytes]:
    """`validators.py`, whose VALIDATORS has a function for each name in `roots`, by its plan, and `checking.py`."""
    view = _view(outline(plans, roots.values()), roots)
    texts = {
        "validators.py": render("python", "validators.py.j2", {"header": header.lines(), "validators": view}),
        "checking.py": "".join(f"# {line}\n" for line in header.lines()) + _support(),
    }
    return {path: text.encode() for path, text in texts.items()}


def _view(plans: Plans, roots: Mapping[str, str]) -> _View:
    names = _function_names(plans)
    functions = tuple(
        _Function(names[name], ascii(name)[1:-1], tuple(body(Body(names, names[name]), plan)))
        for name, plan in plans.named.items()
    )
    text = "\n".join(line for function in functions for line in function.lines)
    used = [name for name in _SUPPORT if re.search(rf"\b{name}\b[\[(]", text)]
    return _View(
        doc=docstring("Validators: each returns the first fault of a JSON value, or None.", indent=0),
        imports=import_lines((".checking", name) for name in ["Fault", *used]),
        functions=functions,
        tables=tuple(_tables(plans, names)),
        rows=tuple(f"{quoted(public)}: {names[name]}" for public, name in sorted(roots.items())),
    )


def _tables(plans: Plans, names: Mapping[str, str]) -> Iterator[_Table]:
    """The arms of every tagged choice by their tags; they stand below the functions that they name."""
    for name, plan in plans.named.items():
        for number, rule in enumerate(
            rule for rule in plan.rules if isinstance(rule, Choice) and rule.mode == "tagged"
        ):
            arms = [arm.name for arm in rule.arms if isinstance(arm, Call)]
            rows = (f"{quoted(tag)}: {names[arm]}" for tag, arm in zip(rule.tags, arms, strict=False))
            yield _Table(arm_table(names[name], number), tuple(rows))


def _function_names(plans: Plans) -> dict[str, str]:
    """Names from pointers; where two pointers have the same words, the later one gets a number."""
    taken: set[str] = set()
    names: dict[str, str] = {}
    for pointer in plans.named:
        # Python reads identifiers in their compatibility form, so that is how they must differ.
        stem = unicodedata.normalize("NFKC", snake(_words(pointer)))
        stem = "".join(char for char in stem if f"_{char}".isidentifier()) or "document"
        name, number = f"_{stem}", 2
        while name in taken:
            name, number = f"_{stem}_{number}", number + 1
        taken.add(name)
        names[pointer] = name
    return names


def _words(pointer: str) -> str:
    return _KEYWORDS.sub("", pointer.removeprefix("#")).replace("~1", "/").replace("~0", "~")


def _support() -> str:
    return files("turnwire_codegen.emit.python").joinpath("support", "checking.py").read_text(encoding="utf-8")
