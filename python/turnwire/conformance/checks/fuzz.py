"""What no client should send, by the hundred and by a seed (fuzz.*): each has its one answer, and nobody falls over.

A finding names the seed and the line, so the same run finds it again; `--seed N` is what made it.
"""

import random
from collections.abc import Mapping
from typing import Any

from turnwire.conformance.checks.work import Work, text, unscripted, work
from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.strict import dumps
from turnwire.conformance.subject import Subject
from turnwire.conformance.trace import clip
from turnwire.conformance.walker import Walker

__all__: list[str] = []

ROUNDS = 240
STEPS = 120
# What ends the connection or opens it is asked by checks of its own; what is experimental has its own refusal.
APART = frozenset({"initialize", "shutdown", "thread/delete", "review/start"})
INTERNAL_ERROR = -32603
SPOILERS = (b"\x00", b"\xff", b"}", b'"', b"\\", b"\xe2\x80", b"[[[", b"\r")


@check("fuzz.params")
def params(subject: Subject) -> None:
    """Params that the schema refuses are refused, those that it allows are answered, one reply each."""
    asked = unscripted(subject)
    walker, chooser = _walker(subject), _chooser(subject)
    methods = _methods(subject)
    thread = asked.thread()
    for number in range(ROUNDS):
        row = methods[number % len(methods)]
        value = _planted(walker.value(row["params"]), thread)
        spoilt = walker.mutant(row["params"], value)
        reply = asked.probe.call(row["name"], spoilt.value)
        where = f"{row['name']} with {spoilt.kind} at {spoilt.pointer or 'the root'}: {clip(dumps(spoilt.value), 200)}"
        # The spelling of an id is opaque, so what is spelled like none may be called the name of nothing.
        opaque = ["not_found"] if spoilt.kind == "bad word" else []
        lawful = subject.codes("invalid_params", "experimental_required", *opaque, *_gated(subject, row, spoilt.value))
        if reply.code == INTERNAL_ERROR or (not spoilt.is_valid and reply.code not in lawful):
            raise _found(subject, number, f"-32602 to {where}" if not spoilt.is_valid else f"a reply to {where}", reply)
        if chooser.random() < 0.1:
            _expect_no_more(asked, subject, number)
    _expect_no_more(asked, subject, ROUNDS)


@check("fuzz.envelope")
def envelope(subject: Subject) -> None:
    """Each line that is no message gets one error, each that is a request one reply, and all else none."""
    if subject.profile.wire.batch == "support":
        raise NotApplicable("a spoilt line may be a batch, which has as many replies as it has requests")
    asked = unscripted(subject)
    walker, lines, least, most = _walker(subject), [], 0, 0
    for number in range(ROUNDS):
        request = subject.profile.envelope(id=f"fuzz-{number}", method=subject.noop, params={})
        spoilt = walker.mutant("Request", request).value
        lines.append(dumps(spoilt))
        most += _may_be_answered(spoilt)
        least += _may_be_answered(spoilt) and not _is_half_a_response(spoilt)
    # What the server asks of its client at the start is answered before it is kept busy.
    asked.settle()
    asked.probe.send_together(lines)
    asked.probe.barrier()
    asked.probe.wait_for(lambda: len(asked.probe.replies) >= most or None, subject.target.timeouts.lag)
    replies = asked.probe.collect()
    if not least <= len(replies) <= most:
        seed = subject.facts.seed
        raise Unmet(f"{least} to {most} replies to {len(lines)} lines (seed {seed})", f"{len(replies)} of them")


@check("fuzz.bytes")
def bytes_(subject: Subject) -> None:
    """Lines that are cut, torn or spiked end nothing."""
    asked = unscripted(subject)
    chooser = _chooser(subject)
    line = dumps(subject.profile.envelope(id=1, method=subject.noop, params={"é": ["x", 1]}))
    for number in range(ROUNDS):
        cut = chooser.randrange(1, len(line))
        torn = (
            line[:cut],
            line[cut:],
            line[:cut] + chooser.choice(SPOILERS) + line[cut:],
            line[:cut] + line[: cut + 3],
        )
        asked.probe.send(chooser.choice(torn))
        if number % 40 == 0:
            asked.probe.barrier()
    asked.probe.barrier()
    replies = asked.probe.collect()
    if len(replies) > ROUNDS:
        raise Unmet(f"a reply at most to each of {ROUNDS} lines (seed {subject.facts.seed})", f"{len(replies)} of them")


