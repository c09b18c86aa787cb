"""Flattening: the layers of a schema are its reference, then each branch of `allOf`, then itself, all of one value."""

from collections.abc import Iterator
from typing import NamedTuple

from turnwire_codegen.lower.document import Site
from turnwire_codegen.lower.keywords import Keywords

__all__ = ["Layers", "alias_of", "flatten", "references"]


# Each schema of such a row has all layers below it: a row of thousands would be millions.
_MOST = 64


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
    if len(above) == _MOST:
        keywords.document.place(site).error(f"more than {_MOST} schemas upon each other", "refer to fewer in a row")
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
            place.error(f"the reference {ref!r} leads nowhere", _elsewhere(ref))
        else:
            yield target


def _elsewhere(ref: str) -> str:
    """What to do about a reference to nothing; what stands on a server is not fetched."""
    if "://" in ref:
        return "put a file with this $id beside this one, and name their folder"
    return "define it in this document, or mend the name"


def alias_of(keywords: Keywords, site: Site, ends: dict[str, Site]) -> Site:
    """The end of a chain of schemas that do nothing but refer; the schema itself when it says something, or is in a
    circle. `ends` keeps the ends of all that were passed, since definitions may name each other a thousand in a row."""
    passed: dict[str, None] = {}
    end = site
    while end.pointer not in ends and isinstance(end.schema, dict) and _only_refers(end):
        passed[end.pointer] = None
        target = next(references(keywords, end), None)
        if target is None:
            break
        if target.pointer in passed:
            return site
        end = target
    end = ends.get(end.pointer, end)
    ends.update(dict.fromkeys(passed, end))
    return end


def _only_refers(site: Site) -> bool:
    if not site.dialect.siblings:
        return "$ref" in site.schema
    keys: set[str] = set(site.schema) & site.dialect.keywords
    return keys == {"$ref"}
