"""Printed TypeScript validators: strict for the compiler, and under node the interpreter's answer on every value."""

import json
import subprocess

import pytest

from codegen.rules.gather import plans_of, trials
from codegen.rules.test_python import EMPTY
from toolchains.needed import TSC, demand_node
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.typescript.validators import emit_validators
from turnwire_codegen.interpret import check
from turnwire_codegen.program.naming import public_names

HEADER = Header(title="Tests", version="1", digest="0", command="pytest")
CONFIG = {
    "compilerOptions": {
        "target": "ES2022",
        "lib": ["ES2022"],
        "module": "NodeNext",
        "strict": True,
        "exactOptionalPropertyTypes": True,
        "noUncheckedIndexedAccess": True,
        "noFallthroughCasesInSwitch": True,
        "noImplicitReturns": True,
        "noPropertyAccessFromIndexSignature": True,
        "verbatimModuleSyntax": True,
        "outDir": "out",
        "rootDir": ".",
        "types": [],
    },
    "include": ["**/*.ts"],
}
# Reads {schema number: values} and answers with the faults, all in one process.
BATCH = """
import { readFileSync } from "node:fs";
const given = JSON.parse(readFileSync(0, "utf8"));
const answers = {};
for (const [name, values] of Object.entries(given)) {
  const { checkDocument } = await import(`./out/${name}/validators.js`);
  answers[name] = values.map((value) => checkDocument(value) ?? null);
}
process.stdout.write(JSON.stringify(answers));
"""


def toolchain():
    """The compiler and node; their absence is told, and no success where everything has to be there."""
    demand_node("typescript")
    return ["node", str(TSC)]


def compiled(folder, schemas):
    """The outcome of one compilation of every schema's validators, each in a folder of its own."""
    command = toolchain()
    for name, schema in schemas.items():
        (folder / name).mkdir()
        for path, content in emit_validators(plans_of(schema), {"document": "#"}, HEADER).items():
            (folder / name / path).write_bytes(content)
    (folder / "tsconfig.json").write_text(json.dumps(CONFIG))
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "batch.mjs").write_text(BATCH)
    return subprocess.run([*command, "-p", "."], cwd=folder, capture_output=True, text=True, check=False)


