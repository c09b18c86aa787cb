"""A conversation with a server: a client, the trace of its connection, and a few words that tests are made of."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from e2e.lawful import assert_lawful
from e2e.recording import Frame, RecordingTransport
from turnwire.client import Client
from turnwire.client.process import ProcessTransport
from turnwire.server import Server
from turnwire.transports.memory import memory_pair
from turnwire.transports.websocket import WebSocketTransport
from turnwire.wire import (
    ApprovalAnswer,
    ApprovalRequestParams,
    ClientCapabilities,
    ClientInfo,
    InitializeParams,
    TextPart,
    ThreadStartParams,
    Turn,
    TurnStartParams,
    UserInput,
    UserInputRequestParams,
)

SERVER = Path(__file__).with_name("stdio_server.py")
WITHIN = 60.0


class Talk:
    """One connection. `approvals` is how approvals are answered: a decision, a function, or None for no capability;
    `inputs` is a function from questions to an answer, or None."""

    def __init__(self, client: Client, recording: RecordingTransport, serving: "asyncio.Task[None] | None") -> None:
        self.client = client
        self.trace: list[Frame] = recording.trace
        self.transport = recording.inner
        self.asked: list[ApprovalRequestParams] = []
        self.questions: list[UserInput] = []
        self._questioned = asyncio.Event()
        # Cleared for a connection that comes to a turn late, or opts out of notifications.
        self.hears_all = True
        self._serving = serving

    @classmethod
    async def over_memory(cls, server: Server, **members: Any) -> "Talk":
        near, far = memory_pair()
        serving = asyncio.create_task(server.serve(far))
        return await cls._begin(RecordingTransport(near), serving, **members)

    @classmethod
    async def over_stdio(cls, *argv: str, **members: Any) -> "Talk":
        transport = ProcessTransport([sys.executable, str(SERVER), *argv], stderr="capture")
        return await cls._begin(RecordingTransport(transport), None, **members)

    @classmethod
    async def over_websocket(cls, url: str, token: str | None = None, **members: Any) -> "Talk":
        return await cls._begin(RecordingTransport(WebSocketTransport(url, token=token)), None, **members)

    @classmethod
    async def _begin(
        cls,
        recording: RecordingTransport,
        serving: Any,
        *,
        approvals: Any = None,
        inputs: Any = None,
        initialize: bool = True,
        **members: Any,
    ) -> "Talk":
        talk = cls(await Client.over(recording, within=WITHIN), recording, serving)
        if approvals is not None:
            talk.client.on_request("approval/request", talk._answering(approvals))
        if inputs is not None:
            talk.client.on_request("userInput/request", talk._answering_inputs(inputs))
        if initialize:
            await talk.initialize(approvals=approvals is not None, user_input=inputs is not None, **members)
        talk.hears_all = "opt_out_notifications" not in members
        return talk

    async def initialize(self, **capabilities: Any) -> Any:
        info = ClientInfo(name="e2e", version="1")
        return await self.client.initialize(
            InitializeParams(protocol_version=1, client_info=info, capabilities=ClientCapabilities(**capabilities))
        )

    async def thread(self, **members: Any) -> str:
        return (await self.client.thread_start(ThreadStartParams(**members))).thread.id

    async def turn(self, thread_id: str, script: str, **members: Any) -> Turn:
        params = TurnStartParams(thread_id=thread_id, input=[TextPart(text=script)], **members)
        return (await self.client.turn_start(params)).turn

    async def ended(self, turn: Turn) -> Turn:
        """How the turn ended, once `thread/status/changed` has followed."""
        completed = await self.heard("turn/completed", lambda params: params.turn.id == turn.id)
        await self.heard(
            "thread/status/changed", lambda params: params.thread_id == turn.thread_id and params.seq > completed.seq
        )
        return completed.turn

    async def run(self, thread_id: str, script: str, **members: Any) -> Turn:
        return await self.ended(await self.turn(thread_id, script, **members))

    async def heard(self, method: str, wanted: Callable[[Any], bool] = lambda _: True) -> Any:
        """The params of the next notification of this method that is wanted."""
        while True:
            message = await self.client.next_message(method, within=WITHIN)
            if wanted(message.params):
                return message.params

    async def questioned(self) -> UserInput:
        """The questions that were asked of this connection first."""
        await asyncio.wait_for(self._questioned.wait(), WITHIN)
        return self.questions[0]

    def said(self, method: str) -> list[dict[str, Any]]:
        """The params of all notifications of this method so far."""
        return [frame.message["params"] for frame in self.trace if frame.message.get("method") == method]

    def methods(self) -> list[str]:
        """The names of all that the server notified so far, deltas of one item as one."""
        names = [frame.message["method"] for frame in self.trace if frame.way == "s2c" and "method" in frame.message]
        return [
            name for index, name in enumerate(names) if index == 0 or name != names[index - 1] or "elta" not in name
        ]

    def items(self, kind: str) -> list[dict[str, Any]]:
        """The completed items of this type so far."""
        return [params["item"] for params in self.said("item/completed") if params["item"]["type"] == kind]

    async def close(self) -> None:
        await self.client.close()
        if self._serving is not None:
            await self._serving
        self.assert_lawful(whole=False)

    def assert_lawful(self, *, whole: bool = True) -> None:
        assert_lawful(self.trace, hears_all=self.hears_all, whole=whole)

    def _answering(self, approvals: Any) -> Callable[[ApprovalRequestParams], Any]:
        def answer(params: ApprovalRequestParams) -> Any:
            self.asked.append(params)
            if callable(approvals):
                return approvals(params)
            return ApprovalAnswer(decision=approvals, nonce=params.approval.binding.nonce)

        return answer

    def _answering_inputs(self, inputs: Any) -> Callable[[UserInputRequestParams], Any]:
        def answer(params: UserInputRequestParams) -> Any:
            self.questions.append(params.user_input)
            self._questioned.set()
            return inputs(params.user_input)

        return answer
