"""Serve an agent of your own: turnwire keeps the protocol, you write what the agent does.

turnwire debug send-message 'the login test' -- python examples/custom_agent.py
turnwire check server --tier 1 -- python examples/custom_agent.py
"""

import asyncio

from turnwire.agents.base import Question, TurnContext, text_of
from turnwire.server import DefaultHost, Server, serve_stdio
from turnwire.wire import AgentInfo, AgentSupport


class Tester:
    """Asks before it runs the tests, and says how it went."""

    info = AgentInfo(id="tester", title="Tester", supports=AgentSupport())
    script: int | None = None  # its prompts are free, and say so to the judge

    async def run(self, turn: TurnContext) -> None:
        """Carry out one turn; the server gives ids, keeps the order, and tells every client."""
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


if __name__ == "__main__":
    asyncio.run(serve_stdio(Server(DefaultHost(Tester()))))
