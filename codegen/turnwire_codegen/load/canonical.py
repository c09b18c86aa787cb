"""A protocol folder (VERSION, schema/*.json) becomes a Protocol, with every problem of every file at once."""

from pathlib import Path
from typing import Any

from turnwire_codegen.ir import Declaration, Family, Protocol
from turnwire_codegen.load.decls import read_declaration, tag_unions
from turnwire_codegen.load.links import check_links
from turnwire_codegen.load.read import read_json, read_text
from turnwire_codegen.load.refs import Names
from turnwire_codegen.load.shape import members, text, unexpected
from turnwire_codegen.load.tables import read_capabilities, read_errors, read_machines, read_methods
from turnwire_codegen.problems import Place, Problem, has_errors

__all__ = ["load_canonical"]

_TABLES = ("methods", "errors", "states", "capabilities")
_FAMILY = frozenset({"$schema", "$id", "title", "description", "$defs"})
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def load_canonical(folder: Path) -> tuple[Protocol | None, list[Problem]]:
    """The protocol that `folder` describes, or None when a problem stops it."""
    found: list[Problem] = []
    version = read_text(folder / "VERSION", found, name="VERSION")
    files = _read_files(folder / "schema", found)
    if version is None or has_errors(found):
        return None, found
    known = {
        name: frozenset(members(node.get("$defs", {}), Place(f"{name}.json", found) / "$defs"))
        for name, node in files.items()
        if name not in _TABLES
    }
    _refuse_twins(known, found)
    families = _families(files, known, found)
    protocol = Protocol(
        id=_bundle_id(files, found),
        title="Turnwire Protocol",
        version=version.strip(),
        families=families,
        methods=read_methods(files["methods"], Place("methods.json", found)),
        errors=read_errors(files["errors"], Place("errors.json", found)),
        machines=read_machines(files["states"], Place("states.json", found)),
        capabilities=read_capabilities(files["capabilities"], Place("capabilities.json", found)),
    )
    check_links(protocol, found)
    return (None if has_errors(found) else protocol), found


def _read_files(folder: Path, found: list[Problem]) -> dict[str, dict[str, Any]]:
    files = {}
    for path in sorted(folder.glob("*.json")):
        value = read_json(path, found, name=path.name)
        if value is not None:
            files[path.stem] = members(value, Place(path.name, found))
    for name in _TABLES:
        if name not in files and not has_errors(found):
            Place(f"{name}.json", found).error("the table is missing", f"put it in {folder}")
    return files


def _families(
    files: dict[str, dict[str, Any]],
    known: dict[str, frozenset[str]],
    found: list[Problem],
) -> tuple[Family, ...]:
    read: dict[str, dict[str, Declaration]] = {}
    places: dict[str, Place] = {}
    for name in known:
        at = Place(f"{name}.json", found)
        unexpected(files[name], _FAMILY, at, fix="a family file has a title, a description and $defs")
        if files[name].get("$schema") != _DIALECT:
            at.error("the dialect is not JSON Schema 2020-12", f'write "$schema": "{_DIALECT}"')
        read[name] = {}
        for key, node in members(files[name].get("$defs", {}), at / "$defs").items():
            places[key] = at / "$defs" / key
            read[name][key] = read_declaration(key, node, places[key], Names(name, known))
    everything = {key: decl for family in read.values() for key, decl in family.items()}
    tagged = tag_unions(everything, places)
    return tuple(
        Family(
            name=name,
            title=text(files[name], "title", Place(f"{name}.json", found)),
            doc=text(files[name], "description", Place(f"{name}.json", found)),
            declarations=tuple(tagged[key] for key in family),
        )
        for name, family in read.items()
    )


def _refuse_twins(known: dict[str, frozenset[str]], found: list[Problem]) -> None:
    homes: dict[str, str] = {}
    for family, names in known.items():
        for name in sorted(names):
            if name in homes:
                at = Place(f"{family}.json", found) / "$defs" / name
                at.error(f"{name} is also defined in {homes[name]}.json", "one name, one definition")
            homes.setdefault(name, family)


def _bundle_id(files: dict[str, dict[str, Any]], found: list[Problem]) -> str:
    bases = set()
    for name, node in files.items():
        identity = text(node, "$id", Place(f"{name}.json", found), None)
        if identity is not None:
            bases.add(identity.rsplit("/", 1)[0])
    if len(bases) > 1:
        Place("schema", found).error(f"the $id of the files have {len(bases)} bases", "give all of them one base")
    return f"{min(bases, default='https://turnwire.dev/schema')}/bundle.json"
