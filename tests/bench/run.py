"""Measures, and prints the table of the README: `python tests/bench/run.py [--strict] [MEASURE …]`.

A bound that does not hold is said in the table; with --strict it is also exit code 1, for a machine that is idle.
"""

import argparse
import platform
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

# The measures stand beside this file, and the environment of other houses' servers one folder up.
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from measures.rows import Row, table  # noqa: E402 - after the paths

MEASURES = (
    "startup",
    "load",
    "websocket",
    "decoding",
    "validators",
    "unions",
    "record",
    "memory",
    "judging",
    "tap",
    "traces",
    "roundtrips",
    "generation",
    "foreign",
    "compiling",
)


def main(argv: list[str]) -> int:
    """Print the table; 1 where --strict is given and a bound does not hold."""
    parser = argparse.ArgumentParser(description="Measure, and print the table of the README.")
    parser.add_argument("measures", nargs="*", metavar="MEASURE", help=f"of {', '.join(MEASURES)}; default all")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a bound does not hold")
    options = parser.parse_args(argv)
    unknown = [name for name in options.measures if name not in MEASURES]
    if unknown:
        parser.error(f"no such measure: {', '.join(unknown)}")
    rows = [row for name in options.measures or MEASURES for row in measured(name)]
    print(table(rows))
    print(f"\nPython {platform.python_version()}, {platform.system()} {platform.machine()}.")
    return int(options.strict and any(row.holds is False for row in rows))


def measured(name: str) -> Iterator[Row]:
    print(f"measuring {name} …", file=sys.stderr)
    rows: Callable[[], Iterator[Row]] = import_module(f"measures.{name}").rows
    return rows()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
