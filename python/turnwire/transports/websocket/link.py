"""An open WebSocket as a transport, of either side: frames to messages, messages to frames, and the end with its code.

What came before a close is handled before it is answered, so that what can be answered at once still is.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import cast

from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import SEND_EOF, Protocol, Side, State

from turnwire.events import CloseReason
from turnwire.transports.base import Receiver, SlowReader
from turnwire.transports.pressure import Pressure

__all__ = ["PING_SECONDS", "Link"]

PING_SECONDS = 30.0
"""How often each side asks whether the other is still there (WS-6)."""

# How long the other side may take to hear a close, and to close in its turn.
_LINGER_SECONDS = 5.0
# Pongs are owed to whoever sends pings, so who does not read them is read no further beyond this. It is well above
# where asyncio says that the output is full, so that it says again that it is not.
_OWED_BYTES = 256 * 1024


class Link(asyncio.Protocol):
    """One WebSocket after its upgrade. It holds what comes until it is started.

    Its own close says 1001 for a server, which goes away, and 1000 for a client, which is done.
    """

    def __init__(
        self,
        protocol: Protocol,
        tcp: asyncio.Transport,
        *,
        ping_seconds: float = PING_SECONDS,
        on_gone: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_gone` is called when nothing is left of the socket, which may be after the receiver heard of its end."""
        is_client = protocol.side is Side.CLIENT
        self.slow_reader: SlowReader = "pause" if is_client else "close"
        self._goodbye = CloseCode.NORMAL_CLOSURE if is_client else CloseCode.GOING_AWAY
        self._masks = is_client
        self._protocol = protocol
        self._tcp = tcp
        self._ping_seconds = ping_seconds
        self._on_gone = on_gone
        self._loop = asyncio.get_running_loop()
        self._receiver: Receiver | None = None
        self._pressure: Pressure | None = None
        self._out: list[bytes] = []
        self._corked = False
        # The beginning of a message that comes in several frames.
        self._begun = bytearray()
        # Whether a close has gone out or come in: nothing is sent or heard any more.
        self._ended = False
        self._gone = False
        # Whether anything has come since the last ping.
        self._heard = True
        # Who wants nothing to be read now: the receiver; and this side, which owes pongs to one who reads none.
        self._is_paused = False
        self._is_stalled = False
        self._timer: asyncio.TimerHandle | None = None
        tcp.pause_reading()
        tcp.set_protocol(self)

    @property
    def close_told(self) -> str | None:
        """With which code and reason the other side has closed; None where it has not."""
        told = self._protocol.close_rcvd
        return None if told is None else f"{told.code}{f' ({told.reason})' if told.reason else ''}"

    async def start(self, receiver: Receiver) -> None:
        """See `Transport.start`."""
        self._receiver = receiver
        self._pressure = Pressure(receiver)
        if self._gone:
            self._loop.call_soon(self._pressure.connection_lost, None)
            return
        self._timer = self._loop.call_later(self._ping_seconds, self._beat)
        self._tcp.resume_reading()
        # What came with the upgrade.
        self._loop.call_soon(self._take_all)

    def write(self, lines: Sequence[bytes]) -> None:
        """See `Transport.write`."""
        if not self._ended:
            self._out += [Frame(Opcode.TEXT, line).serialize(mask=self._masks) for line in lines]
            self._flush()

    def pause_reading(self) -> None:
        """See `Transport.pause_reading`."""
        self._is_paused = not self._ended
        self._mind_reading()

    def resume_reading(self) -> None:
        """See `Transport.resume_reading`."""
        self._is_paused = False
        self._mind_reading()

    def close(self) -> None:
        """See `Transport.close`."""
        self._say_goodbye(self._goodbye, "")

    def abort(self, reason: CloseReason) -> None:
        """See `Transport.abort`. WS-4: a slow reader is told 1013 behind what is on its way to it; what it has not
        read by the second call is lost."""
        if reason == "slowReader" and not self._ended:
            self._say_goodbye(CloseCode.TRY_AGAIN_LATER, "slow reader")
        else:
            self._tcp.abort()

    # What follows is the asyncio.Protocol of the socket.

    def data_received(self, data: bytes) -> None:
        """Some bytes, cut anywhere."""
        self._heard = True
        self._protocol.receive_data(data)
        self._take_all()

    def eof_received(self) -> None:
        """The other side sends no more, with or without a close; asyncio closes when what is written has gone out."""
        self._protocol.receive_eof()
        self._take_all()

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is closed."""
        self._gone = self._ended = True
        self._on_gone()
        if self._timer is not None:
            self._timer.cancel()
        if self._pressure is not None:
            self._pressure.connection_lost(exc)

    def pause_writing(self) -> None:
        """The other side reads slowly."""
        if self._pressure is not None:
            self._pressure.pause_writing()

    def resume_writing(self) -> None:
        """It has read."""
        self._is_stalled = False
        self._mind_reading()
        if self._pressure is not None:
            self._pressure.resume_writing()

    def _take_all(self) -> None:
        """Hand on what has come; all answers that are given at once leave in one write, before a close does."""
        if self._receiver is None or self._gone:
            return
        frames, behind = self._protocol.events_received(), self._protocol.data_to_send()
        self._corked = True
        for frame in frames:
            if self._ended:
                break
            self._take(cast(Frame, frame))
        self._corked = False
        self._out += behind
        self._flush()
        if behind and self._tcp.get_write_buffer_size() > _OWED_BYTES:
            self._is_stalled = True
            self._mind_reading()
        if self._protocol.state is not State.OPEN and not self._ended:
            self._be_lost()

    def _take(self, frame: Frame) -> None:
        if frame.opcode is Opcode.BINARY:
            self._fail(CloseCode.UNSUPPORTED_DATA, "a message is a text frame")
        elif frame.opcode in (Opcode.TEXT, Opcode.CONT):
            if frame.fin and not self._begun:
                self._hand_on(bytes(frame.data))
                return
            self._begun += frame.data
            if frame.fin:
                message, self._begun = bytes(self._begun), bytearray()
                self._hand_on(message)

    def _hand_on(self, message: bytes) -> None:
        assert self._receiver is not None, "nothing is taken before the start"
        if _is_utf8(message):
            self._receiver.message_received(message)
        else:
            self._fail(CloseCode.INVALID_DATA, "a message is UTF-8")

    def _fail(self, code: CloseCode, reason: str) -> None:
        """End a connection whose other side does what it must not; what it sends from here on is read over."""
        self._protocol.fail(code, reason)
        self._be_lost()

    def _be_lost(self) -> None:
        """The end has come from the other side, and nothing can be written; the socket follows by itself."""
        self._linger()
        if self._pressure is not None:
            self._pressure.connection_lost(None)

    def _say_goodbye(self, code: CloseCode, reason: str) -> None:
        if self._ended:
            return
        self._linger()
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(code, reason)
        self._flush()

    def _linger(self) -> None:
        self._ended = True
        # The close of the other side is still to come, or its end.
        self.resume_reading()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(_LINGER_SECONDS, self._tcp.abort)

    def _mind_reading(self) -> None:
        if self._is_paused or self._is_stalled:
            self._tcp.pause_reading()
        else:
            self._tcp.resume_reading()

    def _beat(self) -> None:
        if not self._heard:
            self._tcp.abort()
            return
        self._heard = False
        self._protocol.send_ping(b"")
        self._flush()
        self._timer = self._loop.call_later(self._ping_seconds, self._beat)

    def _flush(self) -> None:
        if self._corked:
            return
        out, self._out = self._out + self._protocol.data_to_send(), []
        data = b"".join(out)
        if data:
            self._tcp.write(data)
        if SEND_EOF in out:
            self._send_eof()

    def _send_eof(self) -> None:
        """Where both sides have said that they close, nothing is on its way. Otherwise say that no more comes, and read
        on, since to close at once could cut off what was written."""
        has_all = self._protocol.close_sent is not None and self._protocol.close_rcvd is not None
        if has_all or not self._tcp.can_write_eof():
            self._tcp.close()
        else:
            self._tcp.write_eof()


def _is_utf8(message: bytes) -> bool:
    if message.isascii():
        return True
    try:
        message.decode()
    except UnicodeDecodeError:
        return False
    return True
