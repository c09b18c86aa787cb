"""Both languages for the protocol of the real codex: all of it compiles, and the report names what no type says."""

import importlib
import io
import json
import subprocess
from pathlib import Path

import pytest

from codegen.signatures import signatures_with_any
from codegen.workshop import import_package
from interop.environment import require
from interop.schemas import SCHEMAS
from toolchains.needed import TSC, demand_node
from turnwire_codegen.cli import main

ROOT = Path(__file__).parents[2]
SETTINGS = {
    "compilerOptions": {
        "strict": True,
        "noEmit": True,
        "target": "ES2022",
        "module": "NodeNext",
        "moduleResolution": "NodeNext",
        "exactOptionalPropertyTypes": True,
        "noUncheckedIndexedAccess": True,
        "verbatimModuleSyntax": True,
        "rootDir": ".",
        "types": [],
    },
    "include": ["*.ts", "*.mts"],
}
# A program that uses the types; what must not compile is told to the compiler, which reports a mistake it does not see.
PROGRAM = """
import type { ClientRequest, MethodMap, ServerNotification } from "./index.js";
const start: MethodMap["turn/start"]["params"] = { threadId: "t", input: [{ type: "text", text: "hello" }] };
export const request: ClientRequest = { id: 1, method: "turn/start", params: start };
// @ts-expect-error the thread is missing
export const lost: MethodMap["turn/start"]["params"] = { input: [] };
export const told = (message: ServerNotification): string =>
  message.method === "item/agentMessage/delta" ? message.params.delta : message.method;
"""
# What codex 0.171.0 says that no type of the language holds, by what the report calls it; seen, and to be seen again.
ARMS = {"the type does not hold that only one arm may fit": 2}
LEFT = {
    "python": {**ARMS, "the type does not hold which members go together (anyOf)": 7},
    "ts": {
        **ARMS,
        "the type does not hold: whole": 230,
        "the type does not hold: bound, whole": 76,
        "the type does not hold: length": 1,
    },
}


@pytest.fixture(scope="module")
def bindings(tmp_path_factory):
    """The folder with `codex_python` and `codex_ts`, each with its report beside it."""
    root = tmp_path_factory.mktemp("bindings")
    for language in LEFT:
        words = ["--out", root / f"codex_{language}", "--report", root / f"{language}.json"]
        words += ["--schema", require(SCHEMAS["codex-bundle"])]
        stderr = io.StringIO()
        code = main([f"generate-{language}", *map(str, words)], io.StringIO(), io.StringIO(), stderr)
        assert (0, "") == (code, stderr.getvalue())
    return root


@pytest.mark.timeout(600)
def test_every_type_has_a_decoder_in_this_process(bindings):
    package = import_package(bindings / "codex_python")
    decoder = importlib.import_module("codex_python.decoding").decoder
    names = importlib.import_module("codex_python.methods").TYPES

    assert len(names) > 500
    assert all(decoder(getattr(package, name)) for name in names)


@pytest.mark.timeout(600)
def test_no_signature_says_any(bindings):
    assert [] == signatures_with_any(bindings / "codex_python")


@pytest.mark.timeout(600)
def test_the_strictest_compiler_takes_it(bindings):
    demand_node("typescript")
    folder = bindings / "codex_ts"
    (folder / "program.mts").write_text(PROGRAM)
    (folder / "package.json").write_text(json.dumps({"type": "module"}))
    (folder / "tsconfig.json").write_text(json.dumps(SETTINGS))
    done = subprocess.run(
        ["node", str(TSC), "-p", str(folder)], capture_output=True, text=True, check=False, timeout=300
    )

    assert (0, "") == (done.returncode, done.stdout)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", LEFT)
def test_the_report_lists_what_no_type_says(bindings, language):
    report = json.loads((bindings / f"{language}.json").read_text())
    left = [entry["what"] for entry in report["entries"] if entry["verdict"] != "kept"]

    assert LEFT[language] == {what: left.count(what) for what in left}
    assert {"runtime": sum(LEFT[language].values()), "degraded": 0} == {
        verdict: report["summary"][verdict] for verdict in ("runtime", "degraded")
    }
    assert len(report["entries"]) > 4500
