"""`generate-python`, `generate-ts`, `generate-json-schema`: a run reads a schema and writes or checks what it makes.

Exit codes: 0 done, 1 findings (stale with --check, degraded with --fail-on-degraded, a faulty schema), 2 wrong use.
"""

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn, TextIO

import msgspec

from turnwire_codegen.emit.styles import OWN_STYLE, STYLES, StyleError
from turnwire_codegen.files import OutputError, diff_all, manifested, refuse_strangers, write_all
from turnwire_codegen.load.foreign.front import FRONT_ENDS, STDIN, Reading
from turnwire_codegen.outputs import COMMANDS, Made, make
from turnwire_codegen.problems import Problem
from turnwire_codegen.project import CONFIGURATION, find_configuration, read_rows, words_of
from turnwire_codegen.report import report_json

__all__ = ["Options", "UsageError", "main"]

DONE, FINDINGS, USAGE = 0, 1, 2
_EXITS = "exit codes: 0 done, 1 findings, 2 wrong use"
# The command that carries out all that a project's file names.
PROJECT = "generate"
_EXAMPLE = f"""printf '[[generate]]\\ntarget = "ts"\\nout = "types"\\n' > {CONFIGURATION} && turnwire {PROJECT}"""


class _Streams(NamedTuple):
    """The three standard streams."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for."""

    command: str
    out: Path
    check: bool
    clean: bool
    experimental: bool
    dry_run: bool
    schema: Path | None
    report: Path | None
    fail_on_degraded: bool
    style: str = OWN_STYLE
    form: str | None = None
    root: str | None = None
    names: Path | None = None


class UsageError(Exception):
    """The words are wrong; the text is for the user."""


