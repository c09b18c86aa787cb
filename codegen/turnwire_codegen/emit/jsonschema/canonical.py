"""RFC 8785, as far as schemas need it: strings, integers, booleans, null, arrays and objects."""

import hashlib
import json
from typing import Any

__all__ = ["canonical_json", "digest"]


def canonical_json(value: Any) -> bytes:
    """The one spelling of `value`; raises TypeError for a fraction, whose spelling would need ECMAScript's rules."""
    return json.dumps(_ordered(value), ensure_ascii=False, separators=(",", ":")).encode()


def digest(canonical: bytes) -> str:
    """The sha256 of canonical bytes, in hexadecimal."""
    return hashlib.sha256(canonical).hexdigest()


def _ordered(value: Any) -> Any:
    if isinstance(value, float):
        raise TypeError(f"a fraction has no place in a schema: {value!r}")
    if isinstance(value, dict):
        # RFC 8785 3.2.3: members are sorted by UTF-16 code units.
        return {key: _ordered(value[key]) for key in sorted(value, key=lambda key: key.encode("utf-16-be"))}
    if isinstance(value, list | tuple):
        return [_ordered(item) for item in value]
    return value
