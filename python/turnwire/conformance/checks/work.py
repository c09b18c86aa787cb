"""Our own methods, called by name on one connection: what checks of behaviour ask for, and what they take from it.

Prompts are scripts of `protocol/clauses/script.md`. A server that promises no script is not judged by these checks,
and one that does not offer what they are about is none of their business.
"""

import contextlib
import signal
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from turnwire.conformance.checks.expect import error_of, own_messages, succeeded
from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.probe import Probe
from turnwire.conformance.subject import Subject
from turnwire.conformance.trace import Frame
from turnwire.conformance.turns import Turn, is_scripted

__all__ = [
    "EVERYONE",
    "Lives",
    "Work",
    "first_note",
    "lives",
    "numbered",
    "same",
    "shared",
    "text",
    "unscripted",
    "work",
]

# THR-15: what "goes to every initialized connection"; every other notification goes to subscribers only.
EVERYONE = frozenset(
    {"thread/started", "thread/archived", "thread/unarchived", "thread/deleted", "thread/status/changed"}
)
# Others may have started threads in the same home; a list that long is endless all the same.
MOST_PAGES = 1000
SHOWN = 160
# A tick of the usual clock. Each pause is twice the one before it, so that a coarser clock is waited for too.
FIRST_PAUSE = 0.001


class Work:
    """One connection and what is asked on it."""

    def __init__(self, subject: Subject, probe: Probe) -> None:
        self.subject = subject
        self.probe = probe

    def limit(self, name: str) -> int | None:
        """A bound that the server states, None where it states none."""
        value = pick(self.subject.facts.result, f"/limits/{name}")
        return value if type(value) is int else None

    def ask(self, method: str, **params: Any) -> Frame:
        """Send a request and take its reply."""
        return self.probe.call(method, params)

    def result(self, method: str, **params: Any) -> Any:
        """Send a request and take its result.

        Raises:
            Unmet: it is answered otherwise.
        """
        return succeeded(self.ask(method, **params), to=method)

    def refused(self, condition: str, method: str, why: str, /, **params: Any) -> str | None:
        """Send a request that must be refused for this condition; a note when its code is lawful but unusual.

        Raises:
            Unmet: it is answered otherwise.
        """
        return error_of(self.subject, self.ask(method, **params), condition, to=f"{method} {why}")

    def thread(self, **members: Any) -> str:
        """Start a thread and return its id.

        Raises:
            NotExercised: none could be started.
        """
        reply = self.ask("thread/start", **members)
        identifier = pick(reply.result, "/thread/id")
        if not isinstance(identifier, str):
            raise NotExercised(f"no thread could be started: thread/start was answered {reply}")
        return identifier

    def start(self, thread: str, *lines: str, **members: Any) -> Turn:
        """Start a turn that carries out these lines.

        Raises:
            NotExercised: none could be started.
        """
        mark = len(self.probe.arrived)
        wanted = members if "resume" in members else {"input": text(*lines), **members}
        reply = self.ask("turn/start", threadId=thread, **wanted)
        if "result" not in reply.value:
            raise NotExercised(f"no turn could be started: turn/start was answered {reply}")
        return Turn(self.subject, self.probe, thread, mark, reply.result)

    def play(self, thread: str, *lines: str, **members: Any) -> Turn:
        """Start such a turn and wait for its end.

        Raises:
            NotExercised: none could be started, or it does not end.
        """
        turn = self.start(thread, *lines, **members)
        turn.wait()
        return turn

    def walk(self, method: str, **params: Any) -> list[Any]:
        """Everything in a list, page after page.

        Raises:
            Unmet: a page is refused or is none, or there is no end of them.
        """
        found: list[Any] = []
        for _ in range(MOST_PAGES):
            page = self.result(method, **params)
            data = pick(page, "/data")
            if not isinstance(data, list):
                raise Unmet(f"a list at /data in the result of {method}", repr(page)[:SHOWN])
            found += data
            cursor = pick(page, "/nextCursor")
            if cursor is None:
                return found
            params["cursor"] = cursor
        raise Unmet(f"an end of {method}", f"a cursor after each of {MOST_PAGES} pages")

    def items(self, thread: str) -> list[Any]:
        """The items of a thread, in the order of the record."""
        return self.walk("thread/items/list", threadId=thread, direction="ascending")

    def turns(self, thread: str) -> list[Any]:
        """The turns of a thread, in the order of the record."""
        return self.walk("thread/turns/list", threadId=thread, direction="ascending")

    def told(self, method: str, thread: str, since: int = 0) -> list[Any]:
        """The params of the notifications with this method about this thread, since a mark in `probe.arrived`."""
        return [frame.value.get("params") for frame in self.probe.heard(method, since) if _is_of(frame, thread)]

    def wait_told(self, method: str, thread: str, since: int = 0) -> Any:
        """The params of the first such notification, for which it waits.

        Raises:
            Unmet: none comes.
        """
        patience = self.subject.target.timeouts.reply
        found = self.probe.wait_for(lambda: self.told(method, thread, since) or None, patience)
        if not found:
            raise Unmet(f"{method} of {thread}", f"none within {patience:g} s")
        return found[0]

    def changed_after(self, thread: str, others: Sequence[str]) -> bool:
        """Change a thread until its time is beyond that of others: within a tick ids decide. Whether it came so far."""
        latest = max(self._changed_at(other) for other in others)
        patience, pause = self.subject.target.timeouts.reply, FIRST_PAUSE
        while pause <= patience:
            # A title that it has already would be no change.
            self.result("thread/update", threadId=thread, title=f"changed, {pause:g} s later")
            if self._changed_at(thread) > latest:
                return True
            self.probe.listen(pause)
            pause *= 2
        return False

    def _changed_at(self, thread: str) -> int:
        at = pick(self.result("thread/read", threadId=thread), "/thread/updatedAt")
        if type(at) is not int:
            raise Unmet("a number at /thread/updatedAt in the result of thread/read", repr(at))
        return at

    def settle(self) -> None:
        """Let everything arrive that was on its way."""
        self.probe.barrier()
        self.probe.collect()

    def place(self, frame: Frame) -> int:
        """Where a frame stands in the conversation."""
        return next(index for index, one in enumerate(self.probe.trace.frames) if one is frame)


