"""Messages that are nearly lawful, and what is due for each: one reply, none, or either where readers may differ."""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from turnwire.wire import METHODS

EXAMPLES = Path(__file__).parents[2] / "protocol" / "examples"
# A shutdown that succeeds would end the run.
LEFT_OUT = {"shutdown"}
WEIRD: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 2**53, -(2**70), 10**30, 1e300),
    *("", " ", "\u2028", "\x00", "x" * 5000, "😀" * 40, "thread/start", "constructor", "__proto__"),
    *([], {}, [[]], {"": {}}, [None] * 300, {"type": "text"}, {"type": "nothing"}, {"a": {"b": {"c": [1]}}}),
]
IDS: list[Any] = [0, -1, "", "x", "é" * 512, 2**53 - 1, -(2**53 - 1)]
BAD_IDS: list[Any] = [None, True, 1.5, 2**53, [], {}, "x" * 513]


class Mutant(NamedTuple):
    """A line, the id that its reply has, and how many replies are due: 1, 0, or None for either."""

    line: bytes
    reply_id: Any
    due: int | None


def lawful() -> Iterator[dict[str, Any]]:
    """Every request that a client can send, by its examples, and without params."""
    for row in METHODS.values():
        if row.sender == "server" or row.kind != "request" or row.name in LEFT_OUT:
            continue
        for path in sorted((EXAMPLES / str(row.params)).glob("*.json")):
            yield {"jsonrpc": "2.0", "method": row.name, "params": json.loads(path.read_bytes())}
        yield {"jsonrpc": "2.0", "method": row.name, "params": {}}


def mutants(rng: random.Random, count: int) -> Iterator[Mutant]:
    """As many lines, each made from a good request by one to three faults."""
    seeds = list(lawful())
    for number in range(count):
        message = json.loads(json.dumps(rng.choice(seeds)))
        message["id"] = f"m{number}"
        if rng.random() < 0.2:
            yield _cut(rng, json.dumps(message, ensure_ascii=rng.random() < 0.5).encode())
            continue
        for _ in range(rng.randint(1, 3)):
            rng.choice((_envelope, _value, _value, _value))(rng, message)
        yield _judged(json.dumps(message).encode())


def _weird(rng: random.Random) -> Any:
    """A copy, since a later fault may change it."""
    return copy.deepcopy(rng.choice(WEIRD))


def _envelope(rng: random.Random, message: dict[str, Any]) -> None:
    member = rng.choice(("jsonrpc", "id", "method", "params", "result", "error", "extra"))
    fate = rng.random()
    if fate < 0.3:
        message.pop(member, None)
    elif member == "id":
        message["id"] = rng.choice(IDS + BAD_IDS)
    elif member == "method" and fate < 0.7:
        message["method"] = rng.choice(("no/such", "rpc.x", "initialized", "item/started", "approval/request"))
    else:
        message[member] = _weird(rng)


def _value(rng: random.Random, message: dict[str, Any]) -> None:
    """Replaces, takes away or adds one thing somewhere in the params."""
    here = message.get("params")
    while isinstance(here, dict | list) and here:
        key = rng.choice(list(here)) if isinstance(here, dict) else rng.randrange(len(here))
        if not isinstance(here[key], dict | list) or rng.random() < 0.4:
            break
        here = here[key]
    else:
        if isinstance(here, dict):
            here[rng.choice(("threadId", "input", "extra", "cursor"))] = _weird(rng)
        return
    if rng.random() < 0.3:
        del here[key]
    else:
        here[key] = _weird(rng)


def _cut(rng: random.Random, line: bytes) -> Mutant:
    """A line with some bytes changed, and no line end among them."""
    data = bytearray(line)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(data))
        match rng.randrange(3):
            case 0:
                data[place] = rng.choice((0x22, 0x5C, 0x7B, 0x7D, 0x2C, 0x00, 0x80, 0xFF, 0x31, 0x20))
            case 1:
                del data[place : place + rng.randint(1, 20)]
            case _:
                data[place:place] = data[place : place + rng.randint(1, 20)]
        data = data or bytearray(b"{")
    return _judged(bytes(data).replace(b"\n", b" ").replace(b"\r", b" "))


def _judged(line: bytes) -> Mutant:
    if not line.strip():
        return Mutant(line, None, 0)
    try:
        message = json.loads(line.decode("utf-8"), parse_constant=_refuse, object_pairs_hook=_once)
    except UnicodeDecodeError:
        return Mutant(line, None, 1)
    except _Twice:
        # Of duplicate keys the last one wins, but a reader may refuse what it does not need.
        return Mutant(line, None, None)
    except ValueError:
        return Mutant(line, None, 1)
    if b"\\u" in line and any(0xD800 <= ord(letter) < 0xE000 for letter in json.dumps(message, ensure_ascii=False)):
        return Mutant(line, None, None)
    return _judged_value(line, message)


def _judged_value(line: bytes, message: Any) -> Mutant:
    if not isinstance(message, dict):
        return Mutant(line, None, 1)
    good_id = _is_id(message.get("id"))
    is_response = "method" not in message and ("result" in message or "error" in message)
    if is_response:
        return Mutant(line, None, 0)
    if "id" not in message and isinstance(message.get("method"), str) and message.get("jsonrpc") == "2.0":
        return Mutant(line, None, 0)
    return Mutant(line, message["id"] if good_id else None, 1)


def _is_id(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return False
    return len(value) <= 512 if isinstance(value, str) else abs(value) < 2**53


class _Twice(ValueError):  # noqa: N818 - says what was found
    """A key stands twice in one object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Twice
    return found


def _refuse(word: str) -> None:
    raise ValueError(word)
