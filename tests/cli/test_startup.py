"""What is not needed is not imported; what a start costs beside asyncio and msgspec is measured in the bench."""

import pytest

from cli.running import program

COMMANDS = {"help": ("--help",), "version": ("--version",), "serve": ("serve",)}

# Each of them costs more than the rest of a start.
HEAVY = ("jsonschema", "jinja2", "websockets", "turnwire.conformance", "turnwire.client", "turnwire_codegen", "pathlib")


@pytest.mark.parametrize("name", COMMANDS)
def test_start_imports_nothing_heavy(name):
    done = program(*COMMANDS[name], PYTHONPROFILEIMPORTTIME="1")
    imported = {line.rpartition("|")[2].strip() for line in done.err.splitlines() if line.startswith("import time:")}

    assert "turnwire.cli" in imported
    assert sorted(imported & set(HEAVY)) == []
