"""`turnwire validate`: messages, transcripts and single values against the schema, with the place of every fault.

A file is one JSON text, or JSON Lines; a line `{"dir", "msg"}` or `{"dir", "raw"}` is a frame of a transcript.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from turnwire._version import __version__
from turnwire.cli import Streams
from turnwire.cli.command import Parser
from turnwire.cli.exits import Exit, Stop
from turnwire.cli.files import read_bytes
from turnwire.cli.messages import Finding, MessageJudge
from turnwire.cli.positions import line_and_column, offset_of
from turnwire.conformance.profiles import load_profile
from turnwire.conformance.strict import NotStrict, parse

__all__ = ["run"]

LINE_SUFFIXES = (".jsonl", ".ndjson")


class _Text(NamedTuple):
    """One JSON text and the line of the file on which it begins."""

    raw: bytes
    line: int


class _Placed(NamedTuple):
    """A finding and where it is."""

    file: str
    line: int
    column: int
    finding: Finding

    def __str__(self) -> str:
        warning = "warning: " if self.finding.is_warning else ""
        where = f"{self.file}:{self.line}:{self.column}: {self.finding.pointer or '(root)'}"
        return f"{where}: {warning}{self.finding.message}"


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Judge the files; 0 when nothing but warnings is found.

    Raises:
        Stop: a file cannot be read or holds nothing, or the type is not in the schema.
    """
    options = _parser(name, streams).parse_args(argv)
    bundle = load_profile("turnwire").bundle
    judge = MessageJudge(bundle)
    if options.type and options.type not in judge:
        raise Stop(Exit.USAGE, f"--type {options.type}: the schema has no such definition")
    found: list[_Placed] = []
    count = 0
    for file in options.files:
        texts = _texts(file, read_bytes(file, streams))
        if not texts:
            raise Stop(Exit.USAGE, f"{file}: holds no message")
        count += len(texts)
        # Each file is a conversation of its own: ids of one are not answered in another.
        judge = MessageJudge(bundle)
        found += [placed for text in texts for placed in _judged(judge, file, text, options.type)]
    _report(found, count, options, streams)
    return Exit.FINDINGS if any(not placed.finding.is_warning for placed in found) else Exit.DONE


def _parser(name: str, streams: Streams) -> Parser:
    parser = Parser(
        name,
        streams,
        summary="Judge messages, transcripts or single values by the schema of the protocol.",
        usage="[--type NAME] [--format text|json] FILE …",
        example='echo \'{"jsonrpc":"2.0","id":1,"method":"ping"}\' | turnwire validate -',
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a JSON text or JSON Lines; - is stdin")
    parser.add_argument("--type", metavar="NAME", help="judge each value by this definition, not as a message")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="what is printed (default: text)")
    return parser


def _texts(file: str, content: bytes) -> list[_Text]:
    """One text, unless the name or the content says that each line is one."""
    lines = [_Text(raw, number) for number, raw in enumerate(content.split(b"\n"), 1) if raw.strip()]
    if len(lines) < 2 or file.endswith(LINE_SUFFIXES):
        return lines
    if _is_json(content) or not _is_json(lines[0].raw):
        return [_Text(content, 1)]
    return lines


def _is_json(raw: bytes) -> bool:
    try:
        parse(raw)
    except NotStrict:
        return False
    return True


def _judged(judge: MessageJudge, file: str, text: _Text, type_name: str | None) -> Iterator[_Placed]:
    try:
        value = parse(text.raw)
    except NotStrict as reason:
        yield _unreadable(file, text, str(reason))
        return
    decoded = text.raw.decode()
    for finding in judge.value(type_name, value) if type_name else _message(judge, value):
        line, column = line_and_column(decoded, offset_of(decoded, finding.pointer))
        yield _Placed(file, text.line + line - 1, column, finding)


def _message(judge: MessageJudge, value: Any) -> list[Finding]:
    """A message, or a frame of a transcript around one; pointers count from the outermost value."""
    if not isinstance(value, dict) or "dir" not in value:
        return judge.message(value)
    direction = value["dir"]
    if direction not in ("c2s", "s2c"):
        return [Finding("/dir", f"{direction!r} is no direction; it is c2s or s2c")]
    if "msg" in value:
        return [_below("/msg", finding) for finding in judge.message(value["msg"], direction)]
    if not isinstance(value.get("raw"), str):
        return [Finding("", "a frame has `msg`, a message, or `raw`, a string")]
    try:
        message = parse(value["raw"].encode("utf-8", "surrogatepass"))
    except NotStrict as reason:
        return [Finding("/raw", f"the line is {reason}")]
    # Places inside a string have no pointer; the message says which member is meant.
    return [
        Finding("/raw", f"{finding.pointer or '(root)'}: {finding.message}", finding.is_warning)
        for finding in judge.message(message, direction)
    ]


def _below(pointer: str, finding: Finding) -> Finding:
    return finding._replace(pointer=pointer + finding.pointer)


def _unreadable(file: str, text: _Text, reason: str) -> _Placed:
    """What is no JSON has a line and a column where the standard decoder says so."""
    try:
        json.loads(text.raw)
    except json.JSONDecodeError as error:
        return _Placed(file, text.line + error.lineno - 1, error.colno, Finding("", f"not JSON: {error.msg}"))
    except (ValueError, RecursionError):
        pass  # no position to be had; the reason stands for itself
    # Behind the semicolon Python gives advice for its own settings.
    return _Placed(file, text.line, 1, Finding("", reason.partition(";")[0]))


def _report(found: list[_Placed], count: int, options: Any, streams: Streams) -> None:
    faults = sum(not placed.finding.is_warning for placed in found)
    if options.format == "json":
        rows = [
            {
                "file": placed.file,
                "line": placed.line,
                "column": placed.column,
                "pointer": placed.finding.pointer,
                "level": "warning" if placed.finding.is_warning else "error",
                "message": placed.finding.message,
            }
            for placed in found
        ]
        report = {
            "schemaVersion": 1,
            "tool": {"name": "turnwire", "version": __version__},
            "findings": rows,
            "summary": {"values": count, "errors": faults, "warnings": len(found) - faults},
        }
        streams.stdout.write(json.dumps(report, ensure_ascii=False, indent=2) + "\n")
        return
    streams.stdout.writelines(f"{placed}\n" for placed in found)
    streams.stderr.write(f"{count} judged, {faults} wrong, {len(found) - faults} warnings\n")
