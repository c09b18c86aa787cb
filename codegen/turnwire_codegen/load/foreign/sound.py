"""Whether keywords that the loaders descend into have the shape that JSON Schema gives them; checked before they do."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from turnwire_codegen.load.foreign.document import CONTAINERS, Document
from turnwire_codegen.problems import Place, Problem

__all__ = ["UnsoundError", "check_head", "check_schemas"]

_MAPS = ("properties", "patternProperties", "dependentSchemas", *CONTAINERS)
_LISTS = ("oneOf", "anyOf", "allOf", "prefixItems")
_SCHEMAS = (
    *("additionalProperties", "additionalItems", "contains", "items", "propertyNames", "not", "if", "then", "else"),
    *("unevaluatedItems", "unevaluatedProperties"),
)


class UnsoundError(Exception):
    """A schema is none; `problems` say where and why, all of them."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


def check_head(document: Any, place: Place) -> None:
    """Report what is wrong with the members by which a front end is chosen."""
    if isinstance(document, dict):
        _check(document, place, ("title", *CONTAINERS))


def check_schemas(document: Document, pointers: Iterable[str], file: str) -> None:
    """Judge the schemas at `pointers`, and all that they hold or refer to.

    Raises:
        UnsoundError: there was a fault.
    """
    found: list[Problem] = []
    seen, pending = set[str](), list(pointers)
    while pending:
        pointer = pending.pop()
        node = document.at(pointer)
        if pointer in seen or not isinstance(node, dict):
            continue
        seen.add(pointer)
        here = Place(file, found, pointer)
        _check(node, here, tuple(_SHAPES))
        pending += [inner.pointer for inner in _below(node, here)]
        if isinstance(node.get("$ref"), str):
            target = document.locate(node["$ref"])
            pending += [] if target is None else [target]
    if found:
        raise UnsoundError(sorted(found, key=lambda problem: problem.where))


def _check(node: Mapping[str, Any], place: Place, keywords: tuple[str, ...]) -> None:
    for keyword in keywords:
        if keyword in node:
            fits, shape = _SHAPES[keyword]
            if not fits(node[keyword]):
                (place / keyword).error(f"`{keyword}` is not {shape}", "mend the schema")


def _below(node: Mapping[str, Any], place: Place) -> Iterator[Place]:
    for keyword in _MAPS:
        if isinstance(node.get(keyword), dict):
            yield from (place / keyword / name for name in node[keyword])
    for keyword in _LISTS:
        if isinstance(node.get(keyword), list):
            yield from (place / keyword / index for index in range(len(node[keyword])))
    for keyword in _SCHEMAS:
        if isinstance(node.get(keyword), list):
            yield from (place / keyword / index for index in range(len(node[keyword])))
        elif keyword in node:
            yield place / keyword


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_SHAPES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **{keyword: (lambda value: isinstance(value, dict), "an object") for keyword in _MAPS},
    **{keyword: (lambda value: isinstance(value, list), "an array") for keyword in _LISTS},
    "required": (_is_names, "an array of names"),
    "title": (lambda value: isinstance(value, str), "a string"),
    "type": (lambda value: isinstance(value, str) or _is_names(value), "a name or an array of names"),
}
