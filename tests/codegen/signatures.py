"""Where the public signatures of a generated package say Any: parameters, results, members, aliases."""

import ast
from collections.abc import Iterator
from pathlib import Path


def signatures_with_any(folder: Path) -> list[str]:
    """`module.name` of each public part of the package whose type says Any."""
    return [
        f"{path.stem}.{name}"
        for path in sorted(folder.glob("*.py"))
        for name in found_in(path.read_text(encoding="utf-8"))
    ]


def found_in(source: str) -> list[str]:
    """The names in one module."""
    return [name for name, types in _signatures(ast.parse(source).body) if any(map(_says_any, types))]


def _signatures(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, list[ast.expr]]]:
    for node in body:
        match node:
            case ast.If(test=ast.UnaryOp(op=ast.Not())):
                # `if not TYPE_CHECKING`: no checker reads it.
                continue
            case ast.If(body=inner):
                yield from _signatures(inner, owner)
            case ast.ClassDef(name=name) if _is_public(name):
                yield f"{owner}{name}", node.bases
                yield from _signatures(node.body, f"{owner}{name}.")
            case ast.FunctionDef(name=name, args=args) if _is_public(name):
                every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
                said = [arg.annotation for arg in every if arg is not None] + [node.returns]
                yield f"{owner}{name}", [annotation for annotation in said if annotation is not None]
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value) if _is_public(name):
                is_alias = isinstance(annotation, ast.Name) and annotation.id == "TypeAlias"
                yield f"{owner}{name}", [value if is_alias and value is not None else annotation]
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript() as value) if _is_public(name):
                yield f"{owner}{name}", [value]


def _is_public(name: str) -> bool:
    return not name.startswith("_") or name.startswith("__")


def _says_any(node: ast.expr) -> bool:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id == "Any":
            return True
        # An annotation that stands in quotes is Python all the same.
        if (
            isinstance(inner, ast.Constant)
            and isinstance(inner.value, str)
            and "Any" in inner.value.replace("[", " ").split()
        ):
            return True
    return False
