"""The record of a thread as lists, copies and cuts show it (THR-2, THR-5 to THR-8, THR-14)."""

from typing import Any

from turnwire.conformance.checks.meanwhile import LONG, expect_still, meanwhile
from turnwire.conformance.checks.work import same, text, unscripted, work
from turnwire.conformance.model import NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import Turn

__all__: list[str] = []

# -32031 names what an agent cannot do; HOST-2 has nothing recorded then.
AGENT_UNSUPPORTED = -32031


@check("thread.lists-in-order")
def lists_in_order(subject: Subject) -> None:
    """Turns and items are listed as they came, in both directions, and each turn's items by its id."""
    asked = work(subject)
    thread = asked.thread()
    turns = [asked.play(thread, f"text {word}") for word in ("one", "two", "three")]
    same([turn.id for turn in turns], _ids(asked.turns(thread)), "the turns in their order")
    told = [pick(item, "/id") for turn in turns for item in turn.items()]
    same(told, _ids(asked.items(thread)), "the items in their order")
    back = asked.walk("thread/items/list", threadId=thread, direction="descending")
    same(told[::-1], _ids(back), "the items the other way round")
    own = asked.walk("thread/items/list", threadId=thread, turnId=turns[1].id)
    same([pick(item, "/id") for item in turns[1].items()], _ids(own), "the items of one turn")


@check("thread.events")
def events(subject: Subject) -> None:
    """The record is read from any of its events on."""
    asked = unscripted(subject, "events")
    thread = asked.thread()
    for title in ("one", "two", "three"):
        asked.result("thread/update", threadId=thread, title=title)
    numbers = [pick(event, "/seq") for event in asked.walk("thread/events/list", threadId=thread, limit=2)]
    if len(numbers) < 4 or numbers != sorted(set(numbers)):
        raise Unmet("four events or more, by ascending seq", repr(numbers))
    later = [pick(event, "/seq") for event in asked.walk("thread/events/list", threadId=thread, afterSeq=numbers[1])]
    same(numbers[2:], later, f"the events after {numbers[1]}")


@check("thread.resume-shows")
def resume_shows(subject: Subject) -> None:
    """Who comes in the midst of a turn is shown all that is open."""
    asked = work(subject)
    thread = asked.thread()
    turn = asked.start(thread, LONG)
    asked.wait_told("item/agentMessage/delta", thread, turn.mark)
    if "queue" in subject.capabilities:
        asked.result("turn/enqueue", threadId=thread, input=text("text later"))
    heard = "".join(str(pick(params, "/delta")) for params in asked.told("item/agentMessage/delta", thread, turn.mark))
    shown = asked.result("thread/resume", threadId=thread)
    same(turn.id, pick(shown, "/activeTurn/id"), "the active turn")
    items = pick(shown, "/items")
    said = [pick(item, "/text") for item in items or () if pick(item, "/type") == "agentMessage"]
    if len(said) != 1 or not isinstance(said[0], str) or not said[0].startswith(heard):
        raise Unmet(f"the open agentMessage with its text so far, at least {heard!r}", repr(said))
    if "queue" in subject.capabilities:
        same(1, len(pick(shown, "/queue") or ()), "entries in the queue")
    asked.result("turn/interrupt", threadId=thread)


@check("thread.fork")
def fork(subject: Subject) -> None:
    """A copy ends where it was cut, has ids of its own, and is nothing to its source."""
    asked = work(subject, "fork")
    thread = asked.thread()
    first = asked.play(thread, "text one")
    asked.play(thread, "text two")
    before = asked.items(thread)
    cut = pick(first.items()[-1], "/id") if first.items() else None
    copy = pick(asked.result("thread/fork", threadId=thread, itemId=cut), "/thread")
    identifier = str(pick(copy, "/id"))
    same({"threadId": thread, "itemId": cut}, pick(copy, "/forkedFrom"), "what it was forked from")
    copied, sources = asked.items(identifier), before[: len(first.items())]
    same(_ids(sources), [pick(item, "/forkedFrom") for item in copied], "the items that the copies are of")
    same([_said(item) for item in sources], [_said(item) for item in copied], "what the copied items say")
    shared = {*_ids(before), thread} & {*_ids(copied), *(pick(turn, "/id") for turn in asked.turns(identifier))}
    same(set(), shared, "ids that the copy shares with its source")
    asked.play(identifier, "text three")
    same(before, asked.items(thread), "the items of the source after a turn of the copy")


