"""mypy and pyright accept the generated Python in their strictest modes, that of every case too, and see the mistakes
of narrowing.py.
"""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from turnwire_codegen.cli import main

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "python" / "turnwire" / "generated"
SAMPLE = Path(__file__).parent / "narrowing.py"
ENVIRONMENT = {**os.environ, "MYPYPATH": str(ROOT / "python")}


CASES = ROOT / "tests" / "codegen" / "cases"
# What checkers of a validator know of a value by its class, and do not know to be over in the other branch.
CHOSEN = {
    "type": "object",
    "properties": {
        "a": {"type": ["string", "number"], "if": {"type": "string"}, "else": {"minimum": 3}},
        "b": {
            "type": ["string", "integer"],
            "if": {"type": "string"},
            "then": {"minLength": 2},
            "else": {"minimum": 3},
        },
        "c": {"type": ["string", "null"], "anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]},
    },
}


def mypy(*words):
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file",
        os.devnull,
        "--no-error-summary",
        "--cache-dir",
        str(ROOT / ".cache" / "mypy"),
        *map(str, words),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=ROOT / "tests" / "bindings"
    )
    return [line for line in (done.stdout + done.stderr).splitlines() if ": error: " in line or "rror:" in line]


def pyright(folder, *sources, **rules):
    settings = {
        "include": [os.path.relpath(path, folder) for path in sources],
        "extraPaths": [os.path.relpath(ROOT / "python", folder)],
        "typeCheckingMode": "strict",
        "reportUnnecessaryTypeIgnoreComment": "error",
        "enableTypeIgnoreComments": False,
        "pythonVersion": "3.11",
        **rules,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "-p", str(folder), "--outputjson"],
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(done.stdout)
    assert 0 < report["summary"]["filesAnalyzed"], done.stderr
    return [f"{found['file']}: {found['message']}" for found in report["generalDiagnostics"]]


def test_mypy():
    assert [] == mypy("-p", "turnwire.generated")


def test_mypy_on_use():
    assert [] == mypy(SAMPLE)


def test_pyright(tmp_path):
    assert [] == pyright(tmp_path, GENERATED)


def test_pyright_on_use(tmp_path):
    # What only follows from an error that the sample expects is no error of its own.
    following = ("reportUnknownMemberType", "reportUnknownVariableType", "reportUnknownArgumentType")

    assert [] == pyright(tmp_path, SAMPLE, **dict.fromkeys(following, "none"))


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """A package of the bindings of each case."""
    home = tmp_path_factory.mktemp("packages")
    (home / "chosen.json").write_text(json.dumps(CHOSEN))
    schemas = {f"case_{path.name.replace('-', '_')}": path / "schema.json" for path in CASES.iterdir()}
    for name, schema in {"chosen": home / "chosen.json", **schemas}.items():
        stderr = io.StringIO()
        words = ["generate-python", "--schema", str(schema), "--out", str(home / "made" / name)]
        assert 0 == main(words, io.StringIO(), io.StringIO(), stderr), stderr.getvalue()
    return sorted((home / "made").iterdir())


def test_mypy_on_every_case(packages):
    assert 100 < len(packages)
    assert [] == mypy(*packages)


def test_pyright_on_every_case(packages, tmp_path):
    assert [] == pyright(tmp_path, packages[0].parent)


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_mistake_is_seen(tmp_path, checker):
    expected = SAMPLE.read_text().count("# type: ignore")
    lines = [line.partition("  # type: ignore")[0] for line in SAMPLE.read_text().splitlines()]
    (tmp_path / "wrong.py").write_text("\n".join(lines))
    found = mypy(tmp_path / "wrong.py") if checker == "mypy" else pyright(tmp_path, tmp_path / "wrong.py")

    assert expected <= len(found)
