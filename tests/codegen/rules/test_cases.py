"""The case runner: what it says of right and of wrong code, and what it answers to wrong use."""

import io
import json
import shutil

import pytest

from codegen.rules.gather import CASES
from codegen.rules.test_typescript import toolchain
from turnwire_codegen.cases import python, trial, typescript
from turnwire_codegen.cases.command import main
from turnwire_codegen.rules import Plan, Plans

NUMBER = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}


def write(folder, name="one", schema=NUMBER, valid=({"n": 1},), invalid=({"n": 0},)):
    (folder / name).mkdir()
    (folder / name / "schema.json").write_text(json.dumps(schema))
    (folder / name / "instances.json").write_text(json.dumps({"valid": list(valid), "invalid": list(invalid)}))
    return folder


def run(*words):
    stdout, stderr = io.StringIO(), io.StringIO()
    code = main([str(word) for word in words], io.StringIO(), stdout, stderr)
    return code, stdout.getvalue(), stderr.getvalue()


def verdicts(folder, *words):
    """The verdict of each case in Python."""
    run(folder, "--languages", "python", "--json", folder / "out.json", *words)
    rows = json.loads((folder / "out.json").read_text())["cases"]
    return {row["case"]: row["languages"]["python"] for row in rows}


def test_lines_and_json(tmp_path):
    write(tmp_path)

    assert run(tmp_path, "--languages", "python", "--json", tmp_path / "out.json") == (
        0,
        "one  python ok\npython: 1 of 1 ok\n",
        "",
    )
    assert json.loads((tmp_path / "out.json").read_text()) == {
        "cases": [{"case": "one", "languages": {"python": "ok"}}],
    }


def test_folder_may_be_one_case(tmp_path):
    write(tmp_path)

    assert run(tmp_path / "one", "--languages", "python")[:2] == (0, "one  python ok\npython: 1 of 1 ok\n")


WRONG = [
    ("ok", {}),
    ("accepts-invalid", {"invalid": [{"n": 5}]}),
    ("refuses-valid", {"valid": [{"n": 0}]}),
    ("refuses-valid", {"valid": ["text"]}),
    ("does-not-build", {"schema": {"$ref": "#/$defs/Gone"}}),
    ("does-not-build", {"schema": {"pattern": "["}}),
    ("ok", {"schema": {"$ref": "#/$defs/Gone"}, "valid": [], "invalid": []}),
]


@pytest.mark.parametrize(("verdict", "given"), WRONG)
def test_python_verdict(verdict, given, tmp_path):
    assert {"one": verdict} == verdicts(write(tmp_path, **given))


def test_lost_data_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(python.msgspec.json, "encode", lambda _: b'{"n": 2}')

    assert verdicts(write(tmp_path)) == {"one": "loses-data"}


def test_broken_output_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(python, "emit_validators", lambda *_: {"validators.py": b"this is no Python"})

    assert verdicts(write(tmp_path)) == {"one": "does-not-build"}


def test_typescript_verdicts(tmp_path, monkeypatch):
    toolchain()
    monkeypatch.chdir(CASES)
    for number, (_, given) in enumerate(WRONG):
        write(tmp_path, f"case {number}", **given)
    code, _, errors = run(tmp_path, "--languages", "typescript", "--json", tmp_path / "out.json")
    rows = json.loads((tmp_path / "out.json").read_text())["cases"]

    assert (code, errors) == (1, "")
    assert [verdict for verdict, _ in WRONG] == [row["languages"]["typescript"] for row in rows]


def test_typescript_that_does_not_compile(tmp_path, monkeypatch):
    toolchain()
    monkeypatch.chdir(CASES)
    broken = lambda *_: {"validators.ts": b"export function checkRoot(v: unknown): string { return 1; }"}  # noqa: E731
    monkeypatch.setattr(typescript, "emit_validators", broken)
    write(tmp_path)

    assert "one  typescript does-not-build\n" in run(tmp_path, "--languages", "typescript")[1]


def test_all_cases_of_the_repository():
    code, out, errors = run(CASES, "--languages", "python")
    wrong = [line for line in out.splitlines() if " python " in line and not line.endswith(" python ok")]

    assert ([], "", 0) == (wrong, errors, code)


USES = [
    (["{tmp}/gone"], 2, "no such folder; name a folder of cases"),
    (["{tmp}"], 2, "holds no case"),
    ([], 2, "DIR"),
    (["{tmp}", "--languages", "cobol"], 2, "no cases are tried in 'cobol'"),
    (["{tmp}", "--json"], 2, "expected one argument"),
    (["{tmp}", "--fast"], 2, "--fast"),
]


@pytest.mark.parametrize(("words", "code", "text"), USES)
def test_wrong_use(words, code, text, tmp_path):
    found, out, errors = run(*(word.format(tmp=tmp_path) for word in words))

    assert (found, out, errors.count("\n")) == (code, "", 1)
    assert text in errors


FILES = [
    ("schema.json", "{", "not JSON"),
    ("schema.json", None, "cannot be read"),
    ("instances.json", "[]", "no lists of valid and invalid values"),
    ("instances.json", '{"valid": []}', "no lists of valid and invalid values"),
]


@pytest.mark.parametrize(("name", "content", "text"), FILES)
def test_unreadable_case(name, content, text, tmp_path):
    write(tmp_path)
    path = tmp_path / "one" / name
    path.unlink() if content is None else path.write_text(content)
    code, _, errors = run(tmp_path, "--languages", "python")

    assert (code, errors.count("\n")) == (2, 1)
    assert text in errors


def test_json_that_cannot_be_written(tmp_path):
    code, _, errors = run(write(tmp_path), "--languages", "python", "--json", tmp_path)

    assert (code, errors.count("\n")) == (2, 1)
    assert "is a directory" in errors


@pytest.mark.parametrize("missing", ["node", "tsc"])
def test_missing_toolchain(missing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == missing else f"/bin/{name}")
    code, out, errors = run(write(tmp_path), "--languages", "typescript")

    assert (code, out, errors.count("\n")) == (3, "", 1)
    assert "is not installed" in errors


def test_a_plan_of_nothing_would_be_seen(tmp_path, monkeypatch):
    """A validator that accepts everything leaves to the type what no type can say."""
    monkeypatch.setattr(trial, "lower", lambda *_, **__: (Plans({"#": Plan()}), []))
    given = {"schema": {**NUMBER, "not": {"required": ["m"]}}, "invalid": [{"n": 1, "m": 1}]}

    assert verdicts(write(tmp_path, **given)) == {"one": "accepts-invalid"}


def test_outcome_of_a_refusal_names_the_place(tmp_path):
    _, out, _ = run(write(tmp_path, schema={"$ref": "#/$defs/Gone"}), "--languages", "python")

    assert "python: refused at #/$ref: the reference '#/$defs/Gone' leads nowhere\n" in out
