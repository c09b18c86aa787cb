"""Turns that wait for the one before (QUEUE clauses, LIM-1)."""

from typing import Any

from turnwire.conformance.checks.meanwhile import LONG, expect_still, meanwhile
from turnwire.conformance.checks.work import Work, lives, same, text, work
from turnwire.conformance.model import NotApplicable, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject

__all__: list[str] = []

# A longer queue takes more requests to fill than its bound is worth.
MOST_ENTRIES = 1000
GIVEN = {"input": [*text("text one"), {"type": "text", "text": "the rest"}], "clientMessageId": "turnwire-check"}


@check("queue.starts-at-once")
def starts_at_once(subject: Subject) -> None:
    """With nothing before it an entry is a turn; with a turn before it, it waits, and is the next."""
    asked = work(subject, "queue")

    def enqueue(pace: int) -> None:
        thread, mark, slow = asked.thread(), len(asked.probe.arrived), f"slow 4 {pace}"
        scripts = [slow, "text second", "text third"]
        first, *waiting = (asked.result("turn/enqueue", threadId=thread, input=text(script)) for script in scripts)
        queue = _entries(asked, thread)
        expect_still(asked, thread, mark)
        if not isinstance(pick(first, "/turnId"), str):
            raise Unmet("the id of the turn that starts at once", repr(first))
        same([None, None], [pick(one, "/turnId") for one in waiting], "the turns of entries that wait")
        same([pick(one, "/entryId") for one in waiting], queue, "the queue")
        _expect_turns(asked, thread, mark, scripts)
        same([], _entries(asked, thread), "the queue when it is done")

    meanwhile(enqueue)


@check("queue.told-whole")
def told_whole(subject: Subject) -> None:
    """Each change is told with all that is left."""
    asked, thread, entries = _waiting(subject)
    mark = len(asked.probe.arrived)
    asked.result("turn/queue/update", threadId=thread, entryId=entries[0], input=text("text other"))
    asked.result("turn/queue/reorder", threadId=thread, entryIds=entries[::-1])
    asked.result("turn/queue/remove", threadId=thread, entryId=entries[1])
    asked.settle()
    told = asked.told("turn/queue/updated", thread, mark)
    found = [[pick(one, "/id") for one in pick(params, "/entries") or ()] for params in told]
    same([entries, entries[::-1], entries[:1] + entries[2:]][:1], found[:1], "the entries after an update")
    same([entries[::-1], [entries[2], entries[0]]], found[1:], "the entries after reorder and remove")
    last = [pick(part, "/text") for one in pick(told[-1], "/entries") for part in pick(one, "/input")]
    same(["text 3", "text other"], last, "what the entries say that are left")
    asked.result("turn/interrupt", threadId=thread)


@check("queue.reorder")
def reorder(subject: Subject) -> str | None:
    """An order that is not of exactly these entries is refused, and changes nothing."""
    asked, thread, entries = _waiting(subject)
    notes = [
        asked.refused("conflict", "turn/queue/reorder", why, threadId=thread, entryIds=ids)
        for why, ids in (
            ("without one of them", entries[:2]),
            ("with one twice", [entries[0], entries[0], entries[1]]),
            ("with one that nobody has", [*entries[:2], "turnwire-check/no-entry"]),
        )
    ]
    same(entries, _entries(asked, thread), "the queue as it was")
    asked.result("turn/interrupt", threadId=thread)
    return next((note for note in notes if note), None)


@check("queue.held-after-failure")
def held_after_failure(subject: Subject) -> None:
    """After a turn that failed nothing starts by itself, until it is told to go on."""
    asked = work(subject, "queue")

    def fail(pace: int) -> None:
        thread, mark, slow = asked.thread(), len(asked.probe.arrived), f"slow 4 {pace}"
        asked.result("turn/enqueue", threadId=thread, input=text(slow, "fail on purpose"))
        asked.result("turn/enqueue", threadId=thread, input=text("text after"))
        expect_still(asked, thread, mark)
        asked.wait_told("turn/completed", thread, mark)
        asked.settle()
        held = asked.result("turn/queue/list", threadId=thread)
        found = len(pick(held, "/entries") or ()), pick(held, "/held")
        same((1, True), found, "entries, and whether the queue is held")
        asked.result("turn/queue/resume", threadId=thread)
        _expect_turns(asked, thread, mark, [f"{slow}\nfail on purpose", "text after"])

    meanwhile(fail)


