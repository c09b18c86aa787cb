"""A schema document: where each schema stands, what `$id` and anchors name, what a reference means. No network."""

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

import msgspec

from turnwire_codegen.lower.dialects import DRAFT_2020_12, Dialect, dialect_of
from turnwire_codegen.problems import Place, Problem

__all__ = ["Document", "Site", "read_document"]

_SCHEMA_MAPS = ("$defs", "definitions", "properties", "patternProperties", "dependentSchemas", "dependencies")
_SCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_SCHEMAS = (
    *("items", "additionalItems", "unevaluatedItems", "contains", "not", "if", "then", "else"),
    *("additionalProperties", "unevaluatedProperties", "propertyNames", "contentSchema"),
)


class Site(NamedTuple):
    """A schema, its pointer in the document, and the resource (`base`, `dialect`) that its references start from."""

    schema: Any
    pointer: str
    base: str
    dialect: Dialect


class Document(msgspec.Struct, frozen=True):
    """One file with the resources and anchors inside it."""

    file: str
    found: list[Problem]
    root: Site
    resources: dict[str, Site]
    anchors: dict[tuple[str, str], Site]

    def place(self, site: Site) -> Place:
        """Where a fault of this schema is told."""
        return Place(self.file, self.found, site.pointer)

    def below(self, site: Site, *steps: str | int) -> Site:
        """The schema some steps down."""
        value = site.schema
        for step in steps:
            value = value[step]
        return _enter(value, _join(site.pointer, *steps), site, self.place(site))

    def resolve(self, site: Site, ref: str) -> Site | None:
        """What a reference at `site` means, or None when nothing in the document bears that name."""
        target, fragment = urldefrag(ref)
        base = urldefrag(urljoin(site.base, target)).url if target else site.base
        home = self.resources.get(base)
        if home is None or not fragment:
            return home
        if fragment.startswith("/"):
            return self._walk(home, unquote(fragment))
        return self.anchors.get((base, unquote(fragment)))

    def has_one_resource(self) -> bool:
        """Whether every reference starts from the same place, so that a dynamic one has one meaning."""
        return len({site.pointer for site in self.resources.values()}) == 1

    def at(self, pointer: str) -> Site | None:
        """The schema at a pointer of the document as sites spell it, such as `#/$defs/X`."""
        return self._walk(self.root, pointer)

    def _walk(self, home: Site, pointer: str) -> Site | None:
        site = home
        for token in pointer.split("/")[1:]:
            step = _step(site.schema, token.replace("~1", "/").replace("~0", "~"))
            if step is None:
                return None
            site = self.below(site, step)
        return site


def read_document(schema: Any, file: str, found: list[Problem]) -> Document:
    """Index the resources and anchors of a document; faults of unreached schemas are not looked for."""
    place = Place(file, found)
    dialect = dialect_of(schema, DRAFT_2020_12, place)
    root = _enter(schema, "#", Site(None, "#", "", dialect), place)
    document = Document(file, found, root, {root.base: root}, {})
    # Without an `$id` the document is also what an empty base means.
    document.resources.setdefault("", root)
    for site in _sites(document):
        _register(document, site)
    return document


def _sites(document: Document) -> Iterator[Site]:
    """Every schema that stands where a keyword says that a schema stands, from the root down."""
    waiting = [document.root]
    while waiting:
        site = waiting.pop()
        yield site
        if isinstance(site.schema, dict):
            waiting.extend(document.below(site, *steps) for steps in _steps(site.schema))


def _steps(schema: dict[str, Any]) -> Iterator[tuple[str | int, ...]]:
    for key in _SCHEMA_MAPS:
        if isinstance(schema.get(key), dict):
            yield from ((key, name) for name in schema[key])
    for key in _SCHEMA_LISTS:
        if isinstance(schema.get(key), list):
            yield from ((key, index) for index in range(len(schema[key])))
    yield from ((key,) for key in _SCHEMAS if isinstance(schema.get(key), dict))


def _register(document: Document, site: Site) -> None:
    if not isinstance(site.schema, dict):
        return
    identity = site.schema.get("$id")
    if isinstance(identity, str) and _counts(site.schema, site.dialect):
        if identity.startswith("#"):  # draft-07 spelled anchors so
            document.anchors.setdefault((site.base, identity[1:]), site)
        else:
            document.resources.setdefault(site.base, site)
    for keyword in ("$anchor", "$dynamicAnchor"):
        name = site.schema.get(keyword)
        if isinstance(name, str):
            document.anchors.setdefault((site.base, name), site)


def _enter(value: Any, pointer: str, outer: Site, place: Place) -> Site:
    """A schema below `outer`: a new resource where it has an `$id` of its own."""
    identity = value.get("$id") if isinstance(value, dict) else None
    if not isinstance(identity, str) or identity.startswith("#") or not _counts(value, outer.dialect):
        return Site(value, pointer, outer.base, outer.dialect)
    at = Place(place.file, place.found, pointer)
    dialect = outer.dialect if pointer == "#" else dialect_of(value, outer.dialect, at)
    return Site(value, pointer, urldefrag(urljoin(outer.base, identity)).url, dialect)


def _counts(schema: dict[str, Any], dialect: Dialect) -> bool:
    """In draft-07 a `$ref` silences its siblings, `$id` included."""
    return dialect.siblings or "$ref" not in schema


def _step(value: Any, token: str) -> str | int | None:
    if isinstance(value, dict):
        return token if token in value else None
    if isinstance(value, list) and token.isascii() and token.isdigit() and int(token) < len(value):
        return int(token)
    return None


def _join(pointer: str, *steps: str | int) -> str:
    return "/".join([pointer, *(str(step).replace("~", "~0").replace("/", "~1") for step in steps)])
