"""The schemas of other houses: a decoder for every type, methods where they say any, and checkers that find nothing."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from jsonschema.validators import validator_for

from codegen.workshop import generate, import_package
from interop.environment import require
from interop.schemas import SCHEMAS

# How many requests and notifications each names, of which side; what has no methods is left out.
METHODS = {
    "codex-bundle": {"client request": 110, "client notification": 1, "server request": 10, "server notification": 87},
    "codex-v2": {"client request": 110, "server notification": 87},
    "codex-client-request": {"client request": 110},
    "codex-server-notification": {"server notification": 87},
    "mcp": {"client request": 10, "server notification": 8},
    "cc": {"client request": 30, "server request": 3, "server notification": 17},
}
# By schema, a value a line with its type, and whether it is one: written by hand, after what real servers say.
RECORDINGS = {
    path.stem: [json.loads(line) for line in path.read_text().splitlines()]
    for path in sorted((Path(__file__).parent / "recordings").iterdir())
}
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A function from the name of a schema to its package, made once, and its report."""
    home = tmp_path_factory.mktemp("foreign")
    packages = {}

    def package(name):
        if name not in packages:
            out = home / f"of_{name.replace('-', '_')}"
            report = home / f"{out.name}.json"
            words = ["--out", out, "--report", report, "--schema", require(SCHEMAS[name])]
            code, _, stderr = generate("generate-python", *words)
            assert 0 == code, stderr
            packages[name] = import_package(out), json.loads(report.read_text())
        return packages[name]

    return package


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_type_has_a_decoder(made, name):
    package, _ = made(name)
    decoder = importlib.import_module(f"{package.__name__}.decoding").decoder
    types = importlib.import_module(f"{package.__name__}.methods").TYPES

    assert types
    assert all(decoder(getattr(package, of)) for of in types)


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_found(made, name):
    package, _ = made(name)
    methods = importlib.import_module(f"{package.__name__}.methods").METHODS
    kinds = [f"{method.sender} {method.kind}" for method in methods.values()]

    assert METHODS[name] == {kind: kinds.count(kind) for kind in kinds}


def lines():
    return [
        pytest.param(name, row, id=f"{name}:{at}")
        for name, rows in RECORDINGS.items()
        for at, row in enumerate(rows, 1)
    ]


@pytest.mark.parametrize(("name", "row"), lines())
def test_what_the_schema_says_of_a_recorded_value(made, name, row):
    """The recording is right by the schema itself; types and validators say the same, and lose nothing."""
    document = json.loads(require(SCHEMAS[name]).read_text())
    package, report = made(name)
    pointer = next(pointer for pointer, named in report["names"].items() if named == row["type"])
    folders = {word: document[word] for word in ("$schema", "$defs", "definitions") if word in document}
    judge = validator_for(document)({**folders, "$ref": pointer} if pointer != "#" else document)

    assert row["valid"] == judge.is_valid(row["value"])
    validators, decoding = (
        importlib.import_module(f"{package.__name__}.{part}") for part in ("validators", "decoding")
    )
    assert row["valid"] == (validators.VALIDATORS[row["type"]](row["value"]) is None)
    if row["valid"]:
        value = decoding.decoder(getattr(package, row["type"]))(json.dumps(row["value"]))
        assert row["value"] == json.loads(msgspec.json.encode(value))


def test_the_recordings_have_what_they_are_for():
    counts = {name: [row["valid"] for row in rows] for name, rows in RECORDINGS.items()}

    assert all({True, False} == set(verdicts) for verdicts in counts.values())
    # Each of the official examples of MCP is there, member for member, in words of our own.
    assert 129 == counts["mcp"].count(True)
    # ChainlessChain's server sends a member of its threads that its schema, which closes them, does not have.
    assert any(row["type"] == "Thread" and "headHash" in row["value"] and not row["valid"] for row in RECORDINGS["cc"])


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_checkers_find_nothing_in_their_strictest_mode(made, checker):
    homes = [Path(made(name)[0].__path__[0]) for name in SCHEMAS]
    folder = homes[0].parent
    words = ["--strict", "--config-file", os.devnull, "--no-error-summary", "--cache-dir", os.devnull, *map(str, homes)]
    if checker == "pyright":
        settings = {"typeCheckingMode": "strict", "pythonVersion": "3.11", "include": [home.name for home in homes]}
        (folder / "pyrightconfig.json").write_text(json.dumps(settings))
        words = ["--pythonpath", sys.executable, "-p", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", checker, *words], capture_output=True, text=True, check=False, cwd=folder
    )
    found = [line for line in done.stdout.splitlines() if "error" in line and not line.startswith("0 errors")]

    assert ([], 0) == (found, done.returncode)
