"""What an agent is and what the server gives it: the context of one turn.

An agent is a coroutine that says what it does through the context; ids, times, order, records and announcements are
the server's. It stops when it is cancelled, and it never catches `CancelledError` for good.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Protocol, Self, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from turnwire import wire

__all__ = [
    "Agent",
    "AgentFailed",
    "FileWork",
    "Question",
    "Steered",
    "TextStream",
    "ToolWork",
    "TurnContext",
    "Verdict",
    "text_of",
]

_T = TypeVar("_T")


class Agent(Protocol):
    """Answers turns. One agent may answer several at once."""

    info: wire.AgentInfo
    # The version of the script grammar that it obeys; None when its prompts are free.
    script: int | None

    async def run(self, turn: TurnContext) -> None:
        """Carries out one turn and returns when it is completed.

        Raises:
            AgentFailed: the turn ends `failed` with this code and message.
            Exception: any other ends it `failed` too, and its text goes to stderr only.
        """


class AgentFailed(Exception):  # noqa: N818 - says what happened
    """The turn cannot be completed; the message is for the person and says nothing of the implementation."""

    def __init__(self, message: str, *, code: str = "agentFailed") -> None:
        super().__init__(message)
        self.code = code


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """An operation that needs an answer before it runs."""

    kind: str
    title: str
    operation: str
    target: str | UnsetType = UNSET
    arguments: Any = UNSET
    tool_name: str | UnsetType = UNSET
    preview: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    risk: str | UnsetType = UNSET
    scope_key: str | UnsetType = UNSET


class Verdict(msgspec.Struct, frozen=True):
    """The answer. `subject_item_id` is the id to give to the item of the operation, run or not."""

    accepted: bool
    subject_item_id: str
    resolution: wire.ApprovalResolution


class Steered(msgspec.Struct, frozen=True):
    """Input that was taken while the turn runs."""

    input: Sequence[wire.InputPart]
    mode: str


class TextStream(Protocol):
    """A message or a thought that grows; it is completed at the end of its `with` block."""

    async def write(self, text: str) -> None:
        """Says more. Text is announced in the pieces in which it is written."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]: ...


class ToolWork(Protocol):
    """A tool that runs; exactly one of `complete` and `fail` ends it."""

    item_id: str

    def progress(self, message: str, *, done: float | None = None, total: float | None = None) -> None:
        """Tells how far it is, to clients that want to know."""

    def complete(self, result: Any, *, directive: str | UnsetType = UNSET) -> None:
        """It ended well."""

    def fail(self, error_code: str) -> None:
        """It ran and went wrong."""


class FileWork(Protocol):
    """A change of files; exactly one of `complete` and `fail` ends it."""

    item_id: str

    def complete(self) -> None:
        """The files are changed."""

    def fail(self, error_code: str, *, ran: bool) -> None:
        """They are not, or not as a whole; `ran` says whether it was tried at all."""


class TurnContext(Protocol):
    """One turn, as its agent sees it."""

    turn: wire.Turn
    # What the turn was given; for a turn that resumes another, what that one was given.
    input: Sequence[wire.InputPart]
    # What `Host.build_run_config` gave.
    run_config: Any
    # The JSON Schema that the text of the last message must fit, as JSON; None where it is free.
    output_schema: dict[str, Any] | None
    # What `save` last kept in the turn that this one resumes; None for any other turn.
    resumed: Any

    @property
    def thread(self) -> wire.Thread:
        """The header as it is now: what was changed during the turn holds from its next call on."""

    @property
    def context(self) -> Mapping[str, wire.ContextEntry]:
        """What the application gives along: for the agent to know, never an instruction of higher rank (THR-24)."""

    def save(self, state: Any) -> None:
        """Keeps where the agent stands (any JSON), so that a paused turn can go on from here."""

    def message(self) -> TextStream:
        """Begins an agentMessage; the last one is the turn's `finalOutput`."""

    def reasoning(self) -> TextStream:
        """Begins a reasoning item."""

    def tool(
        self, name: str, arguments: Any, *, item_id: str | None = None, metadata: wire.ToolMetadata | UnsetType = UNSET
    ) -> ToolWork:
        """Begins a toolCall that runs from now on."""

    def declined_tool(self, name: str, arguments: Any, *, item_id: str) -> None:
        """Shows a toolCall that was not allowed to run."""

    def file_change(self, changes: Sequence[wire.FileChange], *, item_id: str | None = None) -> FileWork:
        """Begins a fileChange."""

    def declined_file_change(self, changes: Sequence[wire.FileChange], *, item_id: str) -> None:
        """Shows a fileChange that was not allowed to run."""

    def notice(self, text: str, *, level: str = "info", code: str | UnsetType = UNSET) -> None:
        """Shows something that a person should know."""

    def plan(self, steps: Sequence[wire.PlanStep], *, explanation: str | UnsetType = UNSET) -> None:
        """Shows a plan, and tells the turn's plan as a whole."""

    def usage(self, usage: wire.Usage) -> None:
        """Tells what the turn took so far, as a whole."""

    async def approve(self, question: Question) -> Verdict:
        """Asks whether an operation may run. It returns for an answer with which the turn goes on; for any other
        (cancel, defer, interrupt) it never returns, and the turn ends."""

    async def ask(self, questions: Sequence[wire.Question]) -> wire.UserInputResolution:
        """Asks the person one to three questions and waits. `answers` are whole, secret ones too; they are absent where
        nobody answered, as `outcome` says. A turn that pauses for it never goes on from here: the one that resumes it
        asks again, and gets the answer."""

    def ask_aside(self, questions: Sequence[wire.Question]) -> Awaitable[wire.UserInputResolution]:
        """Asks as `ask` does, and the turn goes on meanwhile (INPUT-5); what is open when it ends is not answered."""

    def steered(self) -> Sequence[Steered]:
        """Takes the input that came since; each piece shows as a userMessage item."""

    async def wait_steered(self) -> Sequence[Steered]:
        """Waits until there is input to take, and takes it."""

    async def step(self, work: Callable[[], Awaitable[_T]]) -> _T:
        """Runs one step. Injected input aborts it and begins it again, so the step begins what it needs itself."""


def text_of(parts: Sequence[wire.InputPart]) -> str:
    """The text parts of an input, a line end between them."""
    return "\n".join(part.text for part in parts if hasattr(part, "text"))
