"""The files that the rules of the house are about, read once, and the environment in which our programs run."""

import ast
import functools
import os
import subprocess
from pathlib import Path
from typing import NamedTuple

__all__ = ["ROOT", "Module", "environment", "modules", "product", "tracked"]

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = {"turnwire": ROOT / "python", "turnwire_codegen": ROOT / "codegen"}
GENERATED = ROOT / "python" / "turnwire" / "generated"


class Module(NamedTuple):
    """One Python file: its path from the root, its dotted name where it has one, and its syntax tree."""

    path: str
    name: str
    text: str
    tree: ast.Module


@functools.cache
def product() -> tuple[Module, ...]:
    """Every hand-written module of the two packages."""
    return tuple(
        _module(path, source)
        for package, source in PRODUCT.items()
        for path in sorted((source / package).rglob("*.py"))
        if not path.is_relative_to(GENERATED)
    )


@functools.cache
def modules() -> tuple[Module, ...]:
    """Every hand-written module: product, tests and examples."""
    others = [path for folder in ("tests", "examples") for path in sorted((ROOT / folder).rglob("*.py"))]
    return product() + tuple(_module(path, ROOT) for path in others if "goldens" not in path.parts)


@functools.cache
def tracked() -> tuple[Path, ...]:
    """Every file of the repository; outside a checkout (an unpacked sdist) nothing is tracked."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    names = listed.stdout.decode().split("\0")
    return tuple(path for name in names if name and (path := ROOT / name).is_file())


def environment(**variables: str) -> dict[str, str]:
    """That of the tests, with our sources first, whether the packages are installed or not."""
    sources = os.pathsep.join(str(source) for source in PRODUCT.values())
    return {**os.environ, "PYTHONPATH": sources, **variables}


def _module(path: Path, source: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    parts = path.relative_to(source).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(str(path.relative_to(ROOT)), name, text, ast.parse(text))
