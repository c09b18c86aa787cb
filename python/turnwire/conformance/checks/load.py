"""Pressure: many requests that nobody waits for, and a reader that does not read (LIM clauses)."""

from turnwire.conformance.checks.expect import shown
from turnwire.conformance.checks.work import same, text, work
from turnwire.conformance.model import Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.strict import dumps
from turnwire.conformance.subject import Subject

__all__: list[str] = []

REQUESTS = 3000
# A server that thinks before each answer gets fewer, or the flood is one of patience.
FEWEST = 100
# A machine may become busy after the pace was taken.
SLOWER = 4
# Of 16 KiB each: several times what pipes and queues of output hold.
PIECES = 512
PIECE = 16_384
UNREAD_SECONDS = 0.5


@check("load.flood-of-requests")
def flood_of_requests(subject: Subject) -> None:
    """Each of many requests gets a reply, if only that there are too many."""
    flood, envelope, probe = subject.operation("flood"), subject.profile.envelope, subject.session()
    # Pings of the server are answered, and its pace is taken, before it is kept busy.
    probe.calibrate()
    pace = int(subject.target.timeouts.reply / 4 / max(probe.round_trip, 1e-6))
    count = max(FEWEST, min(REQUESTS, pace))
    ids = [f"flood-{number}" for number in range(count)]
    lines = [dumps(envelope(id=identifier, method=flood.method, params=flood.params)) for identifier in ids]
    probe.settle()
    probe.send_together(lines)
    probe.wait_for(lambda: len(probe.replies) >= count or None, SLOWER * subject.target.timeouts.reply)
    probe.barrier()
    replies = probe.collect()
    found = {str(pick(reply.value, "/id")): reply for reply in replies}
    if len(replies) != count or len(found) != count:
        raise Unmet(f"{count} replies to {count} requests", f"{len(replies)}, to {len(found)} of them")
    retry = subject.profile.wire.retry_after
    for reply in replies:
        waits = not retry or type(pick(reply.value, retry)) is int
        if "result" not in reply.value and not (reply.code in subject.codes("overloaded") and waits):
            raise Unmet("a result, or the refusal of what is too much, with when to come again", shown([reply]))


@check("load.slow-reader")
def slow_reader(subject: Subject) -> None:
    """Who reads late reads all that is recorded; deltas may be fewer, and their text is in the item."""
    asked = work(subject)
    # LIM-4: "transient messages are dropped" for a slow reader, so deltas need not add up.
    asked.probe.trace.lifted = frozenset({"item.delta-concat"})
    thread = asked.thread()
    asked.probe.ask("turn/start", {"threadId": thread, "input": text(f"flood {PIECES} {PIECE}")})
    asked.probe.flush()
    asked.probe.process.leave_unread(UNREAD_SECONDS)
    end = asked.wait_told("turn/completed", thread)
    same("completed", pick(end, "/turn/status"), "the end of the turn")
    asked.settle()
    told = asked.told("item/completed", thread)
    texts = [pick(params, "/item/text") for params in told if pick(params, "/item/type") == "agentMessage"]
    same([PIECES * PIECE], [len(str(words)) for words in texts], "the length of what was said")
    listed = [pick(item, "/id") for item in asked.items(thread)]
    same(listed, [pick(params, "/item/id") for params in told], "the items that were told, as the list has them")
