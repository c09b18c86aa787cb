"""TypeScript of other houses' schemas: two compilers find nothing, and codex's validator is small and right."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.workshop import generate
from interop.codex_messages import MESSAGES
from interop.environment import Missing, require
from interop.schemas import SCHEMAS, codex_folder

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests" / "bench"))

from measures import validators  # noqa: E402 - after the path

MODULES = ROOT / "typescript" / "node_modules"
COMPILERS = {"5.9": MODULES / "typescript" / "bin" / "tsc", "7.0": MODULES / "typescript-7" / "bin" / "tsc"}
SETTINGS = {
    "compilerOptions": {
        "strict": True,
        "noEmit": True,
        "target": "ES2022",
        "lib": ["ES2022"],
        "module": "NodeNext",
        "exactOptionalPropertyTypes": True,
        "noUncheckedIndexedAccess": True,
        "noImplicitReturns": True,
        "noFallthroughCasesInSwitch": True,
        "noPropertyAccessFromIndexSignature": True,
        "verbatimModuleSyntax": True,
        "isolatedModules": True,
        "types": [],
    },
    "include": ["**/*.ts"],
}
WRONG = [
    None,
    [],
    *({**message, "method": "no/such"} for message in MESSAGES[:3]),
    *({**message, "params": {}} for message in MESSAGES),
    *({**message, "params": {**message["params"], "threadId": 7}} for message in MESSAGES),
]
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with the TypeScript of every schema, each in a folder of its own."""
    home = tmp_path_factory.mktemp("foreign")
    for name in SCHEMAS:
        code, _, stderr = generate("generate-ts", "--out", home / name, "--schema", require(SCHEMAS[name]))
        assert 0 == code, stderr
    (home / "package.json").write_text('{"type": "module"}')
    (home / "tsconfig.json").write_text(json.dumps(SETTINGS))
    return home


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    """Codex's validator, ours and that of ajv, each as one minified module."""

    def find():
        codex_folder()
        if not (MODULES / "ajv").exists():
            raise Missing("ajv is not installed; npm ci in typescript/ brings it")
        return validators.bundles(tmp_path_factory.mktemp("bundles"))

    return require(find)


@pytest.mark.parametrize("version", COMPILERS)
def test_compilers_find_nothing(made, version):
    command = ["node", str(COMPILERS[version])]
    told = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout
    done = subprocess.run([*command, "-p", "."], cwd=made, capture_output=True, text=True, check=False)

    assert version in told
    assert ("", 0) == (done.stdout, done.returncode)


def test_compilers_would_find_something(made):
    """A wrong line in one of the folders is told."""
    wrong = made / "cc" / "wrong.ts"
    wrong.write_text("export const wrong: string = 1;\n")
    done = subprocess.run(
        ["node", str(COMPILERS["7.0"]), "-p", "."], cwd=made, capture_output=True, text=True, check=False
    )
    wrong.unlink()

    assert done.stdout.startswith(f"cc{os.sep}wrong.ts(1,14): error TS2322")


def test_codex_validator_is_small(bundles):
    ours, theirs = map(validators.size, bundles)

    assert ours.bundle <= validators.MAX_KB * 1000
    assert ours.bundle * 10 <= theirs.bundle
    assert ours.zipped * 5 <= theirs.zipped


def test_codex_validator_agrees_with_ajv(bundles):
    assert validators.judged(*bundles, [*MESSAGES, *WRONG]) == [[True] * len(MESSAGES) + [False] * len(WRONG)] * 2
