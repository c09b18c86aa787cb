"""The schemas of other houses: a decoder for every type, methods where they say any, and checkers that find nothing."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.workshop import generate, import_package
from interop.environment import require
from interop.schemas import SCHEMAS

# How many requests and notifications each names, of which side; what has no methods is left out.
METHODS = {
    "codex-bundle": {"client request": 110, "client notification": 1, "server request": 10, "server notification": 87},
    "codex-v2": {"client request": 110, "server notification": 87},
    "codex-client-request": {"client request": 110},
    "codex-server-notification": {"server notification": 87},
    "cc": {"client request": 30, "server request": 3, "server notification": 17},
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
