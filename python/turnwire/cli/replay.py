"""`turnwire replay`: a recording played once more, against a server that may have changed since."""

from turnwire.cli import Streams
from turnwire.cli.command import Parser, add_target_flags, positive, split_target
from turnwire.cli.exits import Exit, Stop
from turnwire.cli.files import read_lines
from turnwire.conformance.courses import with_model
from turnwire.conformance.frames import TraceFault
from turnwire.conformance.model import TargetFault
from turnwire.conformance.profiles import ProfileFault, load_profile
from turnwire.conformance.replay import ReplayOptions, run_replay
from turnwire.conformance.target import Target, Timeouts

__all__ = ["run"]


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Play the client's side; 0 when the server's is as recorded, 1 at the first difference.

    Raises:
        Stop: the words are wrong, the file is no recording, or the server cannot be started.
    """
    words, command = split_target(argv)
    options = _parser(name, streams).parse_args(words)
    if not command:
        raise Stop(
            Exit.USAGE,
            "no server given; its command stands behind `--`: turnwire replay run.jsonl -- my-server --stdio",
        )
    asked = ReplayOptions(file=options.file, ignored=frozenset(options.ignore))
    try:
        profile = load_profile(options.profile)
        with with_model(command, dict(options.env)) as (server, env, _):
            target = Target(server, env, options.cwd, Timeouts().scaled(options.timeout_scale))
            is_same = run_replay(asked, read_lines(options.file, streams), target, profile, streams.stdout)
    except (ProfileFault, TraceFault) as fault:
        raise Stop(Exit.USAGE, str(fault)) from None
    except TargetFault as fault:
        raise Stop(Exit.UNREACHED, str(fault)) from None
    return Exit.DONE if is_same else Exit.FINDINGS


def _parser(name: str, streams: Streams) -> Parser:
    parser = Parser(
        name,
        streams,
        summary="Say to a server what a client once said, and tell the first thing that it answers otherwise.\n"
        "Names that the server gives (ids, nonces, cursors) and times may be others than in the recording.",
        usage="FILE [options] -- COMMAND [ARGUMENT …]",
        example='echo \'{"jsonrpc":"2.0","id":1,"method":"ping"}\' | turnwire tap --out run.jsonl -- turnwire serve'
        " && turnwire replay run.jsonl -- turnwire serve",
    )
    parser.add_argument("file", metavar="FILE", help="a recording, as `turnwire tap --out` writes it; - is stdin")
    add_target_flags(parser)
    parser.add_argument("--profile", default="turnwire", metavar="NAME", help="contract: a name, a .toml or its folder")
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="METHOD", help="pass over what the server tells with it"
    )
    parser.add_argument("--timeout-scale", type=positive, default=1.0, metavar="X", help="wait X times as long")
    return parser
