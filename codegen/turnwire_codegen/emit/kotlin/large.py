"""Enums that no class holds: a class makes its constants in one method, and a method has at most 65,535 bytes of code.

Such an enum is the text that it is, and its values are left to the validators.
"""

from collections.abc import Mapping

from turnwire_codegen.ir import Alias, AnyValue, Declaration, Enum, Protocol, Scalar
from turnwire_codegen.passes.graph import declarations, with_each
from turnwire_codegen.problems import Finding

__all__ = ["told_large", "without_large"]

# A constant takes up to 20 bytes of code, and the codec of the enum stands beside them.
_MOST = 2_500


def without_large(protocol: Protocol) -> Protocol:
    """The protocol as Kotlin's types say it."""
    return with_each(protocol, _small)


def told_large(found: list[Finding], protocol: Protocol, origins: Mapping[str, str]) -> list[Finding]:
    """The findings, in which the enums that are left to the validators are told."""
    large = {origins[name] for name, decl in declarations(protocol).items() if _is_large(decl) and name in origins}
    what = f"the type does not hold: enum (a class has no room for more than {_MOST:,} values)"
    return [Finding(entry.pointer, "runtime", what) if entry.pointer in large else entry for entry in found]


def _is_large(declaration: Declaration) -> bool:
    return isinstance(declaration, Enum) and len(declaration.cases) > _MOST


def _small(declaration: Declaration) -> Declaration:
    if not isinstance(declaration, Enum) or not _is_large(declaration):
        return declaration
    is_text = all(isinstance(case.value, str) for case in declaration.cases)
    node = Scalar("string") if is_text else AnyValue()
    return Alias(name=declaration.name, doc=declaration.doc, type=node, notes=declaration.notes)
