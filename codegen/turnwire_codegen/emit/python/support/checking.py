"""What generated validators share: faults, equality of JSON values, multiples, patterns and formats.

Values are what a JSON decoder gives: dict, list, str, int, float, bool, None.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

__all__ = ["FORMATS", "Fault", "are_unique", "finder", "is_multiple", "is_one_of", "step"]


class Fault(NamedTuple):
    """Where a value first breaks its schema (a JSON pointer, empty at the value itself), and which rule it breaks."""

    pointer: str
    rule: str

    def under(self, steps: str) -> "Fault":
        """The same fault seen from above `steps`, which are written as a pointer."""
        return Fault(steps + self.pointer, self.rule)


def step(name: str) -> str:
    """A member's name as one step of a JSON pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def is_one_of(value: object, allowed: Iterable[object]) -> bool:
    """Whether a value equals one of these: 1 equals 1.0, true equals only true."""
    return any(_same(value, other) for other in allowed)


def are_unique(items: list[object]) -> bool:
    """Whether no two items are equal."""
    texts = {item for item in items if item.__class__ is str}
    others = [item for item in items if item.__class__ is not str]
    if len(texts) + len(others) < len(items):
        return False
    return not any(_same(item, other) for at, item in enumerate(others) for other in others[:at])


def is_multiple(value: float, of: float) -> bool:
    """Whether a number is a multiple: whole numbers exactly, all else by the quotient of two doubles."""
    if _is_whole(value) and _is_whole(of):
        return int(value) % int(of) == 0
    try:
        quotient = value / of
    except OverflowError:
        # Beyond the largest double there are whole numbers only.
        return True
    # Where the quotient is beyond all doubles, the rest of the division is exact all the same.
    return value % of == 0 if quotient in (_INFINITY, -_INFINITY) else quotient.is_integer()


def finder(expression: str) -> Callable[[str], object]:
    """What gives a match of the expression in a text, or None."""
    return re.compile(expression).search


_INFINITY = float("inf")
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DATE = "([0-9]{4})-([0-9]{2})-([0-9]{2})"
_TIME = r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
_UUID = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"


def _same(left: Any, right: Any) -> bool:
    if left.__class__ is bool or right.__class__ is bool:
        return left is right
    if left.__class__ is list and right.__class__ is list:
        return len(left) == len(right) and all(map(_same, left, right))
    if left.__class__ is dict and right.__class__ is dict:
        return left.keys() == right.keys() and all(_same(left[name], right[name]) for name in left)
    return bool(left == right)


def _is_whole(value: float) -> bool:
    return value.__class__ is int or float(value).is_integer()


def _is_date(text: str) -> bool:
    match = _compiled(_DATE).fullmatch(text)
    if match is None:
        return False
    year, month, day = map(int, match.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] + (leap and month == 2)


def _is_time(text: str) -> bool:
    match = _compiled(_TIME).fullmatch(text)
    if match is None:
        return False
    hour, minute, second = int(match[1]), int(match[2]), int(match[3])
    away_hour, away_minute = int(match[5] or 0), int(match[6] or 0)
    if hour > 23 or minute > 59 or second > 60 or away_hour > 23 or away_minute > 59:
        return False
    # A leap second is the last of a day, in universal time.
    away = (away_hour * 60 + away_minute) * (-1 if match[4] == "-" else 1)
    return second < 60 or (hour * 60 + minute - away) % 1440 == 1439


def _is_date_time(text: str) -> bool:
    return text[10:11] in ("T", "t") and _is_date(text[:10]) and _is_time(text[11:])


@cache
def _compiled(expression: str) -> "re.Pattern[str]":
    return re.compile(expression)


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": _is_date,
    "date-time": _is_date_time,
    "ipv4": lambda text: _compiled(rf"{_BYTE}(?:\.{_BYTE}){{3}}").fullmatch(text) is not None,
    "time": _is_time,
    "uuid": lambda text: _compiled(_UUID).fullmatch(text) is not None,
}