@check("fuzz.notifications")
def notifications(subject: Subject) -> None:
    """Whatever a notification holds, nothing answers it, and the next request is answered."""
    asked = unscripted(subject)
    walker = _walker(subject)
    methods = _methods(subject)
    asked.probe.settle()
    for number in range(ROUNDS):
        row = methods[number % len(methods)]
        spoilt = walker.mutant(row["params"], walker.value(row["params"]))
        asked.probe.send(dumps(subject.profile.envelope(method=row["name"], params=spoilt.value)))
    asked.probe.barrier()
    replies = asked.probe.collect()
    if replies:
        raise _found(subject, ROUNDS, "no reply to a notification", replies[0])


@check("fuzz.walk")
def walk(subject: Subject) -> None:
    """Lawful requests in any order are each answered, and none by a fault of the server."""
    asked = work(subject)
    chooser = _chooser(subject)
    threads = [asked.thread() for _ in range(2)]
    for number in range(STEPS):
        method, given = _step(subject, chooser, chooser.choice(threads))
        reply = asked.probe.call(method, given)
        if reply.code == INTERNAL_ERROR:
            raise _found(subject, number, f"a result or a refusal of {method}", reply)
        copy = pick(reply.result, "/thread/id") if method == "thread/fork" else None
        threads += [copy] if isinstance(copy, str) else []
    for thread in threads:
        asked.ask("turn/interrupt", threadId=thread)
    _expect_no_more(asked, subject, STEPS)


def _step(subject: Subject, chooser: random.Random, thread: str) -> tuple[str, dict[str, Any]]:
    """A lawful request of a thread, whatever state it is in."""
    of_thread = {"threadId": thread}
    steps: list[tuple[str, dict[str, Any]]] = [
        ("turn/start", {**of_thread, "input": text(chooser.choice(("text one", "slow 3 10", "fail", "tool x {}")))}),
        ("turn/interrupt", of_thread),
        ("thread/update", {**of_thread, "title": chooser.choice(("one", "two", None))}),
        ("thread/resume", of_thread),
        ("thread/items/list", {**of_thread, "limit": chooser.randint(1, 5)}),
        *((f"thread/{word}", of_thread) for word in ("archive", "unarchive", "pause", "unpause", "unsubscribe")),
    ]
    if "queue" in subject.capabilities:
        steps += [("turn/enqueue", {**of_thread, "input": text("text queued")}), ("turn/queue/resume", of_thread)]
    if "fork" in subject.capabilities:
        steps.append(("thread/fork", of_thread))
    if "steer" in subject.capabilities:
        steps.append(("turn/steer", {**of_thread, "expectedTurnId": "no-such-turn", "input": text("text steered")}))
    return chooser.choice(steps)


def _walker(subject: Subject) -> Walker:
    return Walker(subject.profile.bundle, subject.oracle, subject.facts.seed)


def _chooser(subject: Subject) -> random.Random:
    return random.Random(subject.facts.seed)  # noqa: S311 - no secret: the same seed makes the same choices


def _methods(subject: Subject) -> list[Mapping[str, Any]]:
    """Requests of the client that this server offers and that have params of their own."""
    rows = [row for row in subject.profile.methods() if row["sender"] != "server" and row["kind"] == "request"]
    offered: list[Mapping[str, Any]] = [
        row
        for row in rows
        if row["name"] not in APART and row.get("params") and row.get("capability") in (None, *subject.capabilities)
    ]
    if not offered:
        raise NotExercised("the server offers no request with params")
    return offered


def _gated(subject: Subject, row: Mapping[str, Any], value: Any) -> list[str]:
    """Why params may be refused beside what is wrong with them: a member of a capability that is not offered."""
    properties = subject.profile.bundle["$defs"].get(row["params"], {}).get("properties", {})
    wanted = {properties[name].get("x-capability") for name in value if name in properties} if value else set()
    return ["method_not_found"] if wanted - {None, *subject.capabilities} else []


def _planted(value: Any, thread: str) -> Any:
    """The same params about a thread that is there: what is refused then is refused for what is wrong with them."""
    return {**value, "threadId": thread} if "threadId" in value else value


def _is_half_a_response(line: Any) -> bool:
    """An id alone may be taken for what is left of a response, which is lawful, if unusual."""
    return isinstance(line, dict) and "method" not in line


def _may_be_answered(line: Any) -> bool:
    """Whether a line has a reply: RPC-17 and RPC-18 name those that have none."""
    if not isinstance(line, dict):
        return True
    if "method" not in line and ("result" in line or "error" in line):
        return False
    return "id" in line or not isinstance(line.get("method"), str) or line.get("jsonrpc") != "2.0"


def _expect_no_more(asked: Work, subject: Subject, number: int) -> None:
    asked.probe.barrier()
    if asked.probe.replies:
        raise _found(subject, number, "one reply to each request", asked.probe.replies[0])


def _found(subject: Subject, number: int, expected: str, reply: Any) -> Unmet:
    return Unmet(f"{expected} (seed {subject.facts.seed}, number {number})", str(reply))
