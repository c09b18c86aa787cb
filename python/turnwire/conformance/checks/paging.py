"""Pages: every object once, an end that is one, and cursors that are not guessed (THR-19 to THR-21)."""

from typing import Any

from turnwire.conformance.checks.expect import error_of, own_messages, succeeded
from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.probe import Probe
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject

__all__: list[str] = []

THREADS = 9
LIMITS = (1, 2, 7)
OUT_OF_BOUNDS: tuple[Any, ...] = (0, -1, 2**31, "7")


@check("page.walk")
def walk(subject: Subject) -> None:
    """Walks with pages of several sizes give what was started, each once, and come to an end."""
    if subject.profile.paging.style == "none":
        raise NotApplicable(f"the profile {subject.profile.name} has no pages")
    probe = subject.session()
    started = {subject.create(probe) for _ in range(THREADS)}
    for limit in LIMITS:
        walked = _walk(subject, probe, limit)
        if not started <= set(walked) or len(set(walked)) < len(walked):
            missing, twice = len(started - set(walked)), len(walked) - len(set(walked))
            raise Unmet(f"each thread once in pages of {limit}", f"{missing} missing, {twice} more than once")


@check("page.bounds")
def bounds(subject: Subject) -> str | None:
    """A limit that is out of bounds is refused, not made to fit."""
    own_messages(subject)
    method = subject.operation("list").method
    notes = [
        error_of(subject, subject.probe.call(method, {"limit": limit}), "invalid_params", to=f"the limit {limit!r}")
        for limit in OUT_OF_BOUNDS
    ]
    return next((note for note in notes if note), None)


@check("page.cursor-bad")
def cursor_bad(subject: Subject) -> str | None:
    """A cursor that the server did not give, or gave and was altered, is refused, and is not the first page."""
    own_messages(subject)
    probe = subject.session()
    for _ in range(3):
        subject.create(probe)
    method = subject.operation("list").method
    page = succeeded(probe.call(method, {"limit": 1}), to=method)
    cursor = pick(page, "/nextCursor")
    if not isinstance(cursor, str):
        raise NotExercised("the first of three threads was the last page")
    bad = {"a cursor that is made up": "turnwire-check", "a cursor with more at its end": f"{cursor}~~"}
    notes = [
        error_of(subject, probe.call(method, {"limit": 1, "cursor": word}), "cursor_invalid", to=name)
        for name, word in bad.items()
    ]
    return next((note for note in notes if note), None)


def _walk(subject: Subject, probe: Probe, limit: int) -> list[Any]:
    operation, paging = subject.operation("list"), subject.profile.paging
    params: dict[str, Any] = {**(operation.params or {}), paging.limit: limit}
    walked: list[Any] = []
    # Others may have started threads in the same home; a list that long is endless all the same.
    for _ in range(1000):
        page = succeeded(probe.call(operation.method, params), to=operation.method)
        items = pick(page, operation.items)
        if not isinstance(items, list) or len(items) > limit:
            raise Unmet(f"a page of at most {limit}", repr(items)[:80])
        walked += [pick(item, paging.identifier) for item in items]
        seen = len(walked) if len(items) == limit else None
        at = seen if paging.style == "offset" else pick(page, paging.next)
        if at is None:
            return walked
        params[paging.at] = at
    raise Unmet("an end of the list", "another page after each of 1000")
