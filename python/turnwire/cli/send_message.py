"""`turnwire debug send-message`: one turn on a server, told as it comes, with approvals asked at the terminal."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from turnwire.cli import Streams
from turnwire.cli.color import COLOR_CHOICES, paint_for
from turnwire.cli.command import Parser, split_target
from turnwire.cli.exits import Exit
from turnwire.cli.files import read_bytes
from turnwire.cli.target import add_client_flags, connected, greet
from turnwire.cli.telling import Teller
from turnwire.client import Client
from turnwire.events import NotificationReceived
from turnwire.wire import (
    ApprovalAnswer,
    ApprovalOption,
    ApprovalRequestParams,
    ClientCapabilities,
    TextPart,
    ThreadStartParams,
    TurnStartParams,
)

__all__ = ["run"]


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Run one turn; 0 when it is completed, 1 when it ends otherwise.

    Raises:
        Stop: the words are wrong, the server cannot be talked to, or it answers with an error.
    """
    words, target = split_target(argv)
    options = _parser(name, streams).parse_args(words)
    text = read_bytes("-", streams).decode("utf-8", "replace") if options.text == "-" else options.text
    # The agent works where its server runs.
    options.cwd = options.cwd or str(Path.cwd())
    status = asyncio.run(_converse(text, options, target, streams))
    return Exit.DONE if status == "completed" else Exit.FINDINGS


def _parser(name: str, streams: Streams) -> Parser:
    parser = Parser(
        name,
        streams,
        summary="Start a server and a thread, send one message, and print the turn as it comes.",
        usage="TEXT [options] [-- COMMAND [ARGUMENT …]]",
        example='turnwire debug send-message \'approve deploy {"to": "staging"}\' --approve',
    )
    parser.add_argument("text", metavar="TEXT", help="what the agent is told; - reads stdin")
    parser.add_argument("--agent", metavar="ID", help="which of the server's agents (default: its own choice)")
    answer = parser.add_mutually_exclusive_group()
    answer.add_argument("--approve", action="store_true", help="accept whatever is asked")
    answer.add_argument("--decline", action="store_true", help="decline it; so it is without a terminal, too")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: a notification a line")
    parser.add_argument("--color", choices=COLOR_CHOICES, default="auto", help="(default: auto)")
    add_client_flags(parser)
    return parser


class _Listener(Client):
    """A client that also prints every notification as it came, members that nobody knows included."""

    prints_to: Any = None

    def handle_notification(self, notification: NotificationReceived) -> None:
        """See `Endpoint`."""
        if self.prints_to is not None:
            params = notification.params or msgspec.Raw(b"{}")
            line = msgspec.json.encode({"method": notification.method, "params": params}).decode()
            self.prints_to.write(f"{line}\n")
            self.prints_to.flush()
        super().handle_notification(notification)


async def _converse(text: str, options: Any, target: list[str] | None, streams: Streams) -> str:
    """The status in which the turn ends."""
    async with connected(_Listener, target, options) as client:
        teller = None if options.format == "json" else Teller(streams.stdout, paint_for(options.color, streams.stdout))
        if teller is None:
            client.prints_to = streams.stdout
        client.on_request("approval/request", lambda asked: _answer(asked, options, teller, streams))
        await greet(client, ClientCapabilities(approvals=True), options)
        started = await client.thread_start(ThreadStartParams(agent=options.agent or UNSET, cwd=options.cwd))
        turn = await client.turn_start(TurnStartParams(thread_id=started.thread.id, input=[TextPart(text=text)]))
        status = await _follow(client, turn.turn.id, teller)
        for fault in client.faults[:1]:
            streams.stderr.write(f"turnwire: the server wrote what is no message: {fault.message}\n")
        return status


async def _follow(client: Client, turn_id: str, teller: Teller | None) -> str:
    while True:
        message = await client.next_message()
        if teller is not None and message.id is None and message.params is not None:
            teller.tell(message.method, message.params)
        if message.method == "turn/completed" and message.params.turn.id == turn_id:
            status: str = message.params.turn.status
            return status


async def _answer(
    asked: ApprovalRequestParams, options: Any, teller: Teller | None, streams: Streams
) -> ApprovalAnswer:
    approval = asked.approval
    offered = [option.decision for option in approval.available_decisions]
    if options.approve:
        decision = next((decision for decision in offered if decision.startswith("accept")), "decline")
    elif options.decline or not streams.stdin.isatty():
        decision = "decline"
    else:
        if teller is not None:
            teller.ask(approval)
        decision = await _choose(approval.available_decisions, streams)
    nonce = approval.binding.nonce
    return ApprovalAnswer(decision=decision, nonce="" if nonce is UNSET else nonce)


async def _choose(choices: Sequence[ApprovalOption], streams: Streams) -> str:
    """Ask until one of the numbers is typed; the end of input declines."""
    prompt = "  ".join(f"[{number}] {option.label}" for number, option in enumerate(choices, 1))
    while True:
        streams.stderr.write(f"{prompt}: ")
        streams.stderr.flush()
        line = await _typed(streams.stdin.fileno())
        if not line:
            return "decline"
        chosen = {str(number): option.decision for number, option in enumerate(choices, 1)}.get(line.strip())
        if chosen is not None:
            return chosen


async def _typed(terminal: int) -> str:
    """One line from a terminal. A thread that reads could not be interrupted, and the process would not end."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(terminal, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(terminal)
    return os.read(terminal, 4096).decode("utf-8", "replace")
