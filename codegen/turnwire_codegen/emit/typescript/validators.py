"""TypeScript validators: one flat function a plan, those of the roots exported, so that a bundler drops the others."""

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import NamedTuple

from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.render import render
from turnwire_codegen.emit.typescript.validators_rules import Body, body
from turnwire_codegen.lower.outline import outline
from turnwire_codegen.rules import Plans
from turnwire_codegen.words import pascal

__all__ = ["emit_validators", "exported_names"]

_SUPPORT = re.compile(r"^export function (\w+)", re.MULTILINE)
_KEYWORDS = re.compile(r"(?:^|/)(?:\$defs|definitions|properties)(?=/)")


class _Function(NamedTuple):
    origin: str
    head: str
    lines: tuple[str, ...]


class _View(NamedTuple):
    imports: tuple[str, ...]
    functions: tuple[_Function, ...]


def emit_validators(plans: Plans, roots: Mapping[str, str], header: Header) -> dict[str, bytes]:
    """`validators.ts`, which exports a function for each name in `roots`, by its plan, and `checking.ts`."""
    support = files("turnwire_codegen.emit.typescript").joinpath("support", "checking.ts").read_text(encoding="utf-8")
    view = _view(outline(plans, roots.values()), roots, _SUPPORT.findall(support))
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
    aliases = tuple(
        _Function(_origin(plan), f"export function {public[name]}", (f"return {names[plan]}(v);",))
        for name, plan in sorted(roots.items())
        if names[plan] != public[name]
    )
    exported = set(public.values())
    functions = tuple(
        _Function(
            _origin(name),
            f"{'export ' if names[name] in exported else ''}function {names[name]}",
            tuple(body(Body(names), plan)),
        )
        for name, plan in plans.named.items()
    )
    text = "\n".join(line for function in functions for line in function.lines)
    used = [name for name in support if re.search(rf"\b{name}\(", text)]
    imports = (
        *([f'import {{ {", ".join(sorted(used))} }} from "./checking.js";'] if used else []),
        'import type { Fault } from "./checking.js";',
    )
    return _View(imports, functions + aliases)


def _function_names(plans: Plans, roots: Mapping[str, str], public: Mapping[str, str]) -> dict[str, str]:
    """Plans of roots are called as they are exported, others by their pointers."""
    names: dict[str, str] = {}
    for name, plan in sorted(roots.items()):
        names.setdefault(plan, public[name])
    taken = set(public.values())
    for pointer in plans.named:
        if pointer not in names:
            stem = _identifier(_KEYWORDS.sub("", pointer.removeprefix("#")))
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


def _origin(pointer: str) -> str:
    return ascii(pointer)[1:-1].replace("*/", "*\\/")
