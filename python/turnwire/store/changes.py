"""Which headers changed, in the order in which they did, so that whoever keeps a list of them looks at no other."""

from collections.abc import Callable, Iterator

from turnwire import wire

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

    def told(self, moment: int, header_of: Callable[[str], wire.Thread | None]) -> list[tuple[str, wire.Thread | None]]:
        """What changed after a moment, the latest first, with its header; what has none is gone, and told once."""
        found = [(name, header_of(name)) for name in self._since(moment)]
        for name, header in found:
            if header is None:
                del self._moments[name]
        return found

    def _since(self, moment: int) -> Iterator[str]:
        for name, changed in reversed(self._moments.items()):
            if changed <= moment:
                return
            yield name
