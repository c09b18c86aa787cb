"""Serve agents of your own: turnwire keeps the protocol, you write what an agent does.

turnwire debug send-message 'the login test' -- python examples/custom_agent.py
turnwire check server --tier 1 -- python examples/custom_agent.py
"""

import asyncio

from turnwire.agents.base import Agent, Question, TurnContext, text_of
from turnwire.server import DefaultHost, Server, serve_stdio


class Tester(Agent):
    """Asks before it runs the tests, and says how it went."""

    id = "tester"
    title = "Tester"

    async def run(self, turn: TurnContext) -> None:
        """Carry out one turn; the server gives ids, keeps the order and the record, and tells every client."""
        task = text_of(turn.input)
        with turn.message() as message:
            await message.write(f"I run the tests for {task}.")
        arguments = {"only": task}
        question = Question(kind="shell", title="Run the tests", operation="pytest", arguments=arguments)
        answer = await turn.approve(question)
        if not answer.accepted:
            turn.declined_tool("run_tests", arguments, item_id=answer.subject_item_id)
            return
        work = turn.tool("run_tests", arguments, item_id=answer.subject_item_id)
        await asyncio.sleep(0)  # here the tests run
        work.complete({"passed": 12, "failed": 0})
        with turn.message() as message:
            await message.write("All 12 pass.")


class Parrot(Agent):
    """The least that an agent is."""

    async def run(self, turn: TurnContext) -> None:
        """Say what was said."""
        with turn.message() as message:
            await message.write(text_of(turn.input))


if __name__ == "__main__":
    asyncio.run(serve_stdio(Server(DefaultHost(Tester(), Parrot()))))
