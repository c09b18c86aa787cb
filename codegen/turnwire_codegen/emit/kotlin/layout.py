"""Calls within calls, on one line where that is short, else with an argument a line."""

from typing import NamedTuple

__all__ = ["Expression", "flat", "laid_out"]

_WIDTH = 110
_INDENT = "    "


class Expression(NamedTuple):
    """A call, with its arguments as expressions or text."""

    head: str
    arguments: tuple["Expression | str", ...] = ()


def laid_out(expression: Expression | str, prefix: str = "", suffix: str = "") -> list[str]:
    """The lines of an expression that stands between `prefix` and `suffix`."""
    line = prefix + flat(expression) + suffix
    if isinstance(expression, str) or len(line) <= _WIDTH or not expression.arguments:
        return [line]
    inner = [_INDENT + line for argument in expression.arguments for line in laid_out(argument, suffix=",")]
    return [f"{prefix}{expression.head}(", *inner, f"){suffix}"]


def flat(expression: Expression | str) -> str:
    """An expression on one line."""
    if isinstance(expression, str):
        return expression
    return f"{expression.head}({', '.join(map(flat, expression.arguments))})"
