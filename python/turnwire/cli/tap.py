"""`turnwire tap`: a server's command with a judge in between; the host notices nothing of it."""

import contextlib
from pathlib import Path
from typing import BinaryIO

from turnwire.cli import Streams
from turnwire.cli.command import Parser, add_target_flags, split_target
from turnwire.cli.exits import Exit, Stop
from turnwire.conformance.model import TargetFault
from turnwire.conformance.passive import Payloads
from turnwire.conformance.profiles import ProfileFault, load_profile
from turnwire.conformance.redaction import Redaction
from turnwire.conformance.tap import TapOptions, run_tap

__all__ = ["run"]


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Pass everything on until the server ends; 1 when it has broken a rule.

    Raises:
        Stop: the words are wrong, the file cannot be written, or the server cannot be started.
    """
    words, target = split_target(argv)
    options = _parser(name, streams).parse_args(words)
    if not target:
        raise Stop(Exit.USAGE, "no server given; its command stands behind `--`: turnwire tap -- my-server --stdio")
    try:
        profile = load_profile(options.profile)
        payloads = Payloads(profile)
        redaction = Redaction(profile.bundle, options.redact) if options.redact is not None else None
        with contextlib.ExitStack() as stack:
            out: BinaryIO | None = stack.enter_context(options.out.open("wb")) if options.out else None
            asked = TapOptions(
                argv=tuple(target),
                env=dict(options.env),
                cwd=options.cwd,
                source=streams.stdin.fileno(),
                sink=streams.stdout.fileno(),
                out=out,
                redaction=redaction,
            )
            found = run_tap(asked, payloads, streams.stderr)
    except ProfileFault as fault:
        raise Stop(Exit.USAGE, str(fault)) from None
    except TargetFault as fault:
        raise Stop(Exit.UNREACHED, str(fault)) from None
    except OSError as error:
        raise Stop(Exit.USAGE, f"{options.out}: cannot be written: {error.strerror or error}") from None
    return Exit.FINDINGS if found else Exit.DONE


def _parser(name: str, streams: Streams) -> Parser:
    parser = Parser(
        name,
        streams,
        summary="Start a server and stand between it and its host: bytes pass untouched, breaches go to stderr.",
        usage="[options] -- COMMAND [ARGUMENT …]",
        example='echo \'{"jsonrpc":"2.0","id":1,"method":"ping"}\' | turnwire tap -- turnwire serve',
    )
    add_target_flags(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="record the conversation, for `turnwire check trace`")
    parser.add_argument(
        "--redact", nargs="*", metavar="MEMBER",
        help="record no credentials, no secrets of the contract, and nothing of these members",
    )  # fmt: skip
    parser.add_argument("--profile", default="turnwire", metavar="NAME", help="contract: a name, a .toml or its folder")
    return parser
