"""What the bindings of every language are held to: the shared values, all schemas, one walk through the protocol."""

import contextlib
import json
import os
import random
from typing import Any, NamedTuple

import msgspec
import rfc8785

from bindings.canonical import canonical
from bindings.odd import bounds_of, odd
from bindings.test_vectors import EXAMPLES, INVALID, ROOT, VALID, decode
from codegen.rules.gather import plans_of, trials
from codegen.rules.mutants import mutants
from turnwire.conformance.walker import Walker
from turnwire_codegen.checks import Checks, checks_of
from turnwire_codegen.interpret import check

__all__ = [
    "MESSAGES",
    "Walk",
    "as_from_python",
    "differing_bytes",
    "differing_schemas",
    "differing_walk",
    "protocol_walk",
    "schema_rows",
    "seed",
    "values",
    "walk",
]

MESSAGES = 20_000
_PATIENCE = 20
_NOTHING = object()


class Walk(NamedTuple):
    """Values by type: those that were made lawful, and those that were spoilt, of which some are lawful still."""

    checks: Checks
    made: list[tuple[str, Any]]
    spoilt: list[tuple[str, Any]]
    unmade: set[str]

    @property
    def rows(self):
        return [*self.made, *self.spoilt]

    def fault(self, name, value):
        """What the interpreter says."""
        return check(self.checks.plans, value, self.checks.roots[name])


def values(paths):
    """The type and the value of each file."""
    read = [json.loads(path.read_text()) for path in paths]
    return [
        (path.parent.name, found["value"] if "vectors" in path.parts else found)
        for path, found in zip(paths, read, strict=True)
    ]


def as_from_python(paths):
    """The line that a roundtrip program says of each valid file: what Python's type gives back."""
    return [
        rfc8785.dumps({"value": json.loads(msgspec.json.encode(decode(path, value)))}).decode()
        for path, (_, value) in zip(paths, values(paths), strict=True)
    ]


def schema_rows(given):
    """The number of each trial, with each of its values."""
    return [(number, value) for number, trial in enumerate(given) for value in trial.values]


def differing_schemas(rows, told):
    """Where a language says another pointer or rule than the interpreter does."""
    given = trials()
    plans = [plans_of(trial.schema) for trial in given]
    return [
        (given[number].name, value, expected, answer)
        for (number, value), answer in zip(rows, told, strict=True)
        if (expected := _said(check(plans[number], value))) != answer
    ]


def seed():
    """That of every walk; TURNWIRE_SEED takes another way."""
    return int(os.environ.get("TURNWIRE_SEED", "20000"))


def protocol_walk():
    """A walk through all types of the protocol, from what the repository has of each as well."""
    bundle = json.loads((ROOT / "protocol" / "bundle.json").read_text())
    checks = checks_of(bundle, "bundle.json", {name: f"#/$defs/{name}" for name in bundle["$defs"]})
    given: dict[str, list[Any]] = {}
    for name, value in values((*EXAMPLES, *VALID, *INVALID)):
        given.setdefault(name, []).append(value)
    return walk(bundle["$defs"], checks, MESSAGES, given)


def walk(definitions, checks, count, given):
    """So many values, as many of one type as of another: half of them made by the schema, half spoilt, in three ways.

    A type of which the walker makes no value is left out, and told.
    """
    walker, rng = Walker({"$defs": definitions}, _Judge(checks), seed()), random.Random(seed())
    lawful = {name: [value] for name in sorted(checks.roots) if (value := _made(walker, name)) is not _NOTHING}
    names = [*lawful]
    for at in range(len(names), count // 2):
        if (value := _made(walker, names[at % len(names)])) is not _NOTHING:
            lawful[names[at % len(names)]].append(value)
    spoilt, bounds = [], bounds_of(definitions)
    for at in range(count - count // 2):
        name = names[at % len(names)]
        match at // len(names) % 3:
            case 0:
                changed = walker.mutant(name, rng.choice(lawful[name])).value
            case 1:
                changed = next(mutants(rng, definitions[name], [*lawful[name], *given.get(name, ())], 1))
            case _:
                changed = odd(rng, rng.choice(lawful[name]), bounds)
        spoilt.append((name, changed))
    made = [(name, value) for name in names for value in lawful[name]]
    return Walk(checks, made, spoilt, checks.roots.keys() - lawful.keys())


def differing_walk(walked, told):
    """Where a roundtrip program refuses what the interpreter takes, or otherwise, or at another place."""
    differing = []
    for (name, value), line in zip(walked.rows, told, strict=True):
        fault, answer = walked.fault(name, value), json.loads(line)
        expected = {"value"} if fault is None else {"pointer": fault.pointer, "rule": fault.rule}
        if expected != (answer if fault else {*answer}):
            differing.append((name, value, expected, answer))
    return differing


def differing_bytes(walked, told):
    """By language, where a valid value comes back otherwise than it should: `told` has the lines of each language.

    What was made comes back whole. Of what was spoilt, types drop what the protocol does not declare; they all drop the
    same, and TypeScript, which has no types at run time, drops nothing.
    """
    made = len(walked.made)
    whole = [canonical({"value": value}) for _, value in walked.rows]
    lawful = [at for at, (name, value) in enumerate(walked.rows) if walked.fault(name, value) is None]
    typed = told["Python"]
    expected = {
        language: [whole[at] if at < made or language == "TypeScript" else typed[at] for at in lawful]
        for language in told
    }
    return {
        language: [
            (walked.rows[at], wanted, lines[at])
            for at, wanted in zip(lawful, expected[language], strict=True)
            if wanted != lines[at]
        ]
        for language, lines in told.items()
    }


def _made(walker, name):
    """A lawful value; a walker that is out of luck, with a pattern and a length say, is asked again."""
    for _ in range(_PATIENCE):
        with contextlib.suppress(LookupError):
            return walker.value(name)
    return _NOTHING


class _Judge:
    """The interpreter in the place of a library, which would take a hundred times as long."""

    def __init__(self, checks):
        self._checks = checks

    def faults(self, name, value):
        fault = check(self._checks.plans, value, self._checks.roots[name])
        return [] if fault is None else [fault]


def _said(fault):
    return None if fault is None else [fault.pointer, fault.rule]
