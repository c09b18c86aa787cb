"""Which headers changed, in the order in which they did, so that whoever keeps a list of them looks at no other."""

from collections.abc import Iterator

__all__ = ["Changes"]


class Changes:
    """The names of what changed, each where it changed last."""

    def __init__(self) -> None:
        self.moment = 0
        # The latest change last.
        self._moments: dict[str, int] = {}

    def touch(self, name: str) -> None:
        """It changed, appeared or went away."""
        self.moment += 1
        self._moments.pop(name, None)
        self._moments[name] = self.moment

    def since(self, moment: int) -> Iterator[str]:
        """What changed after a moment, the latest first."""
        for name, changed in reversed(self._moments.items()):
            if changed <= moment:
                return
            yield name
