"""What an agent is and what the server gives it: the context of one turn.

An agent is a coroutine that says what it does through the context; ids, times, order, records and announcements are
the server's. It stops when it is cancelled, and it never catches `CancelledError` for good.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Literal, Protocol, Self, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from turnwire import wire

__all__ = [
    "Agent",
    "AgentFailed",
    "AgentUnsupported",
    "CommandWork",
    "Conversation",
    "FileWork",
    "Question",
    "Steered",
    "Subagent",
    "TextStream",
    "ToolDraft",
    "ToolWork",
    "TurnContext",
    "Verdict",
    "Work",
    "text_of",
]

_T = TypeVar("_T")


class Agent:
    """Answers turns. Subclass it and write `run`; one agent may answer several turns at once."""

    id: str = "agent"
    title: str | UnsetType = UNSET
    # What it can do beyond turns; an agent whose memory is `TurnContext.conversation` can be forked and rewound.
    supports: wire.AgentSupport = wire.AgentSupport()
    # Whether it calls the tools that clients declare.
    client_tools: bool = False
    # The version of the script grammar that it obeys; None when its prompts are free.
    script: int | None = None

    @property
    def info(self) -> wire.AgentInfo:
        """What `initialize` says of it."""
        return wire.AgentInfo(id=self.id, title=self.title, supports=self.supports)

    async def run(self, turn: TurnContext) -> None:
        """Carries out one turn and returns when it is completed.

        Raises:
            AgentFailed: the turn ends `failed` with this code and message.
            Exception: any other ends it `failed` too, and its text goes to stderr only.
        """
        raise NotImplementedError

    async def review(self, turn: TurnContext, target: wire.ReviewTarget) -> wire.Review:  # noqa: ARG002 - for those that can
        """Reviews changes, in place of `run`; an agent that can says `supports.review`. What it finds is shown as a
        review item and with the turn.

        Raises:
            AgentFailed, Exception: as `run` does.
        """
        raise AgentFailed("This agent reviews nothing.")

    async def compact(self, conversation: Conversation, run_config: Any) -> str | None:  # noqa: ARG002 - for those that can
        """Shortens what it is given of earlier turns (THR-14): the text that stands for all of it from now on, or None
        where nothing is to be shortened.

        Raises:
            AgentUnsupported: it cannot.
            Exception: it failed, and the conversation stays as it is.
        """
        raise AgentUnsupported("compact")


class AgentUnsupported(Exception):  # noqa: N818 - says what the matter is
    """The agent cannot do what was asked of it (HOST-2); `operation` is the word for it."""

    def __init__(self, operation: str) -> None:
        super().__init__(operation)
        self.operation = operation


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """What was said before a turn, as far as it still counts: what compacting left, and the items after that."""

    summary: str | UnsetType = UNSET
    items: Sequence[Any] = ()


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
    # What it may change, a ToolSideEffect; not said is taken for something (APPR-14).
    side_effect: str | UnsetType = UNSET


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

    item_id: str

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


class CommandWork(Protocol):
    """A command that runs; exactly one of `complete` and `fail` ends it."""

    item_id: str

    async def write(self, output: str) -> None:
        """It wrote something, announced in the pieces in which it comes."""

    def complete(self, exit_code: int) -> None:
        """It ended by itself; whether well is for the code to say."""

    def fail(self, error_code: str, *, ran: bool) -> None:
        """It did not end by itself; `ran` says whether it was started at all."""


class ToolDraft(Protocol):
    """A call of a tool whose arguments are still being written; planning is not running (ITEM-8)."""

    item_id: str

    async def write(self, text: str) -> None:
        """More of the arguments as JSON text."""

    def run(self, arguments: Any) -> ToolWork:
        """They are whole, and the tool runs from now on."""

    def decline(self, arguments: Any) -> None:
        """They are whole, and it was not allowed to run."""


class Work(Protocol):
    """What an agent does, as items of its turn; that of a subagent says whose it is.

    In a thread that is read-only, what begins an operation that may change something raises `AgentFailed`, unless an
    approval of it was accepted (APPR-15).
    """

    def message(self) -> TextStream:
        """Begins an agentMessage; the last one of the turn's own agent is the turn's `finalOutput`."""

    def reasoning(self) -> TextStream:
        """Begins a reasoning item."""

    def tool(
        self, name: str, arguments: Any, *, item_id: str | None = None, metadata: wire.ToolMetadata | UnsetType = UNSET
    ) -> ToolWork:
        """Begins a toolCall that runs from now on."""

    def draft_tool(self, name: str, *, metadata: wire.ToolMetadata | UnsetType = UNSET) -> ToolDraft:
        """Begins a toolCall whose arguments come in pieces."""

    def declined_tool(self, name: str, arguments: Any, *, item_id: str) -> None:
        """Shows a toolCall that was not allowed to run."""

    def mcp_tool(self, server: str, name: str, arguments: Any, *, item_id: str | None = None) -> ToolWork:
        """Begins an mcpToolCall that runs from now on."""

    def command(self, command: str, *, cwd: str | UnsetType = UNSET, item_id: str | None = None) -> CommandWork:
        """Begins a commandExecution that runs from now on."""

    async def client_tool(
        self, name: str, arguments: Any, *, namespace: str | UnsetType = UNSET, item_id: str | None = None
    ) -> wire.ToolCallResult:
        """Calls a tool that a client declared, shown as a dynamicToolCall; whatever is the matter with it, the result
        says so (TOOL-2)."""

    def declined_command(self, command: str, *, item_id: str) -> None:
        """Shows a command that was not allowed to run."""

    def file_change(self, changes: Sequence[wire.FileChange], *, item_id: str | None = None) -> FileWork:
        """Begins a fileChange."""

    def declined_file_change(self, changes: Sequence[wire.FileChange], *, item_id: str) -> None:
        """Shows a fileChange that was not allowed to run."""

    def span(self, name: str, attributes: Mapping[str, Any] | None = None) -> AbstractContextManager[None]:
        """Names what the time of a block is spent on, such as a call of a model; JSON says more about it. What runs
        within the block and has a span of its own lies within this one; nothing happens where nobody keeps traces."""

    def notice(self, text: str, *, level: str = "info", code: str | UnsetType = UNSET) -> None:
        """Shows something that a person should know."""

    def error(self, code: str, message: str, *, will_retry: bool) -> None:
        """Shows that something went wrong, which need not be the end of the turn."""

    def artifact(self, name: str, **members: Any) -> None:
        """Shows a thing that was made for the person; `members` are those of an ArtifactItem."""

    def subagent(self, task: str, *, agent: str | UnsetType = UNSET, thread_id: str | UnsetType = UNSET) -> Subagent:
        """Hands work to another agent; `agent` is its id, `thread_id` the thread it works in, if it has its own."""

    def reset(self, item_ids: Sequence[str], reason: str) -> None:
        """Takes items back that are not completed, since another model takes their step over (ITEM-6)."""


class Subagent(Work, Protocol):
    """Work that is handed to another agent, for as long as its `with` block lasts; what is begun through it is its."""

    item_id: str

    def finish(self, result: str) -> None:
        """What it says in the end; without it the work has no result."""

    def fail(self, error_code: str) -> None:
        """It did not do what it was to do; nothing more comes of it."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]: ...


