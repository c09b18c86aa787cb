"""A union of notifications that carry a union of items, generated, beside the same by hand and by pydantic."""

import importlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pydantic
from measures.processes import environment
from measures.rows import Row

SHARE_OF_HAND, TIMES_PYDANTIC = 0.95, 3
ROUNDS, REPEATS = 41, 300
# Each arm with its members beside the tag `type`; a name with a mark may be absent.
ARMS: dict[str, dict[str, Any]] = {
    "message": {"id": str, "text": str, "phase?": str},
    "reasoning": {"id": str, "summary": list[str]},
    "command": {"id": str, "command": str, "cwd": str, "exitCode?": int, "durationMs?": int},
    "change": {"id": str, "path": str, "diff": str},
    "search": {"id": str, "query": str},
    "image": {"id": str, "path": str, "width": int, "height": int},
    "error": {"message": str, "retryable": bool},
    "usage": {"input": int, "output": int, "cached?": int},
}
METHODS = ("item/started", "item/updated", "item/completed")
PARAMS: dict[str, Any] = {"threadId": str, "turnId": str, "sequence": int}
FRAME = {"threadId": "0190aaaa-1111-7222-8333-444455556666", "turnId": "0190aaaa-1111-7222-8333-777788889999"}
SENTENCE = "The login test waits for a cookie that is set too late, so it is the handler that must change. "
SAMPLES: dict[Any, Any] = {str: SENTENCE, int: 4711, bool: True, list[str]: [SENTENCE, SENTENCE]}
KINDS: dict[Any, Any] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    list[str]: {"type": "array", "items": {"type": "string"}},
}
Read = Callable[[bytes], Any]


def rows() -> Iterator[Row]:
    texts, bare = messages(), by_hand()
    readers = (generated(), handled(bare), bare, by_pydantic())
    rates = [[rate(read, texts) for read in readers] for _ in range(ROUNDS)]
    share, of_bare, times = (statistics.median(row[0] / row[at] for row in rates) for at in (1, 2, 3))
    yield Row(
        f"reading {len(METHODS)} notifications of {len(ARMS)} kinds of items, generated, against msgspec by hand in a "
        f"function that handles what is refused ({sum(map(len, texts)) // len(texts)} bytes each)",
        f"{share:.2f} ({statistics.median(row[0] for row in rates):,.0f}/s)",
        f"≥ {SHARE_OF_HAND}",
        share >= SHARE_OF_HAND,
    )
    yield Row("the same, against the bare decoder, in which a refusal is the caller's", f"{of_bare:.2f}")
    yield Row("the same against pydantic", f"{times:.1f} times as fast", f"≥ {TIMES_PYDANTIC}", times >= TIMES_PYDANTIC)


def handled(read: Read) -> Read:
    """The reader as it stands in a program."""

    def read_or_refuse(data: bytes) -> Any:
        try:
            return read(data)
        except msgspec.ValidationError as error:
            raise ValueError(str(error)) from error

    return read_or_refuse


def rate(read: Read, texts: list[bytes]) -> float:
    began = time.process_time()
    for _ in range(REPEATS):
        for text in texts:
            read(text)
    return REPEATS * len(texts) / (time.process_time() - began)


def messages() -> list[bytes]:
    """One of each arm, with all members and with the required ones only."""
    found = []
    for at, (tag, members) in enumerate(ARMS.items()):
        whole = {name.rstrip("?"): SAMPLES[of] for name, of in members.items()}
        least = {name: whole[name] for name in whole if name in members}
        for value in (whole, least):
            params = {**FRAME, "sequence": at, "item": {"type": tag, **value}}
            found.append(json.dumps({"method": METHODS[at % len(METHODS)], "params": params}).encode())
    return found


def schema() -> dict[str, Any]:
    """The notifications as a schema."""
    params = {**{name: KINDS[of] for name, of in PARAMS.items()}, "item": {"$ref": "#/$defs/Item"}}
    definitions = {
        "Notification": {"oneOf": [{"$ref": f"#/$defs/{titled(method)}"} for method in METHODS]},
        "Item": {"oneOf": [{"$ref": f"#/$defs/{titled(tag)}"} for tag in ARMS]},
        "Params": {"type": "object", "properties": params, "required": list(params)},
    }
    for method in METHODS:
        members = {"method": {"const": method}, "params": {"$ref": "#/$defs/Params"}}
        definitions[titled(method)] = {"type": "object", "properties": members, "required": list(members)}
    for tag, arm in ARMS.items():
        members = {"type": {"const": tag}, **{name.rstrip("?"): KINDS[of] for name, of in arm.items()}}
        required = [name for name in members if f"{name}?" not in arm]
        definitions[titled(tag)] = {"type": "object", "properties": members, "required": required}
    return {"$ref": "#/$defs/Notification", "$defs": definitions}


def generated() -> Read:
    """The decoder of the generated package."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "items.json").write_text(json.dumps(schema()))
        command = (sys.executable, "-m", "turnwire", "generate-python", "--schema", f"{name}/items.json")
        subprocess.run(
            [*command, "--out", f"{name}/notifications_of_items"], check=True, capture_output=True, env=environment()
        )
        sys.path.insert(0, name)
        try:
            package = importlib.import_module("notifications_of_items")
            decoding = importlib.import_module("notifications_of_items.decoding")
            read: Read = decoding.decoder(package.Notification)
        finally:
            sys.path.remove(name)
    return read


def by_hand() -> Read:
    """What one would write with msgspec."""
    items = either(struct(tag, "type", [field(name, of) for name, of in arm.items()]) for tag, arm in ARMS.items())
    params = msgspec.defstruct("Params", [*PARAMS.items(), ("item", items)], frozen=True, kw_only=True)
    return msgspec.json.Decoder(either(struct(method, "method", [("params", params)]) for method in METHODS)).decode


def struct(tag: str, tag_field: str, fields: list[Any]) -> Any:
    return msgspec.defstruct(titled(tag), fields, tag_field=tag_field, tag=tag, frozen=True, kw_only=True)


def field(name: str, of: Any) -> Any:
    optional = (name.rstrip("?"), of | msgspec.UnsetType, msgspec.UNSET)
    return optional if name.endswith("?") else (name, of)


def by_pydantic() -> Read:
    """The same in pydantic, told apart by the tags."""
    items = told_apart("type", [model(tag, "type", arm) for tag, arm in ARMS.items()])
    params = pydantic.create_model("Params", **{name: (of, ...) for name, of in PARAMS.items()}, item=(items, ...))
    arms = [model(method, "method", {"params": params}) for method in METHODS]
    return pydantic.TypeAdapter(told_apart("method", arms)).validate_json


def model(tag: str, tag_field: str, members: dict[str, Any]) -> Any:
    typed = {name.rstrip("?"): (of | None, None) if name[-1] == "?" else (of, ...) for name, of in members.items()}
    return pydantic.create_model(titled(tag), **{tag_field: (Literal[tag], ...)}, **typed)


def told_apart(tag_field: str, arms: list[Any]) -> Any:
    return Annotated[either(arms), pydantic.Field(discriminator=tag_field)]


def either(arms: Iterable[Any]) -> Any:
    return reduce(or_, arms)


def titled(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("/"))
