"""`turnwire check server | trace | list | explain`: words in, the judge's own entry called, its exit code back."""

import argparse
from pathlib import Path

from turnwire.cli import Streams
from turnwire.cli.color import COLOR_CHOICES, paint_for
from turnwire.cli.command import Parser, add_target_flags, demand_absent, positive, split_target
from turnwire.cli.exits import Exit, Stop
from turnwire.cli.files import read_lines
from turnwire.cli.tokens import add_token_flags, token_of
from turnwire.conformance.api import CheckServerOptions, explain_check, list_checks, run_check_server
from turnwire.conformance.courses import COURSES
from turnwire.conformance.model import Level
from turnwire.conformance.profiles import ProfileFault
from turnwire.conformance.recording import CheckTraceOptions, run_check_trace
from turnwire.conformance.registry import UnknownCheck
from turnwire.conformance.websocket.address import Address, parse_address

__all__ = ["run"]

Group = argparse._ArgumentGroup  # noqa: SLF001 - the library has no public name for what it returns
LEVELS = tuple(level.value for level in Level)
REPORT_KINDS = ("github", "json", "junit", "markdown", "sarif", "text")


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Judge a server or a recording, list the checks, or explain one.

    Raises:
        Stop: the words are wrong, or name a check or a profile that does not exist.
    """
    commands = {"check server": _server, "check trace": _trace, "check list": _list, "check explain": _explain}
    command = commands[name]
    try:
        return command(name, argv, streams)
    except (ProfileFault, UnknownCheck) as fault:
        raise Stop(Exit.USAGE, str(fault)) from None


def _server(name: str, argv: list[str], streams: Streams) -> int:
    words, target = split_target(argv)
    options = _server_parser(name, streams).parse_args(words)
    address = _address(options, streams)
    _demand_target(options, target, address)
    asked = CheckServerOptions(
        argv=tuple(target or ()),
        address=address,
        env=dict(options.env),
        cwd=options.cwd,
        profile=options.profile,
        prompts=dict(options.prompt),
        select=_names(options.select),
        skip=_names(options.skip),
        level=Level(options.level),
        tier=options.tier,
        expect=options.expect,
        propose=options.propose,
        strict=options.strict,
        fail_on=Level(options.fail_on),
        timeout_scale=options.timeout_scale,
        retries=options.retries,
        jobs=options.jobs,
        seed=options.seed,
        fail_fast=options.fail_fast,
        format=options.format,
        reports=tuple(options.report),
        transcripts=options.transcripts,
        redact=None if options.redact is None else tuple(options.redact),
        color=paint_for(options.color, streams.stdout).is_on,
        # A line per check is for a person who waits; a log is better without.
        quiet=options.quiet or not streams.stderr.isatty(),
    )
    return run_check_server(asked, streams.stdout, streams.stderr)


def _demand_target(options: argparse.Namespace, target: list[str] | None, address: Address | None) -> None:
    if target == [] or (target is None and address is None):
        raise Stop(
            Exit.USAGE, "no server given; its command stands behind `--`: turnwire check server -- my-server --stdio"
        )
    if address and options.jobs > 1:
        raise Stop(Exit.USAGE, "--jobs is of no use with --ws: who is connected to one server hears of others' threads")
    if target is None:
        demand_absent(options, "env", "cwd", why="with --ws and no command: the server runs already")
        if address and address.has_any_port:
            raise Stop(Exit.USAGE, "{port} is for a server that is started; give its command, or the port")


def _server_parser(name: str, streams: Streams) -> Parser:
    parser = Parser(
        name,
        streams,
        summary="Judge a server by the clauses of the protocol. It is started from its command as often as needed.\n"
        "With --ws URL it is connected to as often as needed; a command beside it starts it, once. What outlasts a\n"
        "connection stays in it, so let it be one whose record may go.\n"
        "In its words {scratch} is a fresh directory for each start, {model} the base URL of a model that the judge\n"
        "hosts (OpenAI Responses and Chat Completions): a server that is pointed at it takes turns of a known course.",
        usage="[options] [--ws URL] [-- COMMAND [ARGUMENT …]]",
        example="turnwire check server -- turnwire serve --agent scripted",
    )
    add_target_flags(parser)
    _add_address(parser)
    which = parser.add_argument_group("which checks")
    _add_selection(which)
    which.add_argument("--level", choices=LEVELS, default="may", help="down to this level (default: may, which is all)")
    which.add_argument("--tier", type=int, default=2, choices=(0, 1, 2), help="0 without a turn, 2 all (default: 2)")
    how = parser.add_argument_group("how")
    how.add_argument(
        "--prompt", type=_prompt, action="append", default=[], metavar="COURSE=TEXT",
        help=f"words that make a turn take this course ({', '.join(COURSES)})",
    )  # fmt: skip
    how.add_argument("--timeout-scale", type=positive, default=1.0, metavar="X", help="wait X times as long")
    how.add_argument(
        "--retries", type=_natural, default=2, metavar="N", help="of checks that hang on time (default: 2)"
    )
    how.add_argument("--fail-fast", action="store_true", help="end with the first MUST that is unmet")
    how.add_argument("--seed", type=int, default=0, metavar="N", help="of the checks that fuzz (default: 0)")
    how.add_argument("--jobs", type=_natural, default=1, metavar="N", help="scenarios at once (default: 1)")
    verdict = parser.add_argument_group("verdict")
    _add_known(verdict)
    _add_severity(verdict)
    output = parser.add_argument_group("output")
    _add_output(output)
    _add_transcripts(output)
    output.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return parser


def _add_address(parser: Parser) -> None:
    group = parser.add_argument_group("a server that listens")
    group.add_argument(
        "--ws", metavar="URL", help="such as ws://127.0.0.1:4500; {port} in it and in the command is one that is free"
    )
    group.add_argument(
        "--header",
        type=_header,
        action="append",
        default=[],
        metavar="NAME: VALUE",
        help="goes along with each upgrade",
    )
    add_token_flags(group)


def _address(options: argparse.Namespace, streams: Streams) -> Address | None:
    """Where the server listens, and what lets the judge in; None where it is started on stdin and stdout."""
    if options.ws is None:
        demand_absent(options, "header", "token_file", "token_env", why="without --ws URL")
        return None
    try:
        address = parse_address(options.ws)
    except ValueError as fault:
        raise Stop(Exit.USAGE, str(fault)) from None
    places = (("--token-file", options.token_file), ("--token-env", options.token_env))
    words = [word for flag, place in places if place is not None for word in (flag, place)]
    words += [word for name, _ in options.header for word in ("--header", f"{name}: …")]
    return address._replace(headers=tuple(options.header), token=token_of(options, streams), words=tuple(words))


def _add_transcripts(group: Group) -> None:
    group.add_argument("--transcripts", type=Path, metavar="DIR", help="write what was said, a .jsonl a scenario")
    group.add_argument(
        "--redact", nargs="*", metavar="MEMBER",
        help="in them no credentials, no secrets of the contract, and nothing of these members",
    )  # fmt: skip


def _trace(name: str, argv: list[str], streams: Streams) -> int:
    parser = Parser(
        name,
        streams,
        summary="Judge a recorded conversation: the schema of every message of the server, and the order of them.",
        usage="FILE [options]",
        example='echo \'{"dir":"s2c","msg":{"jsonrpc":"2.0","id":1,"result":{}}}\' | turnwire check trace -',
    )
    parser.add_argument("file", metavar="FILE", help='JSON lines {"dir","msg"} or {"dir","raw"}; - is stdin')
    _add_selection(parser.add_argument_group("which checks"))
    verdict = parser.add_argument_group("verdict")
    _add_known(verdict)
    _add_severity(verdict)
    _add_output(parser.add_argument_group("output"))
    options = parser.parse_args(argv)
    asked = CheckTraceOptions(
        file=options.file,
        profile=options.profile,
        select=_names(options.select),
        skip=_names(options.skip),
        expect=options.expect,
        propose=options.propose,
        strict=options.strict,
        fail_on=Level(options.fail_on),
        format=options.format,
        reports=tuple(options.report),
        color=paint_for(options.color, streams.stdout).is_on,
    )
    return run_check_trace(asked, read_lines(options.file, streams), streams.stdout, streams.stderr)


def _add_selection(group: Group) -> None:
    group.add_argument("--profile", default="turnwire", metavar="NAME", help="contract: a name, a .toml or its folder")
    group.add_argument("--select", nargs="+", default=[], metavar="ID", help="these checks only; `rpc.*` means a layer")
    group.add_argument("--skip", nargs="+", default=[], metavar="ID", help="not these checks")


def _names(words: list[str]) -> tuple[str, ...]:
    """Names with spaces or commas between them, as people write lists."""
    return tuple(name for word in words for name in word.split(",") if name)


def _add_known(group: Group) -> None:
    group.add_argument("--expect", type=Path, metavar="FILE", help="known failures, a .toml; stale ones fail")
    group.add_argument("--propose", choices=LEVELS[:2][::-1], default="", help="print an --expect file for what failed")


def _add_severity(group: Group) -> None:
    group.add_argument("--fail-on", choices=LEVELS[:2], default="must", help="lowest level that fails (default: must)")
    group.add_argument("--strict", action="store_true", help="warnings and flaky checks fail too")


def _add_output(group: Group) -> None:
    group.add_argument("--format", choices=REPORT_KINDS, default="text", help="what stdout gets (default: text)")
    group.add_argument("--report", type=_report, action="append", default=[], metavar="KIND=FILE", help="write one too")
    group.add_argument("--color", choices=COLOR_CHOICES, default="auto", help="(default: auto)")


def _list(name: str, argv: list[str], streams: Streams) -> int:
    parser = Parser(
        name, streams, summary="List the checks.", usage="[--profile NAME] [--json]", example="turnwire check list"
    )
    parser.add_argument("--profile", default="turnwire", metavar="NAME", help="mark what this contract rules out")
    parser.add_argument("--json", action="store_true", help="print the catalogue as JSON")
    options = parser.parse_args(argv)
    streams.stdout.write(list_checks(options.profile, as_json=options.json))
    return Exit.DONE


def _explain(name: str, argv: list[str], streams: Streams) -> int:
    parser = Parser(
        name,
        streams,
        summary="Say what a check asks for, which clause it stands on, and what would fail it.",
        usage="ID",
        example="turnwire check explain rpc.id-echo-string",
    )
    parser.add_argument("id", metavar="ID", help="as `turnwire check list` prints it")
    streams.stdout.write(explain_check(parser.parse_args(argv).id))
    return Exit.DONE


def _natural(text: str) -> int:
    if not text.isdecimal() or not (number := int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return number


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    is_name = bool(name) and all(
        letter.isascii() and (letter.isalnum() or letter in "!#$%&'*+-.^_`|~") for letter in name
    )
    if not colon or not is_name or not value.strip().isprintable() or not value.isascii():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME: VALUE")
    return name, value.strip()


def _prompt(text: str) -> tuple[str, str]:
    course, _, words = text.partition("=")
    if course not in COURSES or not words:
        raise argparse.ArgumentTypeError(f"{text!r} is not COURSE=TEXT ({', '.join(COURSES)})")
    return course, words


def _report(text: str) -> tuple[str, Path]:
    kind, _, file = text.partition("=")
    if kind not in REPORT_KINDS or not file:
        raise argparse.ArgumentTypeError(f"{text!r} is not KIND=FILE ({', '.join(REPORT_KINDS)})")
    return kind, Path(file)
