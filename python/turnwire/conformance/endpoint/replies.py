"""What the endpoint answers: the last thing that the user said is the script, in a few words of the scripted agent.

What is no command is said, as if `text` stood before it.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["Reply", "reply_to"]

PIECE = 8
# A model that is asked for more would only make the judge wait.
MOST_PIECES, MOST_SECONDS = 10_000, 60.0
COMMANDS = {
    "text": "WORDS: says WORDS, eight characters at a time",
    "slow": "COUNT MS: says the numbers to COUNT, MS milliseconds apart",
    "flood": "COUNT SIZE: says COUNT pieces of SIZE characters, as fast as it can",
    "tool": "NAME JSON: calls a tool of the server, and says `done` when it has what came of it",
    "fail": "WORDS: is an error of the endpoint, status 500",
    "limit": "WORDS: is refused for too many requests, status 429",
    "cut": "WORDS: says the first of WORDS, and the connection ends in the middle",
    "hang": "SECONDS: says nothing for so long",
}


class Reply(NamedTuple):
    """One answer: pieces of text, or one call of a tool, or an error."""

    pieces: tuple[str, ...] = ()
    pause: float = 0.0
    tool: str = ""
    arguments: str = "{}"
    status: int = 200
    is_cut: bool = False
    # How long nothing comes at all.
    silence: float = 0.0


def reply_to(body: Any) -> Reply:
    """What a request is answered, whether it has the form of the Responses API or of Chat Completions."""
    said, has_result = _last_said(body if isinstance(body, dict) else {})
    command, _, rest = said.partition(" ")
    match command:
        case "tool" if has_result:
            return _text("done")
        case "tool":
            name, _, arguments = rest.partition(" ")
            return Reply(tool=name, arguments=_object(arguments))
        case "slow":
            count, pause = _numbers(rest)
            numbers = range(1, min(int(count), MOST_PIECES) + 1)
            return Reply(tuple(f"{number} " for number in numbers), pause=min(pause / 1000, MOST_SECONDS))
        case "flood":
            count, size = _numbers(rest)
            return Reply(("x" * int(size),) * min(int(count), MOST_PIECES))
        case "fail":
            return Reply((rest,), status=500)
        case "limit":
            return Reply((rest,), status=429)
        case "cut":
            return _text(rest)._replace(is_cut=True)
        case "hang":
            return Reply(("late",), silence=min(_numbers(rest)[0], MOST_SECONDS))
        case "text":
            return _text(rest)
        case _:
            return _text(said)


def _text(words: str) -> Reply:
    return Reply(tuple(words[at : at + PIECE] for at in range(0, len(words), PIECE)) or ("",))


def _object(text: str) -> str:
    """Arguments as they are told; a server must read them, so what is no object is none."""
    try:
        return text if isinstance(json.loads(text or "{}"), dict) and text else "{}"
    except ValueError:
        return "{}"


def _numbers(rest: str) -> tuple[float, float]:
    words = [float(word) if word.replace(".", "", 1).isdigit() else 0.0 for word in rest.split()[:2]]
    first, second = [*words, 0.0, 0.0][:2]
    return first, second


def _last_said(body: dict[str, Any]) -> tuple[str, bool]:
    """The last command of the user, else the last words, and whether a tool has answered since.

    A server puts words of its own into the mouth of the user: what it has around it, reminders, summaries.
    """
    heard, has_result = "", False
    for entry in reversed(list(_entries(body))):
        if entry.get("role") == "tool" or str(entry.get("type", "")).endswith("_output"):
            has_result = True
        elif entry.get("role") == "user":
            for text in reversed(list(_texts(entry.get("content")))):
                if text.partition(" ")[0] in COMMANDS:
                    return text, has_result
                heard = heard or text
    return heard, has_result


def _entries(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    given = body.get("input", body.get("messages"))
    if isinstance(given, str):
        yield {"role": "user", "content": given}
    elif isinstance(given, list):
        yield from (entry for entry in given if isinstance(entry, dict))


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        yield from (part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
