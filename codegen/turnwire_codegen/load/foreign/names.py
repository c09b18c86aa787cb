"""Names that the user gives: a file from pointers, or names as the schema says them, to names in code.

A type is called by its name in the schema, a member or a value of an enum by that of its type, a dot, and itself.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from turnwire_codegen.load.read import read_json, read_text
from turnwire_codegen.problems import Place, Problem

__all__ = ["read_names", "unused_names"]

# Types begin with a capital, members and values do not; each language has its own case for the latter.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


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
            (place / wire).error(
                f"{name!r} is no name", "write letters and digits: `Pet` for a type, `lastName` for a member or a value"
            )
    for name, times in Counter(name for name in names.values() if name[0].isupper()).items():
        if times > 1:
            place.error(f"{name} is given {times} times", "give every type a name of its own")
    return names


def unused_names(path: Path, names: Mapping[str, str], used: Collection[str], found: list[Problem]) -> None:
    """Report each name that the schema has no place for: a misspelt key would change nothing, and nobody would know."""
    for wire in names:
        if wire not in used:
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
