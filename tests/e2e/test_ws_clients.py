"""Several clients of one server, each on a WebSocket of its own (LIFE-17, THR-15, APPR-1, APPR-5)."""

import asyncio
import contextlib

import pytest

from e2e.stdio_server import make_server
from e2e.talk import Talk
from turnwire.client import Backoff, Client, ReconnectingClient
from turnwire.errors import ConnectionClosed, ProtocolError, RemoteError
from turnwire.server.websocket import PRINCIPAL, listening
from turnwire.transports.websocket import UpgradeRefused, WebSocketTransport
from turnwire.wire import (
    ApprovalAnswer,
    ApprovalResolveParams,
    TextPart,
    ThreadEventsListParams,
    ThreadReadParams,
    ThreadResumeParams,
    ThreadStartParams,
    TurnStartParams,
    TurnSteerParams,
)

WITHIN = 60.0
SOON = Backoff(first=0.01, longest=0.02, attempts=None)


class Street:
    """A server that listens, and those who came."""

    def __init__(self, server, url, stack):
        self.server = server
        self.url = url
        self._stack = stack

    async def come(self, **members):
        talk = await Talk.over_websocket(self.url, **members)
        self._stack.push_async_callback(talk.close)
        return talk

    async def late(self, thread_id, **members):
        """A client that subscribes to a thread of another."""
        talk = await self.come(**members)
        talk.hears_all = False
        await talk.client.thread_resume(ThreadResumeParams(thread_id=thread_id))
        return talk


@contextlib.asynccontextmanager
async def street(**limits):
    async with contextlib.AsyncExitStack() as stack:
        server = make_server(limits)
        stack.push_async_callback(server.close)
        url = await stack.enter_async_context(listening(server, ("127.0.0.1", 0)))
        async with contextlib.AsyncExitStack() as inner:
            yield Street(server, url, inner)


class Held:
    """Answers an approval when it is told to."""

    def __init__(self, decision="accept"):
        self.asked, self.go, self.decision = asyncio.Event(), asyncio.Event(), decision

    async def __call__(self, params):
        self.asked.set()
        await self.go.wait()
        return ApprovalAnswer(decision=self.decision, nonce=params.approval.binding.nonce)


def events(talk):
    """What was notified of a recorded event: method and number."""
    return [
        (frame.message["method"], frame.message["params"]["seq"])
        for frame in talk.trace
        if frame.way == "s2c" and "seq" in frame.message.get("params", {})
    ]


async def test_two_clients_of_a_thread_see_the_same_events_once_and_in_order():
    async with street() as here:
        one = await here.come(approvals="accept")
        thread_id = await one.thread()
        two = await here.late(thread_id)
        stranger = await here.come()
        turn = await one.turn(thread_id, 'text Hello world\ntool t {"a":1}\napprove rm\ntext after')
        ended = await one.ended(turn)
        await two.ended(turn)
        await stranger.client.ping()

    from_there = events(two)
    assert ended.status == "completed"
    assert events(one)[-len(from_there) :] == from_there
    assert len({seq for _, seq in from_there}) == len(from_there)
    assert [params["delta"] for params in one.said("item/agentMessage/delta")] == [
        params["delta"] for params in two.said("item/agentMessage/delta")
    ]
    # THR-15: who is not subscribed hears of the thread, and nothing of what is said in it.
    assert set(stranger.methods()) <= {"thread/started", "thread/status/changed"}


async def test_each_connection_has_its_own_handshake_ids_and_opt_outs():
    async with street() as here:
        one = await here.come(opt_out_notifications=["item/agentMessage/delta", "turn/completed"])
        new = await here.come(initialize=False)
        thread_id = await one.thread()
        with pytest.raises(RemoteError, match="notInitialized"):
            await new.client.thread_read(ThreadReadParams(thread_id=thread_id))
        await new.initialize()
        two = await here.late(thread_id)
        turn = await one.turn(thread_id, "text Hello")
        await two.ended(turn)
        await one.client.ping()

    assert {frame.message["id"] for frame in one.trace if frame.way == "c2s"} == {1, 2, 3, 4}
    assert {frame.message["id"] for frame in new.trace if frame.way == "c2s"} == {1, 2}
    assert {"item/agentMessage/delta", "turn/completed"} & set(one.methods()) == set()
    assert {"item/agentMessage/delta", "turn/completed"} <= set(two.methods())


