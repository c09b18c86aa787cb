"""The generated TypeScript types take every example, and see whatever a type can see in an invalid vector."""

import json
import re

from protocol.cases import collect
from protocol.families import PROTOCOL, definitions
from protocol.node import TYPESCRIPT, compiler

# What types say; bounds, lengths, patterns and counts are for validators.
SAID = {"required", "type", "const", "tag"}
# A literal of that length is a test of the compiler.
LONGEST = 20_000

CASES = [case for case in collect(PROTOCOL)[0] if case.type in definitions()]
EXAMPLES = [case for case in CASES if case.kind == "example"]
INVALID = [
    case
    for case in CASES
    if case.kind == "invalid" and case.fault.rule in SAID and len(json.dumps(case.value)) < LONGEST
]


def faulty(folder, cases):
    """The cases that the compiler refuses, each a line of a program."""
    index = TYPESCRIPT / "src" / "generated" / "index.js"
    lines = [f"export const case{n}: T.{case.type} = {json.dumps(case.value)};" for n, case in enumerate(cases)]
    program = folder / "cases.ts"
    program.write_text("\n".join([f"import type * as T from {json.dumps(str(index))};", *lines]))
    numbers = {int(number) for number in re.findall(r"cases\.ts\((\d+),", compiler(program, "--noEmit"))}
    return [str(case) for number, case in enumerate(cases, 2) if number in numbers]


def is_seen(case):
    """TypeScript has no integers, and takes a list for an object without members."""
    found = case.value
    for step in case.fault.pointer.split("/")[1:]:
        found = found[int(step)] if isinstance(found, list) else found.get(step.replace("~1", "/").replace("~0", "~"))
    is_fraction = isinstance(found, float) and not found.is_integer()
    return not is_fraction and not (case.type in {"EmptyParams", "EmptyResult"} and found == [])


def test_examples_are_taken(tmp_path):
    assert faulty(tmp_path, EXAMPLES) == []


def test_invalid_vectors_are_refused(tmp_path):
    assert faulty(tmp_path, INVALID) == [str(case) for case in INVALID if is_seen(case)]
