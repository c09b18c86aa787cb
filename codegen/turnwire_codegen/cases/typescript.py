"""TypeScript: types and validators must compile strictly; the validators judge, since types are gone at run time."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from turnwire_codegen.cases.folder import Case, Outcome
from turnwire_codegen.cases.trial import Answer, ToolchainError, files_of, weighed
from turnwire_codegen.emit.typescript.validators import emit_validators

__all__ = ["compiler", "run_typescript"]

_CONFIG = {
    "compilerOptions": {
        "target": "ES2022",
        "lib": ["ES2022"],
        "module": "NodeNext",
        "strict": True,
        "exactOptionalPropertyTypes": True,
        "noUncheckedIndexedAccess": True,
        "verbatimModuleSyntax": True,
        "rootDir": "src",
        "outDir": "out",
        "types": [],
    },
    "include": ["src"],
}
# One process for all cases: {folder: [texts]} in, {folder: [[fault or null, the text that comes back]]} out.
_BATCH = """
import { readFileSync } from "node:fs";
const given = JSON.parse(readFileSync(0, "utf8"));
const answers = {};
for (const [folder, texts] of Object.entries(given)) {
  try {
    const { checkRoot } = await import(`./out/${folder}/validators.js`);
    const { parseJson, stringifyJson } = await import(`./out/${folder}/json.js`);
    answers[folder] = texts.map((text) => {
      const value = parseJson(text);
      return [checkRoot(value) ?? null, stringifyJson(value)];
    });
  } catch (error) {
    answers[folder] = String(error);
  }
}
process.stdout.write(JSON.stringify(answers));
"""
_Answers = Mapping[str, Any]


def compiler(folder: Path) -> list[str]:
    """The command of a TypeScript compiler: one at or above `folder`, in a `typescript/` there, or on the path."""
    if shutil.which("node") is None:
        raise ToolchainError("node is not installed; install Node 20 or later, or name other --languages")
    for home in (folder, *folder.parents):
        for place in (home, home / "typescript"):
            script = place / "node_modules" / "typescript" / "bin" / "tsc"
            if script.exists():
                return ["node", str(script)]
    found = shutil.which("tsc")
    if found is None:
        raise ToolchainError("typescript is not installed; npm install typescript here, or name other --languages")
    return [found]


def run_typescript(cases: tuple[Case, ...], scratch: Path) -> Mapping[str, Outcome]:
    """The outcome of every case; `scratch` is an empty folder. Raises ToolchainError."""
    command = compiler(Path.cwd())
    outcomes: dict[str, Outcome] = {}
    folders: dict[str, Case] = {}
    for number, case in enumerate(cases):
        made = files_of(case, "generate-ts", emit_validators)
        if isinstance(made, Outcome):
            outcomes[case.name] = made
            continue
        folders[f"case{number}"] = case
        home = scratch / "src" / f"case{number}"
        home.mkdir(parents=True)
        for path, content in made.items():
            (home / path).write_bytes(content)
    broken = _compiled(scratch, command) if folders else {}
    answers = _answers(scratch, {folder: case for folder, case in folders.items() if folder not in broken})
    for folder, case in folders.items():
        fault = broken.get(folder)
        outcomes[case.name] = _judged(case, answers[folder]) if fault is None else Outcome("does-not-build", fault)
    return outcomes


def _compiled(scratch: Path, command: list[str]) -> Mapping[str, str]:
    """Compiles everything; the first complaint about each folder."""
    (scratch / "package.json").write_text('{"type": "module"}')
    (scratch / "tsconfig.json").write_text(json.dumps(_CONFIG))
    done = _run([*command, "-p", "."], scratch, "")
    broken: dict[str, str] = {}
    for line in done.stdout.splitlines():
        place, _, text = line.partition(": error ")
        if text and not place.startswith("src/case"):
            raise ToolchainError(f"the TypeScript compiler says: {line}")
        if text:
            broken.setdefault(place.split("/")[1], f"{place.removeprefix('src/')}: {text}")
    if done.returncode not in (0, 1, 2) or (done.returncode and not broken):
        raise ToolchainError(f"the TypeScript compiler failed: {(done.stderr or done.stdout).strip()[:200]}")
    return broken


def _answers(scratch: Path, folders: Mapping[str, Case]) -> _Answers:
    given = {folder: [json.dumps(value) for value in (*case.valid, *case.invalid)] for folder, case in folders.items()}
    (scratch / "batch.mjs").write_text(_BATCH)
    done = _run(["node", "batch.mjs"], scratch, json.dumps(given))
    if done.returncode:
        raise ToolchainError(f"node failed: {done.stderr.strip()[:200]}")
    answers: _Answers = json.loads(done.stdout)
    return answers


def _run(command: list[str], scratch: Path, text: str) -> "subprocess.CompletedProcess[str]":
    # The words are ours and the compiler's own; no shell reads them.
    return subprocess.run(command, cwd=scratch, input=text, capture_output=True, text=True, check=False)  # noqa: S603


def _judged(case: Case, answers: list[Any] | str) -> Outcome:
    if isinstance(answers, str):
        return Outcome("does-not-build", answers)
    return weighed(case, (_answer(fault, back) for fault, back in answers))


def _answer(fault: Mapping[str, str] | None, back: str) -> Answer:
    if fault is None:
        return Answer(back=json.loads(back))
    return Answer(f"validator: {fault['rule']} at {fault['pointer'] or 'the root'}")
