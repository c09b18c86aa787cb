"""Every schema that validators are tried on, with its values: the folder of cases, the hard ones, and random ones."""

import functools
import json
import random
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from codegen.rules.hard import HARD
from codegen.rules.mutants import mutants
from codegen.rules.wild import SEEDS, wild_schema
from turnwire_codegen.interpret import check
from turnwire_codegen.lower import lower
from turnwire_codegen.rules import Plans

__all__ = ["CASES", "Trial", "plans_of", "trials"]

CASES = Path(__file__).parents[1] / "cases"
# A reference that leads nowhere: the one case that has no plans.
UNSAYABLE = {"47-dangling-ref"}
# Random schemas beside those that people wrote.
WILD = 60
# Each schema has so many; together they are more than 5,000.
MUTANTS = 25


class Trial(NamedTuple):
    """A schema with given values and their mutants."""

    name: str
    schema: Any
    valid: list[Any]
    invalid: list[Any]
    mutants: list[Any]

    @property
    def values(self) -> list[Any]:
        return [*self.valid, *self.invalid, *self.mutants]


@functools.cache
def trials() -> tuple[Trial, ...]:
    """All of them, the same on every run."""
    given = [(case.name, *_read(case)) for case in sorted(CASES.iterdir()) if case.name not in UNSAYABLE]
    given += _wild()
    given += [(name, hard.schema, hard.valid, [value for value, _, _ in hard.invalid]) for name, hard in HARD.items()]
    return tuple(
        Trial(name, schema, valid, invalid, list(mutants(_random(name), schema, [*valid, *invalid], MUTANTS)))
        for name, schema, valid, invalid in given
    )


def plans_of(schema: Any, file: str = "schema.json") -> Plans:
    """The plans of a schema that has no fault."""
    plans, problems = lower(schema, file=file)

    assert plans is not None, [str(problem) for problem in problems]
    return plans


def _wild() -> list[tuple[str, Any, list[Any], list[Any]]]:
    """Random schemas that have plans; which of the seeds are valid is asked, what matters is who agrees."""
    rng = random.Random(7)
    found: list[tuple[str, Any, list[Any], list[Any]]] = []
    while len(found) < WILD:
        schema = wild_schema(rng)
        plans, _ = lower(schema, file="schema.json")
        if plans is not None:
            verdicts = [(value, check(plans, value) is None) for value in SEEDS]
            valid, invalid = ([value for value, fits in verdicts if fits is wanted] for wanted in (True, False))
            found.append((f"wild {len(found)}", schema, valid, invalid))
    return found


def _read(case: Path) -> tuple[Any, list[Any], list[Any]]:
    instances = json.loads((case / "instances.json").read_text(encoding="utf-8"))
    return json.loads((case / "schema.json").read_text(encoding="utf-8")), instances["valid"], instances["invalid"]


def _random(name: str) -> random.Random:
    # `hash` of a string differs between runs.
    return random.Random(zlib.crc32(name.encode()))
