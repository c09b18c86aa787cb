"""One keyword of one layer, read in the spelling of its dialect; a value of the wrong shape is a problem."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from turnwire_codegen.lower.document import Document, Site
from turnwire_codegen.rules import LONGEST

__all__ = ["Keywords"]

_SCHEMA_FIX = "write an object, true or false"


class Keywords(msgspec.Struct, frozen=True):
    """Reads the keywords of schemas and reports into the document."""

    document: Document

    def get(self, site: Site, key: str) -> Any:
        """The raw value, or None where the keyword is absent or unknown to the dialect."""
        if not isinstance(site.schema, dict) or key not in site.dialect.keywords:
            return None
        if not site.dialect.siblings and "$ref" in site.schema and key != "$ref":
            return None
        return site.schema.get(key)

    def has(self, site: Site, key: str) -> bool:
        """Whether the keyword stands here; `const: null` does."""
        if not isinstance(site.schema, dict) or key not in site.schema or key not in site.dialect.keywords:
            return False
        return site.dialect.siblings or key == "$ref" or "$ref" not in site.schema

    def is_schema(self, site: Site) -> bool:
        """Whether this can be a schema at all; reports where not."""
        if isinstance(site.schema, dict | bool):
            return True
        self.document.place(site).error("no schema", _SCHEMA_FIX)
        return False

    def child(self, site: Site, key: str) -> Site | None:
        """The schema under a keyword."""
        return self.document.below(site, key) if self.has(site, key) else None

    def children(self, site: Site, key: str) -> tuple[Site, ...]:
        """The schemas in the list under a keyword."""
        value = self.get(site, key)
        if value is None:
            return ()
        if not isinstance(value, list) or not value:
            (self.document.place(site) / key).error(f"{key} is no list of schemas", "write a list with a schema in it")
            return ()
        return tuple(self.document.below(site, key, index) for index in range(len(value)))

    def mapped(self, site: Site, key: str) -> Iterator[tuple[str, Site]]:
        """The schemas in the object under a keyword, in the order of the file."""
        value = self.get(site, key)
        if value is None:
            return
        if not isinstance(value, dict):
            (self.document.place(site) / key).error(f"{key} is no object", "write an object of schemas")
            return
        for name in value:
            yield name, self.document.below(site, key, name)

    def prefix(self, site: Site) -> tuple[Site, ...]:
        """The schemas of the first items: `prefixItems`, or a list under `items`."""
        if isinstance(self.get(site, "items"), list):
            return self.children(site, "items") if self.get(site, "items") else ()
        return self.children(site, "prefixItems")

    def rest(self, site: Site) -> Site | None:
        """The schema of the other items: `items`, or `additionalItems` behind a list."""
        return self.child(site, "additionalItems" if isinstance(self.get(site, "items"), list) else "items")

    def dependent_names(self, site: Site) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Which members the presence of a member demands: `dependentRequired`, or lists under `dependencies`."""
        for key in ("dependentRequired", "dependencies"):
            value = self.get(site, key)
            if isinstance(value, dict):
                for name, names in value.items():
                    if key == "dependentRequired" or isinstance(names, list):
                        yield name, self._strings(names, site, key, name)
            elif value is not None:
                (self.document.place(site) / key).error(f"{key} is no object", "write an object of lists")

    def dependent_schemas(self, site: Site) -> Iterator[tuple[str, Site]]:
        """Which schema the presence of a member demands: `dependentSchemas`, or schemas under `dependencies`."""
        yield from self.mapped(site, "dependentSchemas")
        value = self.get(site, "dependencies")
        for name in value if isinstance(value, dict) else ():
            if not isinstance(value[name], list):
                yield name, self.document.below(site, "dependencies", name)

    def names(self, site: Site, key: str) -> tuple[str, ...]:
        """A list of strings; one string where `type` allows it."""
        value = self.get(site, key)
        if value is None:
            return ()
        return (value,) if isinstance(value, str) and key == "type" else self._strings(value, site, key)

    def text(self, site: Site, key: str) -> str | None:
        """A string."""
        value = self.get(site, key)
        if value is None or isinstance(value, str):
            return value
        (self.document.place(site) / key).error(f"{key} is no string", "write a string")
        return None

    def number(self, site: Site, key: str) -> int | float | None:
        """A number that is finite."""
        value = self.get(site, key)
        if value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return value
        (self.document.place(site) / key).error(f"{key} is no number", "write a number")
        return None

    def count(self, site: Site, key: str) -> int | None:
        """A number of things: a whole number from 0, which may be spelled 2.0."""
        value = self.number(site, key)
        if value is None:
            return None
        if value >= 0 and value == int(value):
            return min(int(value), LONGEST)
        (self.document.place(site) / key).error(f"{key} is no count", "write a whole number from 0")
        return None

    def _strings(self, value: Any, site: Site, key: str, *below: str) -> tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            return tuple(value)
        place = self.document.place(site) / key
        for step in below:
            place /= step
        place.error(f"{key} is no list of strings", "write a list of strings")
        return ()
