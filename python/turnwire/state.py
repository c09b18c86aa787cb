"""State machines are the tables of the protocol (`MACHINES`); code only looks up.

An event that a state does not know, or that its cell refuses, is an illegal move: one error, raised in one place.
"""

from turnwire.errors import LocalProtocolError
from turnwire.wire import MACHINES

__all__ = ["IllegalMove", "StateMachine", "next_state"]


class IllegalMove(LocalProtocolError):  # noqa: N818 - says what was tried
    """The event cannot happen in this state, or is refused there."""

    def __init__(self, machine: str, state: str, event: str) -> None:
        super().__init__(f"{machine}: {event!r} is not lawful in the state {state!r}")
        self.machine = machine
        self.state = state
        self.event = event


def next_state(machine: str, state: str, event: str) -> str:
    """Where `event` leads from `state`.

    Raises:
        IllegalMove: nowhere.
    """
    following = MACHINES[machine].transitions.get(state, {}).get(event)
    if following is None:
        raise IllegalMove(machine, state, event)
    return following


class StateMachine:
    """The state of one thing, and the only way to change it."""

    __slots__ = ("_machine", "state")

    def __init__(self, machine: str, state: str | None = None) -> None:
        self._machine = machine
        self.state = MACHINES[machine].initial if state is None else state

    @property
    def is_terminal(self) -> bool:
        """Whether the thing is over."""
        return self.state in MACHINES[self._machine].terminal

    def allows(self, event: str) -> bool:
        """Whether `event` may happen now."""
        return MACHINES[self._machine].transitions.get(self.state, {}).get(event) is not None

    def move(self, event: str) -> str:
        """Let `event` happen; the new state.

        Raises:
            IllegalMove: it cannot happen now; nothing has changed.
        """
        self.state = next_state(self._machine, self.state, event)
        return self.state
