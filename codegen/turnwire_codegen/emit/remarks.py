"""What a schema says of a part beside its description, as sentences that every language prints below it."""

import json
from typing import Any

from msgspec import UNSET

from turnwire_codegen.ir import Notes

__all__ = ["deprecation", "remarks"]

_NULL = {"clears": "null clears it.", "unknown": "null means that it is not known."}


def remarks(notes: Notes, default: Any = UNSET) -> str:
    """One paragraph, empty when there is nothing to say."""
    said = [
        "Experimental: only with opt-in, both ways." if notes.get("stability") == "experimental" else "",
        f"Only with the capability `{notes['capability']}`." if "capability" in notes else "",
        _NULL.get(str(notes.get("null")), ""),
        f"Unit: {notes['unit']}." if "unit" in notes else "",
        # A default says what absence means; it is never written.
        "" if default is UNSET else f"Absent means `{json.dumps(default, ensure_ascii=False)}`.",
    ]
    return " ".join(filter(None, said))


def deprecation(notes: Notes) -> str:
    """Since when and what instead, empty for what is not deprecated."""
    said = notes.get("deprecated")
    if not said:
        return ""
    facts = said if isinstance(said, dict) else {}
    since = f" since {facts['since']}" if facts.get("since") else ""
    instead = f", use {facts['use']}" if facts.get("use") else ""
    return f"Deprecated{since}{instead}."
