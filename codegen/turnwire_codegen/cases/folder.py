"""A folder of cases: each has a `schema.json`, and an `instances.json` with valid and invalid values."""

from pathlib import Path
from typing import Any, Literal

import msgspec

from turnwire_codegen.load.read import read_json
from turnwire_codegen.problems import Problem

__all__ = ["Case", "Outcome", "Verdict", "judged", "read_cases"]

Verdict = Literal["ok", "accepts-invalid", "refuses-valid", "loses-data", "does-not-build"]


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One schema with its values."""

    name: str
    path: Path
    schema: Any
    valid: tuple[Any, ...]
    invalid: tuple[Any, ...]


class Outcome(msgspec.Struct, frozen=True):
    """What one language made of a case, and the first thing that shows it."""

    verdict: Verdict
    detail: str = ""


def read_cases(folder: Path, found: list[Problem]) -> tuple[Case, ...]:
    """The cases in `folder`, which may itself be one; what is no case is reported, plain files beside them are not."""
    if not folder.is_dir():
        found.append(_problem(folder, "#", "no such folder", "name a folder of cases"))
        return ()
    alone = (folder / "schema.json").exists()
    homes = [folder] if alone else sorted(path for path in folder.iterdir() if path.is_dir())
    if not homes:
        found.append(_problem(folder, "#", "holds no case", "a case is a folder with schema.json and instances.json"))
    return tuple(case for home in homes if (case := _read(home, found)) is not None)


def judged(case: Case, refused: Problem | None) -> Outcome:
    """The outcome where no code could be made. A case without values asks for just that: a refusal that says where."""
    if refused is None:
        return Outcome("does-not-build")
    asked = not case.valid and not case.invalid and refused.where.startswith("#/")
    return Outcome("ok" if asked else "does-not-build", f"refused at {refused.where}: {refused.what}")


def _read(home: Path, found: list[Problem]) -> Case | None:
    before = len(found)
    schema, values = (read_json(home / name, found) for name in ("schema.json", "instances.json"))
    if len(found) > before:
        return None
    valid, invalid = (values.get(key) if isinstance(values, dict) else None for key in ("valid", "invalid"))
    if not isinstance(valid, list) or not isinstance(invalid, list):
        fix = 'write {"valid": [...], "invalid": [...]}'
        found.append(_problem(home / "instances.json", "#", "no lists of valid and invalid values", fix))
        return None
    return Case(name=home.name, path=home, schema=schema, valid=tuple(valid), invalid=tuple(invalid))


def _problem(path: Path, where: str, what: str, fix: str) -> Problem:
    return Problem(severity="error", file=str(path), where=where, what=what, fix=fix)
