"""Swift validators: a function a plan and constant tables, those of the definitions public, in files of a fair size."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.render import render
from turnwire_codegen.emit.swift.conditions import pattern_name, pattern_tree
from turnwire_codegen.emit.swift.statements import Table, lines, tables
from turnwire_codegen.emit.swift.text import quoted
from turnwire_codegen.patterns import parse
from turnwire_codegen.program import Function, tabled
from turnwire_codegen.program.naming import function_names, public_names
from turnwire_codegen.rules import Plans

__all__ = ["emit_validators"]

# A compiler takes a file at a time, so that two halves of a big one are ready sooner than the whole.
_FILE_FUNCTIONS = 200


class _Printed(NamedTuple):
    head: str
    lines: tuple[str, ...]
    tables: tuple[Table, ...]


class _Pattern(NamedTuple):
    name: str
    tree: str


class _View(NamedTuple):
    home: str
    named: tuple[str, ...]
    patterns: tuple[_Pattern, ...]
    functions: tuple[_Printed, ...]


def emit_validators(
    plans: Plans, roots: Mapping[str, str], header: Header, *, home: str = "Validators"
) -> dict[str, bytes]:
    """`Validators.swift` and its like, with a public function for each name in `roots`, by its plan, in type `home`."""
    program = tabled(plans, roots.values())
    functions = _functions(program, roots)
    sources = sorted({source for function in program for source in function.sources})
    patterns = tuple(_Pattern(pattern_name(source), pattern_tree(parse(source))) for source in sources)
    parts = [functions[at : at + _FILE_FUNCTIONS] for at in range(0, len(functions), _FILE_FUNCTIONS)]
    # As data, since the compiler takes the square of a long switch.
    named = tuple(f"{quoted(name)}: {function}," for name, function in public_names(roots).items())
    views = [_View(home, *((), ()) if number else (named, patterns), tuple(part)) for number, part in enumerate(parts)]
    return {
        f"Validators{number + 1 if number else ''}.swift": render(
            "swift", "validators.swift.j2", {"header": header.lines(), "validators": view}
        ).encode()
        for number, view in enumerate(views)
    }


def _functions(program: Sequence[Function], roots: Mapping[str, str]) -> list[_Printed]:
    public = public_names(roots)
    names = function_names([function.plan for function in program], roots, public)
    shown = frozenset(public.values())
    functions = [
        _printed(names[function.plan], shown, lines(function, names), tuple(tables(function, names)))
        for function in program
    ]
    # A plan that several roots share is one function and some that call it.
    functions += [
        _printed(public[name], shown, [f"return {names[plan]}(v)"])
        for name, plan in sorted(roots.items())
        if names[plan] != public[name]
    ]
    return functions


def _printed(name: str, public: frozenset[str], body: Iterable[str], constants: tuple[Table, ...] = ()) -> _Printed:
    head = f"static func {name}(_ v: JSONValue) -> JSONFault?"
    return _Printed(f"@Sendable {'public ' if name in public else ''}{head}", tuple(body), constants)
