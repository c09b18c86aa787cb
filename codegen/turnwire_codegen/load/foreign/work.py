"""What one run over a foreign schema gathers: names by pointer, declarations, findings. The loader's only state."""

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from turnwire_codegen.ir import Declaration, Ref
from turnwire_codegen.load.foreign.document import Document, escaped
from turnwire_codegen.problems import Finding, Verdict
from turnwire_codegen.words import pascal

__all__ = ["Conditions", "Spot", "Work", "spelled"]

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class Spot(msgspec.Struct, frozen=True):
    """A node's place, and the name of the declaration that it may become; `named`: the name is its own already."""

    pointer: str
    name: str
    named: bool = False

    def down(self, *steps: str | int, name: str) -> "Spot":
        """A node further in, which has no name of its own."""
        return Spot("/".join([self.pointer, *(escaped(str(step)) for step in steps)]), name)

    def within(self) -> "Spot":
        """What the node holds beside null; the node's own name stays with the node."""
        return Spot(self.pointer, f"{self.name}Value" if self.named else self.name)


class Conditions(msgspec.Struct, frozen=True):
    """What is said of a record that may be about which members go together: schemas of it, each with a keyword."""

    spot: Spot
    said: list[tuple[dict[str, Any], str]]


class Work(msgspec.Struct):
    """`names` is the name of each pointer that has one, `made` what was made so far, None while it is being made.

    `waiting` are the pointers of what is named already and still to be made, by name; `merging` are the objects that
    are being made, by pointer; `used` are the keys of `given` that name something. `conditions` stand by the record
    that they are for; `wide` is found only where types do not hold what `ir` calls close.
    """

    document: Document
    given: Mapping[str, str] = {}
    names: dict[str, str] = {}
    made: dict[str, Declaration | None] = {}
    waiting: dict[str, str] = {}
    merging: dict[str, Spot] = {}
    origins: dict[str, str] = {}
    used: set[str] = set()
    conditions: dict[str, Conditions] = {}
    found: list[Finding] = []
    wide: list[Finding] = []

    def claim(self, wanted: str, pointer: str) -> str:
        """A name for the node at `pointer`: the wanted one, or where that is taken one that follows from its place."""
        given = self._given(str.isupper, pointer, wanted)
        name = given or spelled(wanted)
        # A name that the user gives is kept free for what it is given to.
        if name in self.origins or (not given and name in self.given.values()):
            name = f"{name}{hashlib.sha256(pointer.encode()).hexdigest()[:6].upper()}"
        self.names.setdefault(pointer, name)
        self.origins[name] = pointer
        return name

    def part_name(self, key: str, pointer: str) -> str:
        """What the user calls the member or the value at `pointer`, or by the key `Owner.wire`; empty for nothing."""
        return self._given(str.islower, pointer, key)

    def _given(self, case: Callable[[str], bool], *keys: str) -> str:
        """A member stands where its type does: the case of a name says of which it is."""
        key = next((key for key in keys if key in self.given and case(self.given[key][0])), None)
        if key is None:
            return ""
        self.used.add(key)
        return self.given[key]

    def own_name(self, spot: Spot) -> str:
        """The name under which the node at `spot` is declared."""
        return spot.name if spot.named else self.claim(spot.name, spot.pointer)

    def merged(self, spot: Spot) -> Ref:
        """The name of an object that holds itself through its layers, where it was met first."""
        own = self.names.get(spot.pointer) or self.own_name(self.merging[spot.pointer])
        self.made.setdefault(own)
        return Ref(own)

    def note(self, spot: Spot, verdict: Verdict, what: str) -> None:
        """Say what became of the node at `spot`."""
        self.found.append(Finding(spot.pointer, verdict, what))

    def note_wide(self, spot: Spot, what: str) -> None:
        """Say what the validators check at the node at `spot`, unless types hold what `ir` calls close."""
        self.wide.append(Finding(spot.pointer, "runtime", what))

    def say_left(self, node: dict[str, Any], spot: Spot, words: tuple[str, ...]) -> None:
        """Note those of `words` that stand in `node`: no type holds them."""
        present = [word for word in words if word in node]
        if present:
            self.note(spot, "runtime", f"the type does not hold: {', '.join(present)}")


def spelled(wanted: str) -> str:
    """`wanted` as a name that every language can say."""
    name = wanted if _IDENTIFIER.fullmatch(wanted) else pascal(wanted)
    name = name[:1].upper() + name[1:]
    return name if name[:1].isalpha() else f"T{name}"
