"""What a transport and the peer behind it owe each other."""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from turnwire.events import CloseReason

__all__ = ["Receiver", "SlowReader", "Transport", "Witness"]

SlowReader: TypeAlias = Literal["pause", "close"]
"""LIM-4: what happens before a recorded message would be lost. `pause` reads no more; `close` ends the connection."""


class Receiver(Protocol):
    """Who hears a transport. Every call comes on the event loop's thread."""

    def data_received(self, chunk: bytes) -> None:
        """Some bytes of a stream, at least one, cut anywhere."""

    def message_received(self, message: bytes) -> None:
        """One whole message, from a transport that has frames."""

    def eof_received(self) -> None:
        """The other side sends no more; what is written may still reach it."""

    def hangup_received(self) -> None:
        """The other side sends no more, and there is still something to read, which is paused. It may come again."""

    def connection_lost(self, error: Exception | None) -> None:
        """Nothing can be written any more; the last call, after `close` too."""

    def pause_writing(self) -> None:
        """The other side reads slowly; what is written from here on waits in memory."""

    def resume_writing(self) -> None:
        """What was written has mostly gone out."""


class Transport(Protocol):
    """One connection, once."""

    slow_reader: SlowReader

    async def start(self, receiver: Receiver) -> None:
        """Begin to deliver. Raises OSError when the streams cannot be used."""

    def write(self, lines: Sequence[bytes]) -> None:
        """Send whole messages, which have no line end; a stream puts one after each, a frame needs none.

        After the connection is lost nothing happens.
        """

    def pause_reading(self) -> None:
        """Deliver nothing until `resume_reading`; idempotent."""

    def resume_reading(self) -> None:
        """Deliver again; idempotent."""

    def close(self) -> None:
        """Flush what was written, then close; `connection_lost` follows. Idempotent."""

    def abort(self, reason: CloseReason) -> None:
        """Close at once, with the status that the reason has where the transport knows one; unsent lines are lost."""


@runtime_checkable
class Witness(Protocol):
    """A transport that may know why the other side has gone."""

    async def last_words(self) -> list[str]:
        """Sentences for an error message; none where nothing is known."""
