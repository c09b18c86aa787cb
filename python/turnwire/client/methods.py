"""A method for each request that a client can send, typed; what each does is `Methods.call`.

Written by hand and kept equal to the method table by a test: these are the signatures that people read, and the table
decides nothing else about them.
"""

from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Any, TypeAlias, TypeVar

from turnwire.codec import Params
from turnwire.wire import (
    ApprovalResolveParams,
    ApprovalResolveResult,
    ApprovalRulesListParams,
    ApprovalRulesListResult,
    ApprovalRulesRemoveParams,
    EmptyResult,
    InitializeParams,
    InitializeResult,
    ModelListParams,
    ModelListResult,
    QueueListParams,
    QueueRemoveParams,
    QueueReorderParams,
    QueueResult,
    QueueResumeParams,
    QueueUpdateParams,
    ReviewStartParams,
    ReviewStartResult,
    SchemaExportParams,
    SchemaExportResult,
    ThreadArchiveParams,
    ThreadArchiveResult,
    ThreadCompactParams,
    ThreadCompactResult,
    ThreadDeleteParams,
    ThreadDeleteResult,
    ThreadEventsListParams,
    ThreadEventsListResult,
    ThreadForkParams,
    ThreadForkResult,
    ThreadItemsListParams,
    ThreadItemsListResult,
    ThreadListParams,
    ThreadListResult,
    ThreadPauseParams,
    ThreadPauseResult,
    ThreadReadParams,
    ThreadReadResult,
    ThreadResumeParams,
    ThreadResumeResult,
    ThreadRewindParams,
    ThreadRewindResult,
    ThreadStartParams,
    ThreadStartResult,
    ThreadTurnsListParams,
    ThreadTurnsListResult,
    ThreadUnarchiveParams,
    ThreadUnarchiveResult,
    ThreadUnpauseParams,
    ThreadUnpauseResult,
    ThreadUnsubscribeParams,
    ThreadUnsubscribeResult,
    ThreadUpdateParams,
    ThreadUpdateResult,
    TraceReadParams,
    TraceReadResult,
    TurnEnqueueParams,
    TurnEnqueueResult,
    TurnInterruptParams,
    TurnInterruptResult,
    TurnStartParams,
    TurnStartResult,
    TurnSteerParams,
    TurnSteerResult,
    UserInputResolveParams,
    UserInputResolveResult,
)

__all__ = ["Call", "Methods"]

Result = TypeVar("Result")

Call: TypeAlias = Coroutine[Any, Any, Result]
"""Awaited once: the result, or what `Methods.call` raises."""


