"""What a turn spent its time on: told as it ends, read later, and one with the trace of the client (TRACE clauses)."""

from typing import Any

from turnwire.conformance.checks.meanwhile import LONG
from turnwire.conformance.checks.work import Work, first_note, same, text, work
from turnwire.conformance.model import Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import Turn

__all__: list[str] = []

SCRIPT = ("text one", "tool check {}", "think of it", "slow 3 20")
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
OTHER = {"traceparent": f"00-{TRACE[::-1]}-{SPAN[::-1]}-01"}
ZEROS = (f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01")
NOBODY = "turnwire-check/no-such-turn"
# Begin and length are whole milliseconds, each of them rounded.
ROUNDED_MS = 2


@check("trace.told")
def told(subject: Subject) -> None:
    """Who declared traces is told of each span before the end of its turn; nobody else is told of any."""
    asked = _open(subject)
    turn = asked.play(asked.thread(), *SCRIPT)
    asked.settle()
    spans = [asked.place(frame) for frame in asked.probe.heard("trace/span", turn.mark)]
    ends = [asked.place(frame) for frame in asked.probe.heard("turn/completed", turn.mark)]
    if not spans or spans[-1] > ends[0]:
        raise Unmet("trace/span, all before turn/completed", f"{sum(at < ends[0] for at in spans)} of {len(spans)}")
    other = work(subject, "traces")
    other.play(other.thread(), *SCRIPT)
    other.settle()
    same(0, len(other.probe.heard("trace/span")), "trace/span to a client that did not declare traces")


@check("trace.read")
def read(subject: Subject) -> str | None:
    """What is read are the spans that have ended, in the order in which they were told."""
    asked = _open(subject)
    thread = asked.thread()
    turn = asked.start(thread, "text one", LONG)
    asked.probe.wait_for(lambda: turn.items("agentMessage") or None, subject.target.timeouts.reply)
    asked.settle()
    same(_told(turn), _spans(asked, turn), "the spans of a turn that runs, as they were told")
    asked.result("turn/interrupt", threadId=thread)
    asked.settle()
    same(_told(turn), _spans(asked, turn), "the spans of a turn that has ended, as they were told")
    if not _told(turn):
        raise Unmet("spans of a turn that has ended", "none")
    return asked.refused("not_found", "trace/read", "of a turn that nobody has", threadId=thread, turnId=NOBODY)


@check("trace.tree")
def tree(subject: Subject) -> None:
    """One root that is called `turn` and ends last, and every other span within another of its turn."""
    asked = _open(subject)
    spans = _spans(asked, asked.play(asked.thread(), *SCRIPT))
    by_id = {pick(span, "/id"): span for span in spans}
    same(len(spans), len(by_id), "ids of spans that differ")
    roots = [place for place, span in enumerate(spans) if pick(span, "/parentId") not in by_id]
    same([len(spans) - 1], roots, "the places of spans without a parent in their turn")
    same("turn", pick(spans[-1], "/name"), "the name of the root")
    for span in spans[:-1]:
        begin, end = _interval(span)
        outer_begin, outer_end = _interval(by_id[pick(span, "/parentId")])
        if begin < outer_begin - ROUNDED_MS or end > outer_end + ROUNDED_MS:
            around = f"{begin} to {end} of {pick(span, '/name')}"
            raise Unmet(f"a parent that lies around {around}", f"one of {outer_begin} to {outer_end}")


@check("trace.of-client")
def of_client(subject: Subject) -> str | None:
    """A turn belongs to the trace of its client, or to one of its own; no key compares it."""
    asked = _open(subject)
    thread = asked.thread()
    notes = [
        asked.refused(
            "invalid_params", "turn/start", "in a trace of zeros", threadId=thread, input=text("text x"),
            trace={"traceparent": zeros},
        )
        for zeros in ZEROS
    ]  # fmt: skip
    same([], asked.turns(thread), "the turns of a thread in which only traces of zeros were asked for")
    turn = asked.play(thread, "text one", trace=PARENT, idempotencyKey="traced")
    found = asked.result("trace/read", threadId=thread, turnId=turn.id)
    root = (pick(found, "/spans") or [None])[-1]
    same((TRACE, SPAN), (pick(found, "/traceId"), pick(root, "/parentId")), "the trace, and the parent of its root")
    again = asked.result("turn/start", threadId=thread, input=text("text one"), trace=OTHER, idempotencyKey="traced")
    same(turn.id, pick(again, "/turn/id"), "the turn of a key that comes again with another trace")
    others = [asked.play(thread, "text other") for _ in range(2)]
    ids = [pick(asked.result("trace/read", threadId=thread, turnId=one.id), "/traceId") for one in others]
    same(3, len({TRACE, *map(repr, ids)}), "traces of three turns")
    return first_note(*notes)


@check("trace.recorded")
def recorded(subject: Subject) -> None:
    """The events of a turn name its trace."""
    asked = _open(subject, "events")
    thread = asked.thread()
    turn = asked.play(thread, *SCRIPT, trace=PARENT)
    asked.settle()
    events = [event for event in asked.walk("thread/events/list", threadId=thread) if _is_of(event, turn)]
    if not events:
        raise Unmet("events of the turn", "none")
    same({TRACE}, {pick(event, "/trace") for event in events}, "the trace of the events of a turn")


@check("trace.items")
def items(subject: Subject) -> None:
    """Each item shows as a span that has its type for a name."""
    asked = _open(subject)
    thread = asked.thread()
    turn = asked.play(thread, *SCRIPT)
    wanted = {(pick(item, "/id"), pick(item, "/type")) for item in asked.items(thread)}
    found = {(pick(span, "/attributes/itemId"), pick(span, "/name")) for span in _spans(asked, turn)}
    same(set(), wanted - found, "items without a span")


def _open(subject: Subject, *more: str) -> Work:
    return work(subject, "traces", *more, answers=("traces",))


def _told(turn: Turn) -> list[Any]:
    return [pick(params, "/span") for params in turn.told("trace/span")]


def _spans(asked: Work, turn: Turn) -> list[Any]:
    found = asked.result("trace/read", threadId=turn.thread, turnId=turn.id)
    spans = pick(found, "/spans")
    if not isinstance(spans, list):
        raise Unmet("a list at /spans in the result of trace/read", repr(spans))
    return spans


def _interval(span: Any) -> tuple[int, int]:
    begin, length = pick(span, "/startedAt"), pick(span, "/durationMs")
    if type(begin) is not int or type(length) is not int:
        raise Unmet("whole numbers for startedAt and durationMs of a span", repr(span))
    return begin, begin + length


def _is_of(event: Any, turn: Turn) -> bool:
    return turn.id in (pick(event, "/payload/turnId"), pick(event, "/payload/turn/id"))