def answers(folder, values):
    """What the compiled validators say of values, by the names of the schemas."""
    done = subprocess.run(
        ["node", "batch.mjs"], cwd=folder, input=json.dumps(values), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    folder = tmp_path_factory.mktemp("validators")
    done = compiled(folder, {f"t{number}": trial.schema for number, trial in enumerate(trials())})

    assert done.returncode == 0, done.stdout
    found = answers(folder, {f"t{number}": trial.values for number, trial in enumerate(trials())})
    return {trial.name: found[f"t{number}"] for number, trial in enumerate(trials())}


@pytest.mark.parametrize("trial", trials(), ids=lambda trial: trial.name)
def test_answers_of_the_interpreter(trial, said):
    plans = plans_of(trial.schema)

    for value, answer in zip(trial.values, said[trial.name], strict=True):
        fault = check(plans, value)
        expected = None if fault is None else {"pointer": fault.pointer, "rule": fault.rule}
        assert expected == answer, json.dumps(value)


CLOSED = {"properties": {"a": {}}, "unevaluatedProperties": False}
LISTS = {"type": "array", "items": {"type": "string"}}
MAPS = {"type": "object", "additionalProperties": {"type": "string"}}
# Comparisons that TypeScript calls senseless when types have been narrowed too far, and tables within conditions.
NARROW = [
    ({"enum": ["a", "b"], "allOf": [{"const": "c"}]}, "a"),
    ({"enum": ["a"], "anyOf": [{"const": "b"}, {"const": "c"}, {"type": "integer"}]}, "a"),
    ({"type": "integer", "enum": ["a", 1]}, "a"),
    ({"properties": {"p": {"type": "integer", "const": "a"}}}, {"p": 1}),
    ({"const": "a", "minimum": 5, "properties": {"x": {}}, "required": ["x"], "minLength": 2}, "a"),
    ({"type": ["string", "null"], "enum": ["a", None], "not": {"const": "a"}}, "a"),
    ({"type": "object", "anyOf": [{"type": "string"}, {"type": "array"}]}, {}),
    ({"type": "object", "if": {"type": "string"}, "then": {}, "else": False}, {}),
    ({"patternProperties": {"": False}}, {"": 1}),
    ({"const": "a", "minimum": 5, "minLength": 2}, "a"),
    ({"const": "a", "allOf": [{"const": "b"}, {"enum": ["a", "b"]}]}, "b"),
    ({"const": True, "allOf": [{"const": False}]}, False),
    ({"const": None, "allOf": [{"const": None}], "not": {"const": None}}, None),
    ({"if": {"const": "a"}, "then": {"const": "b"}, "else": {"const": "c"}}, "a"),
    ({"enum": ["a", 1, None], "not": {"enum": ["a", "b"]}, "anyOf": [{"const": 1}, {"const": "a", "minLength": 2}]}, 1),
    ({"type": "object", "allOf": [CLOSED, {**CLOSED, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}]}, {"b": 1}),
    ({"type": "object", "allOf": [{"if": {"required": ["a"]}, "then": CLOSED}], **CLOSED}, {"a": 1, "b": 1}),
    ({"type": "object", "properties": {"a": {}}, "additionalProperties": LISTS}, {"b": ["x"], "c": [1]}),
    ({"prefixItems": [LISTS, MAPS], "items": {"anyOf": [LISTS, MAPS]}}, [["a"], {"a": "b"}, {"a": 1}]),
    ({"if": LISTS, "then": {"items": {"const": "a"}, "type": "array"}, "else": MAPS}, {"a": 1}),
    ({"not": LISTS, "contains": MAPS, "propertyNames": {"anyOf": [{"const": "a"}, {"maxLength": 0}]}}, {"b": 1}),
    ({"allOf": [LISTS, {"anyOf": [LISTS, MAPS]}], "unevaluatedItems": False}, [1]),
]


def test_narrow_and_empty_forms(tmp_path):
    rows = [*EMPTY, *NARROW]
    done = compiled(tmp_path, {f"t{number}": schema for number, (schema, _) in enumerate(rows)})

    assert done.returncode == 0, done.stdout
    said = answers(tmp_path, {f"t{number}": [value] for number, (_, value) in enumerate(rows)})
    assert [None] * len(EMPTY) == [said[f"t{number}"][0] for number in range(len(EMPTY))]
    for number, (schema, value) in enumerate(rows):
        fault = check(plans_of(schema), value)
        assert said[f"t{number}"] == [None if fault is None else {"pointer": fault.pointer, "rule": fault.rule}]


def test_public_names_never_meet():
    names = ["Item", "item", "ITEM", "thread/start", "thread_start", "", "日本", "²"]
    given = public_names(names)

    assert list(given) == sorted(names)
    assert len(set(given.values())) == len(names)
    assert given["Item"] != given["item"]


def test_nothing_runs_when_the_module_is_loaded():
    """Imports, types, functions and tables only: that is what lets a bundler drop what nobody calls."""
    lawful = ("import ", "export type ", "export function ", "function ", "const ", "  ", "}", "]", "//", "/**")
    files = [emit_validators(plans_of(trial.schema), {"document": "#"}, HEADER) for trial in trials()]
    lines = [line for printed in files for line in printed["validators.ts"].decode().splitlines() if line]

    assert len(lines) > 1000
    assert [] == [line for line in lines if not line.startswith(lawful)]


def test_same_plans_print_the_same():
    plans = plans_of(trials()[-1].schema)

    assert emit_validators(plans, {"x": "#"}, HEADER) == emit_validators(plans, {"x": "#"}, HEADER)
