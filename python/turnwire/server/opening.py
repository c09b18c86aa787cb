"""What a turn is started with, whoever starts it: a client, or the queue of its thread."""

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from turnwire.agents.base import Agent
from turnwire.server.resuming import Carried
from turnwire.wire import Budget, InputPart, ReviewTarget, TraceContext, Turn

__all__ = ["Opening", "Resolved", "outputs"]


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """`given` is what the agent gets; the turn shows it as its input, unless it resumes another."""

    given: Sequence[InputPart]
    model: str | UnsetType = UNSET
    client_message_id: str | UnsetType = UNSET
    # What the final output must fit, as the client wrote it; None where it is free.
    output_schema: dict[str, Any] | None = None
    principal: str | None = None
    # The idempotency key of the request, which the first event of the turn is recorded with.
    key: str | UnsetType = UNSET
    # The trace of the client that the turn belongs to (TRACE-4).
    trace: TraceContext | UnsetType = UNSET
    # What is to be reviewed; None for a turn that is none.
    review: ReviewTarget | None = None
    # The paused turn that this one goes on with, and how what waits in it is resolved.
    resumes: Turn | None = None
    carried: Sequence[Carried] = ()


class Resolved(NamedTuple):
    """What the host says of a turn that is about to start (HOST-1)."""

    agent: Agent
    run_config: Any
    budget: Budget | None
    run_id: str | None


def outputs() -> ModuleType:
    """The module that judges outputs: it is imported with the first schema that comes."""
    return import_module("turnwire.server.outputs")
