"""The seam between a server and the program that embeds it.

A host says which agents there are, which of them answers a turn and how it is run. It is asked anew for every turn,
before anything of the turn is recorded (HOST-1), so that policy, credentials and tools can change between turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from turnwire import wire
from turnwire.agents.base import Agent
from turnwire.server.traces import TraceProvider

__all__ = ["DefaultHost", "FileProvider", "Host", "HostError", "TurnRequest"]


class HostError(Exception):
    """The host refuses; the message is for the client, `code` is the host's own word for it (-32030)."""

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code


class TurnRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that is about to start. `thread` is the header as the record has it now."""

    thread: wire.Thread
    # Absent where no turn starts, as for `thread/compact`.
    turn_id: str | UnsetType
    input: Sequence[wire.InputPart]
    model: str | UnsetType = UNSET
    # Whoever the transport authenticated; None on a transport that knows its peer, such as stdio.
    principal: str | None = None


class FileProvider(Protocol):
    """Keeps the files of a directory, and brings them back. What it raises is a `HostError`."""

    async def keep(self, cwd: str) -> str:
        """Keeps the files as they are now; the name of what was kept."""

    async def restore(self, cwd: str, kept: str) -> None:
        """Makes the files what they were when they were kept; those that it never keeps stay as they are."""

    async def diff(self, cwd: str, kept: str) -> str:
        """What changed since, as a unified diff."""


class Host:
    """What a server asks of the program around it. Subclass it; every method but `agents` and `resolve_agent` has
    a default that grants what needs no decision and nothing else."""

    # Whether clients see the text of errors that the server did not foresee.
    expose_errors: bool = False
    # What keeps the files of threads, so that a rewind can take them back too; None where nothing does.
    files: FileProvider | None = None
    # What keeps the spans of turns; None where nothing does, and then none are made.
    traces: TraceProvider | None = None

    @property
    def client_tools(self) -> bool:
        """Whether an agent calls tools that clients declare."""
        return False

    def agents(self) -> Sequence[wire.AgentInfo]:
        """The agents that threads can have; the first is the default one."""
        raise NotImplementedError

    def script(self, agent: str) -> int | None:  # noqa: ARG002 - for hosts that have such agents
        """The version of the script grammar that this agent obeys, if it does."""
        return None

    async def resolve_agent(self, request: TurnRequest) -> Agent:
        """The agent for this turn.

        Raises:
            HostError: the turn does not start, and nothing of it is recorded.
        """
        raise NotImplementedError

    async def build_run_config(self, request: TurnRequest) -> Any:  # noqa: ARG002 - for hosts that decide by it
        """What the agent runs with: credentials, model, tools. The server passes it on unread.

        Raises:
            HostError: as in `resolve_agent`.
        """
        return None

    async def budget(self, request: TurnRequest) -> wire.Budget | None:  # noqa: ARG002 - for hosts that decide by it
        """The bounds of the run; None where there are none. The server measures and ends a turn that passes one.

        Raises:
            HostError: as in `resolve_agent`.
        """
        return None

    async def permits(self, thread: wire.Thread, approval: wire.Approval) -> bool:  # noqa: ARG002 - see `budget`
        """Whether an operation runs without anybody being asked, in a thread of the permission mode `auto`."""
        return False

    def run_id(self, request: TurnRequest) -> str | None:  # noqa: ARG002 - for hosts that name their runs
        """The host's own name for the run, which the turn shows; an Identifier."""
        return None

    async def list_models(self, agent: str | None) -> Sequence[wire.Model]:  # noqa: ARG002 - for hosts that decide by it
        """The models that turns can name; of one agent, where one is given."""
        return ()

    def authorize(self, principal: str | None, method: str) -> bool:  # noqa: ARG002 - for hosts that decide by it
        """Whether this principal may call this method; asked before params are read."""
        return True

    async def close(self) -> None:
        """Lets go of what the host holds, when the server has closed."""


class DefaultHost(Host):
    """A host of a fixed set of agents, one run configuration and a list of models. A client bounds the turns of a
    thread with a Budget as `config.budget`; `budget` holds where it does not. `permits` is the policy of the mode
    `auto`, in which everybody is asked about everything without one."""

    def __init__(
        self,
        agent: Agent,
        *others: Agent,
        run_config: Any = None,
        models: Sequence[wire.Model] = (),
        budget: wire.Budget | None = None,
        files: FileProvider | None = None,
        traces: TraceProvider | None = None,
        permits: Callable[[wire.Thread, wire.Approval], bool] | None = None,
        expose_errors: bool = False,
    ) -> None:
        self._agents = {one.info.id: one for one in (agent, *others)}
        self._run_config = run_config
        self._models = models
        self._budget = budget
        self._permits = permits
        self.files = files
        self.traces = traces
        self.expose_errors = expose_errors

    @property
    def client_tools(self) -> bool:
        return any(agent.client_tools for agent in self._agents.values())

    def agents(self) -> Sequence[wire.AgentInfo]:
        return [agent.info for agent in self._agents.values()]

    def script(self, agent: str) -> int | None:
        found = self._agents.get(agent)
        return found.script if found else None

    async def resolve_agent(self, request: TurnRequest) -> Agent:
        agent = self._agents.get(request.thread.agent)
        if agent is None:
            raise HostError("The agent of this thread is no longer there.", code="agentGone")
        return agent

    async def build_run_config(self, request: TurnRequest) -> Any:  # noqa: ARG002 - the same for every turn
        return self._run_config

    async def budget(self, request: TurnRequest) -> wire.Budget | None:
        config = request.thread.config
        wanted = None if config is UNSET else config.get("budget")
        if wanted is None:
            return self._budget
        try:
            return msgspec.convert(wanted, wire.Budget)
        except msgspec.ValidationError as error:
            raise HostError(f"The budget of this thread is none: {error}", code="budgetInvalid") from error

    async def permits(self, thread: wire.Thread, approval: wire.Approval) -> bool:
        return self._permits is not None and self._permits(thread, approval)

    async def list_models(self, agent: str | None) -> Sequence[wire.Model]:  # noqa: ARG002 - the same for every agent
        return self._models
