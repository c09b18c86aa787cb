"""What a user names as a file, read whole: `-` is stdin, and what cannot be read is one line."""

from pathlib import Path

from turnwire.cli import Streams
from turnwire.cli.exits import Exit, Stop

__all__ = ["read_bytes"]

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
    except IsADirectoryError:
        raise Stop(Exit.USAGE, f"{name}: a directory; name a file in it") from None
    except OSError as error:
        raise Stop(Exit.USAGE, f"{name}: cannot be read: {error.strerror or error}") from None
    except ValueError:
        # A name with a NUL: the system has no such call.
        raise Stop(Exit.USAGE, f"{name!r}: no file name") from None
    if len(content) > LARGEST:
        raise Stop(Exit.USAGE, f"{name}: longer than {LARGEST >> 20} MiB; give it in parts")
    return content
