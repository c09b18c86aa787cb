"""What lies beside a canonical schema: clauses, examples and transcripts; a foreign one has none of them."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from turnwire_codegen.load.read import read_json, read_text
from turnwire_codegen.problems import Problem

__all__ = ["Beside", "Call", "Example", "read_beside"]

_HEADING = re.compile(r"^### (?P<id>[A-Z]+-[0-9]+) (?P<level>MUST|SHOULD|MAY)$", re.MULTILINE)
_OTHER_WAY = {"c2s": "s2c", "s2c": "c2s"}


class Example(msgspec.Struct, frozen=True):
    """A value of a type; the name of its file says what it shows."""

    title: str
    value: Any


class Call(msgspec.Struct, frozen=True):
    """A request that a transcript answers with success; the name of its file says where it happened."""

    title: str
    params: dict[str, Any]
    result: Any


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """`clauses` has a link for each id into one of `pages`, whose paths are relative to the page that cites them."""

    clauses: Mapping[str, str] = {}
    pages: Mapping[str, bytes] = {}
    examples: Mapping[str, tuple[Example, ...]] = {}
    calls: Mapping[str, tuple[Call, ...]] = {}


def read_beside(folder: Path, found: list[Problem]) -> Beside:
    """What lies in the protocol folder `folder`; what cannot be read is added to `found`."""
    clauses, pages = _clauses(folder, found)
    return Beside(clauses=clauses, pages=pages, examples=_examples(folder, found), calls=_calls(folder, found))


def _clauses(folder: Path, found: list[Problem]) -> tuple[dict[str, str], dict[str, bytes]]:
    clauses: dict[str, str] = {}
    pages: dict[str, bytes] = {}
    for path in sorted(folder.glob("clauses/*.md")):
        place = f"clauses/{path.name}"
        text = read_text(path, found, name=place) or ""
        pages[place] = text.encode()
        # The anchor of a heading is its text in lower case with hyphens for spaces.
        links = {match["id"]: f"{place}#{match['id']}-{match['level']}".lower() for match in _HEADING.finditer(text)}
        clauses |= links
    return clauses, pages


def _examples(folder: Path, found: list[Problem]) -> dict[str, tuple[Example, ...]]:
    examples: dict[str, list[Example]] = {}
    for path in sorted(folder.glob("examples/*/*.json")):
        value = read_json(path, found, name=f"examples/{path.parent.name}/{path.name}")
        examples.setdefault(path.parent.name, []).append(Example(path.stem.replace("-", " "), value))
    return {name: tuple(some) for name, some in examples.items()}


def _calls(folder: Path, found: list[Problem]) -> dict[str, tuple[Call, ...]]:
    calls: dict[str, list[Call]] = {}
    for path in sorted(folder.glob("transcripts/*.jsonl")):
        waiting: dict[tuple[str, str], dict[str, Any]] = {}
        for sender, message in _messages(path, found):
            # Ids belong to their caller, and "1" is not 1.
            id_ = json.dumps(message.get("id"))
            if "method" in message:
                waiting[sender, id_] = message
                continue
            asked = waiting.pop((_OTHER_WAY[sender], id_), None)
            if asked is not None and "result" in message:
                call = Call(path.stem.replace("-", " "), asked.get("params", {}), message["result"])
                calls.setdefault(asked["method"], []).append(call)
    return {name: tuple(some) for name, some in calls.items()}


def _messages(path: Path, found: list[Problem]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Which way and what, for each message that is an object; a batch is none, and is never answered with success."""
    name = f"transcripts/{path.name}"
    for number, line in enumerate((read_text(path, found, name=name) or "").splitlines(), 1):
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if not isinstance(value, dict) or value.get("dir") not in tuple(_OTHER_WAY) or "msg" not in value:
            what, fix = "no line of a transcript", 'write {"dir": "c2s" or "s2c", "msg": the message}'
            found.append(Problem(severity="error", file=name, where=f"{number}:1", what=what, fix=fix))
        elif isinstance(value["msg"], dict):
            yield value["dir"], value["msg"]
