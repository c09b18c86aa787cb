"""What a user names as a file, whole or line by line: `-` is stdin, and what cannot be read is one line."""

from collections.abc import Iterator
from pathlib import Path

from turnwire.cli import Streams
from turnwire.cli.exits import Exit, Stop

__all__ = ["read_bytes", "read_lines"]

# Sixteen of the longest messages that a server takes; a device without end must not fill the memory.
LARGEST = 256 * 1024 * 1024


def read_bytes(name: str, streams: Streams) -> bytes:
    """The content of the file, or of stdin for `-`.

    Raises:
        Stop: it cannot be read.
    """
    try:
        if name == "-":
            content = streams.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise _unread(name, error) from None
    if len(content) > LARGEST:
        raise Stop(Exit.USAGE, f"{name}: longer than {LARGEST >> 20} MiB; give it in parts")
    return content


def read_lines(name: str, streams: Streams) -> Iterator[bytes]:
    """The lines of the file, or of stdin for `-`, one at a time; a line ends with a line feed and with nothing else.

    Raises:
        Stop: it cannot be read.
    """
    try:
        if name == "-":
            yield from streams.stdin.buffer
        else:
            with Path(name).open("rb") as file:
                yield from file
    except (OSError, ValueError) as error:
        raise _unread(name, error) from None


def _unread(name: str, error: OSError | ValueError) -> Stop:
    if isinstance(error, IsADirectoryError):
        return Stop(Exit.USAGE, f"{name}: a directory; name a file in it")
    if isinstance(error, OSError):
        return Stop(Exit.USAGE, f"{name}: cannot be read: {error.strerror or error}")
    # A name with a NUL: the system has no such call.
    return Stop(Exit.USAGE, f"{name!r}: no file name")
