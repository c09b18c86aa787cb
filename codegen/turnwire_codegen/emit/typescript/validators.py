"""TypeScript validators: one function a plan and constant tables, the roots exported, so a bundler drops the rest."""

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import NamedTuple

from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.render import render
from turnwire_codegen.emit.typescript.validators_rules import Body, body
from turnwire_codegen.emit.typescript.validators_tables import Table, stands_in_place, tables
from turnwire_codegen.lower.outline import outline
from turnwire_codegen.rules import Plans
from turnwire_codegen.words import pascal

__all__ = ["emit_validators", "exported_names"]

_SUPPORT = re.compile(r"^export function (\w+)", re.MULTILINE)
_KEYWORDS = re.compile(r"(?:^|/)(?:\$defs|definitions|properties)(?=/)")


class _Function(NamedTuple):
    head: str
    lines: tuple[str, ...]


class _View(NamedTuple):
    imports: tuple[str, ...]
    functions: tuple[_Function, ...]
    tables: tuple[Table, ...]


def emit_validators(plans: Plans, roots: Mapping[str, str], header: Header) -> dict[str, bytes]:
    """`validators.ts`, which exports a function for each name in `roots`, by its plan, and `checking.ts`."""
    support = files("turnwire_codegen.emit.typescript").joinpath("support", "checking.ts").read_text(encoding="utf-8")
    outlined = outline(plans, roots.values(), in_place=stands_in_place)
    view = _view(outlined, roots, _SUPPORT.findall(support))
    texts = {
        "validators.ts": render("typescript", "validators.ts.j2", {"header": header.lines(), "validators": view}),
        "checking.ts": "".join(f"// {line}\n" for line in header.lines()) + "\n" + support,
    }
    return {path: text.encode() for path, text in texts.items()}


def exported_names(roots: Iterable[str]) -> dict[str, str]:
    """The function of each root; where two would be called alike, the later one gets a number."""
    taken: set[str] = set()
    return {name: _free(f"check{_identifier(name) or 'Document'}", taken) for name in sorted(roots)}


def _view(plans: Plans, roots: Mapping[str, str], support: Iterable[str]) -> _View:
    public = exported_names(roots)
    names = _function_names(plans, roots, public)
    functions = [
        _Function(f"function {names[name]}", tuple(body(Body(names, _bare(names[name])), plan)))
        for name, plan in plans.named.items()
    ]
    # A plan that several roots share is one function and some that call it.
    functions += [
        _Function(f"function {public[name]}", (f"return {names[plan]}(v);",))
        for name, plan in sorted(roots.items())
        if names[plan] != public[name]
    ]
    exported = {f"function {name}" for name in public.values()}
    heads = tuple(
        _Function(f"export {function.head}" if function.head in exported else function.head, function.lines)
        for function in functions
    )
    constants = tuple(table for name, plan in plans.named.items() for table in tables(names, _bare(names[name]), plan))
    return _View(_imports(heads, constants, support), heads, constants)


def _imports(functions: Iterable[_Function], constants: Iterable[Table], support: Iterable[str]) -> tuple[str, ...]:
    text = "\n".join(line for function in functions for line in function.lines)
    used = sorted(name for name in support if re.search(rf"\b{name}\(", text))
    types = ["Fault", *sorted({table.type for table in constants})]
    values = [f'import {{ {", ".join(used)} }} from "./checking.js";'] if used else []
    return (*values, f'import type {{ {", ".join(types)} }} from "./checking.js";')


def _function_names(plans: Plans, roots: Mapping[str, str], public: Mapping[str, str]) -> dict[str, str]:
    """Plans of roots are called as they are exported, others by their pointers."""
    names: dict[str, str] = {}
    for name, plan in sorted(roots.items()):
        names.setdefault(plan, public[name])
    taken = set(public.values())
    for pointer in plans.named:
        if pointer not in names:
            stem = _identifier(_KEYWORDS.sub("", pointer.removeprefix("#")).replace("~1", "/").replace("~0", "~"))
            names[pointer] = _free(f"check{stem or 'Document'}", taken)
    return names


def _free(stem: str, taken: set[str]) -> str:
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    taken.add(name)
    return name


def _identifier(name: str) -> str:
    return "".join(char for char in pascal(name) if f"_{char}".isidentifier())


def _bare(function: str) -> str:
    return function.removeprefix("check")
