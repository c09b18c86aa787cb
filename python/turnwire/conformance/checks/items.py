"""Items as they are told: whole characters, what was asked for only, and all of them to who comes late (ITEM, THR)."""

from typing import Any

from turnwire.conformance.checks.meanwhile import LONG, expect_open, meanwhile
from turnwire.conformance.checks.work import same, shared, work
from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import Turn

__all__: list[str] = []

# Characters of two, three and four bytes, and one of several code points, at every distance from the cut of a delta.
WORDS = "é€😀 👩\u200d🚀🙃 ß漢字🧪 ü😀😀 ".strip() * 12
WORDS_SLOW = 12
REPLACEMENT = "\ufffd"


@check("item.utf8-delta-boundary")
def utf8_delta_boundary(subject: Subject) -> None:
    """No delta splits a code point, and each of them adds what its text has at its offset."""
    asked = shared(subject)
    turn = asked.play(asked.thread(), f"text {WORDS}", f"think {WORDS}")
    for kind in ("agentMessage", "reasoning"):
        deltas = turn.told(f"item/{kind}/delta")
        spoilt = [str(pick(params, "/delta")) for params in deltas if not _is_whole(pick(params, "/delta"))]
        if spoilt:
            raise Unmet(f"deltas of {kind} that are whole characters", f"{spoilt[0]!a}, the first of {len(spoilt)}")
        for params in deltas:
            at, words = pick(params, "/offset"), pick(params, "/delta")
            same(WORDS[at : at + len(words)], words, f"the text of {kind} at the offset {at}")
        same([WORDS], [pick(item, "/text") for item in turn.items(kind)], f"the text of {kind}")


@check("item.progress-unasked")
def progress_unasked(subject: Subject) -> None:
    """Who did not declare toolProgress hears of no progress."""
    asked = shared(subject)
    turn = asked.play(asked.thread(), "tool check {}")
    asked.settle()
    if not turn.items("toolCall"):
        raise NotExercised("the scripted turn called no tool")
    same(0, len(turn.told("item/toolCall/progress")), "item/toolCall/progress to a client that did not declare it")


@check("thread.compact-running")
def compact_running(subject: Subject) -> None:
    """A compaction shows in the turn that runs, and between turns nowhere."""
    asked = work(subject)
    thread = asked.thread()
    turn = asked.start(thread, LONG)
    asked.wait_told("item/agentMessage/delta", thread, turn.mark)
    reply = asked.ask("thread/compact", threadId=thread)
    if reply.code in subject.codes("agent_unsupported"):
        raise NotApplicable("the agent of the thread does not compact")
    asked.probe.wait_for(lambda: turn.items("contextCompaction") or None, subject.target.timeouts.reply)
    same(1, len(turn.items("contextCompaction")), "contextCompaction items of a turn in which it was asked for")
    asked.result("turn/interrupt", threadId=thread)
    asked.settle()
    mark, before = len(asked.probe.arrived), asked.items(thread)
    asked.result("thread/compact", threadId=thread)
    asked.settle()
    told = [*asked.told("item/started", thread, mark), *asked.told("item/completed", thread, mark)]
    same((0, len(before)), (len(told), len(asked.items(thread))), "items told, and listed, of one between turns")


@check("replay.subscribe-gapless")
def subscribe_gapless(subject: Subject) -> None:
    """What is shown to who comes amidst, and what is told from then on, is the whole, and nothing twice."""
    asked = work(subject)

    def come_amidst(pace: int) -> tuple[Turn, Any, int]:
        turn = asked.start(asked.thread(), f"slow {WORDS_SLOW} {pace}")
        asked.wait_told("item/agentMessage/delta", turn.thread, turn.mark)
        asked.result("thread/unsubscribe", threadId=turn.thread)
        asked.probe.listen(3 * pace / 1000)
        reply = asked.ask("thread/resume", threadId=turn.thread)
        since = asked.place(reply)
        return turn, expect_open(reply.result, "agentMessage"), since

    turn, shown, since = meanwhile(come_amidst)
    turn.wait()
    later = [frame.value["params"] for frame in asked.probe.trace.frames[since:] if _is_delta_of(frame.value, shown)]
    told = "".join(str(pick(params, "/delta")) for params in later)
    wanted = "".join(f"{number} " for number in range(1, WORDS_SLOW + 1))
    same(wanted, f"{pick(shown, '/text')}{told}", "what was shown, and then told")
    same([wanted], [pick(item, "/text") for item in turn.items("agentMessage")], "the text at its end")


def _is_whole(delta: Any) -> bool:
    return (
        isinstance(delta, str) and REPLACEMENT not in delta and not any("\ud800" <= char <= "\udfff" for char in delta)
    )


def _is_delta_of(message: Any, item: Any) -> bool:
    is_delta = pick(message, "/method") == "item/agentMessage/delta"
    return is_delta and bool(pick(message, "/params/itemId") == pick(item, "/id"))
