"""Definitions that are only themselves become anything; what passes through a list, a map or a record stays."""

import pytest

from turnwire_codegen.ir import (
    Alias,
    AnyValue,
    Family,
    ListOf,
    MapOf,
    Nullable,
    Protocol,
    Ref,
    Scalar,
    Union,
    Untagged,
    Variant,
)
from turnwire_codegen.passes.circles import cut_circles


def alias(name, node):
    return Alias(name=name, doc=f"{name}.", type=node)


def union(name, *nodes):
    return Union(name=name, doc=f"{name}.", tagging=Untagged(), variants=tuple(Variant(type=node) for node in nodes))


ANY = AnyValue()
TEXT = Scalar("string")
ROWS = [
    ([alias("A", Ref("A"))], {"A"}),
    ([alias("A", Nullable(Ref("A")))], {"A"}),
    ([alias("A", Ref("B")), alias("B", Nullable(Ref("A"))), alias("C", Ref("A"))], {"A", "B"}),
    ([union("A", Ref("A"), TEXT)], {"A"}),
    ([union("A", Ref("B"), TEXT), alias("B", Ref("A"))], {"A", "B"}),
    ([alias("A", ListOf(Ref("A")))], set()),
    ([union("A", MapOf(Ref("A")), ListOf(Ref("A")), TEXT)], set()),
    ([alias("A", Ref("B")), alias("B", TEXT)], set()),
]


@pytest.mark.parametrize(("given", "circular"), ROWS)
def test_circles_are_cut(given, circular):
    family = Family(name="f", title="F", doc="", declarations=tuple(given))
    made = cut_circles(Protocol(id="", title="", version="", families=(family,)))

    expected = [alias(decl.name, ANY) if decl.name in circular else decl for decl in given]
    assert tuple(expected) == made.families[0].declarations