def main(argv: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """Run one command; `argv[0]` names it. A user's mistake raises nothing: it is a line on `stderr` and a code."""
    try:
        if argv[:1] == [PROJECT]:
            return _project(argv[1:], _Streams(stdin, stdout, stderr))
        options = _options(argv, stdout)
        if options is None:
            return DONE
        made = _made(options, stdin)
        stderr.writelines(f"turnwire: {problem}\n" for problem in made.problems)
        if made.files is None:
            return USAGE if made.unreadable else FINDINGS
        return _settle(options, made, stdout, stderr)
    except (UsageError, OutputError, StyleError) as error:
        stderr.write(f"turnwire: {error}\n")
        return USAGE


def _project(argv: Sequence[str], streams: _Streams) -> int:
    """Run each row of the project's file, whatever became of those before it; the worst code is the answer."""
    parser = _project_parser()
    if any(word in {"-h", "--help"} for word in argv):
        streams.stdout.write(parser.format_help())
        return DONE
    given = parser.parse_args(argv)
    path = given.config or find_configuration(Path())
    if path is None:
        raise UsageError(
            f"no {CONFIGURATION} here, and no [tool.turnwire] in pyproject.toml; name a file with --config"
        )
    found: list[Problem] = []
    rows = read_rows(path, found)
    streams.stderr.writelines(f"turnwire: {problem}\n" for problem in found)
    flags = [f"--{name}" for name in ("check", "clean", "dry-run") if getattr(given, name.replace("-", "_"))]
    wide = {"experimental": True} if given.experimental else {}
    codes = [main([*words_of(row | wide, path.parent), *flags], *streams) for row in rows]
    return max(codes, default=USAGE)


def _project_parser() -> argparse.ArgumentParser:
    description = f"All that {CONFIGURATION} or [tool.turnwire] in pyproject.toml names; flags are for every row."
    parser = _Parser.of(PROJECT, description, example=_EXAMPLE)
    add = parser.add_argument
    add("--config", type=Path, metavar="FILE", help=f"the file (default: {CONFIGURATION}, else pyproject.toml)")
    _add_shared_flags(parser)
    return parser


def _made(options: Options, stdin: TextIO) -> Made:
    text = stdin.read() if options.schema == STDIN else ""
    reading = Reading(form=options.form, root=options.root, names=options.names, text=text)
    return make(
        options.command, options.schema, experimental=options.experimental, style=options.style, reading=reading
    )


def _settle(options: Options, made: Made, stdout: TextIO, stderr: TextIO) -> int:
    assert made.files is not None, "a run with faults ends before anything is written"
    output = manifested(options.out, made.files, keep_orphans=not options.clean, facts=made.facts)
    differences = diff_all(options.out, output)
    orphans = [difference.path for difference in differences if difference.state == "orphan"]
    degraded = [entry for entry in made.findings if entry.verdict == "degraded"]
    if options.report is not None:
        _write_report(options.report, made, options.command)
    if options.fail_on_degraded and degraded:
        stderr.writelines(f"turnwire: {made.source}:{entry.pointer}: degraded: {entry.what}\n" for entry in degraded)
        return FINDINGS
    if options.check or options.dry_run:
        stdout.writelines(f"{difference.state}: {options.out / difference.path}\n" for difference in differences)
        if options.check and differences:
            stdout.write(f"mend with: {_mending(options, clean=bool(orphans))}\n")
            return FINDINGS
        if not differences:
            stdout.write(f"{options.out}: {len(made.files)} files, all current\n")
        return DONE
    refuse_strangers(options.out, made.files)
    write_all(options.out, output, remove=orphans if options.clean else ())
    left = [] if options.clean else orphans
    stderr.writelines(f"turnwire: {options.out / path}: no longer generated; remove it with --clean\n" for path in left)
    changed = len(differences) - len(left)
    stdout.write(f"{options.out}: {len(made.files)} files, {changed} changed\n")
    return DONE


def _write_report(path: Path, made: Made, command: str) -> None:
    try:
        path.write_bytes(report_json(made.source, command.removeprefix("generate-"), made.names, made.findings))
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise UsageError(f"{path}: {reason}; name a file that can be written with --report") from error


def _mending(options: Options, *, clean: bool) -> str:
    words = ["turnwire", options.command, "--out", str(options.out)]
    words += ["--schema", str(options.schema)] if options.schema else []
    words += ["--form", options.form] if options.form else []
    words += ["--root", options.root] if options.root else []
    words += ["--names", str(options.names)] if options.names else []
    words += ["--style", options.style] if options.style != OWN_STYLE else []
    words += ["--experimental"] if options.experimental else []
    words += ["--clean"] if clean else []
    return shlex.join(words)


class _Parser(argparse.ArgumentParser):
    """argparse that raises: a wrong word is one line and a code, never an exit from within."""

    @classmethod
    def of(cls, command: str, description: str, *, example: str) -> "_Parser":
        """The parser of a command, whose help ends in an example and the exit codes."""
        return cls(
            prog=f"turnwire {command}",
            description=description,
            epilog=f"example: {example}\n\n{_EXITS}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see turnwire {self.prog.split()[-1]} --help")


def _options(argv: Sequence[str], stdout: TextIO) -> Options | None:
    if not argv or argv[0] not in COMMANDS:
        word = repr(argv[0]) if argv else "no command"
        raise UsageError(f"{word} generates nothing; one of {', '.join(COMMANDS)}")
    parser = _parser(argv[0])
    if any(word in {"-h", "--help"} for word in argv[1:]):
        stdout.write(parser.format_help())
        return None
    options = Options(command=argv[0], **vars(parser.parse_args(argv[1:])))
    given = [name for name in ("form", "root", "names") if getattr(options, name) is not None]
    if given and options.schema is None:
        raise UsageError(f"--{given[0]} is about a schema of your own; name it with --schema")
    if options.form is not None and options.root is not None:
        raise UsageError("--form and --root exclude each other: what stands at a pointer is plain JSON Schema")
    return options


def _parser(command: str) -> argparse.ArgumentParser:
    description = f"{COMMANDS[command].help} The stable part of the Turnwire Protocol, or a schema of your own."
    parser = _Parser.of(command, description, example=f"turnwire {command} --out generated")
    add = parser.add_argument
    add("--out", type=Path, required=True, metavar="DIR", help="the folder that the files are written to")
    _add_shared_flags(parser)
    add("--schema", type=Path, metavar="FILE", help="a schema of your own, JSON or YAML; a folder of them; - is stdin")
    add("--form", choices=sorted(FRONT_ENDS), help="how that schema says its methods (default: found by itself)")
    add("--root", metavar="POINTER", help="only what stands there in that schema, as in #/components/schemas")
    add("--names", type=Path, metavar="FILE", help="TOML or JSON, from names in that schema to names in code")
    add("--report", type=Path, metavar="FILE", help="write as JSON what became of each part of the schema")
    add("--fail-on-degraded", action="store_true", help="fail when the types cannot say a part of the schema")
    if command == "generate-python":
        add("--style", choices=STYLES, default=OWN_STYLE, help="what the types are made with (default: %(default)s)")
    return parser


def _add_shared_flags(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--check", action="store_true", help="write nothing; fail when a file is stale, missing or an orphan")
    add("--clean", action="store_true", help="remove what an earlier run wrote and this one no longer does")
    add("--experimental", action="store_true", help="with the experimental part of the protocol")
    add("--dry-run", action="store_true", help="write nothing; say what would change")
