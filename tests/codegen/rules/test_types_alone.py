"""Types judge by themselves: which cases they hold, and that each which they do not is told, with its kind."""

import importlib
import json
import re
import subprocess

import msgspec
import pytest

from codegen.rules.gather import CASES
from codegen.rules.test_typescript import CONFIG, toolchain
from codegen.workshop import ROOT, import_package
from turnwire_codegen.cases.folder import read_cases
from turnwire_codegen.emit.python.names import class_name
from turnwire_codegen.emit.typescript.names import type_name
from turnwire_codegen.interpret import check
from turnwire_codegen.load.foreign.front import load_foreign
from turnwire_codegen.lower import lower
from turnwire_codegen.outputs import make

COMMANDS = {"Python": "generate-python", "TypeScript": "generate-ts"}
# The first 94 cases were gathered from other generators' faults: of 101 such json-schema-to-typescript held 59.
FIRST = 200
# So many of those 94 may be left to the validator.
LEFT = {"Python": 10, "TypeScript": 10}
# What the report says of a place, or where it says nothing the rule that a value breaks, by the kind that is told.
KINDS = {
    "conditions": (
        *("if", "dependentSchemas", "dependentRequired", "dependencies"),
        *("which members go together", "oneOf", "anyOf"),
    ),
    "exclusions": ("not",),
    "one of several": ("that only one arm may fit", "rule choice", "rule tag"),
    "counts": ("count", "unique", "contains", "minProperties", "maxProperties", "minItems", "maxItems"),
    "texts": ("length", "minLength", "pattern", "format"),
    "numbers": ("bound", "multiple", "whole"),
    "names": ("patternProperties", "propertyNames"),
    "rest": ("unevaluatedItems", "unevaluatedProperties", "items of a tuple", "other members", "rule members"),
    "constants": ("a value that is no scalar", "a fraction among the values", "that nothing fits"),
    "references": ("$dynamicRef", "$recursiveRef"),
}


def tables(language):
    """What the page tells of a language: the kinds, each with its reason, and the cases, each with kind and reason."""
    page = (ROOT / "codegen" / "left-to-validators.md").read_text(encoding="utf-8")
    section = page.partition(f"## {language}\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    cases = rows.index(["case", "what", "accepted all the same"])
    return dict(rows[2:cases]), {name: (kind, reason) for name, kind, reason in rows[cases + 2 :]}


@pytest.fixture(scope="module")
def cases():
    problems = []
    found = [case for case in read_cases(CASES, problems) if case.valid or case.invalid]

    assert [] == problems
    return found


@pytest.fixture(scope="module")
def left(cases, tmp_path_factory):
    """By language and case, the invalid values that the types alone accept."""
    return {
        "Python": accepted_by_structs(cases, tmp_path_factory.mktemp("python")),
        "TypeScript": accepted_by_tsc(cases, tmp_path_factory.mktemp("typescript")),
    }


def accepted_by_structs(cases, home):
    found = {}
    for number, case in enumerate(cases):
        package, root = written(case, "generate-python", home / f"alone_{number}")
        module = import_package(package)
        decode = importlib.import_module(f"{module.__name__}.decoding").decoder(getattr(module, class_name(root)))
        found[case.name] = [value for value in case.invalid if accepts(decode, value)]
    return {name: values for name, values in found.items() if values}


def accepts(decode, value):
    try:
        decode(json.dumps(value))
    except msgspec.DecodeError:
        return False
    return True


def accepted_by_tsc(cases, home):
    """Each value is a constant of the type, on a line of its own; a line without a complaint is accepted."""
    for number, case in enumerate(cases):
        folder, root = written(case, "generate-ts", home / f"case{number}")
        lines = [f'import type {{ {type_name(root)} as Root }} from "./index.js";']
        lines += [f"export const i{at}: Root = {json.dumps(value)};" for at, value in enumerate(case.invalid)]
        (folder / "judge.ts").write_text("\n".join(lines) + "\n")
    options = {**CONFIG["compilerOptions"], "noEmit": True}
    (home / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "include": ["**/judge.ts"]}))
    (home / "package.json").write_text('{"type": "module"}')
    done = subprocess.run([*toolchain(), "-p", "."], cwd=home, capture_output=True, text=True, check=False)
    complaints = re.findall(r"(?m)^case(\d+)/([\w.-]+)\((\d+),\d+\): error", done.stdout)
    assert {"judge.ts"} == {file for _, file, _ in complaints}, done.stdout
    refused = {(int(number), int(line) - 2) for number, _, line in complaints}
    found = {
        case.name: [value for at, value in enumerate(case.invalid) if (number, at) not in refused]
        for number, case in enumerate(cases)
    }
    return {name: values for name, values in found.items() if values}


def written(case, command, folder):
    """The files of a case in a folder, and the name of its root."""
    made = make(command, case.path / "schema.json", experimental=False)
    loaded, _, _ = load_foreign(case.path / "schema.json")
    folder.mkdir()
    for path, content in made.files.items():
        (folder / path).write_bytes(content)
    return folder, loaded.root


def kinds_of(case, command, values):
    """The kinds of what the report says that the types of a case lose, else of the rules that the values break."""
    findings = make(command, case.path / "schema.json", experimental=False).findings
    words = {word for finding in findings if finding.verdict != "kept" for word in re.split(r": |, ", finding.what)}
    plans, _ = lower(case.schema, file="schema.json")
    words = words or {f"rule {check(plans, value).rule}" for value in values}
    return {kind for kind, parts in KINDS.items() for part in parts for word in words if is_told(part, word)}


def is_told(part, word):
    """A single word of the report as it is, the words of a sentence wherever they stand in it."""
    return part in word if " " in part else part == word


def told_of(language, command, cases, left):
    """The kinds and the cases of a language's tables, which are to tell of the cases that have something left: each
    by a kind that the report tells of it too. With them, the kinds that the report has for each."""
    kinds = {case.name: kinds_of(case, command, left[case.name]) for case in cases if left.get(case.name)}
    reasons, told = tables(language)

    assert sorted(kinds) == sorted(told)
    assert {} == {name: (kind, kinds[name]) for name, (kind, _) in told.items() if kind not in kinds[name]}
    return reasons, told, kinds


def first_of(told):
    """Those of the first 94 cases."""
    return [name for name in told if int(name.partition("-")[0]) < FIRST]


@pytest.mark.parametrize("language", COMMANDS)
def test_what_is_left_is_told(cases, left, language):
    reasons, _, kinds = told_of(language, COMMANDS[language], cases, left[language])

    assert set(reasons) == set().union(*kinds.values())
    assert len(reasons) <= 10


@pytest.mark.parametrize("language", COMMANDS)
def test_types_hold_most_of_the_first_cases(cases, left, language):
    first = first_of(case.name for case in cases)

    # One of the 94 is about files alone and has no instances.
    assert 93 == len(first)
    assert LEFT[language] == len(set(first) & set(left[language]))


@pytest.mark.parametrize("language", COMMANDS)
def test_every_kind_and_case_has_a_reason(language):
    reasons, told = tables(language)

    assert [] == [reason for reason in reasons.values() if reason.count(" ") < 3]
    assert [] == [reason for _, reason in told.values() if reason.count(" ") < 2]
