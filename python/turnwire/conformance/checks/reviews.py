"""Reviews: a turn in a thread of its own, which belongs to the thread that is reviewed (REVIEW clauses, THR-28)."""

from typing import Any

from turnwire.conformance.checks.meanwhile import LONG
from turnwire.conformance.checks.work import Work, first_note, same, work
from turnwire.conformance.model import NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject

__all__: list[str] = []

TARGET = {"type": "custom", "instructions": "text It looks right."}


@check("review.thread")
def thread_of_its_own(subject: Subject) -> None:
    """A review is a turn of another thread, to which the caller is subscribed; its end has the findings."""
    asked = work(subject, "reviews")
    thread = asked.thread()
    mark = len(asked.probe.arrived)
    result = asked.result("review/start", threadId=thread, target=TARGET)
    reviewing = _reviewing(result)
    if reviewing == thread:
        raise Unmet("a thread of its own for the review", f"{thread}, which is reviewed")
    end = asked.wait_told("turn/completed", reviewing, mark)
    same(pick(result, "/turn/id"), pick(end, "/turn/id"), "the turn that ends in the thread of the review")
    if pick(end, "/turn/status") != "completed":
        raise NotExercised(f"the review ended {pick(end, '/turn/status')}")
    if not isinstance(pick(end, "/turn/review/findings"), list):
        raise Unmet("a list at /turn/review/findings of the end", repr(pick(end, "/turn/review")))
    same([], asked.turns(thread), "the turns of the thread that is reviewed")


@check("review.refused")
def refused(subject: Subject) -> str | None:
    """A thread in which a turn runs, or that is archived, is not reviewed."""
    asked = work(subject, "reviews")
    thread = asked.thread()
    asked.settle()
    mark = len(asked.probe.arrived)
    asked.start(thread, LONG)
    notes = [asked.refused("turn_active", "review/start", "while a turn runs", threadId=thread, target=TARGET)]
    asked.result("turn/interrupt", threadId=thread)
    asked.result("thread/archive", threadId=thread)
    notes.append(
        asked.refused("thread_archived", "review/start", "of an archived thread", threadId=thread, target=TARGET)
    )
    asked.settle()
    same(0, len(asked.probe.heard("thread/started", mark)), "threads that were started by reviews that were refused")
    return first_note(*notes)


@check("review.goes-along")
def goes_along(subject: Subject) -> str | None:
    """The thread of a review names its parent, and is archived and deleted with it."""
    asked = work(subject, "reviews")
    thread = asked.thread()
    mark = len(asked.probe.arrived)
    reviewing = _reviewing(asked.result("review/start", threadId=thread, target=TARGET))
    asked.wait_told("turn/completed", reviewing, mark)
    same(thread, _read(asked, reviewing, "parentThreadId"), "the parent of the thread of a review")
    asked.result("thread/archive", threadId=thread)
    if _read(asked, reviewing, "archivedAt") is None:
        raise Unmet("a review that is archived with its parent", "one without archivedAt")
    asked.result("thread/unarchive", threadId=thread)
    same(None, _read(asked, reviewing, "archivedAt"), "archivedAt of a review whose parent is back")
    deleted = pick(asked.result("thread/delete", threadId=thread), "/deletedThreadIds")
    same({thread, reviewing}, set(deleted or ()), "the threads that are deleted together")
    return asked.refused("not_found", "thread/read", "of a review whose parent is deleted", threadId=reviewing)


def _reviewing(result: Any) -> str:
    found = pick(result, "/reviewThreadId")
    if not isinstance(found, str):
        raise Unmet("the id of a thread at /reviewThreadId", repr(found))
    return found


def _read(asked: Work, thread: str, member: str) -> Any:
    return pick(asked.result("thread/read", threadId=thread), f"/thread/{member}")
