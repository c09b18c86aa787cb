"""Servers that do one thing wrong, as commands: what `call` and `debug` make of them is one line."""

import sys

__all__ = ["python_server"]

GREETING = (
    "def reply(line, result):\n"
    '    answer = {"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": result}\n'
    "    print(json.dumps(answer), flush=True)\n"
)


def python_server(body: str) -> list[str]:
    """The argv of a program that reads lines of stdin as `lines` and can `reply(line, result)`."""
    return [sys.executable, "-c", f"import json, sys, time\nlines = sys.stdin\n{GREETING}{body}"]
