"""A dialect's messages in our words: one message in, the events that it tells of out, in the shapes that the logs read.

What a message lacks is not guessed: a notification without its thread, turn or item tells of nothing here, and whether
it may lack them is for the schema to say.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from turnwire.conformance.passive.findings import Recent
from turnwire.conformance.pointer import pick
from turnwire.conformance.reading import Reading, Tells

__all__ = ["Answered", "Event", "Translator"]

# What is told of a thread names no turn.
OF_THREADS = frozenset({"thread-started", "thread-status"})


class Event(NamedTuple):
    """A notification or request of the server, as ours would be."""

    method: str
    params: dict[str, Any]


class Answered(NamedTuple):
    """A reply, as ours would be; `thread` is the one that it is about."""

    method: str
    thread: str
    result: dict[str, Any]


class Translator:
    """Reads one conversation of a dialect. It remembers the little that a message leaves to those before it."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        # The turn of each, for a settlement that does not name it.
        self._approvals = Recent()
        # The last status of each thread: one that is repeated with other details is no change.
        self._statuses = Recent()
        # Whether an item has been told of: one that is told of when it is whole has not.
        self._items = Recent()

    def told(self, message: dict[str, Any]) -> list[Event]:
        """What a message of the server tells of, in the order in which ours would come."""
        tells = self._reading.tells.get(message["method"])
        if tells is None:
            return []
        thread, turn = pick(message, tells.thread), pick(message, tells.turn)
        if tells.means == "approval-settled":
            # Some name only the request that they settle.
            turn = turn or self._approvals.get(_word(pick(message, tells.approval)))
        if not isinstance(thread, str) or (tells.means not in OF_THREADS and not (isinstance(turn, str) and turn)):
            return []
        return list(self._events(message, tells, thread, turn if isinstance(turn, str) else ""))

    def answered(self, method: str, params: dict[str, Any], result: Any) -> Answered | None:
        """What the result of a request means; None where it means nothing for the order of things."""
        answers = self._reading.answers.get(method)
        if answers is None:
            return None
        both = {"params": params, "result": result}
        thread, turn = pick(both, answers.thread), pick(both, answers.turn)
        if not isinstance(thread, str):
            return None
        if answers.means == "thread-started":
            return Answered("thread/start", thread, {"thread": {"id": thread, "status": ""}})
        if answers.means in ("thread-resumed", "thread-left"):
            return Answered(answers.means, thread, {})
        if not isinstance(turn, str):
            return None
        ours = "turn/start" if answers.means == "turn-started" else "turn/interrupt"
        return Answered(ours, thread, {"turn": {"id": turn, "threadId": thread}})

    def _events(self, message: dict[str, Any], tells: Tells, thread: str, turn: str) -> Iterator[Event]:
        status = pick(message, tells.status)
        match tells.means:
            case "thread-started":
                ours = self._reading.thread_status.get(str(status), str(status))
                self._statuses.add(thread, ours)
                yield Event("thread/started", {"thread": {"id": thread, "status": ours}})
            case "thread-status":
                ours = self._reading.thread_status.get(str(status), str(status))
                if self._statuses.get(thread) != ours:
                    self._statuses.add(thread, ours)
                    yield Event("thread/status/changed", {"threadId": thread, "status": ours})
            case "turn-started":
                yield Event("turn/started", {"turn": {"id": turn, "threadId": thread}, "threadId": thread})
            case "turn-ended":
                yield Event("turn/completed", {"turn": self._ended(turn, thread, status), "threadId": thread})
            case "item-started" | "item-delta" | "item-ended":
                yield from self._of_item(message, tells, thread, turn)
            case _:
                yield from self._of_approval(message, tells, thread, turn)

    def _ended(self, turn: str, thread: str, status: Any) -> dict[str, Any]:
        """The end of a turn. What else ours would have at its end is no dialect's promise, so it is there."""
        ours = self._reading.turn_status.get(str(status), str(status))
        members = {"id": turn, "threadId": thread, "status": ours, "completedAt": 0}
        return {**members, "error": {}} if ours == "failed" else members

    def _of_item(self, message: dict[str, Any], tells: Tells, thread: str, turn: str) -> Iterator[Event]:
        identifier = pick(message, tells.item)
        if not isinstance(identifier, str):
            return
        place = {"threadId": thread, "turnId": turn}
        text = next((found for at in tells.text if isinstance(found := pick(message, at), str)), None)
        if tells.means == "item-delta":
            yield Event("item/delta", {**place, "itemId": identifier, "offset": None, "delta": text})
            return
        kind, status = str(pick(message, tells.kind)), str(pick(message, tells.status) or "completed")
        item = {"id": identifier, "turnId": turn, "type": kind, "status": self._reading.item_status.get(status, status)}
        if text is not None:
            item["text"] = text
        if tells.means == "item-started":
            self._items.add(identifier, "started")
            yield Event("item/started", {**place, "item": item})
            return
        if kind in self._reading.whole_items and self._items.get(identifier) != "started":
            yield Event("item/started", {**place, "item": {**item, "text": ""}})
        self._items.add(identifier, "completed")
        yield Event("item/completed", {**place, "item": item})

    def _of_approval(self, message: dict[str, Any], tells: Tells, thread: str, turn: str) -> Iterator[Event]:
        word, place = _word(pick(message, tells.approval)), {"threadId": thread, "turnId": turn}
        # A dialect may count its approvals anew in each turn.
        identifier = f"{word} of {turn}"
        if tells.means == "approval-settled":
            decision = pick(message, tells.decision) if tells.decision else None
            yield Event("approval/resolved", {**place, "approvalId": identifier, "resolution": {"decision": decision}})
            return
        self._approvals.add(word, turn)
        binding = {"nonce": pick(message, tells.nonce)} if tells.nonce else {}
        subject = _without(pick(message, tells.subject), tells.aside) if tells.subject else None
        approval = {**place, "approvalId": identifier, "itemId": "", "binding": binding, **_spread(subject)}
        if tells.means == "approval-asked":
            yield Event("approval/request", {"approval": approval})
        else:
            yield Event("approval/requested", {**place, "approval": approval})


def _word(identifier: Any) -> str:
    """An id as one word: 1 and "1" are two."""
    return msgspec.json.encode(identifier).decode() if not isinstance(identifier, str) else identifier


def _spread(subject: Any, at: str = "") -> dict[str, Any]:
    """The members of a value by their pointers, so that what differs is named by its place."""
    if not isinstance(subject, dict) or (at and not subject):
        return {at: subject} if at else {}
    found: dict[str, Any] = {}
    for name, member in subject.items():
        found |= _spread(member, f"{at}/{name}")
    return found


def _without(value: Any, places: tuple[str, ...], at: str = "") -> Any:
    if not isinstance(value, dict):
        return value
    return {
        name: _without(member, places, f"{at}/{name}") for name, member in value.items() if f"{at}/{name}" not in places
    }
