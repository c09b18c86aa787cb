"""Cursors (THR-19): each is of one list with its filter, thread and direction, and outlives the server."""

import json

import pytest

from turnwire.errors import RemoteError

# A list with a filter, by its method and params; every one has two entries at the least.
LISTS = [
    ("thread/list", {}),
    ("thread/list", {"direction": "ascending"}),
    ("thread/list", {"agent": "scripted"}),
    ("thread/list", {"query": "thread"}),
    ("thread/list", {"identity": {"userId": "ann"}}),
    ("thread/list", {"archived": True}),
    ("thread/turns/list", {"threadId": "a"}),
    ("thread/turns/list", {"threadId": "a", "direction": "descending"}),
    ("thread/turns/list", {"threadId": "b"}),
    ("thread/items/list", {"threadId": "a"}),
    ("thread/items/list", {"threadId": "a", "direction": "descending"}),
    ("thread/items/list", {"threadId": "b"}),
    ("thread/items/list", {"threadId": "a", "turnId": "$turn"}),
    ("thread/events/list", {"threadId": "a"}),
    ("thread/events/list", {"threadId": "b"}),
    ("thread/events/list", {"threadId": "a", "afterSeq": 1}),
    ("approvalRules/list", {}),
]


async def furnish(talk):
    """Threads with turns, some archived, and rules; the first turn of thread a."""
    turns = []
    for thread_id in ("a", "b"):
        identity = {"userId": "ann"}
        await talk.client.call_raw(
            "thread/start", {"threadId": thread_id, "title": "Thread", "identity": identity, "cwd": "/"}
        )
        turns += [await talk.run(thread_id, f"approve rm{number}\ntext x") for number in range(2)]
    for thread_id in ("c", "d"):
        await talk.thread(thread_id=thread_id)
        await talk.client.call_raw("thread/archive", {"threadId": thread_id})
    return turns[0].id


async def ask(talk, method, params):
    return json.loads(bytes(await talk.client.call_raw(method, params)))


async def outcome(talk, method, params):
    """`taken`, or the reason for which the cursor is refused."""
    try:
        await ask(talk, method, params)
    except RemoteError as error:
        return error.data["reason"]
    return "taken"


async def pages(talk, method, params):
    """All entries, one a page, with the cursors between them."""
    data, cursors = [], []
    while True:
        page = await ask(talk, method, {**params, "limit": 1, **({"cursor": cursors[-1]} if cursors else {})})
        data += page["data"]
        if "nextCursor" not in page:
            return data, cursors
        cursors.append(page["nextCursor"])


def lists(turn_id):
    return [(method, json.loads(json.dumps(params).replace("$turn", turn_id))) for method, params in LISTS]


async def test_a_cursor_is_refused_by_every_list_but_its_own(house):
    talk = await house.connect(approvals="acceptAlways")
    known = lists(await furnish(talk))
    walks = [await pages(talk, method, params) for method, params in known]

    for own, (_, cursors) in enumerate(walks):
        told = [await outcome(talk, method, {**params, "cursor": cursors[0]}) for method, params in known]

        assert told == ["taken" if number == own else "mismatch" for number in range(len(known))]


async def test_a_walk_gives_every_entry_once_and_outlives_the_server(house):
    one = await house.connect(approvals="acceptAlways")
    known = lists(await furnish(one))
    walks = [await pages(one, method, params) for method, params in known]
    wholes = [(await ask(one, method, params))["data"] for method, params in known]
    await house.restart()
    two = await house.connect()

    for (method, params), (data, cursors), whole in zip(known, walks, wholes, strict=True):
        assert data == whole, (method, params)
        rest = await ask(two, method, {**params, "cursor": cursors[0]})
        assert rest["data"] == whole[1:], (method, params)


@pytest.mark.parametrize("method", ["thread/turns/list", "thread/items/list", "thread/events/list"])
async def test_a_cursor_is_of_one_thread_and_not_of_the_next_with_its_id(house, method):
    talk = await house.connect(approvals="accept")
    await furnish(talk)
    (cursor, *_) = (await pages(talk, method, {"threadId": "a"}))[1]
    await talk.client.call_raw("thread/delete", {"threadId": "a"})
    with pytest.raises(RemoteError, match="notFound"):
        await ask(talk, method, {"threadId": "a", "cursor": cursor})
    await talk.thread(thread_id="a")

    with pytest.raises(RemoteError, match="cursorInvalid"):
        await ask(talk, method, {"threadId": "a", "cursor": cursor})


@pytest.mark.parametrize("method", ["thread/turns/list", "thread/items/list"])
async def test_what_is_added_meanwhile_is_beyond_the_walk(house, method):
    talk = await house.connect(approvals="accept")
    await furnish(talk)
    before = (await ask(talk, method, {"threadId": "a"}))["data"]
    first = await ask(talk, method, {"threadId": "a", "limit": 1})
    await talk.run("a", "text more")

    rest = await ask(talk, method, {"threadId": "a", "cursor": first["nextCursor"]})

    assert first["data"] + rest["data"] == before
    assert "nextCursor" not in rest


# The most that a page has of each list.
SIZES = [
    ("thread/list", 100),
    ("thread/turns/list", 100),
    ("thread/items/list", 500),
    ("thread/events/list", 1000),
]


@pytest.mark.parametrize(("method", "most"), SIZES)
async def test_a_limit_out_of_its_bounds_is_refused_and_never_clamped(house, method, most):
    talk = await house.connect()
    await talk.thread(thread_id="a")
    params = {} if method == "thread/list" else {"threadId": "a"}

    for limit in (1, most):
        assert "data" in await ask(talk, method, {**params, "limit": limit})
    for limit in (0, -1, most + 1, 1.5, "1"):
        with pytest.raises(RemoteError, match="invalidParams") as refused:
            await ask(talk, method, {**params, "limit": limit})
        assert refused.value.data["issues"][0]["path"] == "/limit"
