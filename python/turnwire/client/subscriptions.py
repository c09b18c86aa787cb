"""Which threads a client hears of, and the last event that it heard of each: what a new connection must resume."""

from typing import Any

import msgspec
from msgspec import UNSET

from turnwire.wire import ThreadResumeParams

__all__ = ["Subscriptions"]

# Threads that others started are announced to every connection; so many are remembered, in case they become ours.
_REMEMBERED = 1000
_SUBSCRIBING = ("thread/start", "thread/fork", "thread/resume")


class _Named(msgspec.Struct):
    id: str


class _Told(msgspec.Struct, rename="camel"):
    """What every notification of a thread says: which, by its id or as a whole, and the number of the event."""

    thread_id: str | None = None
    thread: _Named | None = None
    seq: int | None = None


_look = msgspec.json.Decoder(_Told).decode


class Subscriptions:
    """The threads of one client, over all its connections."""

    def __init__(self) -> None:
        self._heard: dict[str, int] = {}
        # What each is resumed with beside its place (TOOL-1: tools are bound to the connection that declared them).
        self._tools: dict[str, Any] = {}
        # The last event of other threads: a notification may come before the response that subscribes.
        self._others: dict[str, int] = {}

    def resumptions(self) -> list[ThreadResumeParams]:
        """What resumes every thread where it was left."""
        return [
            ThreadResumeParams(thread_id=thread_id, after_seq=seq, dynamic_tools=self._tools.get(thread_id, UNSET))
            for thread_id, seq in self._heard.items()
        ]

    def drop(self, thread_id: str) -> None:
        """Forgets a thread."""
        for known in (self._heard, self._tools, self._others):
            known.pop(thread_id, None)

    def hear(self, method: str, params: bytes) -> None:
        """Takes a notification; an event counts as heard when it came."""
        try:
            told = _look(params)
        except msgspec.MsgspecError:
            # A fault of the server, which is told of elsewhere.
            return
        thread_id = told.thread.id if told.thread_id is None and told.thread is not None else told.thread_id
        if thread_id is None:
            return
        if method in ("thread/closed", "thread/deleted"):
            self.drop(thread_id)
        elif told.seq is not None:
            self._hear(thread_id, told.seq)

    def _hear(self, thread_id: str, seq: int) -> None:
        known = self._heard if thread_id in self._heard else self._others
        known[thread_id] = max(seq, known.get(thread_id, 0))
        if len(self._others) > _REMEMBERED:
            del self._others[next(iter(self._others))]

    def observe(self, method: str, params: Any, result: Any) -> None:
        """Takes the result of a request."""
        if method in _SUBSCRIBING:
            self._subscribe(result.thread.id, _place(method, params, result), params)
        elif method == "review/start":
            self._subscribe(result.review_thread_id, 0, params)
        elif method in ("thread/unsubscribe", "thread/delete"):
            self.drop(params.thread_id)

    def _subscribe(self, thread_id: str, seq: int, params: msgspec.Struct | None) -> None:
        # Notifications that came behind the response may have been heard before it is observed.
        heard = max(self._heard.get(thread_id, 0), self._others.pop(thread_id, 0))
        self._heard[thread_id] = max(seq, heard)
        tools = getattr(params, "dynamic_tools", UNSET)
        if tools is not UNSET:
            self._tools[thread_id] = tools


def _place(method: str, params: Any, result: Any) -> int:
    """The last event that needs no replay after this response."""
    if method == "thread/resume":
        # What is replayed is heard when it comes.
        place: int = result.seq if result.gap or params.after_seq is UNSET else params.after_seq
        return place
    # Of a new thread everything is notified from its first event on.
    return 0 if method == "thread/start" and result.replayed is not True else int(result.thread.seq)
