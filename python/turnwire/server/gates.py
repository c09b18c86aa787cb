"""What must not be told before it is on the disk (REC-3): a gate for each thread, closed while its events are forced.

A slow disk keeps nobody waiting who does not wait for it: forcing runs beside the loop, and what is to be told of a
thread stands in line at its gate. One round of forcing is for all that was recorded before it began.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

from turnwire.store.base import Forcing, Store

__all__ = ["Act", "Failed", "Gates"]

Act = Callable[[OSError | None], None]
"""What waits at a gate: it is called in its turn, with the reason where what it waits for could not be forced."""

Failed = Callable[[OSError], None]
"""Hears that events could not be forced, before those who wait do."""


class Gates:
    """The closed gates of one server by thread; "" is the gate of what belongs to no thread."""

    def __init__(self) -> None:
        self._closed: dict[str, _Gate] = {}
        self._closings = 0

    def guard(self, store: Store, thread_id: str, failed: Failed) -> None:
        """Closes a gate if the store owes the disk something of the thread, until that is settled."""
        if not store.owes(thread_id):
            return
        self._closings += 1
        gate = self._closed.get(thread_id) or self._new_gate(thread_id)
        gate.close(lambda: store.force(thread_id), failed, self._closings)

    def mark(self) -> int:
        """This moment, for `closed_since`."""
        return self._closings

    def closed_since(self, mark: int) -> list[str]:
        """The gates that are closed for something that was recorded since a moment."""
        return [thread_id for thread_id, gate in self._closed.items() if gate.closing > mark]

    def pass_through(self, threads: Iterable[str], act: Act) -> None:
        """Acts when the gates of all these threads are open, behind whatever waits there: at once if they are.

        Until then none of these threads is passed through by anybody who comes later.
        """
        names = set(threads)
        if names.isdisjoint(self._closed):
            act(None)
            return
        waiting = _Waiting(act, len(names))
        for name in names:
            gate = self._closed.get(name)
            if gate is None:
                self._new_gate(name).hold(waiting)
            else:
                gate.add(waiting)

    @property
    def is_busy(self) -> bool:
        """Whether any gate is closed."""
        return bool(self._closed)

    def is_open(self, thread_id: str) -> bool:
        """Whether nobody waits for this thread."""
        return thread_id not in self._closed

    async def passing(self, thread_id: str) -> None:
        """Returns when what was recorded of the thread is on the disk, as far as the policy promises it.

        Raises:
            OSError: it could not be forced.
        """
        if self.is_open(thread_id):
            return
        passed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.pass_through([thread_id], lambda error: _settle(passed, error))
        await passed

    async def settled(self) -> None:
        """Returns when all that waits now has passed, or cannot pass any more."""
        passed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.pass_through(list(self._closed), lambda _error: _settle(passed, None))
        await passed

    def _new_gate(self, thread_id: str) -> "_Gate":
        gate = self._closed[thread_id] = _Gate(lambda: self._closed.pop(thread_id))
        return gate


class _Waiting:
    """It acts in its turn at the last of the gates where it waits, so that at none of them anybody overtakes it."""

    def __init__(self, act: Act, gates: int) -> None:
        self.act = act
        self.gates = gates
        self.stopped: list[_Gate] = []
        self.error: OSError | None = None


class _Gate:
    """One closed gate. A round is begun in the next step of the loop, so that it is for all of this step."""

    def __init__(self, opened: Callable[[], object]) -> None:
        # The number of the last closing.
        self.closing = 0
        self._opened = opened
        self._loop = asyncio.get_running_loop()
        # Those for whom the round is that is due or runs, and those for whom it comes too early.
        self._line: deque[_Waiting] = deque()
        self._later: deque[_Waiting] = deque()
        self._begin: Callable[[], Forcing] | None = None
        self._failed: Failed | None = None
        self._busy = False
        # Whether there is to be another round.
        self._again = False

    def close(self, begin: Callable[[], Forcing], failed: Failed, closing: int) -> None:
        self.closing = closing
        self._begin, self._failed = begin, failed
        if self._busy:
            self._again = True
        elif self._again is False:
            self._again = True
            self._loop.call_soon(self._round)

    def hold(self, waiting: _Waiting) -> None:
        """Closes the gate for one that waits at another."""
        self._busy = True
        self._line.append(waiting)
        self._advance()

    def add(self, waiting: _Waiting) -> None:
        (self._later if self._busy and self._again else self._line).append(waiting)

    def _round(self) -> None:
        assert self._begin is not None, "a gate is closed for something"
        self._again = False
        self._busy = True
        try:
            forcing = self._begin()
        except OSError as error:
            self._fail(error)
            return
        self._loop.run_in_executor(None, forcing).add_done_callback(self._forced)

    def _forced(self, done: asyncio.Future[None]) -> None:
        if done.cancelled():
            # The loop ends, and with it everybody who waits.
            return
        error = done.exception()
        if error is None:
            self._advance()
            return
        if not isinstance(error, OSError):
            raise error
        self._fail(error)

    def _fail(self, error: OSError) -> None:
        """Nobody behind an event that is lost may be told of a later one."""
        assert self._failed is not None, "a gate is closed for somebody"
        self._again = False
        self._line.extend(self._later)
        self._later.clear()
        for waiting in self._line:
            waiting.error = error
        self._failed(error)
        self._advance()

    def _advance(self) -> None:
        while self._line:
            waiting = self._line[0]
            if waiting.gates > 1:
                waiting.gates -= 1
                waiting.stopped.append(self)
                return
            self._line.popleft()
            waiting.act(waiting.error)
            for gate in waiting.stopped:
                gate._line.popleft()  # noqa: SLF001 - it stood first there too
                gate._loop.call_soon(gate._advance)  # noqa: SLF001
        self._busy = False
        if self._again:
            self._line, self._later = self._later, self._line
            self._round()
        else:
            self._opened()


def _settle(future: "asyncio.Future[None]", error: OSError | None) -> None:
    # Whoever waited may have been cancelled.
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
