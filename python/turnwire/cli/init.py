"""`turnwire check init`: a first contract for a server of one's own, drafted from a schema and a live handshake."""

import argparse
import json
from pathlib import Path
from typing import Any

from turnwire.cli import Streams
from turnwire.cli.command import Parser, add_target_flags, positive, split_target
from turnwire.cli.exits import Exit, Stop
from turnwire.conformance.courses import with_model
from turnwire.conformance.drafting import DraftOptions, NoContract, draft
from turnwire.conformance.model import TargetFault
from turnwire.conformance.profiles import Profile
from turnwire.conformance.strict import NotStrict, parse
from turnwire.conformance.target import Target, Timeouts

__all__ = ["run"]


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Meet the server and write the draft.

    Raises:
        Stop: the words are wrong, a file cannot be read or is there already, or the server cannot be met.
    """
    words, command = split_target(argv)
    options = _parser(name, streams).parse_args(words)
    if not command:
        raise Stop(
            Exit.USAGE, "no server given; its command stands behind `--`: turnwire check init --out mine -- my-server"
        )
    asked = DraftOptions(
        out=options.out, schema=_schema(options.schema), handshake=options.handshake, params=options.params
    )
    try:
        with with_model(command, dict(options.env)) as (server, env, _):
            profile = draft(asked, Target(server, env, options.cwd, Timeouts().scaled(options.timeout_scale)))
    except NoContract as fault:
        raise Stop(Exit.USAGE, f"{options.schema}: {fault}") from None
    except FileExistsError as fault:
        raise Stop(Exit.USAGE, f"{fault} is there already; choose another --out, or move it away") from None
    except TargetFault as fault:
        raise Stop(Exit.UNREACHED, str(fault)) from None
    except OSError as error:
        raise Stop(Exit.USAGE, f"{options.out}: cannot be written: {error.strerror or error}") from None
    streams.stdout.write(_told(options.out, profile, has_schema=options.schema is not None))
    return Exit.DONE


def _told(out: Path, profile: Profile, *, has_schema: bool) -> str:
    methods, roles = len(profile.methods()), profile.operations
    found = ", ".join(roles) or "none, so only the handshake is judged until you name one in [operations.noop]"
    if has_schema and not methods:
        found += "; no method was found in the schema, which may have a table of them in `x-methods`"
    return (
        f"{out}/profile.toml     the contract; requests that checks use: {found}\n"
        f"{out}/schema.json      {methods} methods\n"
        f"{out}/handshake.jsonl  what was said, a first recording\n\n"
        f"Now: turnwire check server --profile {out} -- COMMAND\n"
        f"     turnwire check trace {out}/handshake.jsonl --profile {out}\n"
    )


def _parser(name: str, streams: Streams) -> Parser:
    parser = Parser(
        name,
        streams,
        summary="Draft a contract for a server of your own: it is started and met, and its schema is read.\n"
        "What is written works with `check server --profile DIR` at once, and is yours to change.",
        usage="--out DIR [options] -- COMMAND [ARGUMENT …]",
        example="turnwire check init --out mine -- turnwire serve --agent scripted",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the contract goes")
    parser.add_argument("--schema", type=Path, metavar="FILE", help="JSON Schema or OpenRPC of its messages")
    parser.add_argument("--handshake", default="initialize", metavar="METHOD", help="(default: initialize)")
    parser.add_argument("--params", type=_object, metavar="JSON", help="what the handshake says, if not the usual")
    add_target_flags(parser)
    parser.add_argument("--timeout-scale", type=positive, default=1.0, metavar="X", help="wait X times as long")
    return parser


def _schema(path: Path | None) -> Any:
    if path is None:
        return None
    try:
        return parse(path.read_bytes())
    except OSError as error:
        raise Stop(Exit.USAGE, f"{path}: {error.strerror}") from None
    except NotStrict as error:
        raise Stop(Exit.USAGE, f"{path}: {error}") from None


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"{text!r} is no JSON object")
    return value
