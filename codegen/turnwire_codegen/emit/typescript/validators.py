"""TypeScript validators: one function a plan and constant tables, the roots exported, so a bundler drops the rest."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.render import render
from turnwire_codegen.emit.typescript.statements import Table, lines, tables
from turnwire_codegen.emit.typescript.text import support
from turnwire_codegen.program import Function, tabled
from turnwire_codegen.program.naming import function_names, public_names
from turnwire_codegen.rules import Plans

__all__ = ["emit_validators"]

_SUPPORT = re.compile(r"^export function (\w+)", re.MULTILINE)


class _Printed(NamedTuple):
    head: str
    lines: tuple[str, ...]


class _View(NamedTuple):
    imports: tuple[str, ...]
    functions: tuple[_Printed, ...]
    tables: tuple[Table, ...]


def emit_validators(plans: Plans, roots: Mapping[str, str], header: Header) -> dict[str, bytes]:
    """`validators.ts`, which exports a function for each name in `roots`, by its plan, and `checking.ts`."""
    checking = support("checking.ts", header)
    view = _view(tabled(plans, roots.values()), roots, _SUPPORT.findall(checking))
    texts = {
        "validators.ts": render("typescript", "validators.ts.j2", {"header": header.lines(), "validators": view}),
        "checking.ts": checking,
    }
    return {path: text.encode() for path, text in texts.items()}


def _view(program: Sequence[Function], roots: Mapping[str, str], shared: Iterable[str]) -> _View:
    public = public_names(roots)
    names = function_names([function.plan for function in program], roots, public)
    exported = frozenset(public.values())
    functions = [_printed(names[function.plan], exported, lines(function, names)) for function in program]
    # A plan that several roots share is one function and some that call it.
    functions += [
        _printed(public[name], exported, [f"return {names[plan]}(v);"])
        for name, plan in sorted(roots.items())
        if names[plan] != public[name]
    ]
    constants = tuple(constant for function in program for constant in tables(function, names))
    return _View(_imports(functions, constants, shared), tuple(functions), constants)


def _printed(name: str, exported: frozenset[str], body: Iterable[str]) -> _Printed:
    return _Printed(f"{'export ' if name in exported else ''}function {name}", tuple(body))


def _imports(functions: Iterable[_Printed], constants: Iterable[Table], shared: Iterable[str]) -> tuple[str, ...]:
    text = "\n".join(line for function in functions for line in function.lines)
    used = sorted(name for name in shared if re.search(rf"\b{name}\(", text))
    types = ["Fault", *sorted({table.type for table in constants})]
    values = [f'import {{ {", ".join(used)} }} from "./checking.js";'] if used else []
    return (*values, f'import type {{ {", ".join(types)} }} from "./checking.js";')
