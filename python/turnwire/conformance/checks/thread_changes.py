"""What becomes of a thread beside its turns: ids, updates, archive, deletion, pause, subscriptions (THR clauses)."""

from typing import Any

from turnwire.conformance.checks.meanwhile import LONG, expect_still, meanwhile
from turnwire.conformance.checks.work import EVERYONE, Work, first_note, same, text, unscripted, work
from turnwire.conformance.model import NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import Turn

__all__: list[str] = []

NOBODY = "turnwire-check/no-such-agent"
# A turn that may end whenever it likes.
BRIEF = "slow 4 30"


@check("thread.identity-taken")
def identity_taken(subject: Subject) -> str | None:
    """An id that a thread has is given to no other, and no agent is made up."""
    asked = unscripted(subject)
    thread = asked.thread(title="the first")
    notes = (
        asked.refused("conflict", "thread/start", "with an id that is taken", threadId=thread, title="the second"),
        asked.refused("not_found", "thread/start", "with an agent that nobody has", agent=NOBODY),
    )
    same("the first", pick(asked.result("thread/read", threadId=thread), "/thread/title"), "the title as it was")
    return first_note(*notes)


@check("thread.update")
def update(subject: Subject) -> None:
    """What is given changes and is told once, what is not given stays, and null clears."""
    asked = unscripted(subject)
    thread = asked.thread(title="before", metadata={"kept": 1})
    mark = len(asked.probe.arrived)
    asked.result("thread/update", threadId=thread, title="after")
    asked.settle()
    told = [pick(params, "/thread/title") for params in asked.told("thread/updated", thread, mark)]
    same(["after"], told, "the new title in each thread/updated")
    found = pick(asked.result("thread/read", threadId=thread), "/thread")
    same(("after", {"kept": 1}), (pick(found, "/title"), pick(found, "/metadata")), "title and metadata")
    asked.result("thread/update", threadId=thread, title=None)
    found = pick(asked.result("thread/read", threadId=thread), "/thread")
    same(None, pick(found, "/title"), "the title after null")


@check("thread.archive")
def archive(subject: Subject) -> str | None:
    """An archived thread is out of the list and takes no input; what was archived comes back."""
    asked = unscripted(subject)
    thread = asked.thread()
    mark = len(asked.probe.arrived)
    for _ in range(2):
        asked.result("thread/archive", threadId=thread)
    same((False, True), _listed(asked, thread), "listed as it is, and among the archived")
    note = asked.refused(
        "thread_archived", "turn/start", "in an archived thread", threadId=thread, input=text("text x")
    )
    asked.result("thread/unarchive", threadId=thread)
    same((True, False), _listed(asked, thread), "listed when it is back, and among the archived")
    asked.settle()
    told = [len(asked.told(method, thread, mark)) for method in ("thread/archived", "thread/unarchived")]
    same([1, 1], told, "thread/archived and thread/unarchived")
    return note


@check("thread.delete")
def delete(subject: Subject) -> str | None:
    """What is deleted is unknown from then on."""
    asked = unscripted(subject)
    thread = asked.thread()
    mark = len(asked.probe.arrived)
    asked.result("thread/delete", threadId=thread)
    notes = [
        asked.refused("not_found", method, "of a thread that is deleted", threadId=thread)
        for method in ("thread/read", "thread/resume", "thread/archive")
    ]
    same((False, False), _listed(asked, thread), "listed, and among the archived")
    asked.settle()
    same(1, len(asked.told("thread/deleted", thread, mark)), "thread/deleted")
    return first_note(*notes)


@check("thread.delete-running")
def delete_running(subject: Subject) -> None:
    """A turn that runs is interrupted first, and the answer comes last."""
    asked = work(subject)
    thread = asked.thread()
    turn = asked.start(thread, LONG)
    reply = asked.ask("thread/delete", threadId=thread)
    if "result" not in reply.value:
        raise Unmet("a result for thread/delete", str(reply))
    asked.settle()
    ends = asked.probe.heard("turn/completed", turn.mark)
    gone = asked.probe.heard("thread/deleted", turn.mark)
    same(["interrupted"], [pick(frame.value, "/params/turn/status") for frame in ends], "the end of the turn")
    same(1, len(gone), "thread/deleted")
    order = [asked.place(frame) for frame in (ends[0], gone[0], reply)]
    if order != sorted(order):
        raise Unmet("turn/completed, thread/deleted, and then the answer", "another order")


