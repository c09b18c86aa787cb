"""Several schema files in one folder: one document, in which every file stands under its name.

References between the files, by name or by `$id`, become pointers of that document; `$id` itself would move them.
Exporters repeat a definition in each file that needs it: copies that say the same are one definition.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

import msgspec

from turnwire_codegen.load.foreign.document import CONTAINERS, Layout, escaped
from turnwire_codegen.load.foreign.kinds import Kind, kind_below
from turnwire_codegen.load.read import YAML_ENDINGS, read_value
from turnwire_codegen.problems import Problem

__all__ = ["joined", "laid_out", "read_folder"]

_HOME = "$defs"
_ENDINGS = (".json", *YAML_ENDINGS)


def read_folder(folder: Path, found: list[Problem]) -> dict[str, Any]:
    """The schemas in `folder` by file name, in order; `found` has a problem for each that is none."""
    files: dict[str, Any] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in _ENDINGS or not path.is_file():
            continue
        value = read_value(path, found)
        if isinstance(value, dict):
            files[path.name] = value
        elif not found:
            what = "in a folder of schemas every file is an object"
            found.append(Problem(severity="error", file=str(path), where="#", what=what, fix="move it away"))
    if not files and not found:
        fix = f"name a folder with files that end in {', '.join(_ENDINGS)}"
        found.append(Problem(severity="error", file=str(folder), where="#", what="holds no schema", fix=fix))
    return files


def joined(folder: Path, files: Mapping[str, Any], found: list[Problem]) -> dict[str, Any]:
    """The one document; files of different dialects are a problem in `found`."""
    dialects = sorted({file["$schema"] for file in files.values() if isinstance(file.get("$schema"), str)})
    if len(dialects) > 1:
        what = f"the files are of different dialects: {', '.join(dialects)}"
        found.append(Problem(severity="error", file=str(folder), where="#", what=what, fix="give all one `$schema`"))
    homes = {name: f"#/{_HOME}/{escaped(_key(name, files))}" for name in files}
    homes |= {
        urldefrag(file["$id"]).url: homes[name] for name, file in files.items() if isinstance(file.get("$id"), str)
    }
    parts = {_key(name, files): _moved(name, file, homes) for name, file in files.items()}
    parts = _without_twins(parts)
    return {**({"$schema": dialects[0]} if dialects else {}), "title": folder.resolve().name, _HOME: parts}


def laid_out(files: Mapping[str, Any], layout: Layout, says_something: Callable[[dict[str, Any]], bool]) -> Layout:
    """Where the definitions of each file stand, and which files are schemas themselves."""
    homes = {name: f"#/{_HOME}/{escaped(_key(name, files))}" for name in files}
    roots = {homes[name]: _title(_stem(name), file) for name, file in files.items() if says_something(file)}
    folders = tuple(f"{home}/{container}" for home in homes.values() for container in CONTAINERS)
    return msgspec.structs.replace(layout, folders=folders, roots=roots)


def _without_twins(parts: dict[str, Any]) -> dict[str, Any]:
    """The files without the definitions that an earlier file has too, with what refers to them led to the first."""
    # A file's own schema comes before all definitions: it stays, and copies of it are led there.
    whole = {f"#/{_HOME}/{escaped(home)}": _named(_title(home, part), _own(part)) for home, part in parts.items()}
    places = whole | {
        f"#/{_HOME}/{escaped(home)}/{container}/{escaped(key)}": _named(key, node)
        for home, part in parts.items()
        for container in CONTAINERS
        if isinstance(part.get(container), dict)
        for key, node in part[container].items()
    }
    first: dict[int, str] = {}
    twins = {place: first.setdefault(kind, place) for place, kind in _kinds(places).items()}
    twins = {place: original for place, original in twins.items() if place != original and place not in whole}
    return {home: _redirected(part, f"#/{_HOME}/{escaped(home)}", twins) for home, part in parts.items()}


def _named(name: str, node: Any) -> tuple[str, Any]:
    """A definition by what makes it the same as another: its name, and the schema without what only repeats that."""
    if not isinstance(node, dict):
        return name, node
    return name, {key: value for key, value in node.items() if (key, value) != ("title", name)}


def _own(file: Mapping[str, Any]) -> dict[str, Any]:
    """A file's own schema, without the definitions that stand in it."""
    return {key: value for key, value in file.items() if key not in CONTAINERS}


