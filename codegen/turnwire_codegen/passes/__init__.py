"""Pure functions `Protocol -> Protocol`, one a file; a pass never reports, what it cannot do its loader has refused."""

from collections.abc import Callable

from turnwire_codegen.ir import Protocol
from turnwire_codegen.passes.circles import cut_circles
from turnwire_codegen.passes.heard import open_heard
from turnwire_codegen.passes.roots import derive_roots
from turnwire_codegen.passes.stable import stable_only

__all__ = ["FOREIGN_PASSES", "PASSES", "STABLE_PASSES", "run"]

Pass = Callable[[Protocol], Protocol]

# Roots are derived from the methods that are left, so the filter comes first.
PASSES: tuple[Pass, ...] = (derive_roots,)
STABLE_PASSES: tuple[Pass, ...] = (stable_only, derive_roots)
# A foreign schema has its own message types, rarely says what is open, and may go in circles.
FOREIGN_PASSES: tuple[Pass, ...] = (cut_circles, open_heard)


def run(protocol: Protocol, passes: tuple[Pass, ...]) -> Protocol:
    """The protocol after each pass in turn."""
    for step in passes:
        protocol = step(protocol)
    return protocol
