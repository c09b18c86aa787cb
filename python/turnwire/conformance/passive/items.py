"""The items of one thread: each starts, grows and is completed once.

An open item costs its type, the names of its members, the length of its text and a hash of it; no text is kept.
"""

import hashlib
from typing import Any

from turnwire.conformance.passive.findings import Findings, Recent

__all__ = ["ItemLog"]


class _Open:
    """An item that has started."""

    def __init__(self, item: dict[str, Any]) -> None:
        self.kind = (item["type"], item["turnId"])
        self.names = frozenset(item)
        self.created = item.get("createdAt")
        self.deltas = 0
        text = _text(item) or ""
        self.length = len(text)
        self.hash = hashlib.sha256(text.encode("utf-8", "surrogatepass"))


class ItemLog:
    """What has been told of the items of one thread."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._open: dict[str, _Open] = {}
        self._over = Recent()

    def is_open(self, identifier: str, kind: str) -> bool:
        """Whether an item of this type has started and is not over."""
        item = self._open.get(identifier)
        return item is not None and item.kind[0] == kind

    def begin(self) -> None:
        """A turn starts: what an earlier one left open was that one's fault."""
        self._open.clear()

    def seed(self, items: list[dict[str, Any]]) -> None:
        """What `thread/resume` shows of the active turn."""
        self._open = {item["id"]: _Open(item) for item in items if item["status"] == "inProgress"}

    def started(self, item: dict[str, Any]) -> None:
        """ITEM-1, ITEM-5: "Item ids are unique within a thread"."""
        self._findings.judge("item.lifecycle-order", "item.ids-unique")
        identifier = item["id"]
        if identifier in self._open:
            self._findings.broke("item.lifecycle-order", f"item/started of {identifier} once", "it came again")
        elif identifier in self._over:
            self._findings.broke("item.ids-unique", "an id that no item of the thread had", f"{identifier} again")
        self._open[identifier] = _Open(item)

    def delta(self, identifier: str, offset: int | None, delta: str | None) -> None:
        """ITEM-2: "A delta names an item of the same turn that has started and is not completed".

        A dialect may give no offset, and have deltas that add no text.
        """
        self._findings.judge("item.delta-known-id")
        item = self._open.get(identifier)
        if item is None:
            word = self._over.get(identifier) or "nothing of it"
            self._findings.broke(
                "item.delta-known-id", "a delta of an item that is open", f"one of {identifier} after {word}"
            )
            return
        if delta is None:
            return
        self._findings.judge("item.delta-concat")
        if offset is None:
            offset = item.length
        elif offset != item.length:
            self._findings.broke(
                "item.delta-concat", f"offset {item.length} in {identifier}, in code points", f"offset {offset}"
            )
        item.deltas += 1
        item.length = offset + len(delta)
        item.hash.update(delta.encode("utf-8", "surrogatepass"))

    def completed(self, item: dict[str, Any]) -> None:
        """ITEM-1, ITEM-4: "A completed item is whole and authoritative, and its status is not `inProgress`"."""
        self._findings.judge("item.lifecycle-order", "item.status-terminal")
        identifier, status = item["id"], item["status"]
        if status == "inProgress":
            self._findings.broke("item.status-terminal", f"an end of {identifier}", "item/completed with inProgress")
        begun = self._open.pop(identifier, None)
        if begun is not None:
            self._compare(begun, item)
        elif identifier in self._over:
            word = self._over.get(identifier)
            self._findings.broke(
                "item.lifecycle-order", f"one end of {identifier}", f"item/completed, and it is {word}"
            )
        elif status != "declined":
            # "a tool that was denied may have completed only"
            self._findings.broke("item.lifecycle-order", f"item/started of {identifier} first", "item/completed alone")
        self._over.add(identifier, "item/completed")

    def reset(self, identifiers: list[str]) -> None:
        """ITEM-6: "`item/reset` takes back items that started. They get no completed"."""
        self._findings.judge("item.lifecycle-order")
        for identifier in identifiers:
            if self._open.pop(identifier, None) is None and self._over.get(identifier) != "item/completed":
                self._findings.broke("item.lifecycle-order", "item/reset of items that started", identifier)
            self._over.add(identifier, "item/reset")

    def turn_over(self, turn: str) -> None:
        """TURN-9: "Before it every item that started is completed or reset"."""
        self._findings.judge("turn.all-items-closed")
        if self._open:
            left = ", ".join(list(self._open)[:3])
            self._findings.broke("turn.all-items-closed", f"every item completed before the end of {turn}", left)

    def _compare(self, begun: _Open, item: dict[str, Any]) -> None:
        self._findings.judge("item.type-immutable")
        kind = (item["type"], item["turnId"])
        if kind != begun.kind:
            self._findings.broke("item.type-immutable", " of ".join(begun.kind), f"{' of '.join(kind)} at its end")
        self._judge_whole(begun, item)
        self._findings.expect_in_time(item["id"], begun.created, item.get("completedAt"))
        text = _text(item)
        # ITEM-3 speaks of deltas; who sends none, or to whom none is sent, has nothing to join.
        if begun.deltas and text is not None:
            whole = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
            if begun.hash.digest() != whole:
                self._findings.broke(
                    "item.delta-concat", f"the text of {item['id']}, joined from its deltas", f"a text of {len(text)}"
                )

    def _judge_whole(self, begun: _Open, item: dict[str, Any]) -> None:
        """ITEM-4: a completed item is "whole", so it has what its start had, and began when that did."""
        self._findings.judge("item.completed-whole")
        if missing := begun.names - item.keys():
            self._findings.broke(
                "item.completed-whole", f"{', '.join(sorted(missing))} in {item['id']}", "not at its end"
            )
        elif item.get("createdAt") != begun.created:
            self._findings.broke(
                "item.completed-whole",
                f"createdAt {begun.created} of {item['id']}",
                f"{item.get('createdAt')} at its end",
            )


def _text(item: dict[str, Any]) -> str | None:
    """The text that deltas of an item add to; None when it has none."""
    text = item.get("text", item.get("output"))
    return text if isinstance(text, str) else None
