"""The bytes of an event, and the chain that they are links of (REC-1).

An event is one line of compact JSON whose last 74 bytes are the member `hash`: the SHA-256 of all bytes before them.
`prev` is the hash of the event before. So a link is checked without a canonical form, and bytes are never made anew.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Raw, UnsetType

from turnwire.store.base import Head, StoredEvent

__all__ = [
    "GENESIS",
    "PRUNED",
    "BadEvent",
    "Fault",
    "Link",
    "Verdict",
    "check",
    "follow",
    "hash_of",
    "link",
    "read",
    "verify",
]

# What comes before the first event.
GENESIS = Head(0, "0" * 64)
# The event that stands for the events that were pruned before it; it can only be the first.
PRUNED = "record/pruned"

_MEMBER = b'"hash":"'
_HASH = 64
# `"hash":"` + 64 digits + `"}`
_SEAL = len(_MEMBER) + _HASH + 2


class Link(NamedTuple):
    """An event in its place: its bytes, without a line end, and where the record ends with it."""

    line: bytes
    head: Head


class BadEvent(ValueError):  # noqa: N818 - names what is bad
    """The bytes are not the event that belongs here. `seq` is the number that they give; None where they give none."""

    def __init__(self, what: str, seq: int | None = None) -> None:
        super().__init__(what)
        self.seq = seq


class Fault(NamedTuple):
    """The first bad event of a record: its line from 1, its number if it has one, what is wrong."""

    line: int
    seq: int | None
    after: int
    what: str

    def __str__(self) -> str:
        event = f"after event {self.after}" if self.seq is None else f"event {self.seq}"
        return f"line {self.line}, {event}: {self.what}"


class Verdict(NamedTuple):
    """What became of a verification: how many events are good, where they end, and what is wrong with the next."""

    events: int
    head: Head
    fault: Fault | None


class _Body(msgspec.Struct, frozen=True, kw_only=True):
    """RecordEvent without its hash; the order of the members is that of the stored bytes."""

    seq: int
    prev: str
    at: int
    type: str
    trace: str | UnsetType = UNSET
    idempotencyKey: str | UnsetType = UNSET  # noqa: N815 - the wire's word
    payload: Raw


class _Payload(msgspec.Struct, frozen=True):
    """What a pruned record says of its last pruned event."""

    hash: str


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Body).decode
_decode_pruned = msgspec.json.Decoder(_Payload).decode


def link(head: Head, event: StoredEvent) -> Link:
    """Makes the bytes of an event that comes after `head`. Nobody makes them a second time."""
    payload = event.payload
    if b"\n" in payload:
        # A line end between two tokens is lawful JSON, and would be two lines.
        payload = msgspec.json.format(payload, indent=-1)
    body = _Body(
        seq=event.seq,
        prev=head.hash,
        at=event.at,
        type=event.type,
        trace=event.trace,
        idempotencyKey=event.idempotency_key,
        payload=Raw(payload),
    )
    sealed = _encode(body)[:-1] + b","
    digest = sha256(sealed).hexdigest()
    return Link(b'%b"hash":"%b"}' % (sealed, digest.encode()), Head(event.seq, digest))


def read(line: bytes) -> StoredEvent:
    """The event that these bytes are, unchecked.

    Raises:
        BadEvent: they are no event.
    """
    body = _body(line)
    return StoredEvent(body.seq, body.at, body.type, bytes(body.payload), body.trace, body.idempotencyKey)


def hash_of(line: bytes) -> str:
    """The hash that the bytes of an event give, unchecked."""
    return line[-_HASH - 2 : -2].decode("latin-1")


def check(head: Head, line: bytes) -> Head:
    """Proves that these bytes are the event after `head`; returns where the record ends with it.

    Raises:
        BadEvent: they are not.
    """
    if len(line) <= _SEAL or line[-_SEAL : -_SEAL + len(_MEMBER)] != _MEMBER or not line.endswith(b'"}'):
        raise BadEvent("does not end with the member `hash`")
    body = _body(line)
    digest = sha256(line[:-_SEAL]).hexdigest()
    if digest.encode() != line[-_HASH - 2 : -2]:
        raise BadEvent("its bytes are not those that its hash was made of", body.seq)
    if body.prev != head.hash:
        raise BadEvent("its `prev` is not the hash of the event before", body.seq)
    if body.seq <= head.seq:
        raise BadEvent(f"its number is not beyond {head.seq}", body.seq)
    if body.type != PRUNED:
        return Head(body.seq, digest)
    if head != GENESIS:
        raise BadEvent("stands for pruned events and is not the first", body.seq)
    return Head(body.seq, _pruned_hash(body))


def follow(head: Head, lines: Iterable[bytes]) -> Iterator[Link]:
    """The links that these bytes are after `head`.

    Raises:
        BadEvent: one of them is not.
    """
    for line in lines:
        head = check(head, line)
        yield Link(line, head)


def verify(lines: Iterable[bytes]) -> Verdict:
    """Checks a record from its first event to the first that is bad, or to the end."""
    head = GENESIS
    good = 0
    for line in lines:
        try:
            head = check(head, line)
        except BadEvent as bad:
            return Verdict(good, head, Fault(good + 1, bad.seq, head.seq, str(bad)))
        good += 1
    return Verdict(good, head, None)


def _body(line: bytes) -> _Body:
    try:
        body = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadEvent(f"is no event: {error}") from None
    if memoryview(body.payload)[0] != ord("{"):
        raise BadEvent("its payload is no object", body.seq)
    return body


def _pruned_hash(body: _Body) -> str:
    try:
        return _decode_pruned(body.payload).hash
    except msgspec.DecodeError as error:
        raise BadEvent(f"does not say what was pruned: {error}", body.seq) from None
