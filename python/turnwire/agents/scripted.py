"""The agent of protocol/clauses/script.md: does what its prompt says, and nothing else.

The same prompt gives the same items in the same order with the same text. Between two lines it keeps where it
stands, so that a paused turn goes on with the line at which it paused.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from msgspec import UNSET

from turnwire.agents.base import AgentFailed, Question, TextStream, TurnContext, text_of
from turnwire.agents.script import (
    Approve,
    Ask,
    Command,
    Crash,
    Fail,
    Flood,
    Listen,
    Notice,
    Plan,
    Say,
    ScriptFault,
    Slow,
    Think,
    Tool,
    Use,
    Write,
    read_line,
    read_script,
)
from turnwire.wire import FileChange, InputPart, PlanStep, ToolMetadata, Usage
from turnwire.wire import Question as PersonQuestion

__all__ = ["run"]

# The longest delta of a sentence, by the grammar.
_DELTA = 8
# A tool of this agent gives back what it is given.
_HARMLESS = ToolMetadata(side_effect="none")


async def run(turn: TurnContext) -> None:
    """Carries out the script; see `Agent.run`."""
    done = turn.resumed if isinstance(turn.resumed, int) else 0
    for index, (number, line) in enumerate(read_script(_script(turn.input))):
        if index < done:
            continue
        turn.steered()
        turn.save(index)
        try:
            command = read_line(number, line)
        except ScriptFault as fault:
            raise AgentFailed(str(fault)) from None
        await turn.step(_doing(turn, command))


def _script(parts: Sequence[InputPart]) -> str:
    """The first text part; an input without one is a script of no lines."""
    return next((text_of([part]) for part in parts if part.type == "text"), "")


def _doing(turn: TurnContext, command: Command) -> Callable[[], Coroutine[Any, Any, None]]:
    return lambda: _DO[type(command)](turn, command)


async def _say(turn: TurnContext, command: Say) -> None:
    with turn.message() as message:
        await _sentence(message, command.words)


async def _think(turn: TurnContext, command: Think) -> None:
    with turn.reasoning() as thought:
        await _sentence(thought, command.words)


async def _sentence(stream: TextStream, words: str) -> None:
    for start in range(0, len(words), _DELTA):
        await stream.write(words[start : start + _DELTA])


async def _slow(turn: TurnContext, command: Slow) -> None:
    with turn.message() as message:
        for number in range(1, command.count + 1):
            if number > 1:
                await asyncio.sleep(command.wait_ms / 1000)
            turn.steered()
            await message.write(f"{number} ")


async def _tool(turn: TurnContext, command: Tool) -> None:
    _call(turn, command.name, command.arguments, item_id=None)


async def _approve(turn: TurnContext, command: Approve) -> None:
    question = Question(
        kind="tool",
        title=f"Call {command.name}"[:512],
        operation=command.name,
        tool_name=command.name,
        arguments=command.arguments,
        scope_key=command.name,
    )
    verdict = await turn.approve(question)
    if verdict.accepted:
        _call(turn, command.name, command.arguments, item_id=verdict.subject_item_id)
    else:
        turn.declined_tool(command.name, command.arguments, item_id=verdict.subject_item_id)


def _call(turn: TurnContext, name: str, arguments: dict[str, Any], *, item_id: str | None) -> None:
    work = turn.tool(name, arguments, item_id=item_id, metadata=_HARMLESS)
    work.complete({"echo": arguments})


async def _write(turn: TurnContext, command: Write) -> None:
    question = Question(
        kind="file",
        title=f"Write {command.path}"[:512],
        operation="write",
        target=command.path,
        preview=command.words,
    )
    path = _below(turn.thread.cwd, command.path)
    known = path is not None and path.exists()
    changes = [FileChange(path=command.path, kind="update" if known else "add")]
    verdict = await turn.approve(question)
    if not verdict.accepted:
        turn.declined_file_change(changes, item_id=verdict.subject_item_id)
        return
    await turn.keep_files()
    work = turn.file_change(changes, item_id=verdict.subject_item_id)
    if path is None:
        work.fail("pathNotAllowed", ran=False)
        return
    try:
        path.write_text(command.words, encoding="utf-8", newline="")
    except OSError:
        work.fail("writeFailed", ran=True)
    else:
        work.complete()


def _below(cwd: Any, path: str) -> Path | None:
    """The file that the path names below the directory, links followed; None when it is elsewhere or there is none."""
    if cwd is UNSET:
        return None
    try:
        root = Path(cwd).resolve(strict=True)
        found = (root / path).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
    return found if root in found.parents else None


async def _ask(turn: TurnContext, command: Ask) -> None:
    resolution = await turn.ask([PersonQuestion(id=command.id, text=command.words)])
    given = [answer.text for answer in resolution.answers or () if answer.text]
    await _say(turn, Say(given[0] if given else "no answer"))


async def _listen(turn: TurnContext, _command: Listen) -> None:
    heard = await turn.wait_steered()
    await _say(turn, Say("heard: " + "\n".join(text_of(steered.input) for steered in heard)))


async def _usage(turn: TurnContext, command: Use) -> None:
    total = command.input_tokens + command.output_tokens
    turn.usage(Usage(input_tokens=command.input_tokens, output_tokens=command.output_tokens, total_tokens=total))


async def _plan(turn: TurnContext, command: Plan) -> None:
    turn.plan([PlanStep(text=step, status="pending") for step in command.steps])


async def _notice(turn: TurnContext, command: Notice) -> None:
    turn.notice(command.words)


async def _flood(turn: TurnContext, command: Flood) -> None:
    piece = "x" * command.size
    with turn.message() as message:
        for _ in range(command.count):
            await message.write(piece)


async def _fail(_turn: TurnContext, command: Fail) -> None:
    raise AgentFailed(command.words)


async def _crash(_turn: TurnContext, _command: Crash) -> None:
    raise RuntimeError("The script says `crash`.")


_DO: dict[type, Callable[[TurnContext, Any], Coroutine[Any, Any, None]]] = {
    Say: _say,
    Slow: _slow,
    Think: _think,
    Tool: _tool,
    Approve: _approve,
    Write: _write,
    Ask: _ask,
    Listen: _listen,
    Use: _usage,
    Plan: _plan,
    Notice: _notice,
    Flood: _flood,
    Fail: _fail,
    Crash: _crash,
}
