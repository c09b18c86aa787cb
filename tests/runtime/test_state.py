"""The machines of the protocol, walked cell by cell."""

import pytest

from turnwire.state import IllegalMove, StateMachine, next_state
from turnwire.wire import MACHINES

CELLS = [
    (machine.name, state, event, following)
    for machine in MACHINES.values()
    for state, row in machine.transitions.items()
    for event, following in row.items()
]


@pytest.mark.parametrize(("machine", "state", "event", "following"), CELLS)
def test_cell(machine: str, state: str, event: str, following: str | None) -> None:
    thing = StateMachine(machine, state)
    assert thing.allows(event) == (following is not None)
    if following is None:
        with pytest.raises(IllegalMove) as refusal:
            thing.move(event)
        assert (machine, state, event) == (refusal.value.machine, refusal.value.state, refusal.value.event)
        assert thing.state == state
    else:
        assert thing.move(event) == thing.state == next_state(machine, state, event) == following


@pytest.mark.parametrize("machine", list(MACHINES))
def test_a_machine_begins_where_its_table_says_and_knows_its_end(machine: str) -> None:
    row = MACHINES[machine]

    assert StateMachine(machine).state == row.initial
    assert {state for state in row.transitions if StateMachine(machine, state).is_terminal} == set(row.terminal)


@pytest.mark.parametrize(("state", "event"), [("opened", "sneeze"), ("nowhere", "initialize")])
def test_what_the_table_does_not_know_is_illegal(state: str, event: str) -> None:
    with pytest.raises(IllegalMove, match=event):
        next_state("connection", state, event)
