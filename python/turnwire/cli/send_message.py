"""`turnwire debug send-message`: one turn on a server, told as it comes, with approvals asked at the terminal."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Raw

from turnwire.cli import Streams
from turnwire.cli.asking import Asker
from turnwire.cli.color import COLOR_CHOICES, paint_for
from turnwire.cli.command import Parser, split_target
from turnwire.cli.exits import Exit
from turnwire.cli.files import read_bytes
from turnwire.cli.target import add_client_flags, connected, greet
from turnwire.cli.telling import Teller
from turnwire.client import Client
from turnwire.events import NotificationReceived
from turnwire.wire import ClientCapabilities, TextPart, ThreadStartParams, TurnStartParams

__all__ = ["run"]


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Run one turn; 0 when it is completed, 1 when it ends otherwise.

    Raises:
        Stop: the words are wrong, the server cannot be talked to, or it answers with an error.
    """
    words, target = split_target(argv)
    options = _parser(name, streams).parse_args(words)
    text = read_bytes("-", streams).decode("utf-8", "replace") if options.text == "-" else options.text
    if options.ws is None:
        # The agent works where its server runs.
        options.cwd = options.cwd or str(Path.cwd())
    status = asyncio.run(_converse(text, options, target, streams))
    return Exit.DONE if status == "completed" else Exit.FINDINGS


def _parser(name: str, streams: Streams) -> Parser:
    parser = Parser(
        name,
        streams,
        summary="Start a server and a thread, send one message, and print the turn as it comes.",
        usage="TEXT [options] [--ws URL | -- COMMAND [ARGUMENT …]]",
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
    """A client that keeps each notification as it came, too: as its type it would lose members that nobody knows."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._lines: list[str] = []

    def handle_notification(self, notification: NotificationReceived) -> None:
        """See `Endpoint`."""
        params = notification.params or Raw(b"{}")
        self._lines.append(msgspec.json.encode({"method": notification.method, "params": params}).decode() + "\n")
        super().handle_notification(notification)

    def take_lines(self) -> list[str]:
        """Those that came since the last call."""
        lines, self._lines = self._lines, []
        return lines


async def _converse(text: str, options: Any, target: list[str] | None, streams: Streams) -> str:
    """The status in which the turn ends."""
    teller = Teller(streams.stdout, paint_for(options.color, streams.stdout))
    choice = "approve" if options.approve else "decline" if options.decline else "ask"
    asker = Asker(streams, choice, show=teller.ask if options.format == "text" else lambda _approval: None)
    async with connected(_Listener, target, options, streams) as client:
        client.on_request("approval/request", asker.answer)
        await greet(client, ClientCapabilities(approvals=True), options)
        started = await client.thread_start(ThreadStartParams(agent=options.agent or UNSET, cwd=options.cwd or UNSET))
        turn = await client.turn_start(TurnStartParams(thread_id=started.thread.id, input=[TextPart(text=text)]))
        status = await _follow(client, turn.turn.id, teller if options.format == "text" else None, streams)
        for fault in client.faults[:1]:
            streams.stderr.write(f"turnwire: the server wrote what is no message: {fault.message}\n")
        return status


async def _follow(client: _Listener, turn_id: str, teller: Teller | None, streams: Streams) -> str:
    """Print what comes until the turn has ended: by the teller, or as it came where there is none."""
    while True:
        message = await client.next_message()
        lines = client.take_lines()
        if teller is None:
            streams.stdout.writelines(lines)
            streams.stdout.flush()
        elif message.id is None and message.params is not None:
            teller.tell(message.method, message.params)
        if message.method == "turn/completed" and message.params.turn.id == turn_id:
            status: str = message.params.turn.status
            return status
