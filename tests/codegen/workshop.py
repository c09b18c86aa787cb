"""A small protocol of the tests' own, and the generator run on it; each test says only what differs."""

import importlib.util
import io
import json
import sys
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

from turnwire_codegen.cli import main
from turnwire_codegen.emit.jsonschema import bundle
from turnwire_codegen.ir import Protocol
from turnwire_codegen.load.canonical import load_canonical
from turnwire_codegen.outputs import emitted, given_canonical
from turnwire_codegen.passes import PASSES, run
from turnwire_codegen.problems import Problem

ROOT = Path(__file__).parents[2]
DIALECT = "https://json-schema.org/draft/2020-12/schema"

ENVELOPE: dict[str, Any] = {
    "RequestId": {"description": "Names a call.", "anyOf": [{"type": "string"}, {"type": "integer"}]},
    "Success": {
        "description": "It worked.",
        "type": "object",
        "properties": {
            "id": {"$ref": "#/$defs/RequestId", "description": "The call."},
            "result": {"x-opaque": True, "description": "Anything."},
        },
        "required": ["id", "result"],
    },
    "Failure": {
        "description": "It did not.",
        "type": "object",
        "properties": {
            "id": {"$ref": "#/$defs/RequestId", "description": "The call."},
            "error": {"type": "string", "description": "Why."},
        },
        "required": ["id", "error"],
    },
    "Response": {"description": "A reply.", "anyOf": [{"$ref": "#/$defs/Success"}, {"$ref": "#/$defs/Failure"}]},
}
METHOD = {
    "name": "thing/do",
    "sender": "client",
    "kind": "request",
    "params": "DoParams",
    "result": "DoResult",
    "clause": "T-1",
    "description": "Does it.",
}


def record(*required: str, **members: Any) -> dict[str, Any]:
    """A described record; a member without a description gets one."""
    return {
        "description": "A record.",
        "type": "object",
        "properties": {name: {"description": f"The {name}.", **member} for name, member in members.items()},
        "required": list(required),
    }


def arm(tag: str, *required: str, **members: Any) -> dict[str, Any]:
    """A record with the required const member `type`."""
    return record("type", *required, type={"const": tag}, **members)


def family(defs: dict[str, Any]) -> dict[str, Any]:
    """A family file with these definitions."""
    return {
        "$schema": DIALECT,
        "$id": "https://example.org/1/x.json",
        "title": "Things",
        "description": "All of it.",
        "$defs": defs,
    }


def write_protocol(folder: Path, defs: dict[str, Any], **files: Any) -> Path:
    """A protocol folder with one family `things`; `files` replaces or adds files of schema/ (None leaves one out)."""
    schema = {
        "envelope": family(ENVELOPE),
        "things": family({"DoParams": record("id", id={"type": "string"}), "DoResult": record(), **defs}),
        "methods": {"methods": [METHOD]},
        "errors": {"errors": []},
        "states": {"machines": {}},
        "capabilities": {"server": [], "client": []},
        **files,
    }
    (folder / "schema").mkdir(parents=True)
    (folder / "VERSION").write_text("1.0\n")
    for name, value in schema.items():
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value)
            (folder / "schema" / f"{name}.json").write_text(text)
    return folder


def problems_of(folder: Path) -> list[Problem]:
    """What the loader finds."""
    return load_canonical(folder)[1]


def protocol_of(folder: Path) -> Protocol:
    """The protocol after its passes; a problem fails the test."""
    protocol, problems = load_canonical(folder)
    assert [] == problems
    assert protocol is not None
    return run(protocol, PASSES)


def loaded(tmp_path: Path, defs: dict[str, Any], **files: Any) -> Protocol:
    """The protocol of a small folder before any pass; a problem fails the test."""
    protocol, problems = load_canonical(write_protocol(tmp_path / "p", defs, **files))
    assert [] == problems
    assert protocol is not None
    return protocol


def schema_of(folder: Path) -> dict[str, Any]:
    """The bundle."""
    return bundle(protocol_of(folder)).schema


_numbers = count()


def package_of(folder: Path) -> ModuleType:
    """The generated Python package, written beside `folder` and imported under a name of its own."""
    name = f"made_{next(_numbers)}"
    home = folder.parent / name
    home.mkdir()
    for path, data in emitted("generate-python", given_canonical(protocol_of(folder), "a test")).items():
        (home / path).write_bytes(data)
    return import_package(home)


def import_package(home: Path) -> ModuleType:
    """Import the package in `home` by the name of the folder."""
    spec = importlib.util.spec_from_file_location(
        home.name, home / "__init__.py", submodule_search_locations=[str(home)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[home.name] = module
    spec.loader.exec_module(module)
    return module


def decoder_of(package: ModuleType, name: str) -> Any:
    """The decoder of one type of a generated package."""
    decoding = importlib.import_module(f"{package.__name__}.decoding")
    return decoding.decoder(getattr(package, name))


def generate(*words: object) -> tuple[int, str, str]:
    """Run the command line in process: code, stdout, stderr."""
    stdout, stderr = io.StringIO(), io.StringIO()
    code = main([str(word) for word in words], io.StringIO(), stdout, stderr)
    return code, stdout.getvalue(), stderr.getvalue()