class Methods(ABC):
    """The requests of the protocol. `within` bounds the wait in seconds; None means the client's own bound."""

    @abstractmethod
    def call(self, method: str, params: Params = None, *, within: float | None = None) -> Call[Any]:
        """Send one request of the protocol; the result as its type."""

    def initialize(self, params: InitializeParams, *, within: float | None = None) -> Call[InitializeResult]:
        """`initialize`: Opens the connection and says what each side offers."""
        return self.call("initialize", params, within=within)

    def ping(self, *, within: float | None = None) -> Call[EmptyResult]:
        """`ping`: Answers at once."""
        return self.call("ping", None, within=within)

    def shutdown(self, *, within: float | None = None) -> Call[EmptyResult]:
        """`shutdown`: Stops the server when the running turns have ended, and answers then."""
        return self.call("shutdown", None, within=within)

    def thread_start(
        self, params: ThreadStartParams | None = None, *, within: float | None = None
    ) -> Call[ThreadStartResult]:
        """`thread/start`: Starts a thread and subscribes the caller."""
        return self.call("thread/start", params, within=within)

    def thread_resume(self, params: ThreadResumeParams, *, within: float | None = None) -> Call[ThreadResumeResult]:
        """`thread/resume`: Subscribes the caller and gives what is open in the thread."""
        return self.call("thread/resume", params, within=within)

    def thread_read(self, params: ThreadReadParams, *, within: float | None = None) -> Call[ThreadReadResult]:
        """`thread/read`: Gives the header of a thread without a subscription."""
        return self.call("thread/read", params, within=within)

    def thread_list(
        self, params: ThreadListParams | None = None, *, within: float | None = None
    ) -> Call[ThreadListResult]:
        """`thread/list`: Lists threads a page at a time."""
        return self.call("thread/list", params, within=within)

    def thread_turns_list(
        self, params: ThreadTurnsListParams, *, within: float | None = None
    ) -> Call[ThreadTurnsListResult]:
        """`thread/turns/list`: Lists the turns of a thread a page at a time."""
        return self.call("thread/turns/list", params, within=within)

    def thread_items_list(
        self, params: ThreadItemsListParams, *, within: float | None = None
    ) -> Call[ThreadItemsListResult]:
        """`thread/items/list`: Lists the items of a thread or turn a page at a time."""
        return self.call("thread/items/list", params, within=within)

    def thread_events_list(
        self, params: ThreadEventsListParams, *, within: float | None = None
    ) -> Call[ThreadEventsListResult]:
        """`thread/events/list`: Lists the record of a thread a page at a time."""
        return self.call("thread/events/list", params, within=within)

    def thread_fork(self, params: ThreadForkParams, *, within: float | None = None) -> Call[ThreadForkResult]:
        """`thread/fork`: Starts a thread from a point of another."""
        return self.call("thread/fork", params, within=within)

    def thread_rewind(self, params: ThreadRewindParams, *, within: float | None = None) -> Call[ThreadRewindResult]:
        """`thread/rewind`: Takes back the end of a thread."""
        return self.call("thread/rewind", params, within=within)

    def thread_update(self, params: ThreadUpdateParams, *, within: float | None = None) -> Call[ThreadUpdateResult]:
        """`thread/update`: Changes the header of a thread."""
        return self.call("thread/update", params, within=within)

    def thread_archive(self, params: ThreadArchiveParams, *, within: float | None = None) -> Call[ThreadArchiveResult]:
        """`thread/archive`: Archives a thread and the subagent threads below it."""
        return self.call("thread/archive", params, within=within)

    def thread_unarchive(
        self, params: ThreadUnarchiveParams, *, within: float | None = None
    ) -> Call[ThreadUnarchiveResult]:
        """`thread/unarchive`: Takes a thread and its subtree back from the archive."""
        return self.call("thread/unarchive", params, within=within)

    def thread_delete(self, params: ThreadDeleteParams, *, within: float | None = None) -> Call[ThreadDeleteResult]:
        """`thread/delete`: Deletes a thread and the subagent threads below it."""
        return self.call("thread/delete", params, within=within)

    def thread_pause(self, params: ThreadPauseParams, *, within: float | None = None) -> Call[ThreadPauseResult]:
        """`thread/pause`: Holds new turns and the queue."""
        return self.call("thread/pause", params, within=within)

    def thread_unpause(self, params: ThreadUnpauseParams, *, within: float | None = None) -> Call[ThreadUnpauseResult]:
        """`thread/unpause`: Ends a pause."""
        return self.call("thread/unpause", params, within=within)

    def thread_unsubscribe(
        self, params: ThreadUnsubscribeParams, *, within: float | None = None
    ) -> Call[ThreadUnsubscribeResult]:
        """`thread/unsubscribe`: Ends the caller's subscription."""
        return self.call("thread/unsubscribe", params, within=within)

    def thread_compact(self, params: ThreadCompactParams, *, within: float | None = None) -> Call[ThreadCompactResult]:
        """`thread/compact`: Shortens the context that the agent works with."""
        return self.call("thread/compact", params, within=within)

    def turn_start(self, params: TurnStartParams, *, within: float | None = None) -> Call[TurnStartResult]:
        """`turn/start`: Starts a turn with input, or goes on with a paused one."""
        return self.call("turn/start", params, within=within)

    def turn_steer(self, params: TurnSteerParams, *, within: float | None = None) -> Call[TurnSteerResult]:
        """`turn/steer`: Gives input to the active turn."""
        return self.call("turn/steer", params, within=within)

    def turn_interrupt(self, params: TurnInterruptParams, *, within: float | None = None) -> Call[TurnInterruptResult]:
        """`turn/interrupt`: Stops the active turn and answers when it has stopped."""
        return self.call("turn/interrupt", params, within=within)

    def turn_enqueue(self, params: TurnEnqueueParams, *, within: float | None = None) -> Call[TurnEnqueueResult]:
        """`turn/enqueue`: Puts a turn into the queue, or starts it."""
        return self.call("turn/enqueue", params, within=within)

    def turn_queue_list(self, params: QueueListParams, *, within: float | None = None) -> Call[QueueResult]:
        """`turn/queue/list`: Gives the queue of a thread."""
        return self.call("turn/queue/list", params, within=within)

    def turn_queue_remove(self, params: QueueRemoveParams, *, within: float | None = None) -> Call[QueueResult]:
        """`turn/queue/remove`: Takes an entry out of the queue."""
        return self.call("turn/queue/remove", params, within=within)

    def turn_queue_reorder(self, params: QueueReorderParams, *, within: float | None = None) -> Call[QueueResult]:
        """`turn/queue/reorder`: Puts the queue into another order."""
        return self.call("turn/queue/reorder", params, within=within)

    def turn_queue_update(self, params: QueueUpdateParams, *, within: float | None = None) -> Call[QueueResult]:
        """`turn/queue/update`: Changes what a waiting turn will be given."""
        return self.call("turn/queue/update", params, within=within)

    def turn_queue_resume(self, params: QueueResumeParams, *, within: float | None = None) -> Call[QueueResult]:
        """`turn/queue/resume`: Lets a held queue go on."""
        return self.call("turn/queue/resume", params, within=within)

    def review_start(self, params: ReviewStartParams, *, within: float | None = None) -> Call[ReviewStartResult]:
        """`review/start`: Starts a review of changes."""
        return self.call("review/start", params, within=within)

    def approval_resolve(
        self, params: ApprovalResolveParams, *, within: float | None = None
    ) -> Call[ApprovalResolveResult]:
        """`approval/resolve`: Answers an approval out of band."""
        return self.call("approval/resolve", params, within=within)

    def approval_rules_list(
        self, params: ApprovalRulesListParams | None = None, *, within: float | None = None
    ) -> Call[ApprovalRulesListResult]:
        """`approvalRules/list`: Lists saved rules."""
        return self.call("approvalRules/list", params, within=within)

    def approval_rules_remove(
        self, params: ApprovalRulesRemoveParams, *, within: float | None = None
    ) -> Call[EmptyResult]:
        """`approvalRules/remove`: Removes a saved rule."""
        return self.call("approvalRules/remove", params, within=within)

    def user_input_resolve(
        self, params: UserInputResolveParams, *, within: float | None = None
    ) -> Call[UserInputResolveResult]:
        """`userInput/resolve`: Answers questions out of band."""
        return self.call("userInput/resolve", params, within=within)

    def model_list(
        self, params: ModelListParams | None = None, *, within: float | None = None
    ) -> Call[ModelListResult]:
        """`model/list`: Lists the models that the host offers."""
        return self.call("model/list", params, within=within)

    def trace_read(self, params: TraceReadParams, *, within: float | None = None) -> Call[TraceReadResult]:
        """`trace/read`: Reads the spans of a turn."""
        return self.call("trace/read", params, within=within)

    def schema_export(
        self, params: SchemaExportParams | None = None, *, within: float | None = None
    ) -> Call[SchemaExportResult]:
        """`schema/export`: Gives the schema that the server was built from."""
        return self.call("schema/export", params, within=within)
