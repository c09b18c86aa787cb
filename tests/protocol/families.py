"""The protocol as its files say it: families, tables, clauses, and the bundle that a plain validator can judge by.

The definitions of the bundle are derived here a second time, by the rules of the schema alone: the generator is not
its own witness.
"""

import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "PROTOCOL",
    "Clause",
    "bundle",
    "clauses",
    "definitions",
    "derived",
    "families",
    "load",
    "refs",
    "table",
    "tag_of",
]

PROTOCOL = Path(__file__).parents[2] / "protocol"
TABLES = ("methods", "errors", "states", "capabilities")


class Clause(NamedTuple):
    """A clause: its id, its level, and the file it stands in."""

    id: str
    level: str
    file: str


def load(path: Path) -> Any:
    """The JSON of a file; a member that stands twice is an error."""
    return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_unique)


@functools.cache
def families() -> dict[str, dict[str, Any]]:
    """Every family file by its stem."""
    paths = sorted((PROTOCOL / "schema").glob("*.json"))
    return {path.stem: load(path) for path in paths if path.stem not in TABLES}


@functools.cache
def table(name: str) -> Any:
    """One of the four tables."""
    return load(PROTOCOL / "schema" / f"{name}.json")


@functools.cache
def definitions() -> dict[str, dict[str, Any]]:
    """Every definition by its name; a name that two families define is an error."""
    return _unique([(name, node) for family in families().values() for name, node in family["$defs"].items()])


@functools.cache
def bundle() -> dict[str, Any]:
    """The bundle that is shipped, whole."""
    return load(PROTOCOL / "bundle.json")  # type: ignore[no-any-return]


@functools.cache
def derived() -> dict[str, dict[str, Any]]:
    """The definitions as the bundle must have them: local references, and an arm of the rest where a choice is open."""
    return {name: _opened(_local(node)) for name, node in definitions().items()}


@functools.cache
def clauses() -> tuple[Clause, ...]:
    """Every clause of every file, in order."""
    heading = re.compile(r"^### ([A-Z]+-[1-9][0-9]*) (MUST|SHOULD|MAY)$", re.MULTILINE)
    paths = sorted((PROTOCOL / "clauses").glob("*.md"))
    return tuple(
        Clause(id_, level, path.name)
        for path in paths
        for id_, level in heading.findall(path.read_text(encoding="utf-8"))
    )


def refs(node: Any) -> Iterator[str]:
    """The name of every definition that a schema refers to."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].rsplit("/", 1)[1]
        node = list(node.values())
    if isinstance(node, list):
        for inner in node:
            yield from refs(inner)


def tag_of(union: dict[str, Any], known: dict[str, dict[str, Any]]) -> tuple[str, dict[str, str]]:
    """The member that tells the arms of a union apart, and the definition, one of `known`, of each of its values."""
    arms = {name: known[name] for name in refs(union["oneOf"])}
    consts = [{m: s["const"] for m, s in arm["properties"].items() if "const" in s} for arm in arms.values()]
    shared = set.intersection(*(set(members) for members in consts))
    shared = shared.intersection(*(arm["properties"] for arm in union["oneOf"] if "$ref" not in arm))
    (tag,) = {member for member in shared if len({members[member] for members in consts}) == len(arms)}
    return tag, dict(zip([members[tag] for members in consts], arms, strict=True))


def _local(node: Any) -> Any:
    if isinstance(node, list):
        return [_local(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    return {
        word: f"#/$defs/{value.rsplit('/', 1)[1]}" if word == "$ref" and isinstance(value, str) else _local(value)
        for word, value in node.items()
    }


def _opened(node: dict[str, Any]) -> dict[str, Any]:
    if not node.get("x-open"):
        return node
    if all("const" in arm for arm in node["oneOf"]):
        rest = {word: value for word, value in node.items() if word != "oneOf"}
        return {**rest, "anyOf": [*node["oneOf"], {"type": "string"}]}
    tag, arms = tag_of(node, definitions())
    other = {"type": "string", "not": {"enum": list(arms)}}
    arm = {"type": "object", "properties": {tag: other}, "required": [tag]}
    return {**node, "oneOf": [*node["oneOf"], arm]}


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"stand twice: {', '.join(sorted(twice))}"
    return dict(pairs)
