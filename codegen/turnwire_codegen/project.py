"""`turnwire.toml`, or `[tool.turnwire]` in pyproject.toml: what `turnwire generate` makes, as a row for each folder.

What may stand in it is said once, in turnwire-toml.json, which editors read too; the check here goes by that file.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from turnwire_codegen.load.read import read_text
from turnwire_codegen.problems import Place, Problem, has_errors

__all__ = ["CONFIGURATION", "Row", "find_configuration", "read_rows", "words_of"]

CONFIGURATION = "turnwire.toml"
_PYPROJECT = "pyproject.toml"
_TABLE = ("tool", "turnwire")
_PATHS = ("out", "schema", "names")
_KINDS: dict[str, type] = {"object": dict, "array": list, "string": str, "boolean": bool}
# A table of the file, whose keys are those of turnwire-toml.json.
Row = dict[str, Any]


def find_configuration(folder: Path) -> Path | None:
    """The file in `folder` that says what to generate: turnwire.toml, else a pyproject.toml that has our table."""
    own, shared = folder / CONFIGURATION, folder / _PYPROJECT
    if own.is_file():
        return own
    found: list[Problem] = []
    if not shared.is_file():
        return None
    # One that cannot be read is ours too: whoever reads it next says why.
    return shared if _table(_toml(shared, found), shared) is not None or found else None


def read_rows(path: Path, found: list[Problem]) -> list[Row]:
    """The rows of a file; empty with problems in `found` when it says what nobody understands."""
    document = _toml(path, found)
    if document is None:
        return []
    place = Place(str(path), found)
    table = _table(document, path)
    if path.name == _PYPROJECT:
        place = place / _TABLE[0] / _TABLE[1]
    if not table or not table.get("generate"):
        place.error("says nothing of what to generate", 'add a table [[generate]] with target = "python" and out = "…"')
        return []
    _judge(table, _schema(), place)
    if not has_errors(found):
        _judge_rows(table["generate"], place / "generate")
    return [] if has_errors(found) else list(table["generate"])


def words_of(row: Row, home: Path) -> list[str]:
    """The command of a row whose file lies in `home`, with its flags."""
    words = [f"generate-{row['target']}"]
    for key, value in row.items():
        if key in _PATHS:
            words += [f"--{key}", str(home / value)]
        elif value is True:
            words.append(f"--{key}")
        elif key != "target" and value is not False:
            words += [f"--{key}", value]
    return words


def _toml(path: Path, found: list[Problem]) -> dict[str, Any] | None:
    text = read_text(path, found)
    if text is None:
        return None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, _, at = str(error).partition(" (at ")
        line_column = ":".join(re.findall(r"\d+", at)) or "#"
        problem = Problem(
            severity="error", file=str(path), where=line_column, what=f"not TOML: {what.lower()}", fix="mend the syntax"
        )
        found.append(problem)
    return None


def _table(document: dict[str, Any] | None, path: Path) -> Row | None:
    """What is ours in the file; None where a pyproject.toml has nothing for us."""
    if path.name != _PYPROJECT:
        return document
    table: Any = document
    for step in _TABLE:
        table = table.get(step) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else None


def _judge_rows(rows: list[Row], place: Place) -> None:
    """What no schema can say, because it is about two keys or two rows.

    Each folder has one manifest, so two rows in one folder would each remove what the other wrote.
    """
    seen: dict[Path, int] = {}
    for index, row in enumerate(rows):
        for key in ("form", "root", "names"):
            if key in row and "schema" not in row:
                (place / index / key).error("is about a schema of your own", "add schema = …, or leave the key out")
        if "style" in row and row["target"] != "python":
            (place / index / "style").error("is about Python", 'leave the key out, or write target = "python"')
        if row.get("schema") == "-":
            (place / index / "schema").error("is the standard input, which has no folder", "name a file")
        first = seen.setdefault(Path(row["out"]), index)
        if first != index:
            (place / index / "out").error(f"{row['out']} is the folder of row {first} too", "give each row its own")


def _judge(value: Any, schema: dict[str, Any], place: Place) -> None:
    """Every way in which `value` is not what the schema file says, which uses these keywords and no others."""
    if "$ref" in schema:
        schema = _schema()["$defs"][schema["$ref"].rpartition("/")[2]]
    if "enum" in schema and value not in schema["enum"]:
        place.error(f"{value!r} is none of the values", f"write one of {', '.join(schema['enum'])}")
    elif "type" in schema and not isinstance(value, _KINDS[schema["type"]]):
        place.error(f"is no {schema['type']}", f"write {_article(schema['type'])}")
    elif schema.get("minLength", 0) and not value:
        place.error("is empty", "write a path, or leave the key out")
    elif "not" in schema and re.search(schema["not"]["pattern"], value):
        place.error("has a control character", "write it without")
    for step, inner, below in _below(value, schema, place):
        _judge(inner, below, place / step)


def _below(value: Any, schema: dict[str, Any], place: Place) -> Iterator[tuple[str | int, Any, dict[str, Any]]]:
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield index, item, schema["items"]
    if isinstance(value, dict) and "properties" in schema:
        for key in schema.get("required", ()):
            if key not in value:
                place.error(f"has no {key}", f"add {key} = …")
        for key, member in value.items():
            if key in schema["properties"]:
                yield key, member, schema["properties"][key]
            else:
                (place / key).error("no such key", f"use {', '.join(schema['properties'])}")


def _article(kind: str) -> str:
    return {"boolean": "true or false", "string": "text in quotes", "array": "[[generate]]"}.get(kind, "a table")


@cache
def _schema() -> dict[str, Any]:
    text = files("turnwire_codegen").joinpath("turnwire-toml.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
