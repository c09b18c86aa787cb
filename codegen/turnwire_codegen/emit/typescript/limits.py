"""What no type of TypeScript says, beside the rules: that a number is whole, and what members of other names are."""

from collections.abc import Iterator, Mapping

import msgspec

from turnwire_codegen.ir import (
    Alias,
    AnyValue,
    Declaration,
    ListOf,
    MapOf,
    Nullable,
    Protocol,
    Record,
    Scalar,
    TupleOf,
    TypeNode,
    Union,
)
from turnwire_codegen.passes.graph import declarations
from turnwire_codegen.problems import Finding

__all__ = ["with_limits"]

_LEFT = "the type does not hold: "


def with_limits(found: list[Finding], protocol: Protocol, origins: Mapping[str, str]) -> list[Finding]:
    """The findings, in which what the types lose is told as well."""
    lost: dict[str, list[str]] = {}
    for name, declaration in declarations(protocol).items():
        if name in origins:
            for pointer, what in _limits(declaration, origins[name]):
                lost.setdefault(pointer, []).append(what)
    return [_told(finding, lost.get(finding.pointer, [])) for finding in found]


def _told(finding: Finding, lost: list[str]) -> Finding:
    if not lost:
        return finding
    before = [finding.what.removeprefix(_LEFT)] if finding.verdict == "runtime" else []
    return msgspec.structs.replace(finding, verdict="runtime", what=_LEFT + ", ".join([*before, *lost]))


def _limits(declaration: Declaration, pointer: str) -> Iterator[tuple[str, str]]:
    match declaration:
        case Alias(type=node) if _holds_integer(node):
            yield pointer, "whole"
        case Union(variants=variants) if any(_holds_integer(variant.type) for variant in variants):
            yield pointer, "whole"
        case Record(fields=fields, extra=extra):
            for field in fields:
                if _holds_integer(field.type):
                    yield f"{pointer}/properties/{field.wire.replace('~', '~0').replace('/', '~1')}", "whole"
            if fields and extra is not None and not isinstance(extra, AnyValue):
                yield pointer, "other members"


def _holds_integer(node: TypeNode | None) -> bool:
    """Whether an integer stands in a type, but for the declarations that it names."""
    match node:
        case Scalar(kind=kind):
            return kind == "integer"
        case ListOf(item=inner) | MapOf(value=inner) | Nullable(of=inner):
            return _holds_integer(inner)
        case TupleOf(items=items, rest=rest):
            return any(map(_holds_integer, items)) or _holds_integer(rest)
    return False
