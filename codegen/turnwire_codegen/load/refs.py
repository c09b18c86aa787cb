"""References: what a family file may say. The narrow form knows `#/$defs/X` and `other.json#/$defs/X`."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from turnwire_codegen.problems import Place

__all__ = ["Names"]

_REF = re.compile(r"(?:(?P<family>[a-z][A-Za-z0-9]*)\.json)?#/\$defs/(?P<name>[A-Za-z0-9]+)")


class Names(msgspec.Struct, frozen=True):
    """The definitions of every family, seen from one of them."""

    family: str
    known: Mapping[str, frozenset[str]]

    def resolve(self, ref: Any, place: Place) -> str:
        """The name that `ref` means; a dangling or foreign reference is reported."""
        match = _REF.fullmatch(ref) if isinstance(ref, str) else None
        if match is None:
            place.error(f"the reference {ref!r} is outside the narrow form", "write #/$defs/X or family.json#/$defs/X")
            return "Unknown"
        family, name = match["family"] or self.family, match["name"]
        if family not in self.known:
            place.error(f"no family file {family}.json", f"one of {', '.join(sorted(self.known))}")
        elif name not in self.known[family]:
            place.error(f"{family}.json defines no {name}", _nearest(name, self.known))
        return name


def _nearest(name: str, known: Mapping[str, frozenset[str]]) -> str:
    homes = sorted(family for family, names in known.items() if name in names)
    return f"it stands in {homes[0]}.json" if homes else "define it, or mend the name"
