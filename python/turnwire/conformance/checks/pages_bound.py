"""What a cursor is bound to, and what an end of a list is (THR-19, THR-20)."""

from typing import Any

from turnwire.conformance.checks.work import Work, first_note, lives, same, unscripted, work
from turnwire.conformance.model import NotExercised, Unmet
from turnwire.conformance.pointer import pick
from turnwire.conformance.registry import check
from turnwire.conformance.subject import Subject

__all__: list[str] = []

EMPTY = ("thread/turns/list", "thread/items/list")


@check("page.empty-vs-end")
def empty_vs_end(subject: Subject) -> None:
    """What has nothing has an end at once; a full last page has one too."""
    asked = unscripted(subject)
    thread = asked.thread()
    for method in EMPTY:
        page = asked.result(method, threadId=thread)
        same(([], None), (pick(page, "/data"), pick(page, "/nextCursor")), f"data and nextCursor of an empty {method}")
    identity = {"channelName": "turnwire-check", "userId": thread}
    for _ in range(2):
        asked.thread(identity=identity)
    page = asked.result("thread/list", identity=identity, limit=2)
    found = len(pick(page, "/data") or ()), pick(page, "/nextCursor")
    same((2, None), found, "threads and nextCursor of a page that holds the last of them")


@check("page.cursor-scope")
def cursor_scope(subject: Subject) -> str | None:
    """A cursor goes on with its own list, and with no other."""
    asked = unscripted(subject)
    thread = asked.thread()
    identity = {"channelName": "turnwire-check", "userId": thread}
    for _ in range(3):
        asked.thread(identity=identity)
    cursor = _cursor(asked, "thread/list", identity=identity, limit=1)
    refused: dict[str, dict[str, Any]] = {
        "of another filter": {"identity": {"channelName": "turnwire-check"}},
        "of no filter": {},
        "of another direction": {"identity": identity, "direction": "ascending"},
    }
    notes = [
        asked.refused("cursor_invalid", "thread/list", f"with a cursor {why}", cursor=cursor, **params)
        for why, params in refused.items()
    ]
    notes.append(
        asked.refused(
            "cursor_invalid", "thread/items/list", "with a cursor of thread/list", threadId=thread, cursor=cursor
        )
    )
    return first_note(*notes)


@check("page.cursor-thread")
def cursor_thread(subject: Subject) -> str | None:
    """A cursor of one thread is none of another; one of a record that was rewound is stale."""
    asked = work(subject)
    thread, other = asked.thread(), asked.thread()
    turns = [asked.play(one, "text one", "text two") for one in (thread, thread, other)]
    cursor = _cursor(asked, "thread/items/list", threadId=thread, limit=1)
    notes = [
        asked.refused(
            "cursor_invalid", "thread/items/list", "with a cursor of another thread", threadId=other, cursor=cursor
        ),
        asked.refused(
            "cursor_invalid", "thread/turns/list", "with a cursor of the items", threadId=thread, cursor=cursor
        ),
    ]
    if "rewind" in subject.capabilities:
        asked.result("thread/rewind", threadId=thread, itemId=pick(turns[0].items()[-1], "/id"))
        notes.append(
            asked.refused(
                "cursor_invalid", "thread/items/list", "with a cursor of before", threadId=thread, cursor=cursor
            )
        )
    return first_note(*notes)


@check("page.frozen-end")
def frozen_end(subject: Subject) -> None:
    """What comes during a walk is not in it, and moves nothing that is."""
    asked, shows_time = unscripted(subject), True
    identity = {"channelName": "turnwire-check", "userId": asked.thread()}
    started = [asked.thread(identity=identity) for _ in range(4)]
    for direction in ("ascending", "descending"):
        params: dict[str, Any] = {"identity": identity, "direction": direction, "limit": 1}
        walked: list[Any] = []
        while True:
            page = asked.result("thread/list", **params)
            walked += [pick(one, "/id") for one in pick(page, "/data") or ()]
            params["cursor"] = pick(page, "/nextCursor")
            if params["cursor"] is None:
                break
            if len(walked) == 2:
                late = asked.thread(identity=identity)
                others = [one for one in started if one != walked[0]]
                shows_time = shows_time and asked.changed_after(walked[0], others)
            if len(walked) > len(started):
                raise Unmet(f"an end after {len(started)} threads", f"{len(walked)} of them, and a cursor")
        same(sorted(started), sorted(walked), "each thread of before, once")
        started.append(late)
    if not shows_time:
        raise NotExercised("updatedAt stood still while it was waited for, so nothing shows what a change moves")


@check("page.walk-items")
def walk_items(subject: Subject) -> None:
    """Pages of any size give every item and every turn once."""
    asked = work(subject)
    thread = asked.thread()
    turns = [asked.play(thread, "text one", "tool check {}") for _ in range(3)]
    items = [pick(item, "/id") for turn in turns for item in turn.items()]
    for limit in (1, 2, 7):
        walked = asked.walk("thread/items/list", threadId=thread, limit=limit)
        same(items, [pick(item, "/id") for item in walked], f"the items in pages of {limit}")
        walked = asked.walk("thread/turns/list", threadId=thread, limit=limit)
        same([turn.id for turn in turns], [pick(turn, "/id") for turn in walked], f"the turns in pages of {limit}")


@check("page.cursor-restart")
def cursor_restart(subject: Subject) -> None:
    """A walk goes on where it was, in another process."""
    with lives(subject) as server:
        before = server.begin()
        thread = before.thread()
        before.play(thread, "text one", "text two")
        whole = [pick(item, "/id") for item in before.items(thread)]
        cursor = _cursor(before, "thread/items/list", threadId=thread, limit=1)
        server.stop(before)
        after = server.begin()
        rest = after.walk("thread/items/list", threadId=thread, limit=1, cursor=cursor)
        same(whole[1:], [pick(item, "/id") for item in rest], "the items after the first page, after a restart")


def _cursor(asked: Work, method: str, **params: Any) -> str:
    """The cursor after the first page of a list that has more.

    Raises:
        NotExercised: it was the last page.
    """
    cursor = pick(asked.result(method, **params), "/nextCursor")
    if not isinstance(cursor, str):
        raise NotExercised(f"the first page of {method} was the last")
    return cursor
