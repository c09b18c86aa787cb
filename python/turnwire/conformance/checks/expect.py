"""What checks expect, said once: each helper names the lawful outcomes and shows what came instead."""

from collections.abc import Sequence
from typing import Any

from turnwire.conformance.model import NotApplicable, Unmet
from turnwire.conformance.probe import ABSENT
from turnwire.conformance.strict import same_json
from turnwire.conformance.subject import Subject
from turnwire.conformance.trace import Frame, clip
from turnwire.wire import SCHEMA_ID

# What cannot be read at all; a contract may leave it without an answer.
UNREADABLE = frozenset({"parse_error", "invalid_utf8", "not_a_number", "lone_surrogate"})

__all__ = ["error_of", "errors_with", "nothing", "one_error", "own_messages", "shown", "succeeded"]


def one_error(
    subject: Subject, replies: Sequence[Frame], *conditions: str, ids: Sequence[Any] = (None,), to: str
) -> str | None:
    """Exactly one error with a lawful code and one of the ids; a note when its code is lawful but unusual.

    Raises:
        Unmet: none, several, a result, another code or another id.
    """
    if not replies and subject.profile.wire.on_parse_error == "silence" and UNREADABLE & set(conditions):
        return f"stays silent to {to}, as its contract says"
    codes = tuple(dict.fromkeys(subject.codes(*conditions)))
    expected = f"one error {' or '.join(map(str, codes))} with {' or '.join(map(_id, ids))} to {to}"
    if len(replies) != 1:
        raise Unmet(expected, shown(replies))
    reply = replies[0]
    has_id = any(same_json(reply.value.get("id", ABSENT), value) for value in ids)
    if reply.code not in codes or not has_id:
        raise Unmet(expected, shown(replies))
    usual = {subject.profile.codes[condition][0] for condition in conditions}
    return None if reply.code in usual else f"{reply.code} to {to}, where {codes[0]} is usual"


def error_of(subject: Subject, reply: Frame, *conditions: str, to: str) -> str | None:
    """The same for a reply that was found by its id."""
    return one_error(subject, [reply], *conditions, ids=(reply.value["id"],), to=to)


def errors_with(subject: Subject, cases: Sequence[tuple[str, bytes]], *conditions: str) -> str | None:
    """Send each line to the session and expect one error with id null for each; the last note, if any."""
    notes = [one_error(subject, subject.probe.provoke(line), *conditions, to=name) for name, line in cases]
    return next((note for note in reversed(notes) if note), None)


def own_messages(subject: Subject) -> None:
    """Go on only by a contract that has our own messages.

    Raises:
        NotApplicable: it has others, which the check does not know.
    """
    if subject.profile.bundle.get("$id") != SCHEMA_ID:
        raise NotApplicable(f"the profile {subject.profile.name} has other messages")


def _id(value: Any) -> str:
    if value is ABSENT:
        return "no id"
    return "id null" if value is None else f"id {value!r}"


def nothing(replies: Sequence[Frame], *, to: str) -> None:
    """No reply at all.

    Raises:
        Unmet: there is one.
    """
    if replies:
        raise Unmet(f"no reply to {to}", shown(replies))


def succeeded(reply: Frame, *, to: str) -> Any:
    """The result of a reply that must have one.

    Raises:
        Unmet: it has none.
    """
    if "result" not in reply.value or "error" in reply.value:
        raise Unmet(f"a result for {to}", shown([reply]))
    return reply.value["result"]


def shown(replies: Sequence[Frame]) -> str:
    """Replies as a reader sees them: all when few, the first ones and a count when many."""
    if not replies:
        return "no reply"
    first = "; ".join(clip(reply.raw, 120) for reply in replies[:3])
    return first if len(replies) <= 3 else f"{len(replies)} replies: {first}; …"
