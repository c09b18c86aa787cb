"""Schemas of others against the generators of others: codex's bundle from npm, and a schema as large as none yet is."""

import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measures.processes import Cost, cost
from measures.rows import Row

from interop.environment import Missing, cache, once, run
from interop.schemas import codex_folder

ROUNDS = 3
JSON2TS = "16.0.0"
BUNDLE = "codex_app_server_protocol.v2.schemas.json"
# What CPU, memory and import are asked to be.
FASTER, FASTER_TS, LIGHTER_KB, QUICKER = 4, 2, 300_000, 4
# Twice the schema, twice the time; what the machine does beside may make it a little more.
LINEAR = 2.5
DESCRIPTION = "What such an object holds, and when it is sent, said at the length at which a good schema says it. " * 4


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            yield from _against_others(codex_folder() / BUNDLE, folder)
        except Missing as reason:
            yield Row("generating codex's bundle against other generators", f"not measured: {reason}")
        yield from _large(folder)


def _against_others(schema: Path, folder: Path) -> Iterator[Row]:
    size = f"codex's bundle ({schema.stat().st_size // 1000:,} KB)"
    python = [_ours("python", schema, folder / "ours") for _ in range(ROUNDS)]
    other = _datamodel(schema, folder / "theirs.py")
    seconds, ratio = _cpu(python), other.cpu_seconds / _cpu(python)
    what = f"{size} to Python: CPU of datamodel-code-generator against ours"
    yield Row(what, f"{ratio:.1f} times ({seconds:.2f} s)", f"≥ {FASTER} times", ratio >= FASTER)
    peak = max(found.peak_kb for found in python)
    told = f"{peak / 1000:.0f} MB, {other.peak_kb / 1000:.0f} MB"
    yield Row(
        "the same: largest resident memory, ours and theirs", told, f"≤ {LIGHTER_KB // 1000} MB", peak <= LIGHTER_KB
    )
    theirs, lazy, whole = (_import(module, folder) for module in ("theirs", "ours", "ours.types"))
    quicker = theirs / lazy
    yield Row(
        "the same: import of their module against that of our package",
        f"{quicker:.0f} times",
        f"≥ {QUICKER} times",
        quicker >= QUICKER,
    )
    yield Row("the same: against that of all our types at once", f"{theirs / whole:.1f} times")
    typescript = [_ours("ts", schema, folder / "ts") for _ in range(ROUNDS)]
    ratio = cost(_json2ts(schema, folder)).cpu_seconds / _cpu(typescript)
    what = f"{size} to TypeScript: CPU of json-schema-to-typescript against ours"
    yield Row(what, f"{ratio:.1f} times ({_cpu(typescript):.2f} s)", f"≥ {FASTER_TS} times", ratio >= FASTER_TS)


def _large(folder: Path) -> Iterator[Row]:
    small, twice = (_ours("python", _written(folder, megabytes), folder / str(megabytes)) for megabytes in (2, 4))
    ratio = twice.cpu_seconds / small.cpu_seconds
    yield Row("a schema of 4 MB against one of 2 MB: CPU", f"{ratio:.1f} times", f"≤ {LINEAR} times", ratio <= LINEAR)
    schema = _written(folder, 50)
    found = _ours("python", schema, folder / "50")
    definitions = len(json.loads(schema.read_bytes())["$defs"])
    told = f"{found.cpu_seconds:.0f} s, {found.peak_kb / 1000:,.0f} MB"
    yield Row(f"a schema of 50 MB ({definitions:,} definitions) to Python: CPU, memory", told)


def _ours(language: str, schema: Path, out: Path) -> Cost:
    shutil.rmtree(out, ignore_errors=True)
    return cost((sys.executable, "-m", "turnwire", f"generate-{language}", "--schema", str(schema), "--out", str(out)))


def _datamodel(schema: Path, out: Path) -> Cost:
    words = ("--input-file-type", "jsonschema", "--output-model-type", "msgspec.Struct", "--disable-warnings")
    argv = (sys.executable, "-m", "datamodel_code_generator", *words, "--target-python-version", "3.11")
    return cost((*argv, "--input", str(schema), "--output", str(out)))


def _json2ts(schema: Path, folder: Path) -> tuple[str, ...]:
    home = cache() / f"json2ts-{JSON2TS}"
    with once(home) as fresh:
        if fresh:
            words = ("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(home))
            run(*words, f"json-schema-to-typescript@{JSON2TS}")
    program = home / "node_modules/json-schema-to-typescript/dist/src/cli.js"
    return ("node", str(program), "--unreachableDefinitions", "-i", str(schema), "-o", str(folder / "theirs.ts"))


def _cpu(found: list[Cost]) -> float:
    return statistics.median(one.cpu_seconds for one in found)


def _import(module: str, folder: Path) -> float:
    """CPU of an import beside that of msgspec, once it is compiled."""
    path = f"import sys; sys.path.insert(0, {str(folder)!r}); import msgspec"
    base, whole = (
        [cost((sys.executable, "-c", f"{path}{more}")) for _ in range(ROUNDS + 1)][1:] for more in ("", f", {module}")
    )
    # Less than a clock's tick is no time at all, and no divisor.
    return max(_cpu(whole) - _cpu(base), 0.001)


def _written(folder: Path, megabytes: int) -> Path:
    """A schema of so many megabytes: unions of records that refer to each other, described as people describe."""
    definitions: dict[str, Any] = {}
    size = 0
    while size < megabytes * 1_000_000:
        group = _group(len(definitions) // 4)
        definitions |= group
        size += len(json.dumps(group)) + 2
    path = folder / f"of-{megabytes}-mb.json"
    path.write_text(json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions}))
    return path


def _group(number: int) -> dict[str, Any]:
    text, person = {"type": "string", "maxLength": 100, "description": DESCRIPTION}, {"$ref": f"#/$defs/Person{number}"}
    last = {"anyOf": [{"$ref": f"#/$defs/Event{max(number - 1, 0)}"}, {"type": "null"}]}
    return {
        f"Said{number}": _record(kind={"const": f"said{number}"}, text=text, by=person),
        f"Done{number}": _record(kind={"const": f"done{number}"}, way={"enum": ["fast", "slow", f"way{number}"]}),
        f"Person{number}": _record(name=text, friends={"type": "array", "items": person}, last=last),
        f"Event{number}": {"oneOf": [{"$ref": f"#/$defs/{arm}{number}"} for arm in ("Said", "Done")]},
    }


def _record(**members: Any) -> dict[str, Any]:
    return {"type": "object", "description": DESCRIPTION, "properties": members, "required": list(members)}
