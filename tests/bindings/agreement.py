"""What the bindings of every language are held to: the shared values, all schemas, a walk through the protocol."""

import json
import random

import msgspec
import rfc8785

from bindings.test_vectors import EXAMPLES, INVALID, ROOT, VALID, decode
from codegen.rules.gather import plans_of, trials
from codegen.rules.mutants import mutants
from turnwire_codegen.interpret import check

__all__ = ["MESSAGES", "as_from_python", "differing_schemas", "differing_walk", "schema_rows", "values", "walk"]

MESSAGES = 20_000


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


def walk():
    """The plans of the protocol, and so many messages by type: what the repository has, and what is made of it."""
    bundle = json.loads((ROOT / "protocol" / "bundle.json").read_text())
    plans, rng = plans_of(bundle, "bundle.json"), random.Random(20_000)
    seeds: dict[str, list[object]] = {}
    for name, value in values((*EXAMPLES, *VALID, *INVALID)):
        seeds.setdefault(name, []).append(value)
    known = [name for name in sorted(seeds) if f"#/$defs/{name}" in plans.named]
    each = MESSAGES // len(known) + 1
    rows = [
        (name, value)
        for name in known
        for value in (*seeds[name], *mutants(rng, bundle["$defs"][name], seeds[name], each))
    ]
    return plans, rows[:MESSAGES]


def differing_walk(plans, rows, told):
    """Where a roundtrip program refuses what the interpreter takes, or otherwise, or at another place."""
    differing = []
    for (name, value), answer in zip(rows, told, strict=True):
        fault = check(plans, value, f"#/$defs/{name}")
        expected = {"value"} if fault is None else {"pointer": fault.pointer, "rule": fault.rule}
        if expected != (answer if fault else {*answer}):
            differing.append((name, value, expected, answer))
    return differing


def _said(fault):
    return None if fault is None else [fault.pointer, fault.rule]
