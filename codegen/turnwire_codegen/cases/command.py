"""The command: which languages do right by a folder of cases, as lines and as JSON.

A language that cannot be tried on this machine is named; the others are tried all the same.

Exit codes: 0 every case is ok, 1 some are not, 2 wrong use or a case that cannot be read, 3 a language cannot be tried.
"""

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn, TextIO

from turnwire_codegen.cases.drivers import DRIVERS
from turnwire_codegen.cases.folder import Case, Outcome, read_cases
from turnwire_codegen.cases.trial import ToolchainError
from turnwire_codegen.problems import Problem

__all__ = ["main"]

_OK, _FINDINGS, _USAGE, _UNTRIED = 0, 1, 2, 3
_Outcomes = Mapping[str, Mapping[str, Outcome]]


class _UsageError(Exception):
    """The words are wrong; the text is for the user."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _UsageError(f"{message}; see {self.prog} --help")


def main(argv: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:  # noqa: ARG001 -- the shape of all commands
    """Run the cases; a user's mistake raises nothing: it is a line on `stderr` and a code."""
    try:
        options = _parser().parse_args(argv)
        languages = _languages(options.languages)
        problems: list[Problem] = []
        cases = read_cases(options.folder, problems)
        if problems:
            stderr.writelines(f"turnwire: {problem}\n" for problem in problems)
            return _USAGE
        outcomes = _outcomes(cases, languages, stderr)
        _print(cases, outcomes, stdout)
        if options.json is not None:
            _write(options.json, cases, outcomes)
    except _UsageError as error:
        stderr.write(f"turnwire: {error}\n")
        return _USAGE
    if len(outcomes) < len(languages):
        return _UNTRIED
    right = all(outcome.verdict == "ok" for of_language in outcomes.values() for outcome in of_language.values())
    return _OK if right else _FINDINGS


def _parser() -> _Parser:
    parser = _Parser(
        prog="python -m turnwire_codegen.cases",
        description="Generates code for each case and tries its values: ok, accepts-invalid, refuses-valid, "
        "loses-data or does-not-build.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a case, or a folder of cases")
    known = ",".join(DRIVERS)
    parser.add_argument("--languages", default=known, metavar="NAMES", help=f"some of {known} (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the outcomes there as JSON")
    return parser


def _languages(words: str) -> tuple[str, ...]:
    languages = tuple(dict.fromkeys(word.strip() for word in words.split(",")))
    unknown = [language for language in languages if language not in DRIVERS]
    if unknown:
        raise _UsageError(f"no cases are tried in {unknown[0]!r}; --languages takes {', '.join(DRIVERS)}")
    return languages


def _outcomes(cases: tuple[Case, ...], languages: tuple[str, ...], stderr: TextIO) -> _Outcomes:
    """The outcomes by language, without those that cannot be tried."""
    outcomes: dict[str, Mapping[str, Outcome]] = {}
    with tempfile.TemporaryDirectory(prefix="turnwire-cases-") as name:
        for language in languages:
            home = Path(name).resolve() / language
            home.mkdir()
            try:
                outcomes[language] = DRIVERS[language](cases, home)
            except ToolchainError as error:
                stderr.write(f"turnwire: {language} is not tried: {error}\n")
    return outcomes


def _print(cases: tuple[Case, ...], outcomes: _Outcomes, stdout: TextIO) -> None:
    width = max(len(case.name) for case in cases)
    for case in cases:
        told = [(language, of_language[case.name]) for language, of_language in outcomes.items()]
        if told:
            stdout.write(f"{case.name:{width}}  {'  '.join(f'{name} {found.verdict}' for name, found in told)}\n")
        stdout.writelines(f"{'':{width}}  {name}: {found.detail}\n" for name, found in told if found.detail)
    for language, of_language in outcomes.items():
        right = sum(outcome.verdict == "ok" for outcome in of_language.values())
        stdout.write(f"{language}: {right} of {len(cases)} ok\n")


def _write(path: Path, cases: tuple[Case, ...], outcomes: _Outcomes) -> None:
    rows = [
        {
            "case": case.name,
            "languages": {language: of_language[case.name].verdict for language, of_language in outcomes.items()},
        }
        for case in cases
    ]
    try:
        path.write_text(json.dumps({"cases": rows}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise _UsageError(f"{path}: {reason}; name a file that can be written with --json") from error
