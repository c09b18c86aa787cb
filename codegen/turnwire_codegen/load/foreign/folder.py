"""Several schema files in one folder: one document, in which every file stands under its name.

References between the files, by name or by `$id`, become pointers of that document; `$id` itself would move them.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

import msgspec

from turnwire_codegen.load.foreign.document import CONTAINERS, Layout, escaped
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
    return {**({"$schema": dialects[0]} if dialects else {}), "title": folder.resolve().name, _HOME: parts}


def laid_out(files: Mapping[str, Any], layout: Layout, says_something: Callable[[dict[str, Any]], bool]) -> Layout:
    """Where the definitions of each file stand, and which files are schemas themselves."""
    homes = {name: f"#/{_HOME}/{escaped(_key(name, files))}" for name in files}
    roots = {homes[name]: str(file.get("title") or _stem(name)) for name, file in files.items() if says_something(file)}
    folders = tuple(f"{home}/{container}" for home in homes.values() for container in CONTAINERS)
    return msgspec.structs.replace(layout, folders=folders, roots=roots)


def _key(name: str, files: Mapping[str, Any]) -> str:
    """The file's name without its ending, where no other file shares that."""
    return name if [_stem(other) for other in files].count(_stem(name)) > 1 else _stem(name)


def _stem(name: str) -> str:
    return name.rpartition(".")[0]


def _moved(name: str, file: dict[str, Any], homes: Mapping[str, str]) -> Any:
    base = file["$id"] if isinstance(file.get("$id"), str) else name
    plain = {key: value for key, value in file.items() if key not in {"$schema", "$id"}}
    return _rewritten(plain, base, homes[name], homes)


def _rewritten(node: Any, base: str, home: str, homes: Mapping[str, str]) -> Any:
    if isinstance(node, list):
        return [_rewritten(item, base, home, homes) for item in node]
    if not isinstance(node, dict):
        return node
    return dict(_members(node, base, home, homes))


def _members(node: dict[str, Any], base: str, home: str, homes: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    for key, value in node.items():
        if key == "$ref" and isinstance(value, str):
            yield key, _pointer(value, base, home, homes)
        else:
            yield key, _rewritten(value, base, home, homes)


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
