"""A server inside your program, and two windows on one thread: both are asked, the first answer counts for both.

python examples/two_windows.py
"""

import asyncio

from msgspec import UNSET

from turnwire.agents.builtin import builtin_agent
from turnwire.client import Client
from turnwire.server import DefaultHost, Server
from turnwire.transports.memory import memory_pair
from turnwire.wire import (
    ApprovalAnswer,
    ApprovalRequestParams,
    ApprovalResolvedParams,
    TextPart,
    ThreadResumeParams,
    ThreadStartParams,
    TurnStartParams,
)

# The scripted agent needs no model: it does what its prompt says.
PROMPT = 'approve deploy {"to": "staging"}\ntext Done.'


async def main() -> None:
    """Open two windows, start a turn in one of them, and answer in the other."""
    server = Server(DefaultHost(builtin_agent("scripted")))
    async with asyncio.TaskGroup() as connections:
        left = await window(server, connections, "left", answers=False)
        right = await window(server, connections, "right", answers=True)
        async with left, right:
            thread = (await left.thread_start(ThreadStartParams(title="Deploy"))).thread
            await right.thread_resume(ThreadResumeParams(thread_id=thread.id))
            await left.turn_start(TurnStartParams(thread_id=thread.id, input=[TextPart(text=PROMPT)]))
            ended = [(await client.next_message("turn/completed")).params.turn for client in (left, right)]
    print("both windows saw:", ", ".join(f"{turn.status}, {turn.final_output}" for turn in ended))
    await server.close()


async def window(server: Server, connections: asyncio.TaskGroup, name: str, *, answers: bool) -> Client:
    """A connected client; one that does not answer leaves its person thinking."""
    here, there = memory_pair()
    connections.create_task(server.serve(there))
    client = await Client.over(here)

    async def ask(request: ApprovalRequestParams) -> ApprovalAnswer:
        print(f"{name} is asked: {request.approval.title}")
        if not answers:
            await asyncio.Event().wait()
        assert request.approval.binding.nonce is not UNSET, "who is asked is given the nonce"
        return ApprovalAnswer(decision="accept", nonce=request.approval.binding.nonce)

    def resolved(told: ApprovalResolvedParams) -> None:
        print(f"{name} hears: {told.resolution.decision}")

    client.on_request("approval/request", ask)
    client.on("approval/resolved", resolved)
    await client.initialize()
    return client


if __name__ == "__main__":
    asyncio.run(main())
