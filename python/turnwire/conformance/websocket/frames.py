"""Frames of RFC 6455 as bytes: written lawful or not, read with every fault that a server can put into one."""

import os
import struct
from typing import NamedTuple

__all__ = [
    "BINARY",
    "CLOSE",
    "CONT",
    "PING",
    "PONG",
    "TEXT",
    "Frame",
    "FrameReader",
    "closing",
    "encode_frame",
    "masked",
]

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
# From here on opcodes are those of control frames, which are short and whole.
CONTROL = 8
CONTROL_BYTES = 125
TWO_BYTES, EIGHT_BYTES = 126, 127
KNOWN = frozenset({CONT, TEXT, BINARY, CLOSE, PING, PONG})


class Frame(NamedTuple):
    """One frame as it was read, unmasked."""

    opcode: int
    payload: bytes
    is_last: bool = True


def encode_frame(
    opcode: int, payload: bytes = b"", *, is_last: bool = True, is_masked: bool = True, reserved: int = 0
) -> bytes:
    """One frame of a client. `reserved` are bits of the first byte that belong to extensions."""
    first = (0x80 if is_last else 0) | reserved | opcode
    mask_bit = 0x80 if is_masked else 0
    size = len(payload)
    if size < TWO_BYTES:
        head = bytes([first, mask_bit | size])
    elif size < 1 << 16:
        head = bytes([first, mask_bit | TWO_BYTES]) + struct.pack("!H", size)
    else:
        head = bytes([first, mask_bit | EIGHT_BYTES]) + struct.pack("!Q", size)
    if not is_masked:
        return head + payload
    key = os.urandom(4)
    return head + key + masked(payload, key)


def masked(payload: bytes, key: bytes) -> bytes:
    """A payload under a mask, or freed of it."""
    size = len(payload)
    stretched = (key * (size // 4 + 1))[:size]
    return (int.from_bytes(payload) ^ int.from_bytes(stretched)).to_bytes(size)


def closing(code: int | None, reason: str = "") -> bytes:
    """The payload of a close; without a code it is empty."""
    return b"" if code is None else struct.pack("!H", code) + reason.encode()


class FrameReader:
    """Cuts what a server sends into frames, and keeps a sentence for each thing that RFC 6455 forbids it."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self._buffer = bytearray()
        # How many bytes there must be before it is worth looking again.
        self._wanted = 2

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that are whole with these bytes."""
        self._buffer += data
        frames = []
        while len(self._buffer) >= self._wanted and (frame := self._next()) is not None:
            frames.append(frame)
        return frames

    def _next(self) -> Frame | None:
        first, second = self._buffer[0], self._buffer[1]
        form, is_masked = second & 0x7F, bool(second & 0x80)
        length_bytes = {TWO_BYTES: 2, EIGHT_BYTES: 8}.get(form, 0)
        start = 2 + length_bytes + (4 if is_masked else 0)
        if len(self._buffer) < start:
            self._wanted = start
            return None
        size = int.from_bytes(self._buffer[2 : 2 + length_bytes]) if length_bytes else form
        if len(self._buffer) < start + size:
            self._wanted = start + size
            return None
        payload = bytes(self._buffer[start : start + size])
        if is_masked:
            payload = masked(payload, bytes(self._buffer[start - 4 : start]))
            self.faults.append("a masked frame")
        del self._buffer[: start + size]
        self._wanted = 2
        frame = Frame(first & 0x0F, payload, bool(first & 0x80))
        self._judge(frame, first & 0x70, form)
        return frame

    def _judge(self, frame: Frame, reserved: int, form: int) -> None:
        if reserved:
            self.faults.append("a frame with reserved bits")
        if frame.opcode not in KNOWN:
            self.faults.append(f"a frame with the opcode {frame.opcode}")
        if frame.opcode >= CONTROL and not frame.is_last:
            self.faults.append("a control frame in fragments")
        if frame.opcode >= CONTROL and form > CONTROL_BYTES:
            self.faults.append(f"a control frame of {len(frame.payload)} bytes")
        least = {TWO_BYTES: TWO_BYTES, EIGHT_BYTES: 1 << 16}.get(form, 0)
        if len(frame.payload) < least:
            self.faults.append("a length in more bytes than it needs")
