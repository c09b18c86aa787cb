"""A client that does not read: deltas are lost to it, nothing that is recorded is, and 1013 says so (LIM-4, WS-4)."""

import asyncio
import contextlib

import msgspec
from msgspec import UNSET

from e2e.stdio_server import make_server
from e2e.talk import Talk
from e2e.ws_raw import RawSocket
from turnwire.server.websocket import listening
from turnwire.wire import ThreadEventsListParams, ThreadResumeParams

# More than the buffers of a kernel hold, then more events than the queue does.
SCRIPT = "flood 100 10000\n" * 8 + "notice n\n" * 60 + "text end"
WITHIN = 60.0


@contextlib.asynccontextmanager
async def flooded(monkeypatch, seconds):
    """A client that has started a turn and reads nothing, and a watcher that has seen the turn end. `seconds` is how
    long the server waits for the client before it cuts it off."""
    monkeypatch.setattr("turnwire.transports.websocket.link._LINGER_SECONDS", seconds)
    server = make_server({"output_messages": 32, "output_bytes": 65536})
    server._peer_limits = msgspec.structs.replace(server._peer_limits, drain_seconds=0.0, linger_seconds=seconds)
    async with listening(server, ("127.0.0.1", 0)) as url, await RawSocket.open(url, small=True) as slow:
        await slow.greet()
        slow.say(1, "thread/start", threadId="t")
        slow.say(2, "turn/start", threadId="t", input=[{"type": "text", "text": "listen\n" + SCRIPT}])
        started = [await slow.next_message()]
        while "turn" not in started[-1].get("result", {}):
            started.append(await slow.next_message())
        # A watcher of the same kind would be closed too.
        memory = await Talk.over_memory(server)
        memory.hears_all = False
        await memory.client.thread_resume(ThreadResumeParams(thread_id="t"))
        slow.say(3, "turn/steer", threadId="t", expectedTurnId=started[-1]["result"]["turn"]["id"], input=_words("go"))
        await memory.client.next_message("turn/completed", within=WITHIN)
        yield server, slow, memory, started
        await memory.close()
    await server.close()


async def all_events(client):
    """The numbers of what was notified of the thread, by the record."""
    pages = [await client.thread_events_list(ThreadEventsListParams(thread_id="t"))]
    while pages[-1].next_cursor is not UNSET:
        params = ThreadEventsListParams(thread_id="t", cursor=pages[-1].next_cursor)
        pages.append(await client.thread_events_list(params))
    return [event.seq for page in pages for event in page.data if not event.type.startswith("record/")]


def _words(text):
    return [{"type": "text", "text": text}]


def recorded(messages):
    return [message["params"]["seq"] for message in messages if "seq" in message.get("params", {})]


async def test_who_reads_late_has_lost_deltas_only_is_told_1013_and_can_go_on_from_there(monkeypatch):
    async with flooded(monkeypatch, 600.0) as (_server, slow, memory, started):
        was = await slow.until_close()
        heard = recorded(started + was.messages)
        notified = await all_events(memory.client)
        again = await Talk.over_memory(_server)
        again.hears_all = False
        resumed = await again.client.thread_resume(ThreadResumeParams(thread_id="t", after_seq=heard[-1]))
        await again.client.ping()
        rest = recorded([frame.message for frame in again.trace if frame.way == "s2c"])
        await again.close()

    assert (was.code, was.reason) == (1013, "slow reader")
    assert 0 < len(heard) < len(notified)
    assert heard == notified[: len(heard)]
    assert (resumed.gap, heard + rest) == (False, notified)


async def test_who_never_reads_is_cut_off_and_holds_nothing(monkeypatch):
    async with flooded(monkeypatch, 0.05) as (server, slow, _memory, _started):
        while len(server._state.hub._listeners) > 1:  # noqa: ASYNC110 - nobody tells when one leaves
            await asyncio.sleep(0.01)
        # That the server has cut it off is known when it can be: nothing is read before.
        await asyncio.sleep(0.2)
        was = await slow.until_close()

    assert was.code is None
