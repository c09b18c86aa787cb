"""The compiler accepts the generated TypeScript in its strictest mode, and sees the mistakes of narrowing.mts."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TSC = ROOT / "typescript" / "node_modules" / "typescript" / "bin" / "tsc"


def compile_with(*words):
    if shutil.which("node") is None or not TSC.exists():
        missing = "node" if shutil.which("node") is None else "TypeScript (npm ci in typescript/)"
        if os.environ.get("CI"):
            pytest.fail(f"{missing} is missing")
        pytest.skip(f"{missing} is missing")
    done = subprocess.run(["node", str(TSC), *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("project", ["typescript/tsconfig.json", "tests/bindings/tsconfig.json"])
def test_strict(project):
    assert (0, "") == compile_with("--noEmit", "-p", ROOT / project)


def test_the_single_module_stands_alone(tmp_path):
    source = (ROOT / "python" / "turnwire" / "generated" / "schema.ts").read_text()
    (tmp_path / "schema.mts").write_text(source)
    config = (ROOT / "typescript/tsconfig.json").read_text().replace('["src"]', '["schema.mts"]')
    (tmp_path / "tsconfig.json").write_text(config.replace('"rootDir": "src"', '"rootDir": "."'))

    assert (0, "") == compile_with("--noEmit", "-p", tmp_path / "tsconfig.json")


def test_a_mistake_is_seen(tmp_path):
    source = (ROOT / "tests/bindings/narrowing.mts").read_text().replace("// @ts-expect-error", "//")
    (tmp_path / "wrong.mts").write_text(source.replace("../../typescript", str(ROOT / "typescript")))
    config = (ROOT / "typescript/tsconfig.json").read_text().replace('"rootDir": "src"', '"rootDir": "/"')
    (tmp_path / "tsconfig.json").write_text(config.replace('["src"]', '["wrong.mts"]'))
    code, stdout = compile_with("--noEmit", "-p", tmp_path / "tsconfig.json")
    expected = source.count("//") - 1

    assert 2 == code
    assert expected == stdout.count("error TS")
