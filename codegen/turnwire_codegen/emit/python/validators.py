"""Python validators: one flat function a plan, a table from names to them, and the support that they import."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import NamedTuple

from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.python.conditions import finder_key
from turnwire_codegen.emit.python.statements import Arms, arms_of, lines
from turnwire_codegen.emit.python.text import docstring, import_lines, quoted
from turnwire_codegen.emit.render import render
from turnwire_codegen.patterns import parse, to_python
from turnwire_codegen.program import Function, flat
from turnwire_codegen.program.naming import distinct, words_of
from turnwire_codegen.rules import Plans
from turnwire_codegen.words import snake

__all__ = ["emit_validators"]

_SUPPORT = ("FORMATS", "are_unique", "finder", "is_multiple", "is_one_of", "step")


class _Printed(NamedTuple):
    name: str
    origin: str
    lines: tuple[str, ...]


class _View(NamedTuple):
    doc: tuple[str, ...]
    imports: tuple[str, ...]
    finders: tuple[str, ...]
    functions: tuple[_Printed, ...]
    tables: tuple[Arms, ...]
    rows: tuple[str, ...]


def emit_validators(plans: Plans, roots: Mapping[str, str], header: Header) -> dict[str, bytes]:
    """`validators.py`, whose VALIDATORS has a function for each name in `roots`, by its plan, and `checking.py`."""
    view = _view(flat(plans, roots.values()), roots)
    texts = {
        "validators.py": render("python", "validators.py.j2", {"header": header.lines(), "validators": view}),
        "checking.py": "".join(f"# {line}\n" for line in header.lines()) + _support(),
    }
    return {path: text.encode() for path, text in texts.items()}


def _view(program: Sequence[Function], roots: Mapping[str, str]) -> _View:
    sources = dict.fromkeys(source for function in program for source in function.sources)
    finders = {finder_key(source): f"_finds_{number}" for number, source in enumerate(sources, 1)}
    plans = distinct(((function.plan, f"_{_stem(function.plan)}") for function in program), {*finders.values()})
    names = {**plans, **finders}
    functions = tuple(
        _Printed(names[function.plan], ascii(function.plan)[1:-1], tuple(lines(function, names)))
        for function in program
    )
    made = tuple(f"{finders[finder_key(source)]} = finder({quoted(to_python(parse(source)))})" for source in sources)
    text = "\n".join([*made, *(line for function in functions for line in function.lines)])
    needed = {(".checking", name) for name in _SUPPORT if re.search(rf"\b{name}\b[\[(]", text)} | {
        (".checking", "Fault")
    }
    # Asked by its class a value stays anything to a type checker; asked whether it is None, it would be None or more.
    needed |= {("types", "NoneType")} if "NoneType" in text else set()
    return _View(
        doc=docstring("Validators: each returns the first fault of a JSON value, or None.", indent=0),
        imports=import_lines(needed),
        finders=made,
        functions=functions,
        tables=tuple(arms for function in program for arms in arms_of(function, names)),
        rows=tuple(f"{quoted(public)}: {names[name]}" for public, name in sorted(roots.items())),
    )


def _stem(pointer: str) -> str:
    # Python reads identifiers in their compatibility form, so that is how they must differ.
    stem = unicodedata.normalize("NFKC", snake(words_of(pointer)))
    return "".join(char for char in stem if f"_{char}".isidentifier()) or "document"


def _support() -> str:
    return files("turnwire_codegen.emit.python").joinpath("support", "checking.py").read_text(encoding="utf-8")
