"""What is read later is what was told, after a reconnect, a restart and a crash too (replay.*, rec.*)."""

import hashlib
import stat

from turnwire.conformance.checks.meanwhile import LONG
from turnwire.conformance.checks.work import Work, lives, numbered, same, unscripted, work
from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.slices import members_of
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import Turn

__all__: list[str] = []

SCRIPT = ("text one 😀", "tool check {}", "think of it", "text two")
BRIEF = "slow 8 40"
# Each is an event that may go to the disk; a server that replays more is not asked to.
MOST_EVENTS = 1000
GENESIS = "0" * 64
# `limits` and ITEM-10: "the text so far is recorded at least every 250 ms". A word of LONG comes every 50 ms, by the
# clock of the server: when ten more have come, what was said before is recorded, however late all is on a busy machine.
WORDS_FIRST = 4
WORDS_MORE = 10


@check("replay.read-equals-live")
def read_equals_live(subject: Subject) -> None:
    """What the lists give is what was told as completed, to the last member."""
    asked = work(subject)
    thread = asked.thread()
    turn = asked.play(thread, *SCRIPT)
    same(turn.items(), asked.items(thread), "the items as they were told")
    same([turn.end], asked.turns(thread), "the turn as its end was told")


@check("replay.order-stable")
def order_stable(subject: Subject) -> None:
    """Who reads twice reads the same."""
    asked = work(subject)
    thread = asked.thread()
    for _ in range(3):
        asked.play(thread, *SCRIPT)
    same(asked.items(thread), asked.items(thread), "the items, read twice")
    same(asked.turns(thread), asked.turns(thread), "the turns, read twice")


