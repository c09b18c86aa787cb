"""`turnwire generate-…`: the words go on to the generator, which is met nowhere else in this package."""

from turnwire.cli import Streams
from turnwire_codegen.cli import main

__all__ = ["run"]


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Generate, or check what was generated; files, flags and findings are the generator's."""
    return main([name, *argv], streams.stdin, streams.stdout, streams.stderr)
