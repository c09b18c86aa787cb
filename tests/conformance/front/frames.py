"""The frames of a server: how one is written, and how those of a client are cut out of what comes."""

from typing import NamedTuple

from e2e.ws_raw import BINARY, CLOSE, CONT, PING, PONG, TEXT, frame

__all__ = ["BINARY", "CLOSE", "CONT", "PING", "PONG", "TEXT", "Frame", "cut", "head_of", "written"]


class Frame(NamedTuple):
    """One frame of a client, with everything that may be wrong with it."""

    opcode: int
    payload: bytes
    is_last: bool
    is_masked: bool
    reserved: int


def written(opcode, payload=b"", *, is_last=True, is_masked=False):
    """One frame; masked only by a server that is broken."""
    return frame(opcode, payload, fin=is_last, masked=is_masked)


def head_of(buffer):
    """Opcode, announced length and where the payload begins; None until the head is whole."""
    if len(buffer) < 2:
        return None
    form = buffer[1] & 0x7F
    more = {126: 2, 127: 8}.get(form, 0)
    start = 2 + more + (4 if buffer[1] & 0x80 else 0)
    if len(buffer) < start:
        return None
    size = int.from_bytes(buffer[2 : 2 + more], "big") if more else form
    return buffer[0] & 0x0F, size, start


def cut(buffer, size, start):
    """The frame at the beginning of a buffer, taken out of it; None until it is whole."""
    if len(buffer) < start + size:
        return None
    payload = bytes(buffer[start : start + size])
    first, is_masked = buffer[0], bool(buffer[1] & 0x80)
    if is_masked:
        key = (bytes(buffer[start - 4 : start]) * (size // 4 + 1))[:size]
        payload = (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")
    del buffer[: start + size]
    return Frame(first & 0x0F, payload, bool(first & 0x80), is_masked, first & 0x70)
