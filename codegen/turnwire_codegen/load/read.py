"""Files to JSON values, strictly: no duplicate member, no NaN, and every syntax error with its line and column."""

import json
from pathlib import Path
from typing import Any, NoReturn

from turnwire_codegen.problems import Problem

__all__ = ["read_json", "read_text"]


def read_json(path: Path, found: list[Problem], *, name: str | None = None) -> Any:
    """The JSON value in `path`, or None with a problem in `found`. `name` is how problems call the file."""
    label = name or str(path)
    text = read_text(path, found, name=label)
    if text is None:
        return None
    try:
        return json.loads(text, object_pairs_hook=_refuse_duplicates, parse_constant=_refuse_constant)
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


def _fault(file: str, where: str, what: str, fix: str) -> Problem:
    return Problem(severity="error", file=file, where=where, what=what, fix=fix)
