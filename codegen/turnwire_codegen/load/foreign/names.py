"""Names that the user gives: a file from pointers, or names as the schema says them, to names of types."""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from turnwire_codegen.load.read import read_json, read_text
from turnwire_codegen.problems import Place, Problem

__all__ = ["read_names", "unused_names"]

_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")


def read_names(path: Path, found: list[Problem]) -> Mapping[str, str]:
    """The names in a TOML or JSON file; what is no name, or is given twice, is a problem in `found`."""
    value = _toml(path, found) if path.suffix.lower() == ".toml" else read_json(path, found)
    place = Place(str(path), found)
    if not isinstance(value, dict):
        if not found:
            place.error("a map of names is one table", 'write {"name in the schema": "NameOfTheType"}')
        return {}
    names: dict[str, str] = {}
    for wire, name in value.items():
        if isinstance(name, str) and _NAME.fullmatch(name):
            names[wire] = name
        else:
            (place / wire).error(f"{name!r} is no name of a type", "write letters and digits that begin with a capital")
    for name, times in Counter(names.values()).items():
        if times > 1:
            place.error(f"{name} is given {times} times", "give every type a name of its own")
    return names


def unused_names(path: Path, names: Mapping[str, str], origins: Mapping[str, str], found: list[Problem]) -> None:
    """Report each name that the schema has no place for: a misspelt key would change nothing, and nobody would know."""
    for wire, name in names.items():
        if name not in origins:
            (Place(str(path), found) / wire).error("nothing in the schema is called so", "mend the key, or remove it")


def _toml(path: Path, found: list[Problem]) -> object:
    text = read_text(path, found)
    if text is None:
        return None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        Place(str(path), found).error(f"not TOML: {error}", "mend the syntax")
    return None
