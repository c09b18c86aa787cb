"""mypy and pyright accept the generated Python in their strictest modes, and see the mistakes of narrowing.py."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "python" / "turnwire" / "generated"
SAMPLE = Path(__file__).parent / "narrowing.py"
ENVIRONMENT = {**os.environ, "MYPYPATH": str(ROOT / "python")}


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


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_mistake_is_seen(tmp_path, checker):
    expected = SAMPLE.read_text().count("# type: ignore")
    lines = [line.partition("  # type: ignore")[0] for line in SAMPLE.read_text().splitlines()]
    (tmp_path / "wrong.py").write_text("\n".join(lines))
    found = mypy(tmp_path / "wrong.py") if checker == "mypy" else pyright(tmp_path, tmp_path / "wrong.py")

    assert expected <= len(found)
