"""A state machine as a Mermaid diagram and as a table."""

import re

from turnwire_codegen.emit.docs.text import code, table
from turnwire_codegen.ir import Machine

__all__ = ["diagram", "machine_table"]

# An id of our own making ends in an underscore, so none of a state's own may.
_SIMPLE = re.compile(r"[A-Za-z](?:[A-Za-z0-9_]*[A-Za-z0-9])?")
# Words that begin a statement of the diagram language, in any case.
_RESERVED = frozenset({"accdescr", "acctitle", "class", "classdef", "click", "default", "direction", "end", "note"}) | {
    *("fork", "hide", "join", "scale", "state", "statediagram", "style"),
}
NEVER = "—"


def diagram(machine: Machine) -> tuple[str, ...]:
    """The lines of a state diagram; events that lead from one state to the same other share an arrow."""
    ids = {state: _id(state, index) for index, state in enumerate(machine.transitions)}
    lines = [f'state "{_text(state)}" as {name}' for state, name in ids.items() if name != state]
    lines.append(f"[*] --> {ids[machine.initial]}")
    for state, events in machine.transitions.items():
        arrows: dict[str, list[str]] = {}
        for event, reached in events.items():
            if reached is not None:
                arrows.setdefault(reached, []).append(event)
        lines += [
            f"{ids[state]} --> {ids[reached]}: {', '.join(map(_text, labels))}" for reached, labels in arrows.items()
        ]
    lines += [f"{ids[state]} --> [*]" for state in machine.terminal]
    return ("stateDiagram-v2", *(f"  {line}" for line in lines))


def machine_table(machine: Machine) -> tuple[str, ...]:
    """A row a state, a column an event, the next state in the cell."""
    events = list(dict.fromkeys(event for row in machine.transitions.values() for event in row))
    rows = []
    for state, row in machine.transitions.items():
        marks = [", initial" if state == machine.initial else "", ", terminal" if state in machine.terminal else ""]
        reached = [row.get(event) for event in events]
        rows.append([f"{code(state)}{''.join(marks)}", *(NEVER if name is None else code(name) for name in reached)])
    return table(["State", *map(code, events)], rows)


def _id(state: str, index: int) -> str:
    return state if _SIMPLE.fullmatch(state) and state.lower() not in _RESERVED else f"s{index}_"


def _text(label: str) -> str:
    """A label in which nothing is syntax: Mermaid writes a character as `#` number `;`."""
    return "".join(char if char.isalnum() or char in " /_." else f"#{ord(char)};" for char in label)
