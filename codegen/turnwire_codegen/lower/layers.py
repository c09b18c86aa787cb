"""Flattening: the layers of a schema are its reference, then each branch of `allOf`, then itself, all of one value."""

from collections.abc import Iterator
from typing import NamedTuple

from turnwire_codegen.lower.document import Site
from turnwire_codegen.lower.keywords import Keywords

__all__ = ["Layers", "alias_of", "flatten", "references"]


class Layers(NamedTuple):
    """The layers in order. `referring`: one of them was reached by a reference, so that the schema may be recursive."""

    sites: tuple[Site, ...]
    referring: bool


def flatten(keywords: Keywords, site: Site) -> Layers:
    """The layers of a schema; one that is a layer of itself, or a reference to nothing, is reported and left out."""
    referring: list[Site] = []
    return Layers(tuple(_layers(keywords, site, referring, frozenset())), bool(referring))


def _layers(keywords: Keywords, site: Site, referring: list[Site], above: frozenset[str]) -> list[Site]:
    if not keywords.is_schema(site):
        return []
    if site.pointer in above:
        keywords.document.place(site).error("the schema is a part of itself", "break the circle of $ref and allOf")
        return []
    above |= {site.pointer}
    found: list[Site] = []
    for target in references(keywords, site):
        referring.append(site)
        found += _layers(keywords, target, referring, above)
    for branch in keywords.children(site, "allOf"):
        found += _layers(keywords, branch, referring, above)
    return [*found, site]


def references(keywords: Keywords, site: Site) -> Iterator[Site]:
    """The schemas that the references here mean; one that means nothing is reported."""
    for key in ("$ref", "$dynamicRef", "$recursiveRef"):
        ref = keywords.text(site, key)
        if ref is None:
            continue
        place = keywords.document.place(site) / key
        if key != "$ref" and not keywords.document.has_one_resource():
            place.error(
                f"{key} among several resources has no fixed meaning", "write $ref, or a file without inner $id"
            )
            continue
        target = keywords.document.resolve(site, ref)
        if target is None:
            place.error(f"the reference {ref!r} leads nowhere", "define it in this document, or mend the name")
        else:
            yield target


def alias_of(keywords: Keywords, site: Site) -> Site:
    """The end of a chain of schemas that do nothing but refer; the schema itself when it says something."""
    seen = {site.pointer}
    while isinstance(site.schema, dict) and _only_refers(site):
        target = next(references(keywords, site), None)
        if target is None or target.pointer in seen:
            return site
        seen.add(target.pointer)
        site = target
    return site


def _only_refers(site: Site) -> bool:
    if not site.dialect.siblings:
        return "$ref" in site.schema
    keys: set[str] = set(site.schema) & site.dialect.keywords
    return keys == {"$ref"}
