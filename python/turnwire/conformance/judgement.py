"""What judging a server and judging a recording share: what can be asked for, what it comes to, how it is told."""

import datetime as dt
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TextIO

import msgspec

from turnwire.conformance.baseline import Expectation, apply_baseline, proposed, read_baseline
from turnwire.conformance.model import Level, Outcome
from turnwire.conformance.profiles import Profile, load_profile
from turnwire.conformance.reports.document import Run
from turnwire.conformance.reports.rendering import Form, exit_code, report
from turnwire.conformance.strict import dumps

__all__ = ["USAGE", "Options", "concluded", "contract", "told"]

USAGE = 2


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """By what contract, which checks, what is known to fail, and in what form it is told."""

    profile: str = "turnwire"
    select: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    expect: Path | None = None
    propose: Literal["", "should", "must"] = ""
    strict: bool = False
    fail_on: Level = Level.MUST
    format: Form = "text"
    reports: tuple[tuple[str, Path], ...] = ()
    color: bool = False


def contract(options: Options) -> tuple[Profile, list[Expectation]]:
    """The contract that is judged by, and the failures of it that are known.

    Raises:
        ProfileFault: no such profile, or it is not well formed.
        BaselineFault: the file of known failures cannot be used as it is.
    """
    return load_profile(options.profile), read_baseline(options.expect) if options.expect else []


def concluded(
    options: Options,
    profile: Profile,
    outcomes: Sequence[Outcome],
    expectations: Sequence[Expectation],
    *,
    flags: Sequence[str] = (),
    **about: Any,
) -> Run:
    """What the outcomes come to when what is known to fail is excused; `about` are members of Run that say of whom."""
    judged, complaints = apply_baseline(outcomes, expectations, dt.datetime.now(tz=dt.UTC).date())
    chosen = [] if options.profile == "turnwire" else ["--profile", options.profile]
    return Run(
        profile=profile.name,
        protocol=profile.protocol,
        schema_digest=hashlib.sha256(dumps(profile.bundle)).hexdigest(),
        outcomes=tuple(judged),
        complaints=tuple(complaints),
        exit_code=exit_code(judged, complaints, fail_on=options.fail_on, strict=options.strict),
        flags=(*chosen, *flags),
        **about,
    )


def told(options: Options, run: Run, stdout: TextIO, stderr: TextIO) -> int:
    """Write the report in each form that is asked for; the exit code of the run, or of a file that is not written."""
    proposal = proposed(run.outcomes, with_musts=options.propose == "must") if options.propose else ""
    try:
        report(run, options.format, options.reports, stdout, color=options.color, after=proposal)
    except OSError as error:
        # Before the reports only stdout is written, and what is wrong with that has no file name.
        if error.filename is None:
            raise
        stderr.write(f"turnwire: {error.filename}: {error.strerror}; the report could not be written there\n")
        return USAGE
    return run.exit_code
