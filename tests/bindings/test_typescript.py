"""The compiler accepts the generated TypeScript in its strictest mode, and sees the mistakes of narrowing.mts."""

import json
import subprocess
from pathlib import Path

from toolchains.needed import TSC, demand_node

ROOT = Path(__file__).parents[2]
HERE = ROOT / "tests" / "bindings"


def compile_with(project):
    demand_node("typescript")
    done = subprocess.run(["node", str(TSC), "-p", str(project)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def project_of(folder, source):
    """The same settings for one file in a folder of its own."""
    (folder / "sample.mts").write_text(source)
    settings = json.loads((HERE / "tsconfig.json").read_text())
    settings["compilerOptions"]["rootDir"] = "/"
    settings["include"] = ["sample.mts"]
    (folder / "tsconfig.json").write_text(json.dumps(settings))
    return folder / "tsconfig.json"


def test_strict():
    assert (0, "") == compile_with(HERE / "tsconfig.json")


def test_the_single_module_stands_alone(tmp_path):
    source = (ROOT / "python" / "turnwire" / "generated" / "schema.ts").read_text()

    assert (0, "") == compile_with(project_of(tmp_path, source))


def test_a_mistake_is_seen(tmp_path):
    source = (HERE / "narrowing.mts").read_text().replace("../../typescript", str(ROOT / "typescript"))
    expected = source.count("// @ts-expect-error")
    code, stdout = compile_with(project_of(tmp_path, source.replace("// @ts-expect-error", "//")))

    assert 2 == code
    assert expected == stdout.count("error TS")