async def test_an_approval_goes_to_both_and_the_first_answer_wins():
    first, second = Held("decline"), Held("accept")
    async with street() as here:
        one = await here.come(approvals=first)
        thread_id = await one.thread()
        two = await here.late(thread_id, approvals=second)
        turn = await one.turn(thread_id, "approve rm")
        for held in (first, second):
            await asyncio.wait_for(held.asked.wait(), WITHIN)
        second.go.set()
        await one.ended(turn)
        # Late: it is ignored, and a late resolve hears how it was resolved.
        first.go.set()
        await one.client.ping()
        approval = one.asked[0].approval
        answer = ApprovalAnswer(decision="decline", nonce=approval.binding.nonce)
        with pytest.raises(RemoteError) as late:
            await one.client.approval_resolve(ApprovalResolveParams(approval_id=approval.approval_id, answer=answer))
        await two.client.ping()

    assert one.asked == two.asked
    assert (late.value.code, late.value.data["resolution"]) == (-32040, "answered")
    for talk in (one, two):
        assert [params["resolution"]["decision"] for params in talk.said("approval/resolved")] == ["accept"]
        assert [item["status"] for item in talk.items("toolCall")] == ["completed"]


async def test_a_client_that_leaves_in_an_approval_leaves_it_to_the_other():
    leaving, staying = Held(), Held()
    async with street() as here:
        one = await here.come(approvals=leaving)
        thread_id = await one.thread()
        two = await here.late(thread_id, approvals=staying)
        turn = await one.turn(thread_id, "approve rm\ntext done")
        for held in (leaving, staying):
            await asyncio.wait_for(held.asked.wait(), WITHIN)
        one.hears_all = False
        await one.close()
        staying.go.set()
        ended = await two.ended(turn)

    assert (ended.status, ended.final_output) == ("completed", "done")


async def test_a_client_that_comes_in_an_approval_is_asked_too():
    waiting = Held()
    async with street() as here:
        one = await here.come(approvals=waiting)
        thread_id = await one.thread()
        turn = await one.turn(thread_id, "approve rm")
        await asyncio.wait_for(waiting.asked.wait(), WITHIN)
        two = await here.late(thread_id, approvals="accept")
        ended = await two.ended(turn)
        waiting.go.set()

    assert (ended.status, two.asked[0].approval.approval_id) == ("completed", one.asked[0].approval.approval_id)


async def test_when_the_last_that_could_answer_has_gone_the_operation_does_not_run():
    leaving = Held()
    async with street(approval_grace_ms=50) as here:
        one = await here.come(approvals=leaving)
        thread_id = await one.thread()
        watcher = await here.late(thread_id)
        turn = await one.turn(thread_id, "approve rm\ntext done")
        await asyncio.wait_for(leaving.asked.wait(), WITHIN)
        one.hears_all = False
        await one.close()
        ended = await watcher.ended(turn)

    resolutions = [params["resolution"] for params in watcher.said("approval/resolved")]
    assert [(given["outcome"], given["decision"]) for given in resolutions] == [("abandoned", "decline")]
    assert [item["executionStarted"] for item in watcher.items("toolCall")] == [False]
    assert ended.status == "completed"


async def test_a_turn_goes_on_when_its_client_has_gone_and_nothing_is_lost():
    async with street() as here:
        one = await here.come()
        thread_id = await one.thread()
        await one.turn(thread_id, "listen\ntext done")
        await one.heard("turn/started")
        one.hears_all = False
        one.transport.abort("lost")
        two = await here.come()
        two.hears_all = False
        read = await two.client.thread_resume(ThreadResumeParams(thread_id=thread_id, after_seq=events(one)[-1][1]))
        assert read.active_turn.status == "running"
        await two.client.turn_steer(_steer(read.active_turn))
        await two.ended(read.active_turn)
        record = await two.client.thread_events_list(ThreadEventsListParams(thread_id=thread_id, limit=1000))

    heard = [seq for _, seq in events(one) + events(two)]
    notified = [event.seq for event in record.data if not event.type.startswith("record/")]
    assert heard == sorted(set(heard))
    assert heard == notified


