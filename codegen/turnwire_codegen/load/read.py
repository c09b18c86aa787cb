"""Files to JSON values, strictly: no duplicate member, no NaN, no number beyond all doubles.

Every syntax error is told with its line and column.
A file whose name ends as those of YAML do may be YAML.
"""

import json
import math
from pathlib import Path
from typing import Any, NoReturn

from turnwire_codegen.load.yaml_text import yaml_value
from turnwire_codegen.problems import Problem

__all__ = ["YAML_ENDINGS", "json_value", "read_json", "read_text", "read_value"]

YAML_ENDINGS = (".yaml", ".yml")


def read_json(path: Path, found: list[Problem], *, name: str | None = None) -> Any:
    """The JSON value in `path`, or None with a problem in `found`. `name` is how problems call the file."""
    label = name or str(path)
    text = read_text(path, found, name=label)
    return None if text is None else json_value(text, label, found)


def read_value(path: Path, found: list[Problem]) -> Any:
    """The value in `path`, JSON or YAML by its name, or None with a problem in `found`."""
    if path.suffix.lower() not in YAML_ENDINGS:
        return read_json(path, found)
    text = read_text(path, found)
    return None if text is None else yaml_value(text, str(path), found)


def json_value(text: str, label: str, found: list[Problem]) -> Any:
    """The JSON value that `text` says, or None with a problem in `found`; `label` is how problems call it."""
    try:
        return json.loads(
            text, object_pairs_hook=_refuse_duplicates, parse_constant=_refuse_constant, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        where = f"{error.lineno}:{error.colno}"
        found.append(_fault(label, where, f"not JSON: {error.msg.lower()}", "mend the syntax"))
    except _StrictError as error:
        found.append(_fault(label, "#", str(error), "write plain JSON"))
    except RecursionError:
        found.append(_fault(label, "#", "nested too deeply to be a schema", "flatten the document"))
    return None


def read_text(path: Path, found: list[Problem], *, name: str | None = None) -> str | None:
    """The text of a UTF-8 file, or None with a problem in `found`."""
    label = name or str(path)
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        found.append(_fault(label, "#", f"cannot be read: {reason}", "name a readable file"))
    except UnicodeDecodeError as error:
        found.append(_fault(label, "#", f"not UTF-8 at byte {error.start}", "save the file as UTF-8"))
    return None


class _StrictError(ValueError):
    """What Python's JSON reader would let pass."""


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _StrictError(f"the member {twice!r} stands twice in one object")
    return members


def _refuse_constant(text: str) -> NoReturn:
    raise _StrictError(f"{text} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _StrictError(f"{text} is larger than any number can be")
    return number


def _fault(file: str, where: str, what: str, fix: str) -> Problem:
    return Problem(severity="error", file=file, where=where, what=what, fix=fix)
