"""Printed Python validators: the answer of the interpreter on every value, and code that a strict checker accepts."""

import importlib.util
import json
import subprocess
import sys

import pytest

from codegen.rules.gather import plans_of, trials
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.python.validators import emit_validators
from turnwire_codegen.interpret import check

HEADER = Header(title="Tests", version="1", digest="0", command="pytest")
TEXT = {"type": "string"}


def write(folder, schema, name="document"):
    """The package of a schema's validators."""
    folder.mkdir()
    (folder / "__init__.py").touch()
    for path, content in emit_validators(plans_of(schema), {name: "#"}, HEADER).items():
        (folder / path).write_bytes(content)
    return folder


def load(folder):
    """The VALIDATORS of a written package."""
    spec = importlib.util.spec_from_file_location(
        folder.name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules[folder.name] = package
    spec.loader.exec_module(package)
    try:
        return importlib.import_module(f"{folder.name}.validators").VALIDATORS
    finally:
        for module in [module for module in sys.modules if module.partition(".")[0] == folder.name]:
            del sys.modules[module]


@pytest.mark.parametrize("trial", trials(), ids=lambda trial: trial.name)
def test_answers_of_the_interpreter(trial, tmp_path):
    plans, validate = plans_of(trial.schema), load(write(tmp_path / "printed", trial.schema))["document"]

    for value in trial.values:
        fault = check(plans, value)
        assert (None if fault is None else (fault.pointer, fault.rule)) == validate(value), json.dumps(value)


# Schemas whose printed form is empty somewhere, or at an edge, and a value that is valid.
EMPTY = [
    (True, 5),
    ({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {}}}, {"a": 1}),
    ({"items": {"$ref": "#/$defs/A"}, "$defs": {"A": {}}}, [1]),
    ({"patternProperties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {}}}, {"a": 1}),
    ({"anyOf": [{}, TEXT]}, 5),
    ({"if": {}, "then": {}, "else": False}, 5),
    ({"if": {"type": "string"}, "then": {}, "else": {}}, 5),
    ({"propertyNames": {}}, {"a": 1}),
    ({"required": []}, {}),
    ({"properties": {"a": {"minLength": 0}}}, {"a": ""}),
    ({"dependentRequired": {"a": []}}, {"a": 1}),
    ({"allOf": [{"type": ["integer", "string"]}], "type": "number"}, 5),
    # No double is so large; jsonschema would raise, so that only we are asked.
    ({"type": "number", "multipleOf": 0.5}, 10**400),
]


@pytest.mark.parametrize(("schema", "value"), EMPTY)
def test_nothing_to_say(schema, value, tmp_path):
    assert load(write(tmp_path / "printed", schema))["document"](value) is None


def test_names_that_would_meet(tmp_path):
    names = ["a/b", "a_b", "aB", "\ufb01", "fi", '"', "\\", "日本", "class", "'''"]
    kinds = {name: {"type": "object", "properties": {"x": {"const": at}}} for at, name in enumerate(names)}
    schema = {"properties": {name: {"$ref": f"#/$defs/{at}"} for at, name in enumerate(names)}}
    schema["$defs"] = {str(at): kinds[name] for at, name in enumerate(names)}
    validate = load(write(tmp_path / "printed", schema))["document"]

    assert validate({name: {"x": at} for at, name in enumerate(names)}) is None
    for name in names:
        assert validate({name: {"x": "no"}}) == (f"/{name.replace('/', '~1')}/x", "const")


def test_same_plans_print_the_same():
    schema = next(trial.schema for trial in trials() if trial.name == "closed around a tagged union")

    assert emit_validators(plans_of(schema), {"x": "#"}, HEADER) == emit_validators(
        plans_of(schema), {"x": "#"}, HEADER
    )


def test_printed_code_is_strictly_typed(tmp_path):
    for number, trial in enumerate(trials()):
        write(tmp_path / f"printed{number}", trial.schema)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", "/dev/null", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert done.returncode == 0, done.stdout