@check("replay.after-seq")
def after_seq(subject: Subject) -> None:
    """Who has seen event n gets all that came after it, once and in order, and then what comes."""
    asked = work(subject)
    thread = asked.thread()
    asked.play(thread, *SCRIPT)
    asked.settle()
    told = numbered(thread, asked.probe.arrived)
    if len(told) < 4:
        raise NotExercised("the scripted turn told of fewer than four events")
    seen = told[len(told) // 2][0]
    asked.result("thread/unsubscribe", threadId=thread)
    asked.start(thread, BRIEF)
    reply = asked.ask("thread/resume", threadId=thread, afterSeq=seen)
    same(False, pick(reply.result, "/gap"), "gap")
    _wait_idle(asked, thread)
    again = numbered(thread, asked.probe.trace.frames[asked.place(reply) :])
    missed = [row for row in told if row[0] > seen]
    same(missed, again[: len(missed)], f"the events after {seen} that had been told before")
    numbers = [row[0] for row in again]
    if numbers != sorted(set(numbers)):
        raise Unmet("each event once and in order, then what comes", repr(numbers))
    same(2, sum(row[1] == "turn/completed" for row in again), "turn/completed after that event")


@check("replay.gap")
def gap(subject: Subject) -> None:
    """Beyond its bound a server replays nothing and says so; at its bound it replays all."""
    asked = unscripted(subject)
    bound = asked.limit("replayEvents")
    if bound is None or bound > MOST_EVENTS:
        raise NotApplicable(f"the server states no limits.replayEvents up to {MOST_EVENTS}")
    thread = asked.thread()
    first = pick(asked.result("thread/read", threadId=thread), "/thread/seq")
    last = first
    while last < first + bound + 1:
        asked.result("thread/update", threadId=thread, title=f"after {last}")
        now = pick(asked.result("thread/read", threadId=thread), "/thread/seq")
        if now <= last:
            raise NotExercised("a change of the title is no event of this server")
        last = now
    asked.settle()
    for after, wanted in ((last - bound, (False, bound)), (last - bound - 1, (True, 0))):
        mark = len(asked.probe.arrived)
        shown = asked.result("thread/resume", threadId=thread, afterSeq=after)
        asked.settle()
        found = pick(shown, "/gap"), len(numbered(thread, asked.probe.arrived[mark:]))
        same(wanted, found, f"gap, and events, where {last - after} are beyond afterSeq")


@check("replay.survives-restart")
def survives_restart(subject: Subject) -> None:
    """The next process reads what the last one recorded, a thread without a turn too."""
    with lives(subject) as server:
        before = server.begin()
        empty, thread = before.thread(title="empty"), before.thread()
        before.play(thread, *SCRIPT)
        items, turns = before.items(thread), before.turns(thread)
        server.stop(before)
        after = server.begin()
        listed = {pick(one, "/id") for one in after.walk("thread/list")}
        same({empty, thread}, {empty, thread} & listed, "threads that are listed after a restart")
        same("empty", pick(after.result("thread/read", threadId=empty), "/thread/title"), "the title after a restart")
        same((items, turns), (after.items(thread), after.turns(thread)), "the items and turns after a restart")
        after.result("thread/resume", threadId=thread)
        same("completed", after.play(thread, "text next").status(), "the end of a turn after a restart")
        same(turns, after.turns(thread)[:1], "the first turn after another one")


@check("replay.crash-mid-turn")
def crash_mid_turn(subject: Subject) -> None:
    """After a crash all that was announced is there, what was open is interrupted, and nothing is made up."""
    with lives(subject) as server:
        before = server.begin()
        thread = before.thread()
        first = before.play(thread, *SCRIPT)
        second = before.start(thread, "text whole", LONG)
        said = _said_so_far(second, WORDS_FIRST)
        _said_so_far(second, len(said.split()) + WORDS_MORE)
        server.kill(before)
        announced = [*first.items(), *second.items()]
        after = server.begin()
        ends = [(pick(turn, "/status"), pick(turn, "/endReason")) for turn in after.turns(thread)]
        same([("completed", None), ("interrupted", "crash")], ends, "status and endReason of the turns after a crash")
        items = after.items(thread)
        same(announced, items[: len(announced)], "the items that were announced as completed")
        rest = [(pick(item, "/status"), pick(item, "/type")) for item in items[len(announced) :]]
        same([("interrupted", "agentMessage")], rest, "what was open when it crashed")
        kept = str(pick(items[-1], "/text"))
        if not kept.startswith(said) or not _said(second).startswith(kept[: len(_said(second))]):
            raise Unmet(f"the text of it as far as it was recorded, {said!r} at least", repr(kept))
        after.result("thread/resume", threadId=thread)
        same("completed", after.play(thread, "text next").status(), "the end of a turn after a crash")


@check("rec.chain")
def chain(subject: Subject) -> None:
    """Each event holds the hash of the one before, and the hash of its own bytes at its end."""
    asked = unscripted(subject, "events")
    thread = asked.thread(title="é 😀")
    for title in ("one", "two"):
        asked.result("thread/update", threadId=thread, title=title)
    reply = asked.ask("thread/events/list", threadId=thread)
    events = pick(reply.result, "/data")
    lines = members_of(reply.raw, "result", "data")
    if not isinstance(events, list) or len(events) < 3 or len(lines) != len(events):
        raise Unmet("three events or more", str(reply))
    before = GENESIS
    for event, line in zip(events, lines, strict=True):
        body, name, _ = line.rpartition(b'"hash"')
        digest = hashlib.sha256(body).hexdigest()
        if not name or line != body + b'"hash":"' + str(pick(event, "/hash")).encode() + b'"}':
            raise Unmet("an event whose last member is its hash", line.decode("utf-8", "replace")[-120:])
        same((before, digest), (pick(event, "/prev"), pick(event, "/hash")), f"prev and hash of event {event['seq']}")
        before = digest


@check("rec.never-rewritten")
def never_rewritten(subject: Subject) -> None:
    """Bytes that are stored stay as they are, whatever becomes of the thread, and of the process."""
    with lives(subject, "events") as server:
        before = server.begin()
        thread = before.thread(title="é 😀")
        for _ in range(2):
            before.play(thread, *SCRIPT)
        stored = _stored(before, thread)
        before.result("thread/update", threadId=thread, title="another")
        if "rewind" in subject.capabilities:
            before.result("thread/rewind", threadId=thread, itemId=pick(before.items(thread)[0], "/id"))
        before.result("thread/archive", threadId=thread)
        same(stored, _stored(before, thread)[: len(stored)], "the stored bytes after changes of the thread")
        stored = _stored(before, thread)
        server.kill(before)
        after = server.begin()
        same(stored, _stored(after, thread)[: len(stored)], "the stored bytes after a crash")


@check("rec.modes")
def modes(subject: Subject) -> None:
    """What is recorded is for the user alone."""
    with lives(subject) as server:
        before = server.begin()
        before.play(before.thread(), "text one")
        found = list(server.scratch.rglob("*"))
        if not found:
            raise NotApplicable("the server was given no directory: `{scratch}` does not stand in its command")
        for path in found:
            mode = stat.S_IMODE(path.lstat().st_mode)
            wanted = 0o700 if path.is_dir() else 0o600
            if mode & ~wanted:
                raise Unmet(f"mode {wanted:04o} of {path.relative_to(server.scratch)}", f"{mode:04o}")


def _stored(asked: Work, thread: str) -> list[bytes]:
    """The events of a thread as they came over the wire, byte for byte."""
    reply = asked.ask("thread/events/list", threadId=thread, limit=MOST_EVENTS)
    lines = members_of(reply.raw, "result", "data")
    if not lines:
        raise Unmet("the events of a thread", str(reply))
    return lines


def _wait_idle(asked: Work, thread: str) -> None:
    patience = asked.subject.target.timeouts.reply

    def rests() -> bool | None:
        return pick(asked.result("thread/read", threadId=thread), "/thread/status") == "idle" or None

    asked.probe.wait_for(rests, patience)
    asked.settle()


def _said_so_far(turn: Turn, words: int) -> str:
    """What its last message has said, when it has said so many words.

    Raises:
        NotExercised: it does not say them.
    """
    patience = turn.probe.process.target.timeouts.reply
    if turn.probe.wait_for(lambda: len(_said(turn).split()) >= words or None, patience) is None:
        raise NotExercised(f"the scripted turn did not say {words} words within {patience:g} s")
    return _said(turn)


def _said(turn: Turn) -> str:
    """What its last message has said so far."""
    deltas = turn.told("item/agentMessage/delta")
    last = pick(deltas[-1], "/itemId") if deltas else None
    return "".join(str(pick(params, "/delta")) for params in deltas if pick(params, "/itemId") == last)
