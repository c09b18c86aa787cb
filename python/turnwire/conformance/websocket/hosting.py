"""A server that the judge starts and then connects to: one process for the whole run, ended with all that it started.

`{port}` in its words, its environment and the URL is a port that was free a moment ago.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import msgspec

from turnwire.conformance.model import TargetFault
from turnwire.conformance.target import Process, Target
from turnwire.conformance.websocket.address import Address, ask, connect, new_key, upgrade_request

__all__ = ["Hosted", "hosted", "start_hosted"]

# How often it is looked whether a server listens by now.
LOOK_SECONDS = 0.02
UNAVAILABLE = 503


class Hosted:
    """One process of a server that listens, kept drained by a thread, so that its logs hold it up nowhere."""

    def __init__(self, target: Target) -> None:
        """Start it.

        Raises:
            TargetFault: it cannot be started.
        """
        self.process = Process(target)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._drain, name="turnwire-check-drain", daemon=True)
        self._thread.start()

    def wait_ready(self, address: Address) -> None:
        """Wait until something at the address answers, and not that it has no time yet.

        Raises:
            TargetFault: it ends, or does not answer in time.
        """
        seconds = self.process.target.timeouts.start
        deadline = time.monotonic() + seconds
        fault = ""
        while time.monotonic() < deadline:
            if self.process.is_over():
                ending = self.process.ending()
                raise TargetFault(f"target not reached: {ending} and listened nowhere{self._last_words()}")
            try:
                request = upgrade_request(address, new_key(), (*address.ticket, *address.offer))
                answer = ask(address, request, max(LOOK_SECONDS, deadline - time.monotonic()))
            except TargetFault as reason:
                fault = str(reason)
            else:
                if answer.status != UNAVAILABLE:
                    return
                fault = f"target not reached: {address.url} answers {answer}"
            time.sleep(LOOK_SECONDS)
        raise TargetFault(f"{fault}; it was started {seconds:g} s ago{self._last_words()}")

    def stop(self) -> None:
        """End it, its group and whatever else it started."""
        self._is_over.set()
        self._thread.join()
        self.process.stop()

    def _drain(self) -> None:
        with contextlib.suppress(TargetFault):  # it floods: from here on it waits, as it would for any reader
            while not self._is_over.is_set():
                self.process.pump(0.05)
                self.process.take_output()

    def _last_words(self) -> str:
        return f"; stderr ends: {self.process.stderr[-1]}" if self.process.stderr else ""


@contextlib.contextmanager
def hosted(target: Target) -> Iterator[Target]:
    """The target as one that is there: started from its command where it has one, until the block ends.

    Raises:
        TargetFault: it does not start, or does not listen in time, or somebody else listens there.
    """
    if target.address is None or not target.argv:
        yield target
        return
    target, server = start_hosted(target)
    try:
        yield target
    finally:
        server.stop()


def start_hosted(target: Target) -> tuple[Target, Hosted]:
    """One more process of the server, which the caller stops, and the target with the port at which it listens.

    Raises:
        TargetFault: it does not start, or does not listen in time, or somebody else listens there.
    """
    assert target.address is not None, "only a server that listens is hosted"
    address = target.address.at(_free_port()) if target.address.has_any_port else target.address
    if _is_taken(address):
        raise TargetFault(f"target not started: somebody listens at {address.url} already; give it another port")
    target = msgspec.structs.replace(target, address=address)
    server = Hosted(target)
    try:
        server.wait_ready(address)
    except TargetFault:
        server.stop()
        raise
    return target, server


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def _is_taken(address: Address) -> bool:
    try:
        connect(address._replace(is_secure=False), 1.0).close()
    except TargetFault:
        return False
    return True
