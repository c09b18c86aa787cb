"""The canonical form of RFC 8785, for digests only.

A number outside I-JSON enters a digest as a decimal string (APPR-3), so that two peers who read it differently
still agree on what was written.
"""

from hashlib import sha256
from typing import Any

import msgspec

__all__ = ["canonical", "digest"]

# I-JSON (RFC 7493): integers beyond this are not exact in every reader.
_EXACT = 2**53 - 1


def digest(value: Any) -> str:
    """SHA-256 of the canonical form of builtins, in lower-case hexadecimal digits."""
    return sha256(canonical(value)).hexdigest()


def canonical(value: Any) -> bytes:
    """The canonical form of builtins (dict, list, str, int, float, bool, None).

    Raises:
        TypeError: a value is no JSON.
    """
    return "".join(_parts(value)).encode()


def _parts(value: Any) -> list[str]:
    if value is None or isinstance(value, bool | str):
        return [_scalar(value)]
    if isinstance(value, int):
        return [str(value) if abs(value) <= _EXACT else f'"{value}"']
    if isinstance(value, float):
        return [_number(value)]
    if isinstance(value, dict):
        members: list[str] = []
        # RFC 8785, 3.2.3: names are sorted as arrays of UTF-16 units.
        for name in sorted(value, key=lambda name: name.encode("utf-16-be")):
            members += [",", _scalar(name), ":", *_parts(value[name])]
        return ["{", *members[1:], "}"]
    if isinstance(value, list | tuple):
        items: list[str] = []
        for item in value:
            items += [",", *_parts(item)]
        return ["[", *items[1:], "]"]
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _scalar(value: str | bool | None) -> str:  # noqa: FBT001 - any JSON scalar
    return msgspec.json.encode(value).decode()


def _number(value: float) -> str:
    """A double as ECMAScript prints it (`Number::toString`), from the same shortest digits that Python finds."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    if fraction == "0":
        fraction = ""
    digits = (whole + fraction).lstrip("0")
    # The value is 0.DIGITS times ten to the power of `point`.
    point = len(whole) + int(exponent or "0") - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    return sign + _placed(digits, point)


def _placed(digits: str, point: int) -> str:
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    power = point - 1
    head = digits if count == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{head}e{'+' if power > 0 else '-'}{abs(power)}"
