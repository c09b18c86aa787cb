"""What an agent does, as items of its turn; see `Work` of the agents. That of a subagent says whose it is."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import MappingProxyType, TracebackType
from typing import Any, Literal, Self

from msgspec import UNSET, UnsetType

from turnwire.server.client_tools import failed
from turnwire.server.items import CommandOperation, FileOperation, Growing, Items, ToolDrafting, ToolOperation
from turnwire.server.permissions import side_effect_of
from turnwire.wire import (
    AgentMessageItem,
    ArtifactItem,
    CommandExecutionItem,
    DynamicToolCallItem,
    ErrorItem,
    FileChange,
    FileChangeItem,
    McpToolCallItem,
    NoticeItem,
    ReasoningItem,
    SubagentItem,
    ToolCallItem,
    ToolCallParams,
    ToolCallResult,
    ToolMetadata,
)

__all__ = ["SubagentWork", "Work"]

# The turn's own agent needs no word for who it is, and a span none for more than its name.
_OWN: Mapping[str, Any] = MappingProxyType({})


class Work:
    """See `Work` of the agents; `origin` are the members of every item that say whose work it is."""

    def __init__(self, items: Items, origin: Mapping[str, Any] = _OWN) -> None:
        self.items = items
        self.origin = origin

    def message(self) -> Growing:
        return self.items.grow(AgentMessageItem(**self.common(), text=""))

    def reasoning(self) -> Growing:
        return self.items.grow(ReasoningItem(**self.common(), text=""))

    def tool(
        self, name: str, arguments: Any, *, item_id: str | None = None, metadata: ToolMetadata | UnsetType = UNSET
    ) -> ToolOperation:
        self.items.demand_permitted(item_id, side_effect_of(metadata))
        item = ToolCallItem(
            **self.common(item_id),
            tool_name=name,
            arguments=arguments,
            tool_metadata=metadata,
            execution_started=True,
        )
        return ToolOperation.begin(self.items, item)

    def draft_tool(self, name: str, *, metadata: ToolMetadata | UnsetType = UNSET) -> ToolDrafting:
        return ToolDrafting(self.items, ToolCallItem(**self.common(), tool_name=name, tool_metadata=metadata))

    def declined_tool(self, name: str, arguments: Any, *, item_id: str) -> None:
        common = self.common(item_id)
        self.items.show_declined(ToolCallItem(**common, tool_name=name, arguments=arguments, execution_started=False))

    def mcp_tool(self, server: str, name: str, arguments: Any, *, item_id: str | None = None) -> ToolOperation:
        self.items.demand_permitted(item_id)
        item = McpToolCallItem(
            **self.common(item_id), server=server, tool_name=name, arguments=arguments, execution_started=True
        )
        return ToolOperation.begin(self.items, item)

    def command(self, command: str, *, cwd: str | UnsetType = UNSET, item_id: str | None = None) -> CommandOperation:
        self.items.demand_permitted(item_id)
        item = CommandExecutionItem(**self.common(item_id), command=command, cwd=cwd, execution_started=True)
        return CommandOperation(self.items, item)

    async def client_tool(
        self, name: str, arguments: Any, *, namespace: str | UnsetType = UNSET, item_id: str | None = None
    ) -> ToolCallResult:
        self.items.demand_permitted(item_id)
        tool = self.items.thread.client_tools.find(name, namespace)
        item = DynamicToolCallItem(
            **self.common(item_id),
            tool_name=name,
            namespace=namespace,
            arguments=arguments,
            execution_started=tool is not None,
        )
        operation = ToolOperation.begin(self.items, item)
        if tool is None:
            result = failed("toolUnavailable", "No client runs this tool.")
        else:
            place = {"thread_id": item.thread_id, "turn_id": item.turn_id, "item_id": item.id}
            result = await tool.call(ToolCallParams(**place, namespace=namespace, name=name, arguments=arguments))
        operation.end_as(result)
        return result

    def declined_command(self, command: str, *, item_id: str) -> None:
        item = CommandExecutionItem(**self.common(item_id), command=command, execution_started=False)
        self.items.show_declined(item)

    def file_change(self, changes: Sequence[FileChange], *, item_id: str | None = None) -> FileOperation:
        self.items.demand_permitted(item_id)
        return FileOperation(self.items, FileChangeItem(**self.common(item_id), changes=list(changes)))

    def declined_file_change(self, changes: Sequence[FileChange], *, item_id: str) -> None:
        common = self.common(item_id)
        self.items.show_declined(FileChangeItem(**common, changes=list(changes), execution_started=False))

    def span(self, name: str, attributes: Mapping[str, Any] | None = None) -> AbstractContextManager[None]:
        if self.items.spans is None:
            return nullcontext()
        return self.items.spans.within(name, attributes or _OWN, self.origin.get("parent_item_id", UNSET))

    def notice(self, text: str, *, level: str = "info", code: str | UnsetType = UNSET) -> None:
        self.items.show(NoticeItem(**self.common(), text=text, level=level, code=code))

    def error(self, code: str, message: str, *, will_retry: bool) -> None:
        self.items.show(ErrorItem(**self.common(), code=code, message=message, will_retry=will_retry))

    def artifact(self, name: str, **members: Any) -> None:
        self.items.show(ArtifactItem(**self.common(), name=name, **members))

    def subagent(
        self, task: str, *, agent: str | UnsetType = UNSET, thread_id: str | UnsetType = UNSET
    ) -> "SubagentWork":
        item = SubagentItem(
            **self.common(), task=task, child_agent=agent, child_thread_id=thread_id, execution_started=True
        )
        return SubagentWork(self.items, item)

    def reset(self, item_ids: Sequence[str], reason: str) -> None:
        self.items.reset(item_ids, reason)

    def common(self, item_id: str | None = None) -> dict[str, Any]:
        """The members that every item of this work has, for one that starts now."""
        return {**self.items.common(item_id), **self.origin}


class SubagentWork(Work):
    """See `Subagent`."""

    def __init__(self, items: Items, item: SubagentItem) -> None:
        super().__init__(items, {"parent_item_id": item.id, "agent": item.child_agent})
        self.item_id = item.id
        self._operation = ToolOperation.begin(items, item)
        self._result: str | UnsetType = UNSET

    def finish(self, result: str) -> None:
        self._result = result

    def fail(self, error_code: str) -> None:
        """It did not do what it was to do."""
        self._operation.fail(error_code)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        if self.item_id in self.items.open:
            if kind is None:
                self._operation.complete(self._result)
            elif issubclass(kind, Exception):
                # What stops the turn leaves it open instead: how it ended depends on how the turn does.
                self._operation.fail("subagentFailed")
        return False
