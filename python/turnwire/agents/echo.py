"""The smallest agent: says what it hears."""

from turnwire.agents.base import TurnContext, text_of

__all__ = ["run"]

# A piece that a person sees arrive.
_DELTA = 64


async def run(turn: TurnContext) -> None:
    """Says the text of the input, and of what was steered meanwhile; see `Agent.run`."""
    await turn.step(lambda: _say(turn, text_of(turn.input)))
    for steered in turn.steered():
        await _say(turn, text_of(steered.input))


async def _say(turn: TurnContext, text: str) -> None:
    with turn.message() as message:
        for start in range(0, len(text), _DELTA):
            await message.write(text[start : start + _DELTA])
