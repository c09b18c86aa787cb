"""The bytes of events: what a hash is of, and what verification says of bytes that are not what was stored."""

from hashlib import sha256

import msgspec
import pytest

from store.records import chain_of, event, first
from turnwire.store.base import StoredEvent
from turnwire.store.chain import GENESIS, PRUNED, BadEvent, Head, check, link, read, verify
from turnwire.wire import RecordEvent

ZEROS = "0" * 64
LAST = 74


def test_hash_is_of_the_bytes_before_it():
    line, head = link(GENESIS, first())

    assert line.endswith(b'"hash":"%b"}' % sha256(line[:-LAST]).hexdigest().encode())
    assert head == Head(1, sha256(line[:-LAST]).hexdigest())


def test_event_is_a_record_event_of_the_schema():
    stored = StoredEvent(2, 5, "turn/started", b'{"n":1}', trace="tr", idempotency_key="k")
    line, head = link(Head(1, "ab" * 32), stored)

    expected = RecordEvent(
        seq=2,
        prev="ab" * 32,
        at=5,
        type="turn/started",
        trace="tr",
        idempotency_key="k",
        payload={"n": 1},
        hash=head.hash,
    )
    assert expected == msgspec.json.decode(line, type=RecordEvent)
    assert list(msgspec.json.decode(line))[-1] == "hash"


@pytest.mark.parametrize(
    "stored",
    [
        StoredEvent(1, 5, "turn/started", b"{}"),
        StoredEvent(1, 5, "turn/started", '{"text":"\u2028 \U0001f600"}'.encode(), trace="t"),
        StoredEvent(1, 5, "_vendor/x", b'{"big":123456789012345678901234567890,"e":1e400}', idempotency_key="k"),
        StoredEvent(1, 5, "x", b'{"10":1,"9":2,"__proto__":{},"z":-0}'),
    ],
    ids=["empty", "text", "numbers", "keys"],
)
def test_event_is_read_as_it_was_given(stored):
    assert stored == read(link(GENESIS, stored).line)


def test_event_is_one_line_whatever_its_payload():
    line, _head = link(GENESIS, StoredEvent(1, 5, "x", b'{\n  "a": "\\n"\n}'))

    assert line.count(b"\n") == 0
    assert read(line).payload == b'{"a":"\\n"}'


def test_chain_is_good_to_its_end():
    lines = list(chain_of(20))
    verdict = verify(lines)

    assert (verdict.events, verdict.fault) == (20, None)
    assert verdict.head == Head(20, msgspec.json.decode(lines[-1])["hash"])


def test_nothing_is_a_good_record():
    assert verify([]) == (0, GENESIS, None)


def without(lines: list[bytes], at: int) -> list[bytes]:
    return lines[:at] + lines[at + 1 :]


def replaced(lines: list[bytes], at: int, line: bytes) -> list[bytes]:
    return [*lines[:at], line, *lines[at + 1 :]]


GOOD = list(chain_of(6))
OTHER = list(chain_of(6, "t2"))
FORGED = link(Head(2, ZEROS), event(3)).line


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (without(GOOD, 2), "line 3, event 4: its `prev` is not the hash of the event before"),
        (without(GOOD, 0), "line 1, event 2: its `prev` is not the hash of the event before"),
        ([*GOOD[:3], GOOD[2]], "line 4, event 3: its `prev` is not the hash of the event before"),
        (GOOD[:3] + OTHER[3:], "line 4, event 4: its `prev` is not the hash of the event before"),
        (replaced(GOOD, 2, FORGED), "line 3, event 3: its `prev` is not the hash of the event before"),
        (
            replaced(GOOD, 2, GOOD[2].replace(b'"n":3', b'"n":4')),
            "line 3, event 3: its bytes are not those that its hash was made of",
        ),
        (replaced(GOOD, 2, b"{}"), "line 3, after event 2: does not end with the member `hash`"),
        (replaced(GOOD, 2, GOOD[2] + b" "), "line 3, after event 2: does not end with the member `hash`"),
        (replaced(GOOD, 2, GOOD[2][1:]), "line 3, after event 2: is no event: Expected `object`, got `str`"),
        (replaced(GOOD, 2, b"[" * 100_000 + GOOD[2]), "line 3, after event 2: is no event"),
        ([link(GENESIS, StoredEvent(1, 1, "x", b"[]")).line], "line 1, event 1: its payload is no object"),
        ([*GOOD[:2], link(verify(GOOD[:2]).head, event(2)).line], "line 3, event 2: its number is not beyond 2"),
    ],
)
def test_first_bad_event_is_named(lines, fault):
    found = str(verify(lines).fault)

    assert found[: len(fault)] == fault


def pruned(seq: int, hash_: str) -> bytes:
    payload = msgspec.json.encode({"seq": seq, "hash": hash_})
    return link(GENESIS, StoredEvent(seq, 1, PRUNED, payload)).line


def test_pruned_event_stands_for_those_before_it():
    lines = [pruned(3, verify(GOOD[:3]).head.hash), *GOOD[3:]]

    assert verify(lines) == (4, verify(GOOD).head, None)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([pruned(3, ZEROS), *GOOD[3:]], "line 2, event 4: its `prev` is not the hash of the event before"),
        ([*GOOD, link(verify(GOOD).head, StoredEvent(7, 1, PRUNED, b"{}")).line], "line 7, event 7: stands for pruned"),
        ([link(GENESIS, StoredEvent(3, 1, PRUNED, b"{}")).line], "line 1, event 3: does not say what was pruned"),
    ],
)
def test_pruned_event_is_checked_too(lines, fault):
    found = str(verify(lines).fault)

    assert found[: len(fault)] == fault


@pytest.mark.parametrize("position", range(0, len(GOOD[2]), 3))
def test_each_changed_byte_is_felt(position):
    changed = bytearray(GOOD[2])
    changed[position] ^= 1

    with pytest.raises(BadEvent):
        check(verify(GOOD[:2]).head, bytes(changed))