@check("thread.fork-running")
def fork_running(subject: Subject) -> None:
    """A copy may be made while a turn runs, and takes no queue along."""
    asked = work(subject, "fork")

    def fork_amidst(pace: int) -> tuple[Turn, str]:
        thread = asked.thread()
        asked.play(thread, "text one")
        turn = asked.start(thread, f"slow 4 {pace}")
        if "queue" in subject.capabilities:
            asked.result("turn/enqueue", threadId=thread, input=text("text later"))
        copy = str(pick(asked.result("thread/fork", threadId=thread), "/thread/id"))
        expect_still(asked, thread, turn.mark)
        return turn, copy

    turn, copy = meanwhile(fork_amidst)
    if "queue" in subject.capabilities:
        entries = pick(asked.result("turn/queue/list", threadId=copy), "/entries")
        same([], entries, "the queue of the copy")
    same("completed", turn.wait(), "the end of the turn that ran")


@check("thread.rewind")
def rewind(subject: Subject) -> str | None:
    """What is taken back is in no list, and the record has one event more."""
    asked = work(subject, "rewind")
    thread = asked.thread()
    first = asked.play(thread, "text one")
    second = asked.play(thread, "text two")
    if not first.items():
        raise NotExercised("the scripted turn told of no item")
    cut, kept = pick(first.items()[-1], "/id"), [pick(item, "/id") for item in first.items()]
    seq = pick(asked.result("thread/read", threadId=thread), "/thread/seq")
    mark = len(asked.probe.arrived)
    result = asked.result("thread/rewind", threadId=thread, itemId=cut)
    same([second.id], pick(result, "/removedTurnIds"), "the turns that were taken back")
    same(
        (kept, [first.id]), (_ids(asked.items(thread)), _ids(asked.turns(thread))), "the items and turns that are left"
    )
    asked.settle()
    told = asked.told("thread/rewound", thread, mark)
    same([[second.id]], [pick(params, "/removedTurnIds") for params in told], "the turns in each thread/rewound")
    if not pick(told[0], "/seq") > seq:
        raise Unmet(f"a seq above {seq} for the event that takes back", repr(pick(told[0], "/seq")))
    asked.start(thread, LONG)
    note = asked.refused("turn_active", "thread/rewind", "while a turn runs", threadId=thread, itemId=cut)
    asked.result("turn/interrupt", threadId=thread)
    return note


@check("thread.compact")
def compact(subject: Subject) -> None:
    """A shorter context leaves the record as it is; what an agent cannot do leaves no event."""
    asked = work(subject)
    thread = asked.thread()
    asked.play(thread, "text one")
    before = asked.items(thread)
    seq = pick(asked.result("thread/read", threadId=thread), "/thread/seq")
    reply = asked.ask("thread/compact", threadId=thread)
    if reply.code == AGENT_UNSUPPORTED:
        same(seq, pick(asked.result("thread/read", threadId=thread), "/thread/seq"), "seq after -32031")
    elif not isinstance(pick(reply.result, "/outcome"), str):
        raise Unmet("an outcome, or -32031 from an agent that cannot", str(reply))
    same(before, [item for item in asked.items(thread) if _is_older(item, before)], "the items of before")


def _is_older(item: Any, before: list[Any]) -> bool:
    """Whether an item was there before; one that tells of the compaction is new."""
    return pick(item, "/id") in _ids(before)


def _ids(objects: list[Any]) -> list[Any]:
    return [pick(one, "/id") for one in objects]


def _said(item: Any) -> Any:
    return pick(item, "/type"), pick(item, "/text"), pick(item, "/input")
