"""One direction: who may import whom, and what `import turnwire` is allowed to cost."""

import ast
import subprocess
import sys
from collections.abc import Iterator

import pytest

from architecture.tree import ROOT, Module, environment, product

# The sans-IO core: deadlines come in as values, bytes go in and out, nothing is awaited.
CORE = ("wire", "errors", "framing", "codec", "events", "state", "pending", "connection")
NOT_IN_CORE = {"asyncio", "socket", "subprocess", "threading", "time", "websockets", "selectors", "multiprocessing"}

# Optional packages and the modules that may meet them.
OPTIONAL = {
    "jinja2": ("turnwire_codegen.emit.render", "turnwire.conformance.reports.html"),
    "jsonschema": ("turnwire.schemas", "turnwire_codegen.oracle"),
    "referencing": ("turnwire.schemas", "turnwire_codegen.oracle"),
    "regress": ("turnwire.schemas", "turnwire_codegen.oracle"),
    "websockets": ("turnwire.transports.websocket", "turnwire.conformance.probe"),
    "datamodel_code_generator": ("turnwire_codegen",),
}


def imported(module: Module) -> Iterator[str]:
    """The dotted names that a module imports, anywhere in it."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def is_within(name: str, owner: str) -> bool:
    return name == owner or name.startswith(f"{owner}.")


def test_import_contracts_hold():
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", CORE)
def test_core_neither_waits_nor_reads_a_clock(name):
    (module,) = [module for module in product() if module.name == f"turnwire.{name}"]
    met = {found.partition(".")[0] for found in imported(module)}

    assert sorted(met & NOT_IN_CORE) == []


@pytest.mark.parametrize("package", OPTIONAL)
def test_optional_package_is_met_in_its_place_only(package):
    met = [module.name for module in product() if any(is_within(name, package) for name in imported(module))]
    astray = [name for name in met if not any(is_within(name, place) for place in OPTIONAL[package])]

    assert astray == []


@pytest.mark.parametrize(
    "module", ["turnwire", "turnwire.client", "turnwire.server", "turnwire.agents", "turnwire.cli"]
)
def test_import_costs_msgspec_and_nothing_more(module):
    done = run_blocked(f"import {module}")

    assert done.returncode == 0, done.stderr


def test_the_block_can_be_felt():
    done = run_blocked("import jsonschema")

    assert done.returncode == 1
    assert "jsonschema is blocked" in done.stderr


BLOCK = """
import sys
allowed = {"turnwire", "msgspec"} | set(sys.stdlib_module_names)
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in allowed:
            raise ImportError(name + " is blocked")
sys.meta_path.insert(0, Block())
"""


def run_blocked(statement: str) -> "subprocess.CompletedProcess[str]":
    """Run a statement in a Python where only the standard library, msgspec and turnwire can be imported."""
    return subprocess.run(
        [sys.executable, "-c", BLOCK + statement], capture_output=True, text=True, check=False, env=environment()
    )
