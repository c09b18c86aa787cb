"""Our own server with an agent that obeys the script, and reviews; it finds nothing."""

import asyncio

from turnwire.agents.builtin import BUILTIN, BuiltinAgent
from turnwire.server import DefaultHost, Server, serve_stdio
from turnwire.wire import AgentSupport, Review


class Reviewer(BuiltinAgent):
    """The scripted agent, which reviews too."""

    supports = AgentSupport(review=True)

    async def review(self, turn, target):
        """Look, and find nothing."""
        with turn.message() as message:
            await message.write(target.instructions)
        return Review(findings=[], overall_correctness="patch is correct")


if __name__ == "__main__":
    asyncio.run(serve_stdio(Server(DefaultHost(Reviewer("scripted", *BUILTIN["scripted"])))))
