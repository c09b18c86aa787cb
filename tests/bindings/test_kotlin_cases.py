"""The cases in Kotlin: all of them do right, and what is wrong is seen."""

import io
import json
import shutil

import pytest

from bindings.kotlin_builds import installed
from codegen.rules.gather import CASES
from codegen.rules.test_cases import WRONG, write
from codegen.rules.test_types_alone import first_of, told_of
from turnwire_codegen.cases import kotlin
from turnwire_codegen.cases.command import main
from turnwire_codegen.cases.folder import read_cases

pytestmark = pytest.mark.timeout(1500)

# So many of the first 94 cases may be left to the validators.
MOST = 10
# More members than a constructor of the JVM can take.
WIDE = {f"m{number}": {"type": "integer"} for number in range(300)} | {"in": {"const": "x"}, "json": {"type": "null"}}


def run(folder, *words):
    stdout, stderr = io.StringIO(), io.StringIO()
    code = main([str(folder), "--languages", "kotlin", *map(str, words)], io.StringIO(), stdout, stderr)
    return code, stdout.getvalue(), stderr.getvalue()


def test_all_cases_of_the_repository():
    installed()
    code, out, errors = run(CASES)
    wrong = [line for line in out.splitlines() if " kotlin " in line and not line.endswith(" kotlin ok")]

    assert ([], "", 0) == (wrong, errors, code)


def test_what_types_leave_to_the_validators_is_told(tmp_path):
    installed()
    problems = []
    cases = read_cases(CASES, problems)
    left = kotlin.left_to_validators(cases, tmp_path)
    reasons, told, _ = told_of("Kotlin", "generate-kotlin", cases, left)

    assert [] == problems
    assert set(reasons) == {kind for kind, _ in told.values()}
    assert len(first_of(told)) <= MOST


def test_what_is_wrong_is_seen(tmp_path, monkeypatch):
    """One build of all: right cases beside those that accept, refuse, cannot be made, or do not compile."""
    installed()
    for number, (_, given) in enumerate(WRONG):
        write(tmp_path, f"case {number}", **given)
    write(tmp_path, "not Kotlin")
    wide = {"type": "object", "properties": WIDE, "required": ["in", "m1"]}
    write(tmp_path, "wide", wide, [{"in": "x", "m1": 1, "json": None}], [{"in": "x"}, {"in": "y", "m1": 1}])
    files_of = kotlin.files_of
    broken = {"Broken.kt": b"package broken\n\nfun broken(): Int = true\n"}
    monkeypatch.setattr(
        kotlin, "files_of", lambda case, *rest: broken if case.name == "not Kotlin" else files_of(case, *rest)
    )
    code, _, errors = run(tmp_path, "--json", tmp_path / "out.json")
    rows = json.loads((tmp_path / "out.json").read_text())["cases"]

    assert (1, "") == (code, errors)
    expected = [*(verdict for verdict, _ in WRONG), "does-not-build", "ok"]
    assert expected == [row["languages"]["kotlin"] for row in rows]


@pytest.mark.parametrize("missing", ["java", "compiler"])
def test_missing_toolchain(missing, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: None if name == missing else f"/bin/{name}")
    write(tmp_path)
    code, _, errors = run(tmp_path)

    assert (3, 1) == (code, errors.count("\n"))
    assert "java is not installed" in errors if missing == "java" else "tests/toolchains/kotlin.sh" in errors
