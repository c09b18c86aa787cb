"""A server with an agent of your own on stdin and stdout: it takes notes, and asks before it writes them down.

turnwire debug send-message 'Buy milk' -- python examples/own_agent.py
"""

import asyncio
from pathlib import Path

from msgspec import UNSET

from turnwire.agents.base import Question, TurnContext, text_of
from turnwire.server import DefaultHost, Server, serve_stdio
from turnwire.wire import AgentInfo, AgentSupport, FileChange

NOTES = "notes.txt"


class NoteTaker:
    """Appends what it hears to a file in the directory of the thread."""

    info = AgentInfo(id="notes", title="Note taker", supports=AgentSupport())
    # Which version of the script grammar it obeys: none, its prompts are free.
    script: int | None = None

    async def run(self, turn: TurnContext) -> None:
        note = text_of(turn.input)
        change = FileChange(path=NOTES, kind="update", diff=f"+{note}\n")
        # The turn waits here. An answer that ends it (cancel, defer, an interrupt) never comes back.
        verdict = await turn.approve(
            Question(kind="file", title="Write it down?", operation="append", target=NOTES, preview=f"+{note}\n")
        )
        if verdict.accepted:
            work = turn.file_change([change], item_id=verdict.subject_item_id)
            cwd = "." if turn.thread.cwd is UNSET else turn.thread.cwd
            # The server serves other turns meanwhile.
            await asyncio.to_thread(append, Path(cwd, NOTES), note)
            work.complete()
        else:
            turn.declined_file_change([change], item_id=verdict.subject_item_id)
        with turn.message() as message:
            await message.write("Noted." if verdict.accepted else "I let it be.")


def append(path: Path, note: str) -> None:
    """One line more."""
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{note}\n")


if __name__ == "__main__":
    asyncio.run(serve_stdio(Server(DefaultHost(NoteTaker()))))
