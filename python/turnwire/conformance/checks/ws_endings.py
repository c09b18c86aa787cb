"""How connections and servers end, and what of a turn outlasts which end (WS-3, WS-4, WS-8)."""

import copy
import signal

import msgspec

from turnwire.conformance.checks.expect import own_messages
from turnwire.conformance.checks.meanwhile import expect_still, meanwhile
from turnwire.conformance.checks.work import Work, numbered, same, work
from turnwire.conformance.checks.ws_talk import address_of, closed, socket_of
from turnwire.conformance.model import NotApplicable, NotExercised, TargetFault, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.probe import Probe
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import is_scripted, start_turn
from turnwire.conformance.websocket.address import ANY_PORT
from turnwire.conformance.websocket.connection import NO_CLOSE
from turnwire.conformance.websocket.hosting import start_hosted

__all__: list[str] = []

GOING_AWAY, TRY_AGAIN_LATER = 1001, 1013
# So long a turn says nothing between two words: it must not be over when the server hears that its starter has gone.
LEAVING_MS = 400
# Said by each turn twice, in pieces and whole: together well more than queues of output and the kernel hold.
PIECES, PIECE, FLOODS = 512, 16_384, 2
EVERYWHERE = "0.0.0.0"  # noqa: S104 - a server that obeys the clause does not listen there


@check("ws.disconnect-keeps-thread")
def disconnect_keeps_thread(subject: Subject) -> None:
    """A turn goes on when who started it has gone; others hear its end, and it is there for who comes back."""
    meanwhile(lambda pace: _leave(subject, max(pace, LEAVING_MS)))


def _leave(subject: Subject, pace: int) -> None:
    first, second = work(subject), work(subject)
    thread, alone = first.thread(), first.thread()
    second.result("thread/resume", threadId=thread)
    mark = len(second.probe.arrived)
    first.start(alone, f"slow 4 {pace}")
    first.start(thread, f"slow 4 {pace}")
    expect_still(second, thread, mark)
    first.probe.process.stop()
    end = second.wait_told("turn/completed", thread, mark)
    same("completed", pick(end, "/turn/status"), "the end of a turn whose starter has gone")
    back = work(subject)
    for left in (thread, alone):
        back.result("thread/resume", threadId=left)
        mark = len(back.probe.arrived)
        status = pick(back.turns(left)[-1], "/status")
        if status == "running":
            status = pick(back.wait_told("turn/completed", left, mark), "/turn/status")
        same("completed", status, "the status of the turn for who comes back")


@check("ws.shutdown-1001")
def shutdown_1001(subject: Subject) -> None:
    """A server that is told to end says what there is to say, and then closes with 1001."""
    own_messages(subject)
    if not subject.target.argv or not address_of(subject).has_any_port:
        raise NotApplicable("only a server that the judge starts at {port} can be started once more to be ended")
    target, server = start_hosted(subject.target)
    there = copy.copy(subject)
    there.target = target
    try:
        probe = there.session()
        turn = start_turn(there, probe, "slow") if is_scripted(there) else None
        probe.barrier()
        server.process.signal(signal.SIGTERM)
        probe.listen_until(lambda: socket_of(probe).closing is not None, there.stop_seconds())
        closed(probe, GOING_AWAY, after="SIGTERM")
        if turn and not turn.is_over():
            raise Unmet("the end of a running turn before the close", "a close without it")
    finally:
        server.stop()


@check("ws.auth-nonloopback-required")
def auth_nonloopback_required(subject: Subject) -> None:
    """A server that is to listen elsewhere than on loopback without a token does not start."""
    own_messages(subject)
    target, address = subject.target, address_of(subject)
    place = f"{address.host}:{ANY_PORT}"
    if not address.has_any_port or not any(place in word for word in target.argv) or not address.is_here:
        raise NotApplicable(f"only a server whose command has {place} can be told to listen elsewhere")
    if address.ticket:
        raise NotApplicable("with a token it may listen anywhere")
    argv = tuple(word.replace(place, f"{EVERYWHERE}:{ANY_PORT}") for word in target.argv)
    elsewhere = msgspec.structs.replace(target, argv=argv, address=address._replace(host=EVERYWHERE))
    expected = f"no start at {EVERYWHERE} without a token"
    try:
        _, server = start_hosted(elsewhere)
    except TargetFault as fault:
        if "listened nowhere" not in str(fault):
            raise Unmet(f"{expected}, and an end that says so", str(fault)) from None
        return
    server.stop()
    raise Unmet(expected, "it listens there")


@check("ws.slow-reader")
def slow_reader(subject: Subject) -> str | None:
    """Who reads too late is closed with 1013 if at all, and hears what it has missed when it resumes."""
    slow, other = work(subject), work(subject)
    # LIM-4: "transient messages are dropped", so the deltas that it hears need not add up.
    slow.probe.trace.lifted = frozenset({"item.delta-concat"})
    thread = slow.thread()
    for _ in range(FLOODS):
        mark = len(other.probe.arrived)
        # To start a turn subscribes nobody.
        other.start(thread, f"flood {PIECES} {PIECE}")
        _wait_idle(other, thread, mark)
    heard, note = _hear_out(slow, thread), None
    if (closing := socket_of(slow.probe).closing) is not None:
        if closing.code not in (TRY_AGAIN_LATER, NO_CLOSE):
            raise Unmet("a close with 1013 for a slow reader", str(closing))
        note = "cuts a slow reader off, where 1013 is usual" if closing.code == NO_CLOSE else None
        heard += _resumed(subject, thread, heard)
    numbers = [seq for _, seq in heard]
    same(sorted(set(numbers)), numbers, "the numbers of what a slow reader heard, each once and in order")
    listed = [pick(item, "/id") for item in other.items(thread)]
    same(listed, [item for item, _ in heard if item], "the items that a slow reader heard, as the list has them")
    return note


def _wait_idle(other: Work, thread: str, mark: int) -> None:
    """Wait for the end of a turn by what everyone hears: who subscribed would be flooded too."""
    patience = other.subject.target.timeouts.reply

    def is_idle() -> bool | None:
        told = other.told("thread/status/changed", thread, mark)
        return [pick(params, "/status") for params in told][-1:] == ["idle"] or None

    if other.probe.wait_for(is_idle, patience) is None:
        raise Unmet("an end of a turn whose reader is slow", f"none within {patience:g} s")


def _hear_out(asked: Work, thread: str) -> list[tuple[str, int]]:
    """All that comes, until every turn has ended or the connection has: completed items, and numbers."""
    socket = socket_of(asked.probe)
    patience = asked.subject.target.timeouts.reply
    asked.probe.listen_until(
        lambda: len(asked.told("turn/completed", thread)) == FLOODS or socket.is_over(), FLOODS * patience
    )
    return _numbered(asked.probe, thread)


def _resumed(subject: Subject, thread: str, heard: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """What comes beyond the last number that was heard."""
    again = work(subject)
    again.probe.trace.lifted = frozenset({"item.delta-concat"})
    after = heard[-1][1] if heard else 0
    shown = again.result("thread/resume", threadId=thread, afterSeq=after)
    if pick(shown, "/gap") is True:
        raise NotExercised("so many events were missed that they are not replayed")
    again.settle()
    return _numbered(again.probe, thread)


def _numbered(probe: Probe, thread: str) -> list[tuple[str, int]]:
    found = []
    for seq, method, params in numbered(thread, probe.arrived):
        if type(seq) is int:
            item = pick(params, "/item/id") if method == "item/completed" else None
            found.append((item if isinstance(item, str) else "", seq))
    return found
