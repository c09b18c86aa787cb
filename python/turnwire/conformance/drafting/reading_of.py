"""The part of a draft that says how messages are read: notifications by their names, and places by their schema.

Names of our protocol are in use elsewhere too; a notification that is called otherwise is left for a person to add.
"""

import re
from collections.abc import Iterator
from typing import Any

__all__ = ["reading_of"]

# What the end of a name means. The first that fits counts.
MEANINGS = (
    (r"(?:thread|session)/(?:started|created)$", "thread-started"),
    (r"(?:thread|session)/status/?[cC]hanged$", "thread-status"),
    (r"turn/started$", "turn-started"),
    (r"turn/(?:completed|ended|finished)$", "turn-ended"),
    (r"item/started$", "item-started"),
    (r"item/.*[dD]elta$", "item-delta"),
    (r"item/(?:completed|ended|finished)$", "item-ended"),
    (r"approval/requested$", "approval-told"),
    (r"(?:approval/request|/requestApproval)$", "approval-asked"),
    (r"(?:approval|serverRequest)/resolved$", "approval-settled"),
)
# Where each part may stand, in the params of a notification.
PLACES = {
    "thread": ("/threadId", "/thread/id", "/sessionId", "/turn/threadId", "/item/threadId", "/thread/threadId"),
    "turn": ("/turnId", "/turn/id", "/item/turnId", "/turn/turnId"),
    "item": ("/itemId", "/item/id", "/item/itemId"),
    "kind": ("/item/type", "/type", "/item/kind"),
    "status": ("/turn/status", "/item/status", "/status/type", "/status", "/thread/status"),
    "approval": ("/approvalId", "/requestId", "/approval/approvalId", "/request/id"),
    "text": ("/delta", "/item/text", "/item/output", "/delta/text"),
}
# What each meaning needs; what has it not is not understood.
NEEDS = {
    "thread-started": ("thread",),
    "thread-status": ("thread", "status"),
    "turn-started": ("thread", "turn"),
    "turn-ended": ("thread", "turn", "status"),
    "item-started": ("thread", "turn", "item"),
    "item-delta": ("thread", "turn", "item"),
    "item-ended": ("thread", "turn", "item"),
    "approval-told": ("thread", "turn", "approval"),
    "approval-asked": ("thread", "turn"),
    "approval-settled": ("thread", "approval"),
}
# What a contract promises that tells of these at all.
PROMISES = {
    "turn-started": ("turn.started-once-first", "turn.ids-unique", "turn.one-active"),
    "turn-ended": ("turn.exactly-one-terminal", "turn.no-events-after-terminal", "turn.terminal-status"),
    "item-started": ("item.lifecycle-order", "item.ids-unique"),
    "item-ended": ("item.type-immutable", "turn.all-items-closed"),
    "item-delta": ("item.delta-known-id",),
    "approval-settled": ("appr.resolved-once",),
}


def reading_of(bundle: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """How each method that is understood is read, and the rules that follow."""
    tells = {row["name"]: found for row in bundle["x-methods"] if (found := _tells(row, bundle["$defs"]))}
    means = {found["means"] for found in tells.values()}
    if not {"turn-started", "turn-ended"} <= means:
        return {}, []
    return tells, sorted(rule for meaning in means for rule in PROMISES.get(meaning, ()))


def _tells(row: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    meaning = next((meaning for pattern, meaning in MEANINGS if re.search(pattern, row["name"])), "")
    if row["sender"] == "client" or not meaning:
        return {}
    places = set(_places({"$ref": f"#/$defs/{row.get('params')}"}, definitions))
    found: dict[str, Any] = {"means": meaning}
    for part, candidates in PLACES.items():
        at = next((place for place in candidates if place in places), "")
        if at:
            found[part] = [f"/params{at}"] if part == "text" else f"/params{at}"
    if meaning == "approval-asked" and "approval" not in found:
        found["approval"] = "/id"
    if any(part not in found for part in NEEDS[meaning]):
        return {}
    return {name: value for name, value in found.items() if name in ("means", *NEEDS[meaning], *_more(meaning))}


def _more(meaning: str) -> tuple[str, ...]:
    if meaning.startswith("item"):
        return ("kind", "status", "text")
    return ("approval",) if meaning == "approval-asked" else ()


def _places(schema: Any, definitions: dict[str, Any], at: str = "", depth: int = 0) -> Iterator[str]:
    """The pointers of what a value of a schema may have, three members deep."""
    if not isinstance(schema, dict) or depth > 8:
        return
    yield at
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name in definitions:
        yield from _places(definitions[name], definitions, at, depth + 1)
    for keyword in ("oneOf", "anyOf", "allOf"):
        for arm in schema.get(keyword) or ():
            yield from _places(arm, definitions, at, depth + 1)
    if at.count("/") < 3:
        for member, inner in (schema.get("properties") or {}).items():
            yield from _places(inner, definitions, f"{at}/{member}", depth + 1)