@check("thread.pause")
def pause(subject: Subject) -> str | None:
    """A paused thread takes no input until it goes on; the turn that runs is not stopped by it."""
    asked = work(subject)

    def pause_amidst(pace: int) -> Turn:
        turn = asked.start(asked.thread(), f"slow 4 {pace}")
        asked.result("thread/pause", threadId=turn.thread)
        expect_still(asked, turn.thread, turn.mark)
        return turn

    turn = meanwhile(pause_amidst)
    thread = turn.thread
    same("completed", turn.wait(), "the end of the turn that ran")
    asked.settle()
    same("paused", _status(asked, thread), "the status of the thread when its turn has ended")
    note = asked.refused("thread_paused", "turn/start", "in a paused thread", threadId=thread, input=text("text x"))
    asked.result("thread/unpause", threadId=thread)
    same("completed", asked.play(thread, "text x").status(), "the end of a turn after thread/unpause")
    return note


@check("thread.unsubscribe")
def unsubscribe(subject: Subject) -> None:
    """Who has left hears what everyone hears; the last one to leave an idle thread closes it."""
    asked = work(subject)
    thread = asked.thread()
    mark = len(asked.probe.arrived)
    left = asked.result("thread/unsubscribe", threadId=thread)
    same((False, True), (pick(left, "/subscribed"), pick(left, "/closed")), "subscribed and closed")
    asked.settle()
    same(1, len(asked.told("thread/closed", thread, mark)), "thread/closed")
    thread, left, mark = meanwhile(lambda pace: _left_amidst(asked, pace))
    same((False, False), (pick(left, "/subscribed"), pick(left, "/closed")), "subscribed and closed while a turn runs")
    _expect_quiet(asked, thread, mark)


@check("thread.read-subscribes-nobody")
def read_subscribes_nobody(subject: Subject) -> None:
    """To look at a thread is not to follow it."""
    asked = work(subject)
    thread = asked.thread()
    asked.result("thread/unsubscribe", threadId=thread)
    asked.result("thread/read", threadId=thread)
    asked.turns(thread)
    mark = len(asked.probe.arrived)
    asked.start(thread, BRIEF)
    _expect_quiet(asked, thread, mark)


@check("thread.list-order")
def list_order(subject: Subject) -> None:
    """Threads come by the time of their last change, in both directions; an identity leaves out all others."""
    asked = unscripted(subject)
    # The id of a thread is a name that no other run has used.
    identity = {"channelName": "turnwire-check", "userId": asked.thread()}
    mine = [asked.thread(title=str(number), identity=identity) for number in range(3)]
    is_latest = asked.changed_after(mine[0], mine[1:])
    up = asked.walk("thread/list", identity=identity, direction="ascending", limit=2)
    same(sorted(mine), sorted(str(pick(one, "/id")) for one in up), "the threads with one identity")
    order = [(pick(one, "/updatedAt"), pick(one, "/id")) for one in up]
    same(sorted(order), order, "threads by updatedAt, then id")
    down = asked.walk("thread/list", identity=identity, direction="descending")
    same(order[::-1], [(pick(one, "/updatedAt"), pick(one, "/id")) for one in down], "the same the other way round")
    if not is_latest:
        raise NotExercised("updatedAt stood still while it was waited for, so nothing shows an order by it")


def _left_amidst(asked: Work, pace: int) -> tuple[str, Any, int]:
    """A thread that was left while a turn of it ran, the answer to that, and a mark of what came since."""
    thread = asked.thread()
    turn = asked.start(thread, f"slow 4 {pace}")
    left = asked.result("thread/unsubscribe", threadId=thread)
    expect_still(asked, thread, turn.mark)
    return thread, left, len(asked.probe.arrived)


def _expect_quiet(asked: Work, thread: str, mark: int) -> None:
    """Wait until the thread rests again; meanwhile nothing of it comes but what every connection hears."""
    lawful = {*EVERYONE, "thread/closed"}
    patience = asked.subject.target.timeouts.reply
    rests = asked.probe.wait_for(lambda: _is_idle_again(asked, thread, mark) or None, patience)
    if rests is None:
        raise NotExercised(f"the thread did not come to rest within {patience:g} s")
    asked.settle()
    for frame in asked.probe.arrived[mark:]:
        of = (pick(frame.value, "/params/threadId"), pick(frame.value, "/params/thread/id"))
        if thread in of and frame.method not in lawful:
            raise Unmet("nothing of a thread that is not subscribed to", str(frame))


def _is_idle_again(asked: Work, thread: str, mark: int) -> bool:
    told = [pick(params, "/status") for params in asked.told("thread/status/changed", thread, mark)]
    return told[-1:] == ["idle"]


def _listed(asked: Work, thread: str) -> tuple[bool, bool]:
    def is_in(**params: Any) -> bool:
        return thread in {pick(one, "/id") for one in asked.walk("thread/list", **params)}

    return is_in(), is_in(archived=True)


def _status(asked: Work, thread: str) -> Any:
    return pick(asked.result("thread/read", threadId=thread), "/thread/status")