class Lives:
    """One server in several processes, one after the other, on one scratch directory."""

    def __init__(self, subject: Subject, scratch: Path) -> None:
        self.subject = subject
        self.scratch = scratch

    def begin(self, *answers: str) -> Work:
        """Start the next process, as a client that answers these requests."""
        return Work(self.subject, self.subject.session(_declaring(self.subject, answers), scratch=self.scratch))

    def kill(self, ended: Work) -> None:
        """End a process as a power cut would: it learns nothing of it."""
        ended.probe.process.signal(signal.SIGKILL)
        ended.probe.process.wait_exit(self.subject.target.timeouts.exit)

    def stop(self, ended: Work) -> None:
        """End a process by the end of its input, and wait for it."""
        ended.probe.process.close_input()
        ended.probe.process.wait_exit(self.subject.target.timeouts.exit)
        ended.probe.listen(0.0)


def work(subject: Subject, *capabilities: str, answers: Sequence[str] = ()) -> Work:
    """A process of its own with an agent that obeys a script, as a client that answers these requests.

    Raises:
        NotApplicable: another contract, or the server does not offer one of the capabilities.
        NotExercised: it promises no script, or no session can be opened.
    """
    _demand(subject, capabilities)
    return Work(subject, subject.session(_declaring(subject, answers)))


def shared(subject: Subject, *capabilities: str) -> Work:
    """The session that checks share, with an agent that obeys a script.

    Raises:
        NotApplicable: another contract, or the server does not offer one of the capabilities.
        NotExercised: it promises no script.
    """
    _demand(subject, capabilities)
    return Work(subject, subject.probe)


def unscripted(subject: Subject, *capabilities: str) -> Work:
    """The session that checks share, with any agent: no turn is needed.

    Raises:
        NotApplicable: another contract, or the server does not offer one of the capabilities.
    """
    own_messages(subject)
    _demand_offered(subject, ("threads", *capabilities))
    return Work(subject, subject.shared or subject.session())


@contextlib.contextmanager
def lives(subject: Subject, *capabilities: str) -> Iterator[Lives]:
    """A server that can be started again on what it has recorded.

    Raises:
        NotApplicable: it says no fsync policy, so it promises no record (REC-3); or it does not offer a capability;
            or it is there already.
        NotExercised: it promises no script.
    """
    _demand(subject, capabilities)
    if subject.target.address is not None:
        raise NotApplicable("the server is connected to, so it is not the judge's to end and start again")
    if not isinstance(pick(subject.facts.result, "/limits/fsync"), str):
        raise NotApplicable("the server states no limits.fsync, so it keeps no record beyond its process")
    with subject.shared_state() as scratch:
        yield Lives(subject, scratch)
        # Before the directory goes, those that write to it have to.
        subject.close()


def text(*lines: str) -> list[dict[str, str]]:
    """Input that is a script of these lines."""
    return [{"type": "text", "text": "\n".join(lines)}]


def numbered(thread: str, frames: Sequence[Frame]) -> list[tuple[Any, str, Any]]:
    """The recorded notifications of a thread: number, method, params."""
    return [
        (seq, frame.method, frame.value["params"])
        for frame in frames
        if _is_of(frame, thread) and (seq := pick(frame.value, "/params/seq")) is not None
    ]


def same(wanted: Any, found: Any, what: str) -> None:
    """Compare by value.

    Raises:
        Unmet: they differ; `what` says of what both are.
    """
    if wanted != found:
        raise Unmet(f"{what}: {_shown(wanted)}", _shown(found))


def first_note(*notes: str | None) -> str | None:
    """The first of the notes that says something."""
    return next((note for note in notes if note), None)


def _is_of(frame: Frame, thread: str) -> bool:
    return thread in (pick(frame.value, "/params/threadId"), pick(frame.value, "/params/thread/id"))


def _shown(value: Any) -> str:
    words = repr(value)
    return words if len(words) <= SHOWN else f"{words[:SHOWN]}…"


def _demand(subject: Subject, capabilities: Sequence[str]) -> None:
    own_messages(subject)
    if not is_scripted(subject):
        raise NotExercised("the server declares no agent that obeys a script")
    _demand_offered(subject, ("threads", "turns", *capabilities))


def _demand_offered(subject: Subject, capabilities: Sequence[str]) -> None:
    for capability in capabilities:
        if capability not in subject.capabilities:
            raise NotApplicable(f"the server does not offer {capability}")


def _declaring(subject: Subject, answers: Sequence[str]) -> Mapping[str, Any]:
    params = subject.profile.handshake.params
    return {**params, "capabilities": {**params.get("capabilities", {}), **dict.fromkeys(answers, True)}}
