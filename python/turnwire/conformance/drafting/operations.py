"""The requests that checks use by their role, found by their names and by the schema of their params and results."""

import re
from typing import Any

from turnwire.conformance.drafting.least import least
from turnwire.conformance.drafting.meeting import Met

__all__ = ["harmless", "operations_of"]

# Requests that by their name only look at something.
LOOKS = re.compile(r"(?:^|/)(?:ping|health|version|status|list|read|get)$")
OF_THREADS = r"(?:thread|session|conversation)s?/"
CREATES, READS, LISTS = (
    re.compile(OF_THREADS + words) for words in (r"(?:start|new|create)$", r"(?:read|get)$", r"list$")
)
IDS = ("threadId", "sessionId", "conversationId", "id")
MADE = ("/thread/id", "/session/id", "/threadId", "/sessionId", "/conversationId", "/id")
LISTED = ("data", "threads", "sessions", "conversations", "items")


def harmless(bundle: dict[str, Any]) -> list[str]:
    """Requests of the client that only look and want no params; without a schema the one that many servers have."""
    rows = [row for row in bundle["x-methods"] if row["sender"] != "server" and row["kind"] == "request"]
    if not rows:
        return ["ping"]
    return [row["name"] for row in rows if LOOKS.search(row["name"]) and not _definition(bundle, row).get("required")]


def operations_of(bundle: dict[str, Any], met: Met) -> dict[str, dict[str, Any]]:
    """The roles that somebody plays."""
    found: dict[str, dict[str, Any]] = {}
    if met.harmless:
        found["noop"] = {"method": met.harmless[0]}
    rows = {row["name"]: row for row in bundle["x-methods"]}
    # Only what has params at all may have one more; without a schema nobody knows.
    if roomy := [name for name in met.harmless if not rows or _definition(bundle, rows[name])]:
        found["large"] = {"method": roomy[0], "params": {"padding": "$text"}}
    for row in bundle["x-methods"]:
        if row["sender"] == "server" or row["kind"] != "request":
            continue
        result = bundle["$defs"].get(str(row.get("result")), {})
        if CREATES.search(row["name"]) and "create" not in found:
            found |= _create(bundle, row, result)
        elif READS.search(row["name"]) and "read" not in found:
            found |= _read(bundle, row, result, found)
        elif LISTS.search(row["name"]) and "list" not in found:
            found |= _list(bundle, row, result)
    # What is read or listed must have been made.
    return found if "create" in found else {role: row for role, row in found.items() if role in ("noop", "large")}


def _create(bundle: dict[str, Any], row: dict[str, Any], result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    place = next((place for place in MADE if _has(result, place, bundle["$defs"])), "")
    if not place:
        return {}
    definition = _definition(bundle, row)
    params = {**least(definition, bundle["$defs"])} if definition else {}
    named = {"title": "$text"} if "title" in definition.get("properties", {}) else {}
    made = {"method": row["name"], "params": {**params, **named}, "thread": place}
    return {"create": {**made, **_titled(named, result, bundle["$defs"])}}


def _read(
    bundle: dict[str, Any], row: dict[str, Any], result: dict[str, Any], found: dict[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    definition = _definition(bundle, row)
    member = next((name for name in IDS if name in definition.get("properties", {})), "")
    if not member:
        return {}
    params = {**least(definition, bundle["$defs"]), member: "$id"}
    text = _titled(found.get("create", {}).get("params", {}), result, bundle["$defs"])
    return {"read": {"method": row["name"], "params": params, **text, "required": member, "wrong": 7}}


def _titled(params: dict[str, Any], result: dict[str, Any], definitions: dict[str, Any]) -> dict[str, str]:
    """Where a title that was given comes back."""
    places = ("/thread/title", "/session/title", "/title")
    place = next((place for place in places if _has(result, place, definitions)), "")
    return {"text": place} if place and "title" in params else {}


def _list(bundle: dict[str, Any], row: dict[str, Any], result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    member = next((name for name in LISTED if name in result.get("properties", {})), "")
    if not member:
        return {}
    params = least(_definition(bundle, row), bundle["$defs"]) or {}
    return {"list": {"method": row["name"], "params": params, "items": f"/{member}"}}


def _definition(bundle: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    found = bundle["$defs"].get(str(row.get("params")), {})
    return found if isinstance(found, dict) else {}


def _has(schema: Any, place: str, definitions: dict[str, Any]) -> bool:
    """Whether a value of this schema may have something at this pointer."""
    for step in place.split("/")[1:]:
        for _ in range(8):
            name = str(schema.get("$ref", "")).removeprefix("#/$defs/") if isinstance(schema, dict) else ""
            if name not in definitions:
                break
            schema = definitions[name]
        schema = schema.get("properties", {}).get(step) if isinstance(schema, dict) else None
    return schema is not None
