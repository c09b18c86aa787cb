"""What every driver does alike: the files of a case, and the outcome that its values show."""

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from turnwire_codegen.cases.folder import Case, Outcome, judged
from turnwire_codegen.emit.header import Header
from turnwire_codegen.interpret import same
from turnwire_codegen.lower import lower
from turnwire_codegen.outputs import make
from turnwire_codegen.rules import Plans

__all__ = ["Answer", "ToolchainError", "alone", "broken", "cache", "files_of", "weighed"]

_HEADER = Header(title="a case", version="", digest="none", command="python -m turnwire_codegen.cases")
# The validators of a language: plans, the plan of each name, and the head of the file.
_EmitValidators = Callable[[Plans, Mapping[str, str], Header], Mapping[str, bytes]]


class ToolchainError(Exception):
    """A compiler or an interpreter is missing, or could not be run; the text says what to do."""


def cache() -> Path:
    """Where toolchains and builds are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "turnwire"


@contextmanager
def alone(home: Path) -> Iterator[None]:
    """One process at a time in this folder of the cache, which is made where it is missing."""
    home.mkdir(parents=True, exist_ok=True)
    with (home.parent / f"{home.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Answer(msgspec.Struct, frozen=True):
    """What generated code made of a value: why it refuses it, or the value that comes back."""

    refused: str = ""
    back: Any = None


def files_of(case: Case, command: str, emit_validators: _EmitValidators) -> Mapping[str, bytes] | Outcome:
    """What `command` makes of the schema, with one validator more, `root`; an outcome where nothing can be made."""
    try:
        plans, problems = lower(case.schema, file="schema.json")
        if plans is None:
            return judged(case, next(problem for problem in problems if problem.severity == "error"))
        made = make(command, case.path / "schema.json", experimental=False)
        if made.files is None:
            return judged(case, next(iter(made.problems), None))
        return {**made.files, **emit_validators(plans, {"root": "#"}, _HEADER)}
    except Exception as error:  # noqa: BLE001 -- an emitter that fails is what is looked for
        return broken(error)


def broken(error: Exception) -> Outcome:
    """The outcome where the generator or what it generated failed in a way that nobody foresaw."""
    return Outcome("does-not-build", f"{type(error).__name__}: {error}".partition("\n")[0])


def weighed(case: Case, answers: Iterable[Answer]) -> Outcome:
    """The outcome of a case whose values, valid and then invalid ones, got these answers."""
    told = iter(answers)
    for value in case.valid:
        text, answer = json.dumps(value, ensure_ascii=False), next(told)
        if answer.refused:
            return Outcome("refuses-valid", f"{text}: {answer.refused}")
        if not same(answer.back, value):
            return Outcome("loses-data", f"{text} came back as {json.dumps(answer.back, ensure_ascii=False)}")
    for value in case.invalid:
        if not next(told).refused:
            return Outcome("accepts-invalid", json.dumps(value, ensure_ascii=False))
    return Outcome("ok")
