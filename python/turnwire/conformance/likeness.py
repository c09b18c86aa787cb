"""Whether a message is another one but for what must differ: names that a server gives, times, measures.

A name is bound to the one that stands in its place the first time that both are seen; from then on it must stand there,
and nothing else may. What a person or a model said, states, kinds and counts are never names.
"""

import re
from collections.abc import Collection
from typing import Any, NamedTuple

__all__ = ["Difference", "Likeness"]

# Members whose strings are names that a server gives, or what it made of them.
NAMES = re.compile(r"(?:^|[a-z_])(?:[iI]ds?|[nN]once|[cC]ursor|[hH]ash|[dD]igest|[pP]rev|[tT]oken)$")
# Members that say when, how long or where, which is another time and place.
PLACES = re.compile(
    r"(?:^at|At|AtMs|[dD]uration(?:Ms)?|[eE]lapsed(?:Ms)?|[tT]imestamp|[cC]wd|[pP]ath|[hH]ome|[pP]id|[wW]orkspace|[rR]oots?)$"
)


class Difference(NamedTuple):
    """The first place where a message is another one."""

    pointer: str
    recorded: Any
    live: Any


class Likeness:
    """The names of one replay, each bound to the one that stands for it."""

    def __init__(self, volatile: Collection[str] = ()) -> None:
        self._volatile = frozenset(volatile)
        self._live: dict[str, str] = {}
        self._recorded: dict[str, str] = {}

    def difference(self, recorded: Any, live: Any, *, at: str = "", member: str = "") -> Difference | None:
        """The first place where they differ; names that are new are bound."""
        if isinstance(recorded, dict) and isinstance(live, dict):
            return self._of_objects(recorded, live, at)
        if isinstance(recorded, list) and isinstance(live, list) and len(recorded) == len(live):
            pairs = enumerate(zip(recorded, live, strict=True))
            found = (self.difference(one, other, at=f"{at}/{index}", member=member) for index, (one, other) in pairs)
            return next((difference for difference in found if difference), None)
        if type(recorded) is type(live) and (recorded == live or member in self._volatile or PLACES.search(member)):
            return None
        is_name = isinstance(recorded, str) and isinstance(live, str)
        if is_name and (self._is_bound(recorded, live) or (NAMES.search(member) and self._bind(recorded, live))):
            return None
        return Difference(at, recorded, live)

    def translated(self, value: Any) -> Any:
        """A message of the recorded client, with the names of now."""
        match value:
            case str():
                return self._live.get(value, value)
            case dict():
                return {name: self.translated(member) for name, member in value.items()}
            case list():
                return [self.translated(item) for item in value]
            case _:
                return value

    def _of_objects(self, recorded: dict[str, Any], live: dict[str, Any], at: str) -> Difference | None:
        for name in {**recorded, **live}:
            if name not in recorded or name not in live:
                return Difference(f"{at}/{name}", recorded.get(name, "absent"), live.get(name, "absent"))
            if found := self.difference(recorded[name], live[name], at=f"{at}/{name}", member=name):
                return found
        return None

    def _is_bound(self, recorded: str, live: str) -> bool:
        return self._live.get(recorded) == live

    def _bind(self, recorded: str, live: str) -> bool:
        """Bind two names that are new; one that stands for another already stands for no second."""
        if recorded in self._live or live in self._recorded:
            return False
        self._live[recorded], self._recorded[live] = live, recorded
        return True
