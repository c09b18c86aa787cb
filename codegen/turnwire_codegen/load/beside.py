"""What lies beside a canonical schema: where each clause stands, and examples of types; a foreign one has neither."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from turnwire_codegen.load.read import read_json, read_text
from turnwire_codegen.problems import Problem

__all__ = ["Beside", "Example", "read_beside"]

_HEADING = re.compile(r"^### (?P<id>[A-Z]+-[0-9]+) (?P<level>MUST|SHOULD|MAY)$", re.MULTILINE)


class Example(msgspec.Struct, frozen=True):
    """A value of a type; the name of its file says what it shows."""

    title: str
    value: Any


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """`clauses` has a link for each id into one of `pages`, whose paths are relative to the page that cites them."""

    clauses: Mapping[str, str] = {}
    pages: Mapping[str, bytes] = {}
    examples: Mapping[str, tuple[Example, ...]] = {}


def read_beside(folder: Path, found: list[Problem]) -> Beside:
    """The clauses and examples in the protocol folder `folder`; what cannot be read is added to `found`."""
    clauses: dict[str, str] = {}
    pages: dict[str, bytes] = {}
    for path in sorted(folder.glob("clauses/*.md")):
        place = f"clauses/{path.name}"
        text = read_text(path, found, name=place) or ""
        pages[place] = text.encode()
        # The anchor of a heading is its text in lower case with hyphens for spaces.
        links = {match["id"]: f"{place}#{match['id']}-{match['level']}".lower() for match in _HEADING.finditer(text)}
        clauses |= links
    examples: dict[str, list[Example]] = {}
    for path in sorted(folder.glob("examples/*/*.json")):
        value = read_json(path, found, name=f"examples/{path.parent.name}/{path.name}")
        examples.setdefault(path.parent.name, []).append(Example(path.stem.replace("-", " "), value))
    return Beside(clauses=clauses, pages=pages, examples={name: tuple(some) for name, some in examples.items()})
