"""Tools that clients run (TOOL-*): declared for a thread by a connection, called over it, and gone with it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from msgspec import UNSET, UnsetType

from turnwire.errors import ConnectionClosed, Issue, PendingFull, ProtocolError, RemoteError
from turnwire.server.hub import Asker
from turnwire.wire import DynamicTool, ToolCallParams, ToolCallResult

__all__ = ["ClientTools", "Tool", "failed", "tool_issues"]

_Name: TypeAlias = tuple[str | UnsetType, str]

# LIM-5: a client too waits so long for an answer.
_SECONDS = 120.0


class Tool(NamedTuple):
    """A tool and the connection that runs it."""

    declared: DynamicTool
    asker: Asker

    async def call(self, params: ToolCallParams) -> ToolCallResult:
        """What came of it. TOOL-2: a code is the server's only where the client gave none."""
        try:
            async with asyncio.timeout(_SECONDS):
                result: ToolCallResult = await self.asker.ask("tool/call", params)
        except TimeoutError:
            return failed("toolTimeout", "The client did not answer in time.")
        except ConnectionClosed:
            return failed("toolDisconnected", "The client that runs the tool has gone.")
        except PendingFull:
            return failed("toolUnavailable", "The client answers too slowly.")
        except RemoteError as error:
            # An error of the envelope is no result, and its code none of the tool.
            code = "toolUnavailable" if error.name == "methodNotFound" else "toolResultInvalid"
            return failed(code, error.message)
        except ProtocolError:
            return failed("toolResultInvalid", "The client answered with what is no result.")
        return result


class ClientTools:
    """The tools of one thread. Of two with one name the one that was declared last is there."""

    def __init__(self) -> None:
        self._tools: dict[_Name, Tool] = {}

    def declare(self, asker: Asker, tools: Sequence[DynamicTool] | UnsetType) -> None:
        """THR-24: tools that are absent stay as they are; these are all that the connection runs from now on."""
        if tools is UNSET:
            return
        self.forget(asker)
        for tool in tools:
            self._tools[tool.namespace, tool.name] = Tool(tool, asker)

    def forget(self, asker: Any) -> None:
        """The connection runs none of them any more."""
        self._tools = {name: tool for name, tool in self._tools.items() if tool.asker is not asker}

    def all(self) -> list[DynamicTool]:
        """The tools that can be called now."""
        return [tool.declared for tool in self._tools.values()]

    def find(self, name: str, namespace: str | UnsetType) -> Tool | None:
        """A tool by its name."""
        return self._tools.get((namespace, name))


def failed(code: str, message: str) -> ToolCallResult:
    """The result of a call that did not come to one."""
    return ToolCallResult(success=False, error_code=code, error_message=message[:4096])


def tool_issues(tools: Sequence[DynamicTool] | UnsetType, *, answers: frozenset[str]) -> Iterator[Issue]:
    """Of tools that are declared; `answers` are the requests that the connection said it answers."""
    if tools is UNSET or not tools:
        return
    if "tool/call" not in answers:
        # LIFE-18: it would never be asked.
        yield Issue("/dynamicTools", "needs the client capability dynamicTools")
    seen: set[_Name] = set()
    for index, tool in enumerate(tools):
        if (tool.namespace, tool.name) in seen:
            yield Issue(f"/dynamicTools/{index}/name", "is declared twice")
        seen.add((tool.namespace, tool.name))
