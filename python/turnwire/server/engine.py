"""The threads and turns of a server: what handlers work with. It is made when the first thread is asked for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import UNSET

from turnwire import wire
from turnwire.agents.base import Agent
from turnwire.errors import host_error
from turnwire.server.approvals import Approvals
from turnwire.server.host import HostError, TurnRequest
from turnwire.server.hub import Listener
from turnwire.server.idempotency import Keys
from turnwire.server.run_context import Carried
from turnwire.server.state import ServerState
from turnwire.server.thread import LiveThread
from turnwire.server.threads import Threads
from turnwire.server.turn import TurnRun
from turnwire.store.memory import MemoryStore

__all__ = ["Engine", "engine_of"]

_log = logging.getLogger("turnwire.server")


def engine_of(state: ServerState) -> Engine:
    """The engine of a server, made on first use."""
    if state.work is None:
        state.work = Engine(state)
    assert isinstance(state.work, Engine), "nothing else makes the work of a server"
    return state.work


class Engine:
    """See `Work`."""

    def __init__(self, state: ServerState) -> None:
        self._state = state
        if state.store is None:
            state.store = MemoryStore()
        self.threads = Threads(state.store, state.hub)
        self.threads.recover()
        self.approvals = Approvals(state.hub, state.limits)
        self.keys = Keys()

    def subscribe(self, thread_id: str, listener: Listener) -> None:
        """The connection hears the thread from now on, and is asked what waits in it."""
        if self._state.hub.subscribe(thread_id, listener):
            self.approvals.subscribed(thread_id, listener)

    def unsubscribe(self, thread_id: str, listener: Listener) -> bool:
        """The connection hears no more of it; whether the thread is unloaded now."""
        self._state.hub.unsubscribe(thread_id, listener)
        self.approvals.gone(thread_id, listener)
        self.threads.unload(thread_id)
        return not self.threads.is_loaded(thread_id)

    def gone(self, listener: Listener, threads: list[str]) -> None:
        for thread_id in threads:
            self.unsubscribe(thread_id, listener)

    @contextmanager
    def using(self, thread_id: str) -> Iterator[LiveThread]:
        """The thread, loaded for as long as the block runs; then only if somebody listens or something runs.

        Raises:
            Refusal: notFound.
        """
        thread = self.threads.load(thread_id)
        try:
            yield thread
        finally:
            self.threads.unload(thread_id)

    async def resolve(self, request: TurnRequest) -> tuple[Agent, Any]:
        """Agent and run configuration for a turn (HOST-1).

        Raises:
            Refusal: hostError, whatever went wrong in the host.
        """
        host = self._state.host
        try:
            return await host.resolve_agent(request), await host.build_run_config(request)
        except HostError as error:
            raise host_error(str(error), host_code=error.code) from error
        except Exception as error:
            # The host is foreign code, and its fault is an answer of the protocol, not of the server.
            _log.exception("the host failed for thread %s", request.thread.id)
            raise host_error(f"{error}" if host.expose_errors else "The host failed.") from error

    def run(
        self,
        thread: LiveThread,
        turn: wire.Turn,
        agent: Agent,
        *,
        given: Sequence[wire.InputPart],
        run_config: Any,
        carried: Sequence[Carried] = (),
    ) -> TurnRun:
        """Records that the turn starts, and lets its agent begin."""
        return TurnRun(
            thread,
            turn,
            agent,
            given=given,
            run_config=run_config,
            carried=carried,
            approvals=self.approvals,
            expose_errors=self._state.host.expose_errors,
            ended=self._unload,
        )

    async def stop(self, thread: LiveThread, reason: str, *, within_ms: int) -> wire.Turn | None:
        """Interrupts what runs in the thread and waits for its end; None when it did not stop in time."""
        run = thread.run
        assert run is not None, "somebody saw it run in this very step"
        run.interrupt(reason)
        done, _ = await asyncio.wait((run.done,), timeout=within_ms / 1000)
        return run.done.result() if done else None

    async def settle(self, reason: str, *, grace_ms: int) -> None:
        runs = [thread.run for thread in self.threads.running() if thread.run is not None]
        if runs and grace_ms:
            await asyncio.wait([run.done for run in runs], timeout=grace_ms / 1000)
        left = [run for run in runs if not run.done.done()]
        for run in left:
            run.interrupt(reason)
        if left:
            within = self._state.limits.interrupt_ms
            await asyncio.wait([run.done for run in left], timeout=(0 if within is UNSET else within) / 1000)

    def _unload(self, thread: LiveThread) -> None:
        self.threads.unload(thread.id)
