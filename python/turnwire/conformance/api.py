"""What the command line calls: judge a server, list the checks, explain one.

`run_check_server` is a whole program: options in, report on stdout, progress and complaints on stderr, exit code back.
"""

import datetime as dt
import hashlib
import json
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TextIO

import msgspec

from turnwire.conformance.baseline import BaselineFault, apply_baseline, proposed, read_baseline
from turnwire.conformance.courses import staged, with_model
from turnwire.conformance.model import Check, Level, Outcome, TargetFault
from turnwire.conformance.pointer import pick
from turnwire.conformance.profiles import Profile, ProfileFault, load_profile
from turnwire.conformance.registry import UnknownCheck, catalogue, select
from turnwire.conformance.reports.document import Run
from turnwire.conformance.reports.rendering import Form, exit_code, report
from turnwire.conformance.runner import Runner, Settings
from turnwire.conformance.strict import dumps
from turnwire.conformance.target import Target, Timeouts
from turnwire.conformance.trace import Trace

__all__ = ["CheckServerOptions", "explain_check", "list_checks", "run_check_server"]

USAGE, UNREACHED, INTERRUPTED = 2, 3, 130
LEVELS = (Level.MUST, Level.SHOULD, Level.MAY)


class CheckServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What `turnwire check server` can be told."""

    argv: tuple[str, ...]
    env: dict[str, str] = {}
    cwd: str | None = None
    profile: str = "turnwire"
    # Words of the user that make a turn take a course, by its name.
    prompts: dict[str, str] = {}
    select: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    level: Level = Level.MAY
    tier: int = 2
    expect: Path | None = None
    propose: Literal["", "should", "must"] = ""
    strict: bool = False
    fail_on: Level = Level.MUST
    timeout_scale: float = 1.0
    retries: int = 2
    jobs: int = 1
    seed: int = 0
    fail_fast: bool = False
    format: Form = "text"
    reports: tuple[tuple[str, Path], ...] = ()
    transcripts: Path | None = None
    color: bool = False
    quiet: bool = False


def run_check_server(options: CheckServerOptions, stdout: TextIO, stderr: TextIO) -> int:
    """Judge one server and report. Every fault of the caller is one line on stderr and exit code 2."""
    try:
        profile = load_profile(options.profile)
        expectations = read_baseline(options.expect) if options.expect else []
        checks = _chosen(options)
    except (ProfileFault, BaselineFault, UnknownCheck, ValueError) as error:
        stderr.write(f"turnwire: {error}\n")
        return USAGE
    timeouts = msgspec.structs.replace(Timeouts(), start=profile.start_seconds).scaled(options.timeout_scale)
    progress = _progress(stderr) if not options.quiet else _silent
    try:
        with with_model(options.argv, options.env) as (argv, env, has_model):
            target = Target(argv, env, options.cwd, timeouts)
            profile = staged(profile, options.prompts, has_model=has_model)
            runner = Runner(target, profile, Settings(options.jobs, options.retries, progress, options.seed, options.fail_fast))
            outcomes = runner.run(checks)
    except TargetFault as fault:
        stderr.write(f"turnwire: {fault}\n")
        return UNREACHED
    except KeyboardInterrupt:
        stderr.write("turnwire: interrupted\n")
        return INTERRUPTED
    judged, complaints = apply_baseline(outcomes, expectations, dt.datetime.now(tz=dt.UTC).date())
    run = _run(options, profile, runner, judged, complaints)
    return _report(options, run, runner.traces, stdout, stderr)


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
        f"{check.id:<38} {check.level.value:<7}{check.clause:<10}{check.summary}"
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
    chosen = [
        check
        for check in select(options.select, options.skip)
        if check.level in within and check.tier <= options.tier and "stdio" in check.transports
    ]
    if not chosen:
        raise ValueError("nothing is selected; `turnwire check list` prints what there is")
    return chosen


def _run(
    options: CheckServerOptions, profile: Profile, runner: Runner, outcomes: list[Outcome], complaints: list[str]
) -> Run:
    server = pick(runner.facts.result, "/serverInfo")
    flags = [] if options.profile == "turnwire" else ["--profile", options.profile]
    flags += ["--seed", str(options.seed)] if options.seed else []
    for name in sorted(options.env):
        flags += ["--env", f"{name}=…"]
    return Run(
        argv=options.argv,
        profile=profile.name,
        protocol=profile.protocol,
        schema_digest=hashlib.sha256(dumps(profile.bundle)).hexdigest(),
        server=server if isinstance(server, dict) else {},
        outcomes=tuple(outcomes),
        complaints=tuple(complaints),
        exit_code=exit_code(outcomes, complaints, fail_on=options.fail_on, strict=options.strict),
        flags=tuple(flags),
        waited_ms=runner.waited_ms(),
    )


def _report(options: CheckServerOptions, run: Run, traces: Sequence[Trace], stdout: TextIO, stderr: TextIO) -> int:
    proposal = proposed(run.outcomes, with_musts=options.propose == "must") if options.propose else ""
    try:
        report(run, options.format, options.reports, stdout, color=options.color, after=proposal)
        if options.transcripts:
            _write_transcripts(options.transcripts, traces)
    except OSError as error:
        # Before the reports only stdout is written, and what is wrong with that has no file name.
        if error.filename is None:
            raise
        stderr.write(f"turnwire: {error.filename}: {error.strerror}; the report could not be written there\n")
        return USAGE
    return run.exit_code


def _write_transcripts(directory: Path, traces: Sequence[Trace]) -> None:
    """One JSONL file a scenario: direction, seconds since its start, and the line as text."""
    directory.mkdir(parents=True, exist_ok=True)
    for number, trace in enumerate(traces):
        start = trace.frames[0].at if trace.frames else 0.0
        lines = [
            dumps(
                {
                    "dir": "c2s" if frame.sent else "s2c",
                    "t": round(frame.at - start, 4),
                    "raw": frame.raw.decode("utf-8", "backslashreplace"),
                }
            )
            for frame in trace.frames
        ]
        (directory / f"{number:03}-{trace.label}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))


def _progress(stderr: TextIO) -> Callable[[Outcome], None]:
    def tell(outcome: Outcome) -> None:
        stderr.write(f"{outcome.verdict.value:<13}{outcome.check.id}\n")

    return tell


def _silent(_outcome: Outcome) -> None:
    """Say nothing while the run goes on."""
