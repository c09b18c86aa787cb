"""A schema applied to a value by a process of its own, which gets so much of the processor and no more.

Patterns can backtrack, references can branch: what a schema costs is not to be told beforehand, and a thread cannot be
stopped. The process reads the schema and the value, a line each, and writes the verdict.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any

import msgspec

from turnwire.schemas import Fault, InvalidSchema, check_schema, faults

__all__ = ["TooCostly", "faults_within", "is_cheap"]

# Keywords whose work is not bounded by the sizes of schema and value: they backtrack, branch, compare all with all, or
# look at everything again. Without them each keyword looks at each value once.
_COSTLY = frozenset(
    (
        *("pattern", "patternProperties", "$ref", "$dynamicRef", "$recursiveRef", "uniqueItems"),
        *("unevaluatedProperties", "unevaluatedItems"),
    )
)
# Below these stand names that are no keywords.
_NAMED = ("properties", "$defs", "definitions", "dependentSchemas")
_DATA = ("enum", "const", "default", "examples")
# Where the machine is slow, work takes longer than the processor is given for it.
_PATIENCE = 30.0


class TooCostly(Exception):  # noqa: N818 - says what the matter is
    """The schema could not be applied within the time that it was given."""


class _Task(msgspec.Struct, frozen=True):
    schema: Any
    value: Any
    seconds: int


class _Verdict(msgspec.Struct, frozen=True):
    faults: list[Fault] = []
    invalid: str | None = None


_encode = msgspec.json.Encoder().encode


def is_cheap(schema: Any) -> bool:
    """Whether the work of a schema is bounded by its size and that of the value, so that no process is needed."""
    if isinstance(schema, list):
        return all(map(is_cheap, schema))
    if not isinstance(schema, dict):
        return True
    below = [
        list(inner.values()) if keyword in _NAMED and isinstance(inner, dict) else inner
        for keyword, inner in schema.items()
        if keyword not in _DATA
    ]
    return schema.keys().isdisjoint(_COSTLY) and is_cheap(below)


async def faults_within(schema: Any, value: Any, *, seconds: int) -> list[Fault]:
    """As `faults`, in so many seconds of the processor.

    Raises:
        InvalidSchema: as in `faults`, or the schema is none.
        TooCostly: it took longer.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        __name__,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(seconds + _PATIENCE):
            output, _ = await process.communicate(_encode(_Task(schema, value, seconds)))
    except TimeoutError:
        raise TooCostly from None
    finally:
        if process.returncode is None:
            process.kill()
            await asyncio.shield(process.wait())
    if process.returncode:
        raise TooCostly
    verdict = msgspec.json.decode(output, type=_Verdict)
    if verdict.invalid is not None:
        raise InvalidSchema(verdict.invalid)
    return verdict.faults


def _bound(seconds: int) -> None:
    if sys.platform != "win32":
        # There a process has no bound of its own, and the wait for it has to do.
        import resource  # noqa: PLC0415 - see above

        # What it took to start does not count.
        bound = int(time.process_time()) + 1 + seconds
        resource.setrlimit(resource.RLIMIT_CPU, (bound, bound))


def _judge(task: _Task) -> _Verdict:
    try:
        check_schema(task.schema)
        return _Verdict(faults(task.schema, task.value))
    except InvalidSchema as invalid:
        return _Verdict(invalid=str(invalid))


def _main() -> None:
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=_Task)
    _bound(task.seconds)
    sys.stdout.buffer.write(_encode(_judge(task)))


if __name__ == "__main__":
    _main()
