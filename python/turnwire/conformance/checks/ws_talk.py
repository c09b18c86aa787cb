"""What the checks of WebSockets share: the socket behind a conversation, and how it must end."""

from turnwire.conformance.checks.expect import succeeded
from turnwire.conformance.model import Unmet
from turnwire.conformance.probe import Probe
from turnwire.conformance.subject import Subject
from turnwire.conformance.websocket.address import Address
from turnwire.conformance.websocket.connection import Closing, Connection

__all__ = ["address_of", "closed", "lives_on", "socket_of"]


def address_of(subject: Subject) -> Address:
    """Where the server listens."""
    address = subject.target.address
    assert address is not None, "checks of WebSockets run against a server that listens"
    return address


def socket_of(probe: Probe) -> Connection:
    """The connection that a conversation goes over, for frames of which its trace will know nothing."""
    assert isinstance(probe.process, Connection), "checks of WebSockets run over connections"
    probe.trace.lacks_frames = True
    return probe.process


def closed(probe: Probe, *codes: int, after: str) -> Closing:
    """Wait until the server closes with one of these codes.

    Raises:
        Unmet: it does not close, or with another code.
    """
    socket, patience = socket_of(probe), probe.process.target.timeouts.reply
    expected = f"a close with {' or '.join(map(str, codes))} after {after}"
    probe.listen_until(lambda: socket.closing is not None, patience)
    if socket.closing is None:
        raise Unmet(expected, f"none within {patience:g} s")
    if socket.closing.code not in codes:
        raise Unmet(expected, str(socket.closing))
    return socket.closing


def lives_on(subject: Subject, other: Probe, *, after: str) -> None:
    """Go on only if another connection is served as ever.

    Raises:
        Unmet: it is not.
    """
    succeeded(subject.perform(other, "noop"), to=f"a request on another connection after {after}")