def _kinds(places: Mapping[str, tuple[str, Any]]) -> dict[str, int]:
    """A number for each definition, the same where name and text are the same and so are those of all it refers to."""
    targets = {place: [_head(ref) for ref in _references(node)] for place, (_, node) in places.items()}
    texts = {place: (name, json.dumps(_anonymous(node), sort_keys=True)) for place, (name, node) in places.items()}
    numbers: dict[Any, int] = {}
    kinds = {place: numbers.setdefault(text, len(numbers)) for place, text in texts.items()}
    while True:
        finer: dict[Any, int] = {}
        seen = {place: (kind, tuple(kinds.get(to, to) for to in targets[place])) for place, kind in kinds.items()}
        refined = {place: finer.setdefault(value, len(finer)) for place, value in seen.items()}
        if len(finer) == len(numbers):
            return kinds
        kinds, numbers = refined, finer


def _anonymous(node: Any) -> Any:
    """`node` without where its references lead, but for the way inside of a definition: the rest differs by file."""
    return _with_references(node, lambda ref: ref.removeprefix(_head(ref)))


def _references(node: Any) -> list[str]:
    found: list[str] = []

    def seen(ref: str) -> str:
        found.append(ref)
        return ref

    _with_references(node, seen)
    return found


def _with_references(node: Any, change: Callable[[str], str], kind: Kind = "schema") -> Any:
    """`node` with every reference changed. What looks like one in a value, as in a default, is none."""
    if kind == "value":
        return node
    if isinstance(node, list):
        return [_with_references(item, change, kind) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: change(value)
        if kind == "schema" and key == "$ref" and isinstance(value, str)
        else _with_references(value, change, kind_below(kind, key))
        for key, value in node.items()
    }


def _head(ref: str) -> str:
    """The definition in which a pointer of the joined document ends: `#`, home, file, container and key."""
    return "/".join(ref.split("/")[:5])


def _redirected(part: dict[str, Any], here: str, twins: Mapping[str, str]) -> dict[str, Any]:
    """A file without its own twins; what refers to one, here or in another file, is led to the original."""
    kept = {
        container: {
            key: node for key, node in part[container].items() if f"{here}/{container}/{escaped(key)}" not in twins
        }
        for container in CONTAINERS
        if isinstance(part.get(container), dict)
    }
    redirected: dict[str, Any] = _with_references(
        {**part, **kept}, lambda ref: twins.get(_head(ref), _head(ref)) + ref.removeprefix(_head(ref))
    )
    return redirected


def _title(stem: str, file: Mapping[str, Any]) -> str:
    return str(file.get("title") or stem)


def _key(name: str, files: Mapping[str, Any]) -> str:
    """The file's name without its ending, where no other file shares that."""
    return name if [_stem(other) for other in files].count(_stem(name)) > 1 else _stem(name)


def _stem(name: str) -> str:
    return name.rpartition(".")[0]


def _moved(name: str, file: dict[str, Any], homes: Mapping[str, str]) -> Any:
    base = file["$id"] if isinstance(file.get("$id"), str) else name
    plain = {key: value for key, value in file.items() if key not in {"$schema", "$id"}}
    return _with_references(plain, lambda ref: _pointer(ref, base, homes[name], homes))


def _pointer(ref: str, base: str, home: str, homes: Mapping[str, str]) -> str:
    """Where `ref` leads in the joined document; one that leads out of the folder stays as it is."""
    target, fragment = urldefrag(ref)
    if not target:
        there: str | None = home
    else:
        there = homes.get(urljoin(base, target)) or homes.get(target.removeprefix("./"))
    if there is None:
        return ref
    if not fragment or fragment.startswith("/"):
        return there + fragment
    return f"#{fragment}"
