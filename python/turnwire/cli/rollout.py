"""`turnwire rollout …`: what people do with the record of a server; verify, show, prune, migrate and export it.

No command changes the bytes of an event. What goes wrong is one line that names the directory, the thread or the event.
"""

import argparse
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from turnwire.cli import Streams
from turnwire.cli.command import Parser
from turnwire.cli.exits import Exit, Stop, fault_of
from turnwire.store import rollout
from turnwire.store.base import ThreadDamaged, ThreadHeld, ThreadUnusable
from turnwire.store.opening import STORES

__all__ = ["run"]

# What the examples stand on: a record of one thread, which the first command makes.
_MADE = """turnwire call thread/start '{"threadId": "t1"}' -- turnwire serve --state-dir state"""


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Carry out one of the commands; 1 where a record is damaged or a thread was left out, 0 otherwise.

    Raises:
        Stop: the words are wrong, there is no such record or thread, or it cannot be used.
    """
    words = _WORDS[name]
    options = _parser(name, words, streams).parse_args(argv)
    with _faults(options):
        return words.work(options, streams)


class _Words(NamedTuple):
    """One command: what it does, its words, and the function that does it."""

    summary: str
    usage: str
    example: str
    work: Callable[[Namespace, Streams], int]


def _parser(name: str, words: _Words, streams: Streams) -> Parser:
    example = f"{_MADE} && turnwire {name} {words.example}"
    parser = Parser(name, streams, summary=words.summary, usage=words.usage, example=example)
    parser.add_argument("directory", metavar="DIR", type=Path, help="the state directory of a server")
    if "TARGET" in words.usage:
        parser.add_argument("target", metavar="TARGET", type=Path, help="where to copy to, new or begun earlier")
        parser.add_argument("--store", choices=tuple(STORES), required=True, help="the store of the target")
        parser.add_argument("--dry-run", action="store_true", help="say what would be copied, and write nothing")
    else:
        parser.add_argument("thread", metavar="THREAD", nargs="?" if "[THREAD]" in words.usage else None, help="its id")
    if "--after" in words.usage:
        parser.add_argument("--after", type=_count, default=0, metavar="SEQ", help="only what comes after this event")
        parser.add_argument("--limit", type=_count, metavar="N", help="at most so many events")
    if "--before" in words.usage:
        parser.add_argument("--before", type=_count, required=True, metavar="SEQ", help="only events before this one")
    if "--form" in words.usage:
        parser.add_argument(
            "--form", choices=("events", "history"), default="events", help="stored events, or one object of it all"
        )
    if "--json" in words.usage:
        parser.add_argument("--json", action="store_true", help="print a JSON object a line")
    return parser


@contextmanager
def _faults(options: Namespace) -> Iterator[None]:
    try:
        yield
    except KeyError:
        raise Stop(Exit.USAGE, f"{options.directory} holds no thread {options.thread or 'without an id'}") from None
    except ThreadHeld:
        raise Stop(
            Exit.USAGE, f"{options.directory}: another process writes the thread {options.thread}; stop it first"
        ) from None
    except ThreadUnusable as fault:
        raise Stop(Exit.USAGE, f"the record cannot be used: {fault}") from None
    except ThreadDamaged as damage:
        raise Stop(Exit.FINDINGS, f"damaged: {damage}") from None
    except BrokenPipeError:
        raise
    except (FileNotFoundError, FileExistsError) as fault:
        raise Stop(Exit.USAGE, fault_of(fault)) from None
    except OSError as fault:
        raise Stop(Exit.USAGE, f"the record cannot be used: {fault_of(fault)}") from None


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 16):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)


def _verify(options: Namespace, streams: Streams) -> int:
    code = Exit.DONE
    found = None
    for found in rollout.verify(options.directory, options.thread):
        if found.fault is not None:
            code = Exit.FINDINGS
        if options.json:
            said = {
                "threadId": found.thread_id,
                "where": found.where,
                "events": found.events,
                "seq": found.head.seq,
                "hash": found.head.hash,
                "fault": found.fault,
            }
            _print(streams, said)
        elif found.fault is None:
            streams.stdout.write(f"ok       {found.thread_id}: {found.events} events to {found.head.seq}\n")
        else:
            streams.stdout.write(f"damaged  {found.thread_id}: {found.fault} ({found.where})\n")
    if found is None and not options.json:
        streams.stdout.write(f"{options.directory} holds no thread\n")
    return code


def _show(options: Namespace, streams: Streams) -> int:
    for event in rollout.show(options.directory, options.thread, after=options.after, limit=options.limit):
        if options.json:
            payload = msgspec.Raw(event.payload)
            _print(streams, {"seq": event.seq, "at": event.at, "type": event.type, "payload": payload})
            continue
        at = datetime.fromtimestamp(event.at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        streams.stdout.write(f"{event.seq:>6}  {at}  {event.type:<24}  {event.payload.decode()}\n")
    return Exit.DONE


def _prune(options: Namespace, streams: Streams) -> int:
    now = time.time_ns() // 1_000_000
    pruned = rollout.prune(options.directory, options.thread, before=options.before, now=now, tell=streams.tell)
    if pruned.events:
        said = f"{options.thread}: one event stands for {pruned.events}, to event {pruned.seq}"
    else:
        said = f"{options.thread}: nothing to prune before event {options.before}"
    streams.stdout.write(f"{said}\n")
    return Exit.DONE


def _migrate(options: Namespace, streams: Streams) -> int:
    code = Exit.DONE
    verb = "to copy" if options.dry_run else "copied"
    copying = rollout.migrate(
        options.directory, options.target, options.store, dry_run=options.dry_run, tell=streams.tell
    )
    for moved in copying:
        if moved.fault is None:
            kept = f", {moved.kept} were there" if moved.kept else ""
            streams.stdout.write(f"ok        {moved.thread_id}: {moved.copied} events {verb}{kept}\n")
        else:
            code = Exit.FINDINGS
            streams.stdout.write(f"left out  {moved.thread_id}: {moved.fault}\n")
    return code


def _export(options: Namespace, streams: Streams) -> int:
    for line in rollout.export(options.directory, options.thread, options.form):
        streams.stdout.write(line.decode() + "\n")
    return Exit.DONE


def _print(streams: Streams, said: object) -> None:
    streams.stdout.write(msgspec.json.encode(said).decode() + "\n")


_WORDS = {
    "rollout verify": _Words(
        "Check every event of a record, or of one thread, and name the first that is bad.",
        "DIR [THREAD] [--json]",
        "state",
        _verify,
    ),
    "rollout show": _Words(
        "Print the events of a thread, a line each.",
        "DIR THREAD [--after SEQ] [--limit N] [--json]",
        "state t1",
        _show,
    ),
    "rollout prune": _Words(
        "Replace the older events of a thread by one that tells the same history; no turn is cut.",
        "DIR THREAD --before SEQ",
        "state t1 --before 100",
        _prune,
    ),
    "rollout migrate": _Words(
        "Copy all threads to a state directory of another store, in their own bytes.",
        "DIR TARGET --store STORE [--dry-run]",
        "state copy --store sqlite",
        _migrate,
    ),
    "rollout export": _Words(
        "Print a thread: its events as they are stored, or its history as one object.",
        "DIR THREAD [--form FORM]",
        "state t1 --form history",
        _export,
    ),
}
