"""Examples and vectors: values of a type in a file each, with what must be said of them.

examples/<Type>/<what-it-shows>.json is a valid value. vectors/valid/<Type>/<case>.json is {note, value};
vectors/invalid/<Type>/<case>.json is {note, pointer, rule, value}, where the pointer and the rule are of the first
fault. A file that stands elsewhere is a complaint, so that no case is ever passed over.
"""

import functools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from protocol.families import bundle, load
from protocol.oracle import Fault, Oracle

__all__ = ["README", "Case", "collect", "complaint", "uncovered"]

README = Path("vectors/README.md")
_FOLDERS = {"example": Path("examples"), "valid": Path("vectors/valid"), "invalid": Path("vectors/invalid")}
_MEMBERS = {"valid": {"note", "value"}, "invalid": {"note", "pointer", "rule", "value"}}
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.json")


class Case(NamedTuple):
    """One value of one type, and what the first fault in it is."""

    kind: str
    type: str
    name: str
    value: Any
    fault: Fault | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.type}/{self.name}"


def collect(protocol: Path) -> tuple[list[Case], list[str]]:
    """Every case below `protocol`, and a complaint for each file that is none."""
    cases: list[Case] = []
    complaints: list[str] = []
    for top in ("examples", "vectors"):
        for path in sorted(p for p in (protocol / top).rglob("*") if p.is_file()):
            where = path.relative_to(protocol)
            if where == README:
                continue
            kind = next((kind for kind, folder in _FOLDERS.items() if folder == where.parent.parent), None)
            found = f"{where}: stands in no folder of a type" if kind is None else _case(kind, path)
            if isinstance(found, Case):
                cases.append(found)
            else:
                complaints.append(found)
    return cases, complaints


def _case(kind: str, path: Path) -> Case | str:
    where = f"{_FOLDERS[kind]}/{path.parent.name}/{path.name}"
    if not _NAME.fullmatch(path.name):
        return f"{where}: the name is not kebab-case.json"
    if path.parent.name not in bundle()["$defs"]:
        return f"{where}: {path.parent.name} is no type of the protocol"
    content = load(path)
    if kind == "example":
        return Case(kind, path.parent.name, path.stem, content)
    if not isinstance(content, dict) or content.keys() != _MEMBERS[kind]:
        return f"{where}: a case has exactly {', '.join(sorted(_MEMBERS[kind]))}"
    if not str(content["note"]).endswith("."):
        return f"{where}: the note is no sentence"
    fault = Fault(content["pointer"], content["rule"]) if kind == "invalid" else None
    return Case(kind, path.parent.name, path.stem, content["value"], fault)


def complaint(case: Case) -> str | None:
    """What the oracle holds against a case, or None."""
    found = _oracle(case.type).first_fault(case.value)
    return None if found == case.fault else f"{case}: said {case.fault}, found {found}"


@functools.cache
def _oracle(type_name: str) -> Oracle:
    return Oracle({"$defs": bundle()["$defs"], "$ref": f"#/$defs/{type_name}"})


def uncovered(cases: Iterable[Case], types: Iterable[str]) -> list[str]:
    """A complaint for each type without an example, and for each without an invalid vector."""
    there = {(case.kind, case.type) for case in cases}
    return [f"{name}: no {kind}" for name in types for kind in ("example", "invalid") if (kind, name) not in there]
