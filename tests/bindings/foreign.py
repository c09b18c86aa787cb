"""Schemas of other houses for the tests: where they are, values that were recorded of them, a walk through the types of
one, and its bindings as roundtrip programs."""

import json
from functools import partial

from bindings import kotlin_builds, swift_builds
from bindings.agreement import walk
from bindings.canonical import canonical
from bindings.languages import ROOT, python, typescript
from interop.environment import require
from interop.schemas import SCHEMAS
from turnwire_codegen.checks import checks_of
from turnwire_codegen.load.foreign.document import Document, escaped
from turnwire_codegen.load.foreign.front import load_foreign
from turnwire_codegen.outputs import make

__all__ = ["DIALECTS", "FOREIGN", "RECORDINGS", "as_recorded", "foreign_walk", "of_schema", "recorded", "schema_at"]

DIALECTS = {f"dialect-{path.parent.name}": path for path in (ROOT / "protocol" / "dialects").glob("*/schema.json")}
# Codex's whole bundle is its v2 bundle and little more, which takes a compiler another two minutes.
FOREIGN = sorted(SCHEMAS.keys() - {"codex-bundle"})
RECORDINGS = {path.stem: path for path in sorted((ROOT / "tests" / "interop" / "recordings").glob("*.jsonl"))}


def schema_at(name):
    """Where a schema is; one that cannot be had skips by name, or fails in CI."""
    return DIALECTS[name] if name in DIALECTS else require(SCHEMAS[name])


def recorded(name):
    """The values that were recorded of a protocol, each with its type, and what is to become of each."""
    rows = [json.loads(line) for line in RECORDINGS[name].read_text().splitlines()]
    assert {True, False} == {row["valid"] for row in rows}
    return (
        [(row["type"], row["value"]) for row in rows],
        [canonical({"value": row["value"]}) if row["valid"] else "refused" for row in rows],
    )


def as_recorded(lines):
    """What became of values by the lines of a roundtrip program, in the words of `recorded`."""
    return [line if "value" in json.loads(line) else "refused" for line in lines]


def foreign_walk(path, count):
    """A walk through the types of a schema, from nothing but the schema."""
    loaded, document, _ = load_foreign(path)
    checks = checks_of(document, path.name, loaded.declared)
    return walk(_walkable(document, loaded.declared), checks, count, {})


def of_schema(name, path, scratch):
    """How the programs of its bindings are made; `name` is that of its builds, which outlive the run."""

    def typescript_of():
        modules = _written("generate-ts", path, scratch / "typescript")
        return typescript(modules, scratch / "compiled", load_foreign(path)[0].declared)

    def swift_of():
        tools = swift_builds.installed()
        built = swift_builds.foreign(tools, name, path)
        assert {} == built.faults
        return partial(swift_builds.roundtrip, tools, built)

    def kotlin_of():
        tools = kotlin_builds.installed()
        built = kotlin_builds.foreign(tools, {name: path}, scratch)[name]
        assert {} == built.faults
        return partial(kotlin_builds.answers, tools, built.classes)

    return {
        "Python": lambda: python(_written("generate-python", path, scratch / f"of_{name.replace('-', '_')}")),
        "TypeScript": typescript_of,
        "Swift": swift_of,
        "Kotlin": kotlin_of,
    }


def _written(command, path, home):
    made = make(command, path, experimental=False)
    home.mkdir(parents=True)
    for name, content in made.files.items():
        (home / name).write_bytes(content)
    return home


def _walkable(document, declared):
    """The definitions by the names of their types, in words that the walker knows: references, members, arms."""
    tree = Document(document)
    found = {}
    pending = [*declared.values()]
    while pending:
        pointer = pending.pop()
        if escaped(pointer) not in found:
            found[escaped(pointer)] = _simple(tree, tree.at(pointer), pending)
    return found | {name: found[escaped(pointer)] for name, pointer in declared.items()}


def _simple(tree, node, pending):
    if isinstance(node, list):
        return [_simple(tree, inner, pending) for inner in node]
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("$ref"), str):
        pointer = tree.locate(node["$ref"])
        pending.append(pointer)
        return {"$ref": f"#/$defs/{escaped(pointer)}"}
    if "allOf" in node:
        return _simple(tree, _merged(tree, node), pending)
    simple = {word: _simple(tree, inner, pending) for word, inner in node.items()}
    if isinstance(node.get("additionalProperties"), dict) and "properties" not in node:
        # A map has members of any names; these are two.
        simple["properties"] = dict.fromkeys(("a key", "a/b"), simple["additionalProperties"])
    return simple


def _merged(tree, node):
    """The layers of a schema as one; where that loses a rule, the walker has no luck, and is asked again."""
    whole = {}
    for layer in ({word: inner for word, inner in node.items() if word != "allOf"}, *node["allOf"]):
        if node["allOf"] == [layer] and not whole.keys() & {"properties", "type"}:
            return layer
        said = _followed(tree, layer)
        members = {**whole.get("properties", {}), **said.get("properties", {})}
        needed = [*whole.get("required", ()), *said.get("required", ())]
        whole = {**whole, **said, **({"properties": members, "required": needed} if members else {})}
    return whole


def _followed(tree, node):
    while "$ref" in node:
        node = tree.at(tree.locate(node["$ref"]))
    return node
