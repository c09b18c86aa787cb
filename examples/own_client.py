"""A client of your own: it starts a server, shows a turn as it comes, and lets the person at the terminal decide.

python examples/own_client.py 'Buy milk' python examples/own_agent.py
"""

import asyncio
import sys
from pathlib import Path

from msgspec import UNSET

from turnwire.client import Client
from turnwire.wire import (
    ApprovalAnswer,
    ApprovalRequestParams,
    ItemCompletedParams,
    ItemDeltaParams,
    TextPart,
    ThreadStartParams,
    TurnStartParams,
)


async def converse(text: str, server: list[str]) -> str:
    """One turn on a server of its own; how the turn ended."""
    async with await Client.spawn(server) as client:
        client.on_request("approval/request", ask)
        client.on("item/agentMessage/delta", say)
        client.on("item/completed", tell)
        # Without params the client introduces itself, with a capability for each handler above.
        await client.initialize()
        started = await client.thread_start(ThreadStartParams(cwd=str(Path.cwd())))
        await client.turn_start(TurnStartParams(thread_id=started.thread.id, input=[TextPart(text=text)]))
        completed = await client.next_message("turn/completed")
        return str(completed.params.turn.status)


async def ask(request: ApprovalRequestParams) -> ApprovalAnswer:
    """Show what is asked, and take the option that the person names; anything else is no."""
    approval = request.approval
    options = {option.option_id: option for option in approval.available_decisions}
    print(f"{approval.title} {approval.operation} {approval.target}")
    print(f"({', '.join(options)}) ", end="", flush=True)
    # A thread reads, so that the connection lives on while the person thinks.
    chosen = options.get((await asyncio.to_thread(sys.stdin.readline)).strip())
    assert approval.binding.nonce is not UNSET, "who is asked is given the nonce"
    decision = chosen.decision if chosen is not None else "decline"
    return ApprovalAnswer(decision=decision, nonce=approval.binding.nonce)


def say(delta: ItemDeltaParams) -> None:
    """The agent's words as they come."""
    print(delta.delta, end="", flush=True)


def tell(completed: ItemCompletedParams) -> None:
    """A line for each item that ended; an item of a type that this version does not know is a dict."""
    item = completed.item
    kind, status = (item["type"], item.get("status")) if isinstance(item, dict) else (item.type, item.status)
    # The deltas of a message have left the cursor behind their text.
    end_of_text = "\n" if kind == "agentMessage" else ""
    print(f"{end_of_text}[{kind} {status}]")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: own_client.py TEXT COMMAND [ARGUMENT …]")
    print(asyncio.run(converse(sys.argv[1], sys.argv[2:])))
