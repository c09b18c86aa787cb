"""Python types for the protocol of the real codex: generated from what it prints, whole, and good for what it says."""

import json
import os
import subprocess
import sys

import pytest

from interop.environment import codex, require

# Run apart from the tests, so that what it imports cannot lean on what they have imported.
EVERY_DECODER = """
import json, sys
sys.path.insert(0, sys.argv[1])
import bindings
from bindings.decoding import decoder
from bindings.methods import METHODS, TYPES
for name in TYPES:
    decoder(getattr(bindings, name))
print(json.dumps({"types": len(TYPES), "methods": {row.name: row.result for row in METHODS.values()}}))
"""
ONE_MESSAGE = """
import sys
sys.path.insert(0, sys.argv[1])
import bindings, msgspec
from bindings.decoding import decoder
value = decoder(getattr(bindings, sys.argv[2]))(sys.stdin.buffer.read())
sys.stdout.buffer.write(msgspec.json.encode(value))
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def start_codex(home):
    """The real command line, in a home of its own."""
    program = require(codex)
    env = {**os.environ, "HOME": str(home), "CODEX_HOME": str(home / "codex")}
    (home / "codex").mkdir()

    def start(*arguments):
        return subprocess.Popen(
            [program, "app-server", *arguments],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    return start


@pytest.fixture(scope="module")
def generated(start_codex, tmp_path_factory):
    """The bindings, and the report of what became of each part of the schema."""
    root = tmp_path_factory.mktemp("codex")
    assert 0 == start_codex("generate-json-schema", "--out", str(root / "schema")).wait(timeout=120)
    schema = root / "schema" / "codex_app_server_protocol.schemas.json"
    command = [sys.executable, "-m", "turnwire_codegen", "generate-python", "--schema", str(schema)]
    command += ["--out", str(root / "bindings"), "--report", str(root / "report.json")]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return root


def python(script, *arguments, said=b""):
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], input=said, capture_output=True, timeout=120, check=False
    )


@pytest.mark.timeout(600)
def test_every_type_has_a_decoder(generated):
    ran = python(EVERY_DECODER, generated)

    assert 0 == ran.returncode, ran.stderr.decode()
    built = json.loads(ran.stdout)
    assert built["types"] > 500
    assert {"initialize", "thread/start", "turn/start", "turn/completed"} <= set(built["methods"])


@pytest.mark.timeout(600)
def test_every_part_of_the_schema_is_accounted_for(generated):
    entries = json.loads((generated / "report.json").read_text(encoding="utf-8"))["entries"]

    assert {"kept", "runtime", "degraded"} >= {entry["verdict"] for entry in entries}
    assert len({entry["pointer"] for entry in entries}) > 4000
    assert [] == [entry for entry in entries if entry["verdict"] != "kept" and not set(entry) - {"pointer", "verdict"}]


@pytest.mark.timeout(600)
def test_what_the_real_server_says_is_read_and_written_again(generated, start_codex):
    methods = json.loads(python(EVERY_DECODER, generated).stdout)["methods"]
    info = {"name": "turnwire-check", "title": "turnwire check", "version": "1"}
    request = {"id": 1, "method": "initialize", "params": {"clientInfo": info}}

    with start_codex() as server:
        # It ends at the end of input, so that stays open until the answer is here.
        server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.flush()
        result = next(message["result"] for message in map(json.loads, server.stdout) if message.get("id") == 1)
        server.stdin.close()
        server.stdout.read()

    ran = python(ONE_MESSAGE, generated, methods["initialize"], said=json.dumps(result).encode())
    assert 0 == ran.returncode, ran.stderr.decode()
    assert result == json.loads(ran.stdout)
