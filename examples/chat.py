"""Talk to an agent server from Python: one turn, the text as it comes, and an approval that a person answers.

python examples/chat.py 'approve deploy {"to": "staging"}'
python examples/chat.py 'text Hello' my-server --stdio
"""

import asyncio
import sys

from turnwire.client import Client
from turnwire.wire import (
    ApprovalAnswer,
    ApprovalRequestParams,
    ItemDeltaParams,
    TextPart,
    ThreadStartParams,
    TurnStartParams,
)

REFERENCE_SERVER = [sys.executable, "-m", "turnwire", "serve", "--agent", "scripted"]


def show(params: ItemDeltaParams) -> None:
    """Print a piece of the agent's text as soon as it is there."""
    print(params.delta, end="", flush=True)


async def decide(params: ApprovalRequestParams) -> ApprovalAnswer:
    """Ask the person. The nonce proves that the answer is to this question and to no other."""
    typed = await asyncio.to_thread(input, f"{params.approval.title}? [y/N] ")
    decision = "accept" if typed.strip().lower() == "y" else "decline"
    return ApprovalAnswer(decision=decision, nonce=params.approval.binding.nonce or "")


async def chat(text: str, server: list[str]) -> str:
    """Run one turn and return the status in which it ended."""
    async with await Client.spawn(server) as client:
        client.on("item/agentMessage/delta", show)
        client.on_request("approval/request", decide)  # declares the capability `approvals` too
        await client.initialize()
        started = await client.thread_start(ThreadStartParams(title="A chat"))
        await client.turn_start(TurnStartParams(thread_id=started.thread.id, input=[TextPart(text=text)]))
        ended = await client.next_message("turn/completed")
        status: str = ended.params.turn.status
        print(f"\n[{status}]")
        return status


if __name__ == "__main__":
    message, *command = sys.argv[1:] or ["text Hello from the scripted agent."]
    sys.exit(0 if asyncio.run(chat(message, command or REFERENCE_SERVER)) == "completed" else 1)
