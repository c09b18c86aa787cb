"""What the command line calls: judge a server, list the checks, explain one.

`run_check_server` is a whole program: options in, report on stdout, progress and complaints on stderr, exit code back.
"""

import json
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

import msgspec

from turnwire.conformance.baseline import BaselineFault
from turnwire.conformance.courses import staged, with_model
from turnwire.conformance.judgement import USAGE, Options, concluded, contract, told
from turnwire.conformance.model import Check, Level, Outcome, TargetFault
from turnwire.conformance.pointer import pick
from turnwire.conformance.profiles import ProfileFault, load_profile
from turnwire.conformance.redaction import Redaction
from turnwire.conformance.registry import UnknownCheck, catalogue, select
from turnwire.conformance.runner import Runner, Settings
from turnwire.conformance.target import Target, Timeouts
from turnwire.conformance.trace import Trace
from turnwire.conformance.transcripts import write_transcripts
from turnwire.conformance.websocket.address import Address
from turnwire.conformance.websocket.hosting import hosted

__all__ = ["CheckServerOptions", "explain_check", "list_checks", "run_check_server"]

UNREACHED, INTERRUPTED = 3, 130
TRANSPORTS = {"stdio": "stdin and stdout", "ws": "WebSockets"}
LEVELS = (Level.MUST, Level.SHOULD, Level.MAY)


class CheckServerOptions(Options, frozen=True, kw_only=True):
    """What `turnwire check server` can be told beside."""

    # How it is started; with `address` that is optional, and happens once.
    argv: tuple[str, ...] = ()
    address: Address | None = None
    env: dict[str, str] = msgspec.field(default_factory=dict)
    cwd: str | None = None
    # Words of the user that make a turn take a course, by its name.
    prompts: dict[str, str] = msgspec.field(default_factory=dict)
    level: Level = Level.MAY
    tier: int = 2
    timeout_scale: float = 1.0
    retries: int = 2
    jobs: int = 1
    seed: int = 0
    fail_fast: bool = False
    transcripts: Path | None = None
    # Members that transcripts keep nothing of, beside credentials and what the contract marks; None keeps all as it is.
    redact: tuple[str, ...] | None = None
    quiet: bool = False


def run_check_server(options: CheckServerOptions, stdout: TextIO, stderr: TextIO) -> int:
    """Judge one server and report. Every fault of the caller is one line on stderr and exit code 2."""
    try:
        profile, expectations = contract(options)
        checks = _chosen(options)
    except (ProfileFault, BaselineFault, UnknownCheck, ValueError) as error:
        stderr.write(f"turnwire: {error}\n")
        return USAGE
    timeouts = msgspec.structs.replace(Timeouts(), start=profile.start_seconds).scaled(options.timeout_scale)
    try:
        with with_model(options.argv, options.env) as (argv, env, has_model):
            profile = staged(profile, options.prompts, has_model=has_model)
            address = options.address and options.address._replace(subprotocol=profile.wire.subprotocol)
            with hosted(Target(argv, env, options.cwd, timeouts, address)) as target:
                runner = Runner(target, profile, _settings(options, stderr))
                outcomes = runner.run(checks)
    except TargetFault as fault:
        stderr.write(f"turnwire: {fault}\n")
        return UNREACHED
    except KeyboardInterrupt:
        stderr.write("turnwire: interrupted\n")
        return INTERRUPTED
    server = pick(runner.facts.result, "/serverInfo")
    run = concluded(
        options,
        profile,
        outcomes,
        expectations,
        flags=_flags(options),
        argv=options.argv,
        address=options.address,
        server=server if isinstance(server, dict) else {},
        waited_ms=runner.waited_ms(),
    )
    redaction = None if options.redact is None else Redaction(profile.bundle, options.redact)
    if options.transcripts and (obstacle := _written(options.transcripts, runner.traces, redaction)):
        stderr.write(f"turnwire: {obstacle}; the report could not be written there\n")
        return USAGE
    return told(options, run, stdout, stderr)


def list_checks(profile: str = "turnwire", *, as_json: bool = False) -> str:
    """The catalogue, as a table for people or as JSON; those that a profile rules out are marked.

    Raises:
        ProfileFault: no such profile.
    """
    excluded = load_profile(profile).excluded
    if as_json:
        rows = [msgspec.to_builtins(check) for check in catalogue()]
        return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"
    lines = [
        f"{check.id:<38} {check.level.value:<7}{check.clause:<10}{'+'.join(check.transports):<10}{check.summary}"
        + (f" [not with {profile}]" if check.id in excluded else "")
        for check in catalogue()
    ]
    return "\n".join(lines) + "\n"


def explain_check(identifier: str) -> str:
    """One check, as a manual page would tell it.

    Raises:
        UnknownCheck: no check has this id.
    """
    found = [check for check in select([identifier]) if identifier in (check.id, *check.aliases)]
    if not found:
        raise UnknownCheck(f"no check is called {identifier!r}; `turnwire check list` prints them all")
    check = found[0]
    facts = [
        ("level", check.level.value.upper()),
        ("clause", f"{check.clause}: {check.says}"),
        ("source", check.url),
        ("since", check.since),
        ("over", " and ".join(TRANSPORTS[transport] for transport in check.transports)),
        ("needs", check.gate or "nothing: every server is asked"),
        ("after", ", ".join(check.requires) or "no other check"),
        ("retried", "in fresh processes, since it hangs on time" if check.timing else "never"),
        ("fails", ", ".join(check.mutants)),
    ]
    lines = [check.id, "", f"  {check.summary}", ""]
    for name, text in facts:
        first, *rest = textwrap.wrap(text, 96) or [""]
        lines += [f"  {name:<9}{first}", *(f"{'':<11}{line}" for line in rest)]
    return "\n".join(lines) + "\n"


def _chosen(options: CheckServerOptions) -> list[Check]:
    within = LEVELS[: LEVELS.index(options.level) + 1]
    selected = select(options.select, options.skip)
    chosen = [check for check in selected if check.level in within and check.tier <= options.tier]
    if options.address is not None and chosen:
        # Those of a process are told as what they are: not applicable.
        return chosen
    if found := [check for check in chosen if "stdio" in check.transports]:
        return found
    if chosen:
        raise ValueError(f"{chosen[0].id} is about WebSockets; --ws URL says where the server listens")
    raise ValueError("nothing is selected; `turnwire check list` prints what there is")


def _settings(options: CheckServerOptions, stderr: TextIO) -> Settings:
    progress = _silent if options.quiet else _progress(stderr)
    # Who is connected hears of every thread that is started, so of one server one scenario is played at a time.
    jobs = options.jobs if options.address is None else 1
    return Settings(jobs, options.retries, progress, options.seed, options.fail_fast)


def _flags(options: CheckServerOptions) -> list[str]:
    """What made this run what it was, beside its contract and its server."""
    flags = ["--seed", str(options.seed)] if options.seed else []
    return [*flags, *(word for name in sorted(options.env) for word in ("--env", f"{name}=…"))]


def _written(directory: Path, traces: Sequence[Trace], redaction: Redaction | None) -> str:
    """Write the transcripts down; what prevents it, or nothing."""
    try:
        write_transcripts(directory, traces, redaction)
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    return ""


def _progress(stderr: TextIO) -> Callable[[Outcome], None]:
    def tell(outcome: Outcome) -> None:
        stderr.write(f"{outcome.verdict.value:<13}{outcome.check.id}\n")

    return tell


def _silent(_outcome: Outcome) -> None:
    """Say nothing while the run goes on."""
