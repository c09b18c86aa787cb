"""The threads and turns of a server: what handlers work with. It is made when the first thread is asked for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import UNSET, UnsetType

from turnwire import wire
from turnwire.agents.base import AgentFailed, AgentUnsupported
from turnwire.errors import Refusal, agent_unsupported, host_error, not_found, shutting_down
from turnwire.server import queue
from turnwire.server.conversations import compact, conversation_of
from turnwire.server.headers import child_header
from turnwire.server.host import HostError, TurnRequest
from turnwire.server.hub import Listener
from turnwire.server.idempotency import Keys
from turnwire.server.ids import new_id, now_ms
from turnwire.server.opening import Opening, Resolved
from turnwire.server.recorded_keys import RecordedKeys
from turnwire.server.rules import Rules
from turnwire.server.state import ServerState
from turnwire.server.thread import LiveThread, Running
from turnwire.server.threads import Threads
from turnwire.server.turn import Surroundings, TurnRun
from turnwire.server.waiting import Requests
from turnwire.store.memory import MemoryStore
from turnwire.wire import TextPart, ThreadDeletedParams, Turn

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
        self.rules = Rules(state.store, self.threads)
        self.requests = Requests(state.hub, state.limits)
        recorded = RecordedKeys(state.store, self.threads)
        self.keys = Keys(recorded)
        self.deletions = recorded.deletions
        self.deletions.finish(self._delete_again)
        self._tasks: set[asyncio.Task[None]] = set()

    def subscribe(self, thread_id: str, listener: Listener) -> None:
        """The connection hears the thread from now on, and is asked what waits in it."""
        if self._state.hub.subscribe(thread_id, listener):
            self.requests.subscribed(thread_id, listener)

    def subscribe_again(self, thread_id: str, listener: Listener) -> None:
        """As `subscribe`, for a request that is repeated: its thread may have been deleted since, which changes nothing
        about what came of it."""
        try:
            with self.using(thread_id):
                self.subscribe(thread_id, listener)
        except Refusal:
            return

    def unsubscribe(self, thread_id: str, listener: Listener) -> bool:
        """The connection hears no more of it; whether the thread is unloaded now."""
        self._state.hub.unsubscribe(thread_id, listener)
        thread = self.threads.loaded(thread_id)
        if thread is not None:
            thread.client_tools.forget(listener)
        self.requests.gone(thread_id, listener)
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
        thread.users += 1
        try:
            yield thread
        finally:
            thread.users -= 1
            self.threads.unload(thread_id)

    async def resolve(self, request: TurnRequest) -> Resolved:
        """What the host says of a turn (HOST-1).

        Raises:
            Refusal: hostError, whatever went wrong in the host.
        """
        host = self._state.host
        try:
            return Resolved(
                agent=await host.resolve_agent(request),
                run_config=await host.build_run_config(request),
                budget=await host.budget(request),
                run_id=host.run_id(request),
            )
        except HostError as error:
            raise host_error(str(error), host_code=error.code) from error
        except Exception as error:
            # The host is foreign code, and its fault is an answer of the protocol, not of the server.
            raise self._failed("The host failed.", request.thread, error) from error

    async def open(self, thread: LiveThread, opening: Opening, *, hold: Callable[[], None]) -> Turn:
        """Starts a turn in a thread that is free for it. `hold` is called when the host has answered.

        Raises:
            Refusal: hostError, or what keeps the thread from taking the turn; nothing of it is recorded.
        """
        demand = thread.demand_ready if opening.resumes is None else thread.demand_resumable
        turn_id = thread.starting = thread.starting or new_id("turn")
        try:
            request = TurnRequest(
                thread=thread.header,
                turn_id=turn_id,
                input=opening.given,
                model=opening.model,
                principal=opening.principal,
            )
            found = await self.resolve(request)
        finally:
            thread.starting = None
        # The host took its time: what was lawful before may not be any more.
        if self._state.draining:
            raise shutting_down()
        demand()
        hold()
        turn = _new_turn(turn_id, thread, opening, found)
        host = self._state.host
        around = Surroundings(
            self.requests,
            self.rules,
            host.permits,
            host.files,
            host.traces,
            host.expose_errors,
            self._ended,
            self._delegate,
        )
        TurnRun(thread, turn, opening=opening, resolved=found, around=around)
        return turn

    async def compact(self, thread: LiveThread) -> str:
        """Lets the agent of a thread shorten what it is given of earlier turns (THR-14); the CompactOutcome.

        Raises:
            Refusal: agentUnsupported, hostError, or notFound where the thread went meanwhile.
        """
        found = await self.resolve(TurnRequest(thread=thread.header, turn_id=UNSET, input=()))
        conversation = conversation_of(thread, before=UNSET if thread.run is None else thread.run.turn_id)
        try:
            summary = await found.agent.compact(conversation, found.run_config)
        except AgentUnsupported as error:
            raise agent_unsupported(thread.header.agent, error.operation) from None
        except Exception as error:
            # The agent is foreign code; what was said before stays as it is.
            raise self._failed("The agent failed.", thread.header, error) from error
        if thread.going:
            raise not_found("thread", thread.id)
        shortened = summary is not None and compact(thread, conversation, summary)
        outcome = "compacted" if shortened else "unchanged"
        if thread.run is not None:
            thread.run.compacted(outcome)
        return outcome

    async def _delegate(self, parent: LiveThread, agent: str, task: str) -> Running:
        """See `Delegate`."""
        if all(known.id != agent for known in self._state.host.agents()):
            raise AgentFailed(f"There is no agent {agent}.", code="hostError")
        opening = Opening(given=[TextPart(text=task)])
        try:
            thread = await self.open_below(parent.header, agent, opening, hold=LiveThread.announce_start)
        except Refusal as refusal:
            raise AgentFailed(refusal.message, code="hostError") from refusal
        assert thread.run is not None, "it was opened in this very step"
        return thread.run

    def _failed(self, said: str, thread: wire.Thread, error: Exception) -> Refusal:
        """The answer for a fault of the host or the agent that nobody foresaw."""
        _log.error("%s for thread %s", said, thread.id, exc_info=error)
        return host_error(f"{error}" if self._state.host.expose_errors else said)

    def finish_deletion(self, key: str) -> None:
        """What was begun to be deleted under a key is gone when this returns, though its process died in between."""
        self.deletions.finish(self._delete_again, key=key)

    def delete(self, thread: LiveThread) -> None:
        """Announces the end of a thread in which nothing runs, and takes it away with all that waits in it."""
        thread.record("thread/deleted", ThreadDeletedParams(thread_id=thread.id, seq=thread.seq))
        self.requests.close(thread.deferred, "interrupted")
        self.threads.delete(thread)
        self.keys.forget(thread.id)
        if self._state.host.traces is not None:
            self._state.host.traces.forget(thread.id)

    async def open_below(
        self,
        parent: wire.Thread,
        agent: str,
        opening: Opening,
        *,
        hold: Callable[[LiveThread], None],
        key: str | UnsetType = UNSET,
    ) -> LiveThread:
        """As `open`, in a new thread below another one, which `hold` announces; nothing of it is left on a refusal."""
        thread = self.threads.create(child_header(parent, agent), key=key)
        try:
            await self.open(thread, opening, hold=lambda: hold(thread))
        except Refusal:
            self.threads.delete(thread)
            raise
        return thread

    def go_on(self, thread: LiveThread) -> None:
        """Starts the first of the turns that wait, where nothing keeps it from starting."""
        history = thread.history
        waits = history.queue and not history.queue_held
        if waits and thread.is_free and thread.is_open and not self._state.draining:
            # The place is taken at once, so that nobody starts a turn between two of the queue.
            thread.starting = new_id("turn")
            task = asyncio.get_running_loop().create_task(self._start_next(thread, queue.take_first(thread)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

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
        # What was recorded last is still to be told.
        await self._state.hub.gates.settled()

    def _ended(self, thread: LiveThread, turn: Turn | None) -> None:
        if turn is not None:
            queue.turn_ended(thread, turn.status)
            self.go_on(thread)
        self.threads.unload(thread.id)

    def _delete_again(self, thread_id: str) -> None:
        try:
            self.delete(self.threads.load(thread_id))
        except Refusal:
            _log.warning("thread %s was to be deleted, and another process holds it or it is damaged", thread_id)

    async def _start_next(self, thread: LiveThread, entry: wire.QueueEntry) -> None:
        opening = queue.opening_of(thread, entry)
        try:
            await self.open(thread, opening, hold=_nothing)
        except Refusal as refusal:
            if not thread.going:
                _log.warning("a turn that waited did not start: %s", refusal.message)
                queue.put_back(thread, entry)
                self.threads.unload(thread.id)


def _nothing() -> None:
    """Nobody waits for a reply before which something could go out."""


def _new_turn(turn_id: str, thread: LiveThread, opening: Opening, found: Resolved) -> Turn:
    return Turn(
        id=turn_id,
        thread_id=thread.id,
        status="running",
        input=list(opening.given) if opening.resumes is None else [],
        agent=thread.header.agent,
        model=opening.model,
        client_message_id=opening.client_message_id,
        run_id=UNSET if found.run_id is None else found.run_id,
        budget=UNSET if found.budget is None else found.budget,
        started_at=now_ms(),
        resumes=UNSET if opening.resumes is None else opening.resumes.id,
    )
