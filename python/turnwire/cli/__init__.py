"""The command line: a table from words to modules, and one place where every fault becomes one line and a code.

A command's module is imported when it is called, so `serve` pays for nothing that the judge or the generator needs.
"""

import errno
import gc
import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from types import ModuleType
from typing import NamedTuple, NoReturn, TextIO

from turnwire.cli.exits import Exit, Stop

__all__ = ["COMMANDS", "Command", "Streams", "entry", "main"]


class Streams(NamedTuple):
    """The three standard streams: stdout is the answer, stderr is progress and diagnostics."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO

    def tell(self, sentence: str) -> None:
        """Says at once, on stderr, what people should know of what goes on."""
        print(f"turnwire: {sentence}", file=self.stderr, flush=True)


class Command(NamedTuple):
    """A row of the table: the words that are typed, the module that answers, and a line of help."""

    name: str
    module: str
    summary: str


COMMANDS = (
    Command("serve", "serve", "run the reference server on stdin and stdout"),
    Command("call", "call", "send one request to a server and print the result"),
    Command("debug send-message", "send_message", "run one turn on a server and print it as it comes"),
    Command("check server", "check", "judge a server by the clauses of the protocol"),
    Command("check trace", "check", "judge a recorded conversation"),
    Command("check init", "init", "draft a contract for a server of your own"),
    Command("check list", "check", "list the checks"),
    Command("check explain", "check", "say what a check asks for and why"),
    Command("tap", "tap", "stand between a host and its server, record, and judge"),
    Command("replay", "replay", "play a recording against a server, and tell what differs"),
    Command("validate", "validate", "judge messages and transcripts by the schema"),
    Command("generate", "generate", "write all that turnwire.toml names"),
    Command("generate-python", "generate", "write Python bindings"),
    Command("generate-ts", "generate", "write TypeScript bindings"),
    Command("generate-swift", "generate", "write Swift bindings"),
    Command("generate-kotlin", "generate", "write Kotlin bindings"),
    Command("generate-json-schema", "generate", "write the JSON Schema bundles"),
    Command("generate-docs", "generate", "write the reference as Markdown"),
    Command("generate-openrpc", "generate", "write OpenRPC documents"),
    Command("rollout verify", "rollout", "check the record of a server, and name the first bad event"),
    Command("rollout show", "rollout", "print the events of a thread"),
    Command("rollout prune", "rollout", "replace the older events of a thread by one"),
    Command("rollout migrate", "rollout", "copy a record to another store"),
    Command("rollout export", "rollout", "print a thread as JSON lines"),
    Command("version", "version", "print the versions of package, protocol and schema"),
)

# Which extra brings a package that `import turnwire` does without.
EXTRAS = {
    "jinja2": "codegen",
    "datamodel_code_generator": "codegen",
    "jsonschema": "conformance",
    "referencing": "conformance",
    "regress": "conformance",
    "websockets": "websocket",
}


def entry() -> NoReturn:
    """Run as the program `turnwire`."""
    streams = [_opened(stream, mode) for stream, mode in ((sys.stdin, "r"), (sys.stdout, "w"), (sys.stderr, "w"))]
    code = main(sys.argv[1:], *streams)
    try:
        streams[1].flush()
    except OSError:
        # What there is to say was said by `main`. Python would say it once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), streams[1].fileno())
    sys.exit(code)


def main(argv: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """Carry out one command line and return its exit code; no exception leaves."""
    words, wants_traceback = _take_debug(argv)
    try:
        code = _dispatch(words, Streams(stdin, stdout, stderr))
        stdout.flush()
    except BrokenPipeError:
        return Exit.DONE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except Exception as fault:  # noqa: BLE001 - the last line of defence: every fault ends as a line and a code
        if wants_traceback and str(fault):
            traceback.print_exception(fault, file=stderr)
        code, line = _as_line(fault)
        if line:
            stderr.write(f"turnwire: {line}\n")
    return code


def _opened(stream: TextIO | None, mode: str) -> TextIO:
    """A standard stream that speaks UTF-8, whatever the locale says: answers are JSON, and JSON is UTF-8 (STDIO-3).

    One that the parent has closed is the null device, before a file that we open can take its number.
    """
    if stream is None:
        return io.TextIOWrapper(io.FileIO(os.devnull, mode), encoding="utf-8")
    assert isinstance(stream, io.TextIOWrapper), "the interpreter makes no other standard stream"
    stream.reconfigure(encoding="utf-8")
    return stream


def _take_debug(argv: Sequence[str]) -> tuple[list[str], bool]:
    """`--debug` may stand anywhere before `--`; behind it the words belong to the server."""
    words = list(argv)
    own = words[: words.index("--")] if "--" in words else words
    return [word for word in own if word != "--debug"] + words[len(own) :], "--debug" in own


def _dispatch(words: list[str], streams: Streams) -> int:
    for command in COMMANDS:
        length = command.name.count(" ") + 1
        if " ".join(words[:length]) == command.name:
            return _run(command.module, command.name, words[length:], streams)
    return _run("overview", "", words, streams)


def _run(module: str, name: str, argv: list[str], streams: Streams) -> int:
    code: int = _load(module).run(name, argv, streams)
    return code


def _load(module: str) -> ModuleType:
    """Import a command's module. What imports make lives as long as the process: to search it for garbage, now or
    later, is a seventh of the start of a server, for nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return importlib.import_module(f"turnwire.cli.{module}")
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def _as_line(fault: Exception) -> tuple[Exit, str]:
    """The exit code, and what the user reads of it."""
    if isinstance(fault, Stop):
        return fault.code, str(fault)
    if isinstance(fault, ModuleNotFoundError) and (name := (fault.name or "").partition(".")[0]) in EXTRAS:
        return Exit.USAGE, f"the package {name} is not installed; run: pip install 'turnwire[{EXTRAS[name]}]'"
    if isinstance(fault, OSError) and fault.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
        return Exit.USAGE, f"the output cannot be written: {fault.strerror}"
    said = " ".join(f"{type(fault).__name__}: {fault}".split())
    return Exit.FAULT, f"a fault of turnwire itself: {said}; run again with --debug for the traceback, and report it"
