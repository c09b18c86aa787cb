"""Compilers: what Swift's takes for types and validators of other houses' schemas, in debug builds from nothing."""

import shutil
from collections.abc import Iterator

from measures.rows import Row

from bindings.swift_builds import foreign
from interop.environment import Missing
from interop.schemas import SCHEMAS
from turnwire_codegen.cases.swift_toolchain import swift
from turnwire_codegen.cases.trial import ToolchainError, cache

NAMES = ("codex-v2", "acp-v2", "mcp")


def rows() -> Iterator[Row]:
    what = f"compiling {', '.join(NAMES)} in Swift, types and validators: CPU of a debug build"
    try:
        tools = swift()
        schemas = [SCHEMAS[name]() for name in NAMES]
    except (ToolchainError, Missing) as reason:
        yield Row(what, f"not measured: {reason}")
        return
    seconds = []
    for name, schema in zip(NAMES, schemas, strict=True):
        shutil.rmtree(cache() / "swift" / f"fresh-{name}", ignore_errors=True)
        seconds.append(foreign(tools, f"fresh-{name}", schema).seconds)
    yield Row(what, ", ".join(f"{taken:.0f} s" for taken in seconds))