async def test_a_client_that_comes_back_hears_every_event_once():
    recorded = ("item/started", "item/completed", "turn/started", "turn/completed")
    async with street() as here:
        transports, changes, heard, ended = [], asyncio.Queue(), [], asyncio.Event()

        def transport():
            transports.append(WebSocketTransport(here.url))
            return transports[-1]

        client = ReconnectingClient(
            transport, backoff=SOON, within=WITHIN, on_change=lambda change: changes.put_nowait(change.kind)
        )
        for method in recorded:
            client.on(method, lambda params: heard.append(params.seq))
        client.on("thread/status/changed", lambda params: ended.set() if params.status == "idle" else None)
        async with client:
            thread_id = (await client.thread_start(ThreadStartParams())).thread.id
            turn = await client.turn_start(_start(thread_id, "listen\nlisten\nlisten"))
            for number in range(3):
                transports[-1].abort("lost")
                while await asyncio.wait_for(changes.get(), WITHIN) != "resumed":
                    pass
                await client.turn_steer(_steer(turn.turn, f"word {number}"))
            await asyncio.wait_for(ended.wait(), WITHIN)
            record = await client.thread_events_list(ThreadEventsListParams(thread_id=thread_id, limit=1000))

    assert heard == [event.seq for event in record.data if event.type in recorded]
    assert len(transports) == 4


REFUSALS = [
    ("wrong", UpgradeRefused, 401, 1),
    ("right", None, None, 1),
]


@pytest.mark.parametrize(("token", "error", "status", "attempts"), REFUSALS)
async def test_who_is_refused_does_not_come_again(token, error, status, attempts):
    made = []
    async with listening(make_server({}), ("127.0.0.1", 0), token="right") as url:

        def transport():
            made.append(WebSocketTransport(url, token=token))
            return made[-1]

        client = ReconnectingClient(transport, backoff=SOON, within=WITHIN)
        if error is None:
            await client.connect()
        else:
            with pytest.raises(ProtocolError) as refused:
                await client.connect()
            assert (type(refused.value), refused.value.status) == (error, status)
        await client.close()

    assert len(made) == attempts


async def test_a_client_is_told_how_the_server_ended_the_connection():
    serving = listening(make_server({}), ("127.0.0.1", 0))
    client = await Client.connect(await serving.__aenter__())
    await client.initialize()
    await serving.__aexit__(None, None, None)
    with pytest.raises(ConnectionClosed, match=r"the server closed the WebSocket with 1001"):
        await client.ping()
    await client.close()


async def test_nobody_there_is_one_clear_error():
    async with listening(make_server({}), ("127.0.0.1", 0)) as url:
        pass

    with pytest.raises(ConnectionError, match=rf"^cannot connect to {url}: Connection refused$"):
        await Client.connect(url)


URLS = ["http://127.0.0.1", "127.0.0.1:80", "ws://", "", "ws://me:secret@127.0.0.1", "ws://127.0.0.1:x", "ws://a#b"]


@pytest.mark.parametrize("url", URLS)
def test_what_is_no_url_of_a_websocket_is_said_before_anything_is_tried(url):
    with pytest.raises(ValueError, match="URL") as said:
        WebSocketTransport(url)

    assert "secret" not in str(said.value)


STRANGERS = [
    (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", UpgradeRefused, "it answers 200: hi"),
    (b"SSH-2.0-OpenSSH_9\r\n", UpgradeRefused, "is no WebSocket of the protocol"),
    (b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", ConnectionError, "it answers 503"),
    (b"", ConnectionError, "it closed the connection before it answered"),
]


@pytest.mark.parametrize(("answer", "error", "said"), STRANGERS)
async def test_what_answers_and_is_no_server_of_ours_is_one_clear_error(answer, error, said):
    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    stranger = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"ws://127.0.0.1:{stranger.sockets[0].getsockname()[1]}"
    with pytest.raises(error, match=said):
        await Client.connect(url)
    stranger.close()


@pytest.mark.parametrize(("token", "principal"), [("t", PRINCIPAL), (None, None)])
async def test_the_host_is_told_who_has_come_in(token, principal):
    server = make_server({})
    asked = []
    server._state.host.authorize = lambda who, method: asked.append((who, method)) or True
    async with (
        listening(server, ("127.0.0.1", 0), token=token) as url,
        await Client.connect(url, token=token) as client,
    ):
        await client.initialize()

    assert asked == [(principal, "initialize")]


def _start(thread_id, script):
    return TurnStartParams(thread_id=thread_id, input=[TextPart(text=script)])


def _steer(turn, text="go on"):
    return TurnSteerParams(thread_id=turn.thread_id, expected_turn_id=turn.id, input=[TextPart(text=text)])
