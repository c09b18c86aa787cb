"""What stands where in a schema: schemas, maps from names to schemas, and plain values, which may look like schemas."""

from typing import Literal

__all__ = ["Kind", "kind_below"]

Kind = Literal["schema", "names", "value"]
_NAMES = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"},
)
_VALUES = frozenset({"const", "default", "enum", "example", "examples"})


def kind_below(kind: Kind, key: str) -> Kind:
    """What stands under `key` of an object of this kind; in an array stands what the array is."""
    if kind == "names":
        return "schema"
    if kind == "value" or key in _VALUES:
        return "value"
    # What an unknown keyword holds may be referred to, so it counts as schemas.
    return "names" if key in _NAMES else "schema"
