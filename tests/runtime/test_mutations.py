"""Two thousand damaged messages: each gets the one reply that an independent reading says is due, or none."""

import json
import random
import re
import subprocess
from typing import Any

import msgspec
import pytest

from turnwire.codec import Limits, encode_result
from turnwire.connection import Connection
from turnwire.events import Closed, Refused, RequestReceived

LIMITS = Limits(depth=16, message_bytes=4096)
COUNT = 2000

SEEDS = [
    b'{"jsonrpc":"2.0","id":1,"method":"thread/start","params":{"cwd":"/src","metadata":{"a":[1,2,{"b":null}]}}}',
    '{"jsonrpc":"2.0","id":"é-1","method":"turn/start","params":{"input":[{"type":"text","text":"ï 😀"}]}}'.encode(),
    b'{"jsonrpc":"2.0","method":"initialized"}',
    b'{"jsonrpc":"2.0","id":9007199254740991,"method":"ping","params":{}}',
    b'{"jsonrpc":"2.0","id":3,"result":{"decision":"accept","nonce":"0123456789abcdef"}}',
    b'{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"no","data":{"code":"internalError"}}}',
    b'{"jsonrpc":"2.0","id":-7,"method":"x","params":{"n":1.5e3,"t":true,"s":"a\\u0041\\n"}}',
]
PIECES = [b"{", b"}", b"[", b"]", b'"', b":", b",", b"null", b"true", b"1", b"-", b"1.5", b"1e2", b"NaN", b"\\", b"\\u"]
PIECES += [b"\xff", b"\xc3", b"\xed\xa0\x80", b'\\ud800"', b"\0", b" ", b'"id":', b'"id":null,', b'"jsonrpc":"1.0",']
PIECES += [b'"method":5,', b'"result":1,', b"[" * 20, b"9" * 20, b"9" * 4301, b"x" * 5000]


def seed_of_the_commit() -> int:
    """Another run of the dice for each commit, and the same for everyone who has it."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return int(done.stdout.strip()[:12] or "0", 16)


def mutated(dice: random.Random) -> bytes:
    message = bytearray(dice.choice(SEEDS))
    for _ in range(dice.randint(1, 4)):
        start = dice.randrange(len(message) + 1)
        match dice.randrange(4):
            case 0:
                message[start:start] = dice.choice(PIECES)
            case 1:
                del message[start : start + dice.randint(1, 12)]
            case 2:
                message[start : start + 1] = bytes([dice.randrange(256)])
            case _:
                other = dice.choice(SEEDS)
                message[start : start + 8] = other[dice.randrange(len(other)) :][:8]
    return bytes(message).replace(b"\n", b" ")


def due(line: bytes) -> Any:
    """What RPC-* says is due, read with Python's json: ("request", id), (code, id), or None for silence."""
    if not line.strip(b" \t\r"):
        return None
    if len(line.removesuffix(b"\r")) > LIMITS.message_bytes:
        return -32600, None
    try:
        text = line.decode()
        value = json.loads(text, parse_constant=refuse, parse_int=Number, parse_float=Number)
        text_of(value).encode()
    except ValueError:
        return -32700, None
    return judged(value, line) if isinstance(value, dict) else (-32600, None)


class Number(str):
    """A number as it is written."""

    __slots__ = ()


def refuse(constant: str) -> Any:
    raise ValueError(constant)


def judged(value: dict[str, Any], line: bytes) -> Any:
    request_id = lawful_id(value["id"]) if "id" in value else None
    method = value.get("method")
    if "method" not in value and ("result" in value or "error" in value):
        return None
    if "id" in value and request_id is None:
        return -32600, None
    if value.get("jsonrpc") != "2.0" or type(value.get("jsonrpc")) is Number:
        return -32600, request_id
    if not isinstance(method, str) or type(method) is Number:
        return -32600, request_id
    bad = depth_of(line) > LIMITS.depth or re.search(r"(?<![.eE+\d-])-?\d{4301}", numbers_of(value)) is not None
    if "id" not in value:
        return None
    return (-32600, request_id) if bad else ("request", request_id)


def lawful_id(value: Any) -> Any:
    if type(value) is Number:
        whole = re.fullmatch(r"-?\d+", value)
        return int(value) if whole and len(value) < 20 and abs(int(value)) <= 2**53 - 1 else None
    return value if isinstance(value, str) and len(value) <= 512 else None


def text_of(value: Any) -> str:
    """Every string in it, to find lone surrogates."""
    if isinstance(value, dict):
        return "".join(text_of(key) + text_of(member) for key, member in value.items())
    if isinstance(value, list):
        return "".join(map(text_of, value))
    return value if isinstance(value, str) else ""


def numbers_of(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(map(numbers_of, value.values()))
    if isinstance(value, list):
        return " ".join(map(numbers_of, value))
    return value if type(value) is Number and re.fullmatch(r"-?\d+", value) else ""


def depth_of(line: bytes) -> int:
    """The deepest nesting, brackets in strings left out; of what is no JSON some number."""
    depth, deepest, in_string, escaped = 0, 0, False, False
    for byte in line:
        if in_string:
            in_string = escaped or byte != 0x22
            escaped = byte == 0x5C and not escaped
            continue
        in_string = byte == 0x22
        depth += (byte in b"[{") - (byte in b"]}")
        deepest = max(deepest, depth)
    return deepest


def got(line: bytes) -> Any:
    connection = Connection("server", LIMITS)
    events = [*connection.receive_data(line + b"\n"), *connection.receive_eof()]
    assert isinstance(events.pop(), Closed)
    for event in events:
        if isinstance(event, RequestReceived):
            assert encode_result(event.id, {})
            return "request", event.id
        if isinstance(event, Refused) and event.reply:
            reply = msgspec.json.decode(event.reply)
            return reply["error"]["code"], reply["id"]
    return None


def test_each_mutation_gets_what_is_due() -> None:
    seed = seed_of_the_commit()
    print(f"seed {seed}")
    dice = random.Random(seed)
    lines = [mutated(dice) for _ in range(COUNT)]
    wrong = [(line, expected, found) for line in lines if (expected := due(line)) != (found := got(line))]

    assert wrong == []


@pytest.mark.parametrize("line", SEEDS)
def test_the_independent_reading_agrees_on_what_is_whole(line: bytes) -> None:
    assert due(line) == got(line)


def test_the_dice_reach_every_outcome() -> None:
    """So that the test above can fail: a seed that only breaks the syntax would prove little."""
    dice = random.Random(1)
    outcomes = {outcome if outcome is None else outcome[0] for outcome in (due(mutated(dice)) for _ in range(COUNT))}

    assert outcomes == {None, "request", -32700, -32600}