@check("queue.given-all")
def given_all(subject: Subject) -> None:
    """A turn that waited is started with every part that it was given, and under its own name."""
    asked = work(subject, "queue")

    def enqueue(pace: int) -> None:
        thread, mark = asked.thread(), len(asked.probe.arrived)
        asked.result("turn/enqueue", threadId=thread, input=text(f"slow 4 {pace}"))
        asked.result("turn/enqueue", threadId=thread, **GIVEN)
        expect_still(asked, thread, mark)
        ends = _ends(asked, thread, mark, 2)
        same([GIVEN], _given(ends[1:]), "what the turn was started with that had waited")

    meanwhile(enqueue)


@check("queue.after-restart")
def after_restart(subject: Subject) -> None:
    """What waits outlives the process, and is started with all that it was given."""
    with lives(subject, "queue") as server:
        before = server.begin()
        thread = before.thread()
        before.start(thread, LONG)
        before.result("turn/enqueue", threadId=thread, **GIVEN)
        entries = _entries(before, thread)
        server.kill(before)
        after = server.begin()
        same(entries, _entries(after, thread), "the queue after a crash")
        after.result("thread/resume", threadId=thread)
        mark = len(after.probe.arrived)
        after.result("turn/queue/resume", threadId=thread)
        same([GIVEN], _given(_ends(after, thread, mark, 1)), "what the turn was started with that had waited")


@check("queue.full")
def full(subject: Subject) -> str | None:
    """The queue takes as many as it says, and refuses the next with a time to come again."""
    asked = work(subject, "queue")
    bound = asked.limit("queueEntries")
    if bound is None or bound > MOST_ENTRIES:
        raise NotApplicable(f"the server states no limits.queueEntries up to {MOST_ENTRIES}")
    thread = asked.thread()
    asked.start(thread, LONG)
    for number in range(bound):
        reply = asked.ask("turn/enqueue", threadId=thread, input=text("text x"))
        if "result" not in reply.value:
            raise Unmet(f"{bound} entries, as limits.queueEntries says", f"{number}, and then {reply}")
    over = asked.ask("turn/enqueue", threadId=thread, input=text("text x"))
    if over.code not in subject.codes("overloaded") or type(pick(over.value, "/error/data/retryAfterMs")) is not int:
        raise Unmet(f"-32001 with retryAfterMs to entry {bound + 1}", str(over))
    return None


def _waiting(subject: Subject) -> tuple[Work, str, list[Any]]:
    """A thread with a long turn and three entries behind it."""
    asked = work(subject, "queue")
    thread = asked.thread()
    asked.start(thread, LONG)
    for number in (1, 2, 3):
        asked.result("turn/enqueue", threadId=thread, input=text(f"text {number}"))
    return asked, thread, _entries(asked, thread)


def _entries(asked: Work, thread: str) -> list[Any]:
    listed = pick(asked.result("turn/queue/list", threadId=thread), "/entries")
    return [pick(one, "/id") for one in listed or ()]


def _given(ends: list[Any]) -> list[Any]:
    return [{name: pick(params, f"/turn/{name}") for name in GIVEN} for params in ends]


def _ends(asked: Work, thread: str, mark: int, count: int) -> list[Any]:
    """Wait for the ends of so many turns."""
    patience = asked.subject.target.timeouts.reply
    asked.probe.wait_for(lambda: len(asked.told("turn/completed", thread, mark)) >= count or None, patience)
    return asked.told("turn/completed", thread, mark)


def _expect_turns(asked: Work, thread: str, mark: int, scripts: list[str]) -> None:
    """Wait for the ends of so many turns, which had these inputs."""
    ends = _ends(asked, thread, mark, len(scripts))
    same(scripts, [pick(params, "/turn/input/0/text") for params in ends], "the turns in the order of the queue")
