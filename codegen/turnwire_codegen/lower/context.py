"""What a phase is given: the reader of keywords, and the way from a schema below to its plan."""

from collections.abc import Callable
from typing import NamedTuple

from turnwire_codegen.lower.document import Site
from turnwire_codegen.lower.keywords import Keywords
from turnwire_codegen.patterns import PatternError, holds_nested_loops, parse
from turnwire_codegen.problems import Place
from turnwire_codegen.rules import Target

__all__ = ["Context"]


class Context(NamedTuple):
    """`target` gives the plan of a schema, in place or by name."""

    keywords: Keywords
    target: Callable[[Site], Target]

    def place(self, site: Site) -> Place:
        """Where a fault of this schema is told."""
        return self.keywords.document.place(site)

    def portable(self, source: str, place: Place) -> bool:
        """Whether every language can match the pattern alike; reports where not."""
        try:
            node = parse(source)
        except PatternError as error:
            place.error(f"pattern not portable: {error}", "write it in the portable subset")
            return False
        if holds_nested_loops(node):
            place.warn("a loop without end holds another", "a hostile text can make it slow; bound one of them")
        return True
