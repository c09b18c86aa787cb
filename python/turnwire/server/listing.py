"""The threads in the order of their last events, kept in order as they change: a page costs the same of any number."""

from bisect import bisect_left, insort
from collections.abc import Sequence

from msgspec import UNSET

from turnwire.store.base import Store
from turnwire.wire import Thread

__all__ = ["ThreadList"]

_Place = tuple[int, str]
# Beyond this share of all, sorting anew is cheaper than moving one by one.
_MANY = 8


class ThreadList:
    """All threads of a store as they are at the last `refresh`."""

    def __init__(self, store: Store) -> None:
        self.headers: dict[str, Thread] = {}
        self._store = store
        self._moment = 0
        # When each was last changed, and its id; by whether it is archived.
        self._places: dict[bool, list[_Place]] = {False: [], True: []}

    def refresh(self) -> None:
        """Takes in what changed, whoever changed it."""
        self._moment, changed = self._store.changed(self._moment)
        many = len(changed) > len(self.headers) // _MANY
        for thread_id, header in changed:
            before = self.headers.pop(thread_id, None)
            if header is not None:
                self.headers[thread_id] = header
            if not many:
                self._move(before, header)
        if many and changed:
            for places in self._places.values():
                places.clear()
            for header in self.headers.values():
                self._places[_is_archived(header)].append(_place(header))
            for places in self._places.values():
                places.sort()

    def places(self, *, archived: bool) -> Sequence[_Place]:
        """When each was last changed, and its id, in this order. It is not to be kept."""
        return self._places[archived]

    def places_at(self, moment: int, *, archived: bool) -> Sequence[_Place]:
        """The same as it was at a moment, for a walk that began then: what changed since stands where it stood."""
        places = self._places[archived]
        later = bisect_left(places, (moment + 1, ""))
        if later == len(places):
            return places
        moved = [(self._updated_by(self.headers[thread_id], moment), thread_id) for _, thread_id in places[later:]]
        return sorted([*places[:later], *moved])

    def _move(self, before: Thread | None, after: Thread | None) -> None:
        if before is not None:
            places = self._places[_is_archived(before)]
            del places[bisect_left(places, _place(before))]
        if after is not None:
            insort(self._places[_is_archived(after)], _place(after))

    def _updated_by(self, header: Thread, moment: int) -> int:
        """When the last event up to a moment was recorded; a thread that began later stands where it began."""
        # Times never go back in a record, so that this is a search and no walk.
        low, high, found = 0, header.seq, header.created_at
        while low < high:
            middle = (low + high) // 2
            events = self._store.events(header.id, middle, 1)
            if events and events[0].at <= moment:
                low, found = events[0].seq, events[0].at
            else:
                high = middle
        return found


def _is_archived(header: Thread) -> bool:
    return header.archived_at is not UNSET


def _place(header: Thread) -> _Place:
    return header.updated_at, header.id
