"""`turnwire version`: package, protocol and schema, and which optional parts are there."""

import importlib.util
import json
import platform

from turnwire import wire
from turnwire._version import __version__
from turnwire.cli import EXTRAS, Streams
from turnwire.cli.command import Parser
from turnwire.cli.exits import Exit

__all__ = ["run"]


def run(name: str, argv: list[str], streams: Streams) -> int:
    """Print what is installed."""
    parser = Parser(
        name,
        streams,
        summary="Print the versions of package, protocol and schema, and the optional parts.",
        usage="[--json]",
        example="turnwire version --json",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    parts = {extra: _is_installed(extra) for extra in dict.fromkeys(EXTRAS.values())}
    if options.json:
        facts = {
            "turnwire": __version__,
            "protocol": wire.PROTOCOL_VERSION,
            "schema": {"id": wire.SCHEMA_ID, "digest": wire.SCHEMA_DIGEST},
            "python": platform.python_version(),
            "parts": parts,
        }
        streams.stdout.write(json.dumps(facts, indent=2) + "\n")
        return Exit.DONE
    rows = [
        ("turnwire", __version__),
        ("protocol", wire.PROTOCOL_VERSION),
        ("schema", wire.SCHEMA_DIGEST),
        ("python", platform.python_version()),
        *((extra, "installed" if there else f"pip install 'turnwire[{extra}]'") for extra, there in parts.items()),
    ]
    streams.stdout.writelines(f"{label.ljust(12)} {value}\n" for label, value in rows)
    return Exit.DONE


def _is_installed(extra: str) -> bool:
    return all(importlib.util.find_spec(module) for module, brought_by in EXTRAS.items() if brought_by == extra)
