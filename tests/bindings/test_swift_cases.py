"""The runner of cases in Swift sees what is wrong, and says where there is no Swift."""

import io
import json
import shutil

import pytest

from bindings.swift_builds import installed
from codegen.rules.test_cases import WRONG, write
from turnwire_codegen.cases import swift
from turnwire_codegen.cases.command import main

pytestmark = pytest.mark.timeout(1500)

# Names and values that Swift has words of its own for, whole numbers beyond its own, and one constant of each kind.
ODD = {
    "self": {"type": "string"},
    "in": {"const": 2**63},
    "init": {"const": -(2**63) - 1},
    "inout": {"enum": [0, 2**64]},
    "none": {"enum": ["none", "some", "self"]},
    "value": {"const": None},
    "Type": {"const": 1.5},
}


def run(folder, *words):
    stdout, stderr = io.StringIO(), io.StringIO()
    code = main([str(folder), "--languages", "swift", *map(str, words)], io.StringIO(), stdout, stderr)
    return code, stdout.getvalue(), stderr.getvalue()


def test_what_is_wrong_is_seen(tmp_path, monkeypatch):
    """One build of all: right cases beside those that accept, refuse, cannot be made, or do not compile."""
    installed()
    for number, (_, given) in enumerate(WRONG):
        write(tmp_path, f"case {number}", **given)
    write(tmp_path, "not Swift")
    right = {"self": "", "in": 2**63, "init": -(2**63) - 1, "inout": 2**64, "none": "some", "value": None, "Type": 1.5}
    odd = {"type": "object", "properties": ODD, "required": [*ODD]}
    write(tmp_path, "odd", odd, [right], [{**right, name: 1} for name in ODD])
    files_of, build = swift.files_of, swift.build
    broken = {"Broken.swift": b"let broken: Int = true\n"}
    monkeypatch.setattr(
        swift, "files_of", lambda case, *rest: broken if case.name == "not Swift" else files_of(case, *rest)
    )
    # The build of the repository's own cases stays as it is.
    monkeypatch.setattr(swift, "build", lambda tools, name, *rest: build(tools, f"wrong-{name}", *rest))
    code, _, errors = run(tmp_path, "--json", tmp_path / "out.json")
    rows = json.loads((tmp_path / "out.json").read_text())["cases"]

    assert (1, "") == (code, errors)
    expected = [*(verdict for verdict, _ in WRONG), "does-not-build", "ok"]
    assert expected == [row["languages"]["swift"] for row in rows]


def test_missing_toolchain(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    write(tmp_path)
    code, _, errors = run(tmp_path)

    assert (3, 1) == (code, errors.count("\n"))
    assert "swift is missing; install" in errors
    assert "tests/toolchains/swift.sh" in errors