class TurnContext(Work, Protocol):
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

    @property
    def traceparent(self) -> str | None:
        """The turn as a parent for what is done elsewhere, as W3C Trace Context has it; None where nobody keeps
        traces."""

    @property
    def client_tools(self) -> Sequence[wire.DynamicTool]:
        """The tools that clients declared and that can be called now."""

    @property
    def conversation(self) -> Conversation:
        """What was said in earlier turns, also in those of earlier processes."""

    def save(self, state: Any) -> None:
        """Keeps where the agent stands (any JSON), so that a paused turn can go on from here."""

    async def keep_files(self) -> Any:
        """Keeps the files as they are now, as the server does at the start of each turn. A rewind to an item brings
        back what was kept first after it. Nothing happens where the host keeps none."""

    def plan(self, steps: Sequence[wire.PlanStep], *, explanation: str | UnsetType = UNSET) -> None:
        """Shows a plan, and tells the turn's plan as a whole."""

    def diff(self, diff: str) -> None:
        """Tells what the turn changed in files so far, as a whole."""

    def usage(self, usage: wire.Usage) -> None:
        """Tells what the turn took so far, as a whole. Beyond its budget the turn ends at the next wait."""

    def compacted(self, summary: str, *, before: int | UnsetType = UNSET, after: int | UnsetType = UNSET) -> None:
        """Shortens the conversation of earlier turns to `summary` by the agent's own choice; the counts are tokens."""

    async def delegate(self, task: str, *, agent: str) -> wire.Turn:
        """Hands work to another agent of the host, in a thread of its own below this one, and waits: the turn as it
        ended, whatever came of it. It is interrupted with this one. Shown as a subagent item with its thread.

        Raises:
            AgentFailed: there is no such agent, or its turn could not be started.
        """

    async def approve(self, question: Question, *, subagent: Subagent | None = None) -> Verdict:
        """Asks whether an operation may run, for a subagent where one is given; the permission mode of the thread or a
        saved rule may answer in the place of people. It returns for an answer with which the
        turn goes on; for any other (cancel, defer, interrupt) it never returns, and the turn ends."""

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
