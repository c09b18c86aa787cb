"""Threads: what is started is there, is told of, and is found again; what is not there is not made up (THR clauses)."""

from turnwire.conformance.checks.expect import error_of, own_messages, succeeded
from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject
from turnwire.conformance.turns import is_scripted, start_turn

__all__: list[str] = []

# An id that no server gives: it is lawful in form, so what is refused is that nothing has it.
NOBODY = "turnwire-check/no-such-thread"
STARTS = 20
# A value of the open enum of modes that no schema names.
LATER = "turnwire-check/later"


@check("thread.start-returns-id")
def start_returns_id(subject: Subject) -> None:
    """Twenty threads have twenty ids."""
    own_messages(subject)
    ids = [subject.create(subject.probe) for _ in range(STARTS)]
    if len(set(ids)) < len(ids):
        raise Unmet(f"{STARTS} ids for {STARTS} threads", f"{len(set(ids))} of them differ")


@check("thread.started-told")
def started_told(subject: Subject) -> None:
    """Another connection is none here, so the one that asked hears of its thread, once."""
    own_messages(subject)
    mark = len(subject.probe.arrived)
    thread = subject.create(subject.probe)
    subject.probe.barrier()
    subject.probe.collect()
    heard = subject.probe.heard(subject.profile.created, mark)
    told = [frame for frame in heard if pick(frame.value, "/params/thread/id") == thread]
    if len(told) != 1:
        raise Unmet(f"one {subject.profile.created} of the thread", f"{len(told)} of them")


@check("thread.unknown-id")
def unknown_id(subject: Subject) -> str | None:
    """To resume what nobody started is refused and starts nothing."""
    if "not_found" not in subject.profile.codes:
        raise NotApplicable(f"the profile {subject.profile.name} says no code for what is not there")
    note = None
    for role in ("resume", "read"):
        reply = subject.perform(subject.probe, role, thread=NOBODY)
        note = error_of(subject, reply, "not_found", to=f"{subject.operation(role).method} with an unknown id") or note
    return note


@check("thread.params-first")
def params_first(subject: Subject) -> str | None:
    """Params that are wrong in themselves are refused for that, also where nobody has the id in them."""
    own_messages(subject)
    note = None
    for role, wrong in (("resume", {"afterSeq": "soon"}), ("update", {"title": 7}), ("read", {"threadId": ""})):
        params = {**subject.params(role, thread=NOBODY, text="x"), **wrong}
        method = subject.operation(role).method
        reply = subject.probe.call(method, params)
        note = error_of(subject, reply, "invalid_params", to=f"{method} of an unknown id with {wrong}") or note
    return note


@check("thread.open-values")
def open_values(subject: Subject) -> None:
    """A mode of work that no version names yet is kept as it came."""
    own_messages(subject)
    params = {**subject.params("create", text="of a later version"), "mode": LATER}
    result = succeeded(
        subject.probe.call(subject.operation("create").method, params), to=f"a thread of the mode {LATER}"
    )
    thread = str(pick(result, "/thread/id"))
    read = succeeded(subject.perform(subject.probe, "read", thread=thread), to=subject.operation("read").method)
    found = pick(result, "/thread/mode"), pick(read, "/thread/mode")
    if found != (LATER, LATER):
        raise Unmet(f"a thread that is started, and read, with the mode {LATER}", f"{found[0]!r}, and {found[1]!r}")


@check("thread.read-own")
def read_own(subject: Subject) -> None:
    """Each thread is read by its own id, with its own title."""
    own_messages(subject)
    operation = subject.operation("read")
    titles = {subject.create(subject.probe, title): title for title in ("one of two", "the other")}
    for thread, title in titles.items():
        result = succeeded(subject.perform(subject.probe, "read", thread=thread), to=operation.method)
        found = (pick(result, "/thread/id"), pick(result, operation.text))
        if found != (thread, title):
            raise Unmet(f"the thread {thread} with the title {title!r}", f"{found[0]!r} with {found[1]!r}")


@check("thread.list-contains")
def list_contains(subject: Subject) -> None:
    """A thread that was started is listed, without a turn too."""
    own_messages(subject)
    probe = subject.session()
    thread = subject.create(probe)
    listed = [pick(item, "/id") for item in subject.listed(probe)]
    if listed.count(thread) != 1:
        raise Unmet(f"{thread} in the list once", f"{listed.count(thread)} times")


@check("thread.stale-version")
def stale_version(subject: Subject) -> str | None:
    """A change on top of a version that is gone is refused, and the thread stays as it was."""
    own_messages(subject)
    operation = subject.operation("read")
    thread = subject.create(subject.probe, "before")
    params = {**subject.params("update", thread=thread, text="after"), "expectedVersion": 1_000_000}
    reply = subject.probe.call(subject.operation("update").method, params)
    note = error_of(subject, reply, "conflict", to="an expectedVersion that is not the version")
    text = pick(subject.perform(subject.probe, "read", thread=thread).result, operation.text)
    if text != "before":
        raise Unmet("the thread as it was before the change that was refused", repr(text))
    return note


@check("thread.resume-twice")
def resume_twice(subject: Subject) -> None:
    """Who subscribes twice hears once."""
    own_messages(subject)
    if not is_scripted(subject):
        raise NotExercised("the server declares no agent that obeys a script")
    probe = subject.session()
    thread = subject.create(probe)
    for _ in range(2):
        succeeded(subject.perform(probe, "resume", thread=thread), to=subject.operation("resume").method)
    turn = start_turn(subject, probe, "text", thread)
    turn.wait()
    probe.collect()
    ends = probe.heard(subject.profile.script.completed, turn.mark)
    if len(ends) != 1:
        raise Unmet(f"one {subject.profile.script.completed}", f"{len(ends)} of them")
