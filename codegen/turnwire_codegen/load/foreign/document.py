"""A foreign document: where pointers lead, and which definitions it declares, however deep they stand."""

import copy
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

import msgspec

from turnwire_codegen.load.foreign.kinds import Kind, kind_below
from turnwire_codegen.lower.dialects import DRAFT_2020_12, dialect_of
from turnwire_codegen.problems import Place

__all__ = ["CONTAINERS", "Document", "Layout", "escaped", "without_siblings"]

CONTAINERS = ("$defs", "definitions")
# A node with one of these is a schema; one without any, all of whose members are objects, is a folder of definitions.
_KEYWORDS = frozenset(
    {
        *("$ref", "$id", "$anchor", "$schema", "type", "enum", "const", "properties", "required", "items", "format"),
        *("prefixItems", "additionalProperties", "patternProperties", "oneOf", "anyOf", "allOf", "not", "if", "title"),
        *("description", "default", "minimum", "maximum", "pattern", "minLength", "maxLength", "deprecated"),
    },
)


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Where a document keeps its schemas: folders of definitions, and schemas beside them with their names.

    Without `roots` the document itself is one where it says something. `names` are given by the user: to a pointer, or
    to a name as the schema says it.
    """

    folders: tuple[str, ...] = tuple(f"#/{container}" for container in CONTAINERS)
    roots: Mapping[str, str] | None = None
    names: Mapping[str, str] = {}


class Document(msgspec.Struct, frozen=True):
    """The JSON value of a schema file."""

    root: Any
    # Filled when the first reference asks for them.
    _named: dict[str, str] = {}

    def at(self, pointer: str) -> Any:
        """The value at a `#/…` pointer; raises KeyError when nothing is there."""
        node = self.root
        for step in _steps(pointer):
            if isinstance(node, dict):
                node = node[step]
            elif isinstance(node, list) and step.isdecimal() and int(step) < len(node):
                node = node[int(step)]
            else:
                raise KeyError(pointer)
        return node

    def locate(self, ref: str) -> str | None:
        """The pointer that a `$ref` means, by anchor and embedded id too; None when it leads nowhere in this file."""
        if ref == "#" or ref.startswith("#/"):
            pointer = "#" if ref == "#" else "".join(["#", *(f"/{escaped(step)}" for step in _steps(ref))])
            try:
                self.at(pointer)
            except KeyError:
                return None
            return pointer
        if not self._named:
            self._named.update(_names(self.root))
        return self._named.get(ref)

    def is_folder(self, pointer: str) -> bool:
        """Whether definitions stand at `pointer`, and no schema; raises KeyError when nothing is there."""
        return _is_folder(self.at(pointer))

    def definitions(self, folders: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """(key, pointer) of every definition in `folders`, those in folders of their own by their last key."""
        for pointer in folders:
            try:
                folder = self.at(pointer)
            except KeyError:
                continue
            if isinstance(folder, dict):
                yield from _definitions(folder, pointer)


def without_siblings(root: Any) -> Any:
    """The document as its dialect reads it: up to draft-07 a reference stands alone, rules beside it say nothing."""
    dialect = dialect_of(root, DRAFT_2020_12, Place("", []))
    if dialect.siblings:
        return root
    read = copy.deepcopy(root)
    for _, node in _schemas(read, "#", "schema"):
        if isinstance(node.get("$ref"), str):
            for keyword in dialect.keywords & node.keys() - {"$ref"}:
                del node[keyword]
    return read


def escaped(step: str) -> str:
    """A member name as it stands in a pointer."""
    return step.replace("~", "~0").replace("/", "~1")


def _steps(pointer: str) -> list[str]:
    return [unquote(step).replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _definitions(folder: dict[str, Any], pointer: str) -> Iterator[tuple[str, str]]:
    for key, node in folder.items():
        here = f"{pointer}/{escaped(key)}"
        if _is_folder(node):
            yield from _definitions(node, here)
        else:
            yield key, here


def _is_folder(node: Any) -> bool:
    return isinstance(node, dict) and bool(node) and not _KEYWORDS & set(node) and all(map(_is_dict, node.values()))


def _is_dict(node: Any) -> bool:
    return isinstance(node, dict)


def _names(root: Any) -> dict[str, str]:
    """From each reference by anchor or embedded id to the pointer of what it means, the first that bears the name."""
    found = {"": "#"}
    for pointer, node in _schemas(root, "#", "schema"):
        for keyword, spelling in (("$anchor", "#{}"), ("$id", "{}")):
            if isinstance(node.get(keyword), str):
                found.setdefault(spelling.format(node[keyword]), pointer)
    return found


def _schemas(node: Any, pointer: str, kind: Kind) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, dict):
        if kind == "schema":
            yield pointer, node
        for key, value in node.items():
            below = kind_below(kind, key)
            if below != "value":
                yield from _schemas(value, f"{pointer}/{escaped(key)}", below)
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _schemas(value, f"{pointer}/{index}", kind)
