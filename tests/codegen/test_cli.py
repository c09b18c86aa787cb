"""The commands: files, --check and its cure, reports, and one clear line with a code for every wrong use."""

import json
import os
import shlex
import subprocess
import sys

import pytest

from codegen.workshop import ROOT, generate
from turnwire_codegen import canonical

COMMANDS = ["generate-python", "generate-ts", "generate-json-schema"]


@pytest.mark.parametrize("command", COMMANDS)
def test_generate_then_check(tmp_path, command):
    out = tmp_path / "out"
    first, again, check = (
        generate(command, "--out", out),
        generate(command, "--out", out),
        generate(command, "--out", out, "--check"),
    )

    assert [0, 0, 0] == [first[0], again[0], check[0]]
    assert again[1].endswith(" 0 changed\n")
    assert check[1].endswith("all current\n")
    assert ["", "", ""] == [first[2], again[2], check[2]]


def test_check_names_every_difference_and_its_cure(tmp_path):
    out = tmp_path / "some where"
    generate("generate-ts", "--out", out)
    (out / "index.ts").unlink()
    (out / "errors.ts").write_text("stale")
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["files"]["gone.ts"] = "x"
    (out / "manifest.json").write_text(json.dumps(manifest))
    (out / "gone.ts").write_text("orphan")
    (out / "mine.ts").write_text("not generated")
    before = {path: path.read_bytes() for path in out.iterdir()}
    code, stdout, _ = generate("generate-ts", "--out", out, "--check")
    lines = stdout.splitlines()

    assert 1 == code
    assert {f"stale: {out / 'errors.ts'}", f"missing: {out / 'index.ts'}", f"orphan: {out / 'gone.ts'}"} <= set(lines)
    assert before == {path: path.read_bytes() for path in out.iterdir()}
    words = shlex.split(lines[-1].removeprefix("mend with: "))
    assert "turnwire" == words[0]
    assert 0 == generate(*words[1:])[0]
    assert 0 == generate("generate-ts", "--out", out, "--check")[0]
    assert not (out / "gone.ts").exists()
    assert (out / "mine.ts").exists()


def test_an_orphan_is_named_and_left_without_clean(tmp_path):
    generate("generate-ts", "--out", tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["files"]["gone.ts"] = "x"
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "gone.ts").write_text("orphan")
    code, _, stderr = generate("generate-ts", "--out", tmp_path)

    assert 0 == code
    assert f"turnwire: {tmp_path / 'gone.ts'}: no longer generated; remove it with --clean\n" == stderr
    assert 1 == generate("generate-ts", "--out", tmp_path, "--check")[0]


def test_a_dry_run_writes_nothing(tmp_path):
    code, stdout, _ = generate("generate-python", "--out", tmp_path / "out", "--dry-run")

    assert 0 == code
    assert f"missing: {tmp_path / 'out' / 'common.py'}" in stdout.splitlines()
    assert not (tmp_path / "out").exists()


def test_experimental_is_asked_for(tmp_path):
    generate("generate-json-schema", "--out", tmp_path / "stable")
    generate("generate-json-schema", "--out", tmp_path / "whole", "--experimental")
    stable, whole = (
        {str(path.relative_to(tmp_path / kind)) for path in (tmp_path / kind).rglob("*.json")}
        for kind in ("stable", "whole")
    )
    marked = [
        row["name"]
        for row in json.loads((ROOT / "protocol/schema/methods.json").read_text())["methods"]
        if row.get("stability") == "experimental"
    ]

    assert {f"methods/{name}.json" for name in marked} == {
        path for path in whole - stable if path.startswith("methods/")
    }
    assert set() == stable - whole


def test_the_report(tmp_path):
    code, _, _ = generate(
        "generate-python", "--out", tmp_path / "out", "--report", tmp_path / "report.json", "--fail-on-degraded"
    )
    report = json.loads((tmp_path / "report.json").read_text())
    verdicts = {entry["pointer"]: entry["verdict"] for entry in report["entries"]}

    assert 0 == code
    assert 0 == report["summary"]["degraded"]
    assert len(report["entries"]) == sum(report["summary"].values())
    assert "runtime" == verdicts["common.json#/$defs/Identifier"]
    assert "kept" == verdicts["common.json#/$defs/Timestamp"]


def file_in_the_way(folder):
    (folder / "file").write_text("x")
    return ["--out", folder / "file"]


def folder_in_the_way(folder):
    return ["--out", folder / "out", "--report", folder]


def no_folder_for_the_report(folder):
    return ["--out", folder / "out", "--report", folder / "no" / "report.json"]


WRONG = [
    (
        "no command",
        lambda _: [],
        "no command generates nothing; one of generate-python, generate-ts, generate-json-schema",
    ),
    ("unknown command", lambda _: ["generate-cobol"], "'generate-cobol' generates nothing"),
    ("no out", lambda _: ["generate-ts"], "required: --out; see turnwire generate-ts --help"),
    ("unknown flag", lambda folder: ["generate-ts", "--out", folder, "--fast"], "unrecognized arguments: --fast"),
    ("abbreviation", lambda folder: ["generate-ts", "--ou", folder], "required: --out"),
    ("a word too many", lambda folder: ["generate-ts", "--out", folder, "more"], "unrecognized arguments: more"),
    ("out is a file", lambda folder: ["generate-ts", *file_in_the_way(folder)], "is a file; name a folder with --out"),
    (
        "out under a file",
        lambda folder: ["generate-ts", "--out", file_in_the_way(folder)[1] / "out"],
        "not a directory",
    ),
    ("report is a folder", lambda folder: ["generate-ts", *folder_in_the_way(folder)], "is a directory; name a file"),
    (
        "report nowhere",
        lambda folder: ["generate-ts", *no_folder_for_the_report(folder)],
        "no such file or directory; name a file",
    ),
]


@pytest.mark.parametrize(("words", "message"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_wrong_use_is_one_line(tmp_path, words, message):
    code, stdout, stderr = generate(*words(tmp_path))

    assert (2, "") == (code, stdout)
    assert 1 == stderr.count("\n")
    assert stderr.startswith("turnwire: ")
    assert message in stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command):
    code, stdout, stderr = generate(command, "--help")

    assert (0, "") == (code, stderr)
    assert f"example: turnwire {command} --out generated" in stdout
    assert "exit codes: 0 done, 1 findings, 2 wrong use" in stdout


def run(*words, seed="0"):
    path = os.pathsep.join([str(ROOT / "codegen"), str(ROOT / "python")])
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-m", *map(str, words)], capture_output=True, text=True, check=False, env=environment, cwd=ROOT
    )


@pytest.mark.parametrize("seed", ["1", "4242"])
def test_what_is_committed_is_what_is_generated(seed):
    done = run("turnwire_codegen.canonical", "--check", seed=seed)

    assert (0, "everything generated is current\n") == (done.returncode, done.stdout)


def test_the_canonical_command_refuses_other_words(capsys):
    assert 2 == canonical.main(["--quick"], sys.stdout, sys.stderr)
    assert "unknown arguments: --quick; use python -m turnwire_codegen.canonical [--check]\n" == capsys.readouterr().err


def test_the_module_runs(tmp_path):
    done = run("turnwire_codegen", "generate-ts", "--out", tmp_path)

    assert (0, "") == (done.returncode, done.stderr)


def test_all_outputs_cost_little(tmp_path):
    """All three languages of the canonical schema within 1.5 seconds of CPU, the starts of the processes included."""
    before = os.times()
    for command in COMMANDS:
        assert 0 == run("turnwire_codegen", command, "--out", tmp_path / command).returncode
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system

    assert spent <= 1.5
