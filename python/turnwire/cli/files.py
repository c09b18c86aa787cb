"""What a user names as a file, read whole: `-` is stdin, and what cannot be read is one line."""

from pathlib import Path

from turnwire.cli import Streams
from turnwire.cli.exits import Exit, Stop

__all__ = ["read_bytes"]


def read_bytes(name: str, streams: Streams) -> bytes:
    """The content of the file, or of stdin for `-`.

    Raises:
        Stop: it cannot be read.
    """
    if name == "-":
        return streams.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except IsADirectoryError:
        raise Stop(Exit.USAGE, f"{name}: a directory; name a file in it") from None
    except OSError as error:
        raise Stop(Exit.USAGE, f"{name}: cannot be read: {error.strerror or error}") from None
    except ValueError:
        # A name with a NUL: the system has no such call.
        raise Stop(Exit.USAGE, f"{name!r}: no file name") from None
