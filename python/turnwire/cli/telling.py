"""A turn as a person reads it: text as it comes, tools and approvals a line each, the end in one line."""

from collections.abc import Callable
from typing import Any, TextIO

import msgspec
from msgspec import UNSET

from turnwire.cli.color import Paint

__all__ = ["Teller"]

# A result of a tool is shown by its beginning.
_WIDTH = 200
_MARKS = {"pending": "[ ]", "inProgress": "[>]", "completed": "[x]"}
_STYLES = {"completed": "green", "failed": "red", "interrupted": "yellow", "paused": "yellow"}


class Teller:
    """Writes what it is told to a stream, line by line but for text that still grows."""

    def __init__(self, stream: TextIO, paint: Paint) -> None:
        self._stream = stream
        self._paint = paint
        self._growing = ""
        self._shown: set[str] = set()

    def tell(self, method: str, params: Any) -> None:
        """Tell of one notification; most of them say nothing to a person."""
        if method in ("item/agentMessage/delta", "item/reasoning/delta", "item/commandExecution/outputDelta"):
            self._grow(params.item_id, params.delta, "" if "agent" in method else "dim")
        elif method == "item/completed":
            self._item(params.item)
        elif method == "item/reset":
            self._line("yellow", f"taken back: {params.reason}")
        elif method == "turn/completed":
            self._turn(params.turn)

    def ask(self, approval: Any) -> None:
        """Show what is to be approved."""
        preview = "" if approval.preview is UNSET else f"\n{approval.preview}"
        self._line("yellow", f"approve? {approval.title}{preview}")

    def _grow(self, item_id: str, text: str, style: str) -> None:
        if self._growing != item_id:
            self._end_line()
            self._growing = item_id
        self._shown.add(item_id)
        self._write(self._paint(style, text) if style else text)

    def _item(self, item: Any) -> None:
        tell = _ITEMS.get(getattr(item, "type", ""))
        if tell is not None and item.id not in self._shown:
            style, text = tell(item)
            self._line(style, text)
        self._end_line()

    def _turn(self, turn: Any) -> None:
        parts = [turn.status]
        if turn.error is not UNSET:
            parts.append(f"{turn.error.code}: {turn.error.message}")
        if turn.usage is not UNSET:
            parts.append(f"{_count(turn.usage.input_tokens)} tokens in, {_count(turn.usage.output_tokens)} out")
        self._line(_STYLES.get(turn.status, "bold"), " · ".join(parts))

    def _line(self, style: str, text: str) -> None:
        self._end_line()
        self._write((self._paint(style, text) if style else text) + "\n")

    def _end_line(self) -> None:
        if self._growing:
            self._growing = ""
            self._write("\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _said(item: Any) -> tuple[str, str]:
    return "", item.text


def _thought(item: Any) -> tuple[str, str]:
    return "dim", item.text


def _tool(item: Any) -> tuple[str, str]:
    arguments = "" if item.arguments is UNSET else f" {_short(item.arguments)}"
    return _outcome(item, f"tool {item.tool_name}{arguments}", getattr(item, "result", UNSET))


def _command(item: Any) -> tuple[str, str]:
    return _outcome(item, f"$ {item.command}", item.output)


def _files(item: Any) -> tuple[str, str]:
    return _outcome(item, "file " + ", ".join(f"{change.kind} {change.path}" for change in item.changes), UNSET)


def _outcome(item: Any, what: str, result: Any) -> tuple[str, str]:
    """A thing that was done, with its result; or not done, and why."""
    if item.status == "completed":
        return "cyan", what if result is UNSET else f"{what} → {_short(result)}"
    code = "" if item.error_code is UNSET else f" ({item.error_code})"
    return "red", f"{what}: {item.status}{code}"


def _approval(item: Any) -> tuple[str, str]:
    resolution = item.resolution
    said = item.status if resolution is UNSET else f"{resolution.decision} ({resolution.outcome})"
    return "yellow", f"approval {item.approval.title}: {said}"


def _plan(item: Any) -> tuple[str, str]:
    return "", "\n".join(f"{_MARKS.get(step.status, '[?]')} {step.text}" for step in item.steps)


def _notice(item: Any) -> tuple[str, str]:
    return "yellow", f"{item.level}: {item.text}"


def _error(item: Any) -> tuple[str, str]:
    return "red", f"error {item.code}: {item.message}"


_ITEMS: dict[str, Callable[[Any], tuple[str, str]]] = {
    "agentMessage": _said,
    "reasoning": _thought,
    "toolCall": _tool,
    "mcpToolCall": _tool,
    "dynamicToolCall": _tool,
    "commandExecution": _command,
    "fileChange": _files,
    "approval": _approval,
    "plan": _plan,
    "notice": _notice,
    "error": _error,
}


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…"


def _count(number: Any) -> str:
    return "?" if number is UNSET else str(number)
