"""`turnwire --help`, `turnwire check --help`, and words that are no command. Imports nothing that costs time."""

from turnwire._version import __version__
from turnwire.cli import COMMANDS, Command, Streams
from turnwire.cli.exits import EXIT_CODES, Exit, Stop

__all__ = ["run"]

HELP_WORDS = ("-h", "--help", "help")


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Print the help that was asked for, or the version.

    Raises:
        Stop: the words are no command.
    """
    assert not name, "words that are a command go to its module"
    word, rest = (argv or [""])[0], argv[1:]
    group = [command for command in COMMANDS if command.name.startswith(f"{word} ")]
    if word in HELP_WORDS:
        streams.stdout.write(_help(COMMANDS))
    elif word in ("-V", "--version"):
        streams.stdout.write(f"turnwire {__version__}\n")
    elif group and rest[:1] and rest[0] in HELP_WORDS:
        streams.stdout.write(_help(group))
    elif group:
        names = " | ".join(command.name.partition(" ")[2] for command in group)
        unlike = f"; {rest[0]!r} is none of them" if rest else ""
        raise Stop(Exit.USAGE, f"`turnwire {word}` wants one of: {names}{unlike}")
    else:
        raise Stop(Exit.USAGE, f"{_refusal(word)}; `turnwire --help` lists the commands")
    return Exit.DONE


def _help(commands: tuple[Command, ...] | list[Command]) -> str:
    width = max(len(command.name) for command in commands)
    rows = "\n".join(f"  {command.name.ljust(width)}  {command.summary}" for command in commands)
    example = "turnwire debug send-message 'Hello'" if commands is COMMANDS else "turnwire check list"
    return (
        "usage: turnwire [--debug] COMMAND …\n\n"
        "Turnwire: one schema, typed bindings, a server and a judge for agent app servers.\n\n"
        f"commands:\n{rows}\n\n"
        "options:\n"
        "  --help     this text; behind a command, that of the command\n"
        "  --version  print the version\n"
        "  --debug    show the traceback of a fault\n\n"
        f"example:\n  {example}\n\n{EXIT_CODES}"
    )


def _refusal(word: str) -> str:
    if not word:
        return "no command given"
    if word.startswith("-"):
        return f"no such option: {word}"
    alike = [command.name for command in COMMANDS if _alike(word, command.name)]
    return f"no such command: {word}" + (f" (did you mean {' or '.join(alike)}?)" if alike else "")


def _alike(word: str, name: str) -> bool:
    """Whether one is part of the other, or they differ by a slip of the finger or two.

    Enough for a hint, and difflib would cost more than the rest of the command.
    """
    if len(word) > 2 and (name.startswith(word) or word in name.split(" ")):
        return True
    if len(word) == len(name):
        return sum(a != b for a, b in zip(word, name, strict=True)) <= 2
    short, long = sorted((word, name), key=len)
    return len(long) - len(short) <= 2 and _is_subsequence(short, long)


def _is_subsequence(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)
